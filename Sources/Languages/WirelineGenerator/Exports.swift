// SPDX-License-Identifier: Apache-2.0

// A program that generates code may want any language. Swift is a module of its own because every user of the plugin
// builds it.
@_exported public import WirelineSwiftGenerator
