// SPDX-License-Identifier: Apache-2.0

// Headers with fields of every kind, for tests. The messages are generated from headers.wire when this target is built.
