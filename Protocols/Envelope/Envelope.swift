// SPDX-License-Identifier: Apache-2.0

// A header with texts of every role, for tests. The messages are generated from envelope.wire when this target is built.
