// SPDX-License-Identifier: Apache-2.0

// A protocol of this project's own with every kind of checksum, over every kind of range. The messages are generated
// from checksums.wire when this target is built.
