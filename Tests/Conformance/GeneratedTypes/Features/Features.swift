// SPDX-License-Identifier: Apache-2.0

// A schema that uses every feature of the language. Tests compare what the generated files read and write with what the
// schema-driven codec does, and the files with their hashes in Tests/Conformance/Golden.
