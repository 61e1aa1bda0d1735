// SPDX-License-Identifier: Apache-2.0

// A file for each kind of declaration, so that each generated file imports just what it needs; that this compiles is the
// test.
