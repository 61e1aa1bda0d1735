// SPDX-License-Identifier: Apache-2.0

// Fields that depend on who sends them, for tests. The messages are generated from senders.wire when this target is built.
