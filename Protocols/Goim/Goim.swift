// SPDX-License-Identifier: Apache-2.0

// goim, and the live comments of Bilibili (github.com/Terry-Mao/goim, docs/en/proto.md). The messages are generated
// from goim.wire when this target is built.
