// SPDX-License-Identifier: Apache-2.0

// A header whose ID stands before its length, with messages that have grown over several releases. The messages are
// generated from id-first.wire when this target is built.
