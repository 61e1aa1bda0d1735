// SPDX-License-Identifier: Apache-2.0

// Schemas whose names and texts Swift, or the generated code itself, knows as something else. That this compiles is the
// test. Each name stands once for a field, a case or a type, and each form has the names that its own code uses.
