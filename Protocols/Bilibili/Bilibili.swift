// SPDX-License-Identifier: Apache-2.0

// Bilibili's live comments. The messages are generated from bilibili.wire when this target is built.
