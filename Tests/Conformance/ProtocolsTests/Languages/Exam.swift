// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestingSupport
import WirelineCodec
import WirelineSchema

/// What a program is asked, and what is right.
///
/// It is made once for all languages, because Swift's own answers take longer than those of most.
struct Exam: Sendable {
    /// What the program reads: one question a line.
    let input: String
    /// Returns what is wrong in the program's output: at most three faults.
    let faults: @Sendable (_ output: String) throws -> [String]
}

extension Exam {
    /// Asks an adapter.
    init(_ cases: [AdapterCase]) {
        input = cases.enumerated().map { "\($1.line(id: $0))\n" }.joined()
        faults = { output in
            let answers = output.split(separator: "\n")
            // An empty run does not count as agreement.
            guard answers.count == cases.count, !cases.isEmpty else {
                return ["\(answers.count) answers to \(cases.count) questions, the last one: \(answers.last ?? "")"]
            }
            return try Array(
                zip(cases, answers).enumerated().lazy.compactMap { try $1.0.fault(of: $1.1, id: $0) }.prefix(3))
        }
    }
}

/// A question to an adapter, and what is right.
struct AdapterCase: Sendable {
    private let question: [JSONValue.Member]
    /// Returns what is wrong with an answer; nil if it is right.
    private let check: @Sendable (_ answer: JSONValue) throws -> String?
    /// The texts of right answers. Most languages answer with the same text, which need not be judged again.
    private let right = RightAnswers()

    /// Asks what some bytes mean.
    init(
        decoding bytes: [UInt8], in context: PacketContext, keys: [String: String]? = nil,
        check: @escaping @Sendable (_ answer: JSONValue) throws -> String?
    ) {
        self.init("decode", keys, context, JSONValue.Member("hex", .string(Hexadecimal.text(of: bytes))), check)
    }

    /// Asks for the packet of a line.
    init(
        encoding line: JSONValue, in context: PacketContext, keys: [String: String]? = nil,
        check: @escaping @Sendable (_ answer: JSONValue) throws -> String?
    ) {
        self.init("encode", keys, context, JSONValue.Member("line", line), check)
    }

    private init(
        _ ask: String, _ keys: [String: String]?, _ context: PacketContext, _ subject: JSONValue.Member,
        _ check: @escaping @Sendable (_ answer: JSONValue) throws -> String?
    ) {
        let members = keys.map { $0.map { JSONValue.Member($0.key, .string($0.value)) } }
        question =
            (members.map { [JSONValue.Member("keys", .object($0))] } ?? []) + [
                JSONValue.Member("ask", .string(ask)), JSONValue.Member("from", .string(context.sender.rawValue)),
                JSONValue.Member("state", context.states.json), subject,
            ]
        self.check = check
    }

    /// Returns the question as a line of JSON.
    func line(id: Int) -> JSONValue { .object([JSONValue.Member("id", .exactInteger(Int128(id)))] + question) }

    /// Returns what is wrong with an answer; nil if it is right.
    fileprivate func fault(of text: Substring, id: Int) throws -> String? {
        // Another exam may have the same question at another place.
        let start = "{\"id\":\(id),"
        let rest = text.hasPrefix(start) ? text.dropFirst(start.utf8.count) : text
        guard !right.contains(rest) else { return nil }
        guard let fault = try check(JSONValue(parsing: String(text))) else {
            right.insert(rest)
            return nil
        }
        return "\(JSONValue.object(question)): \(fault), in \(text)"
    }
}

extension PacketStates {
    /// The states that are not 0, with their numbers.
    var json: JSONValue { .object(names.map { JSONValue.Member($0, .exactInteger(self[$0])) }) }
}

private final class RightAnswers: Sendable {
    private let texts = Mutex<Set<Substring>>([])

    func contains(_ text: Substring) -> Bool { texts.withLock { $0.contains(text) } }

    func insert(_ text: Substring) {
        let own = Substring(String(text))
        texts.withLock { _ = $0.insert(own) }
    }
}

/// A value that the first test makes which needs it. Others wait for it.
final class MadeOnce<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func get(_ make: () throws -> Value) throws -> Value {
        try result.withLock { result in
            let made = result ?? Result { try make() }
            result = made
            return try made.get()
        }
    }
}
