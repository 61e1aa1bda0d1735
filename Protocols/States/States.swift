// SPDX-License-Identifier: Apache-2.0

// Packets that depend on states of the connection. The messages are generated from states.wire when this target is built.
