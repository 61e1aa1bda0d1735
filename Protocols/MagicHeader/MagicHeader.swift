// SPDX-License-Identifier: Apache-2.0

// A header with a magic number, versions, a sequence and a CRC-32. The messages are generated from magic-header.wire
// when this target is built.
