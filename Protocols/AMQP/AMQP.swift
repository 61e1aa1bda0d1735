// SPDX-License-Identifier: Apache-2.0

// The frames of AMQP 0-9-1 (amqp.org), which end in a byte of their own. The messages are generated from amqp.wire
// when this target is built.
