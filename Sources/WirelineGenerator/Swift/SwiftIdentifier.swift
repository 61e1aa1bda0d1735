// SPDX-License-Identifier: Apache-2.0

/// Makes names fit for Swift: keywords in backticks, and no name twice.
enum SwiftIdentifier {
    /// Names that Swift knows as something else wherever they stand, even in backticks.
    private static let unusable: Set<String> = ["self", "Self", "init", "Any", "Type", "Protocol", "_"]

    /// Words that need backticks to be names.
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

    /// The name with backticks where it needs them.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Whether a name can be used as it is.
    static func isFree(_ name: String, among taken: Set<String>) -> Bool {
        !unusable.contains(name) && !taken.contains(name)
    }

    /// The name, or the name with something behind it so that it can be used and is not taken.
    static func unique(_ name: String, among taken: inout Set<String>) -> String {
        var result = unusable.contains(name) ? name + "_" : name
        if taken.contains(result) { result = name + "_" }
        var number = 2
        while taken.contains(result) {
            result = "\(name)_\(number)"
            number += 1
        }
        taken.insert(result)
        return result
    }

    /// Names for members, in order.
    ///
    /// - Parameter reserved: Names that other members of the same type have.
    static func members(_ names: [String], reserved: Set<String>) -> [String] {
        var taken = reserved
        return names.map { unique($0, among: &taken) }
    }
}
