// SPDX-License-Identifier: Apache-2.0

// A program that translates or compares packets also reads schemas. The language is a module of its own because every
// user of the plugin builds it.
@_exported public import WirelineLanguage
