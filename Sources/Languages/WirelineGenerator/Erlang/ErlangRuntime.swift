// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The runtime functions of generated modules.
///
/// A module contains only the functions that it calls, directly or indirectly, because Erlang warns about unused ones.
struct ErlangRuntime: Sendable {
    private static let anyForms = ErlangRuntime([])
    private static let shortestForms = ErlangRuntime(["shortest"])

    static func reading(_ forms: VarintForms) -> Self { forms == .shortest ? shortestForms : anyForms }

    private let pieces: RuntimeText
    /// The functions in order; those of several arities share a name.
    private let functions: [(name: String, arity: Int)]

    private init(_ features: Set<String>) {
        let text = RuntimeFile.erlang.with(features).text("functions")
        pieces = RuntimeText(text, lineComment: "%", isFunction: { _ in true }, name: Self.name)
        functions = text.split(separator: "\n\n").compactMap { chunk in
            chunk.split(separator: "\n").lazy.compactMap { line in
                Self.name(line).map { ($0, Self.arity(of: line)) }
            }.first
        }
    }

    /// Returns the function whose clause a line begins; nil for other lines.
    private static func name(_ line: Substring) -> String? {
        ("a"..."z").contains(line.first ?? " ") ? String(line.prefix { $0 != "(" }) : nil
    }

    /// Returns the text and the signatures of the functions that the calls need, in the runtime's order.
    func functions(for calls: Set<String>) -> (text: String, signatures: [String]) {
        let needed = pieces.closure(of: calls)
        return (
            pieces.text(for: calls), functions.filter { needed.contains($0.name) }.map { "\($0.name)/\($0.arity)" }
        )
    }

    func calls(of text: String) -> Set<String> { pieces.needs(of: text) }

    private static func arity(of head: Substring) -> Int {
        if head.drop(while: { $0 != "(" }).hasPrefix("()") { return 0 }
        var (depth, count) = (0, 1)
        for byte in head.utf8 {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return count }
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"): depth -= 1
            case UInt8(ascii: ","): if depth == 1 { count += 1 }
            default: break
            }
        }
        return count
    }
}
