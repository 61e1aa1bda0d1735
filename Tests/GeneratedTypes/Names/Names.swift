// SPDX-License-Identifier: Apache-2.0

// Schemas whose names and texts Swift, or the generated code itself, knows as something else. That this compiles is the
// test.
