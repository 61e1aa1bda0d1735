// SPDX-License-Identifier: Apache-2.0

// A little-endian protocol between start and end bytes, with a checksum after the payload. The messages are
// generated from the .wire files when this target is built.
