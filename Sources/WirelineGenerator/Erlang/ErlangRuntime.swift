// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The runtime functions of generated modules.
///
/// A module contains only the functions that it calls, directly or indirectly, because Erlang warns about unused ones.
struct ErlangRuntime: Sendable {
    private static let anyForms = ErlangRuntime([])
    private static let shortestForms = ErlangRuntime(["shortest"])

    /// Returns the functions that read such forms of varints.
    static func reading(_ forms: VarintForms) -> Self { forms == .shortest ? shortestForms : anyForms }

    private let all: [Function]
    /// The functions by name; those of different arities share an entry.
    private let byName: [String: [Function]]

    private init(_ features: Set<String>) {
        all = RuntimeFile.erlang.with(features).text("functions").split(separator: "\n\n").map { chunk in
            let lines = chunk.split(separator: "\n")
            let first = lines.first { line in ("a"..."z").contains(line.first ?? " ") } ?? ""
            return Function(
                name: String(first.prefix { $0 != "(" }), arity: Self.arity(of: first), text: String(chunk),
                calls: Self.calls(of: chunk))
        }
        byName = Dictionary(grouping: all, by: \.name)
    }

    /// Returns the functions that others need, in a fixed order.
    func functions(for calls: Set<String>) -> (text: String, names: Set<String>) {
        var needed: Set<String> = []
        var waiting = Array(calls)
        while let word = waiting.popLast() {
            guard let functions = byName[word], needed.insert(word).inserted else { continue }
            for function in functions { waiting += function.calls }
        }
        let functions = all.filter { needed.contains($0.name) }
        let texts = functions.map { $0.text + "\n" }
        return (texts.joined(separator: "\n"), needed)
    }

    /// Returns the words of the runtime's own text before a parenthesis or an arity, which may be functions.
    static func calls(of text: some StringProtocol) -> Set<String> {
        var words: Set<String> = []
        var word: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                word.append(byte)
            default:
                if !word.isEmpty, byte == UInt8(ascii: "(") || byte == UInt8(ascii: "/") {
                    words.insert(String(decoding: word, as: UTF8.self))
                }
                word.removeAll(keepingCapacity: true)
            }
        }
        return words
    }

    /// Returns each function with one of the names, with its arity.
    func signatures(of names: Set<String>) -> [String] {
        all.filter { names.contains($0.name) }.map { "\($0.name)/\($0.arity)" }
    }

    private struct Function {
        let name: String
        let arity: Int
        let text: String
        let calls: Set<String>
    }

    /// Returns the number of parameters in a function's head.
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
