// SPDX-License-Identifier: Apache-2.0

/// The words of the language, for tools that need them all, such as an editor's grammar.
package enum LanguageWords {
    /// The words that start a declaration.
    package static let keywords = Keyword.allCases.map(\.rawValue)
    /// The types that need no declaration.
    package static let types = BuiltinType.names
    /// The attributes, without the `@`.
    package static let attributes = AttributeKind.allCases.map(\.rawValue)
}
