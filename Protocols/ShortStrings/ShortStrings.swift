// SPDX-License-Identifier: Apache-2.0

// A signed header, and strings that are counted by one byte. The messages are generated from short-strings.wire when
// this target is built.
