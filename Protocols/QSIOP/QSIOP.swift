// SPDX-License-Identifier: Apache-2.0

// QSIOP, the QiShare I/O Protocol of seed 004: a version, an operation and lines of `key:value`. The messages are
// generated from qsiop.wire when this target is built.
