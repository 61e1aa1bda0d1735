// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// Makes valid Swift names: keywords get backticks, and no name occurs twice.
enum SwiftIdentifier {
    /// Names with a fixed meaning in Swift, even in backticks.
    private static let unusable: Set<String> = ["self", "Self", "init", "Any", "Type", "Protocol", "_"]

    private static let keywords: Set<String> = [
        "__consuming", "__owned", "__shared", "any", "associatedtype", "actor", "as", "async", "await", "borrowing",
        "break", "case", "catch", "class", "consuming",
        "continue", "default", "defer", "deinit", "do", "dynamic", "each", "else", "enum", "extension", "fallthrough",
        "false", "fileprivate", "final", "for", "func", "get", "guard", "if", "import", "in", "indirect", "infix",
        "inout", "internal", "is", "isolated", "lazy", "let", "macro", "mutating", "nil", "nonisolated",
        "nonmutating", "open", "operator", "optional", "override", "package", "postfix", "precedencegroup", "prefix",
        "private", "protocol", "public", "repeat", "required", "rethrows", "return", "sending", "set", "some",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "unowned",
        "unsafe", "var", "weak", "where", "while", "yield",
    ]

    /// Returns the name, with backticks if it needs them.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Returns whether a name can be used unchanged.
    static func isFree(_ name: String, among taken: Set<String>) -> Bool {
        !unusable.contains(name) && !taken.contains(name)
    }

    /// Returns the name, with a suffix if it is unusable or taken.
    static func unique(_ name: String, among taken: inout Set<String>) -> String {
        var numbers: [String: Int] = [:]
        return unique(name, among: &taken, numbers: &numbers)
    }

    /// - Parameter numbers: The next number for each name. Without it, many equal names would take quadratic time.
    private static func unique(
        _ name: String, among taken: inout Set<String>, numbers: inout [String: Int]
    ) -> String {
        if unusable.contains(name) { taken.insert(name) }
        if taken.insert(name).inserted { return name }
        return taken.insert(name + "_").inserted ? name + "_" : taken.insertUnique(name, numbers: &numbers)
    }

    /// Returns names for members, in order.
    ///
    /// - Parameter reserved: The names of other members of the type.
    static func members(_ names: [String], reserved: Set<String>) -> [String] {
        var taken = reserved
        var numbers: [String: Int] = [:]
        return names.map { unique($0, among: &taken, numbers: &numbers) }
    }
}
