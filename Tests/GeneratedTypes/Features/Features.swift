// SPDX-License-Identifier: Apache-2.0

// A schema that uses every feature of the language. The generated files are compared with the ones in
// Tests/WirelineGeneratorTests/Golden, and what they read and write with what the schema-driven codec does.
