// SPDX-License-Identifier: Apache-2.0

// A header that changes its shape, for tests. The messages are generated from shapes.wire when this target is built.
