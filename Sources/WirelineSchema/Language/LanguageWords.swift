// SPDX-License-Identifier: Apache-2.0

/// The words of the language, for what must know them all, such as an editor's grammar.
package enum LanguageWords {
    /// What starts a declaration.
    package static let keywords = Keyword.allCases.map(\.rawValue)
    /// Types that need no declaration.
    package static let types = BuiltinType.names
    /// Attributes, without the `@`.
    package static let attributes = AttributeKind.allCases.map(\.rawValue)
}
