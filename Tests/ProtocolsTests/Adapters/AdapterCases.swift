// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Synchronization
import TestingSupport
import WirelineCodec
import WirelineSchema

/// What an adapter is asked about a sample, and what is right by Swift's codec.
struct AdapterCases {
    /// The number of random messages for each protocol.
    static let messageCount = Depth.rounds(15)

    let sample: AdapterSample
    private var translator: PacketTranslator { sample.translator }

    init(_ sample: AdapterSample) { self.sample = sample }

    // MARK: Cases of a sample

    /// All exact vectors, and random messages: their packets and their values, or why they cannot be written.
    func values() throws -> [AdapterCase] { try sample.source.values.get(makeValues) }

    /// Truncated, changed and invalid packets, and bytes that are none: the verdicts on them.
    func variants() throws -> [AdapterCase] { try sample.source.variants.get(makeVariants) }

    private func makeValues() throws -> [AdapterCase] {
        var lines = RandomLines(translator.description, using: AdapterSamples.random)
        var cases: [AdapterCase] = []
        for vector in sample.folder?.vectors(.exact) ?? [] {
            cases += try self.cases(of: vector.bytes(), in: vector.context())
        }
        for _ in 0..<Self.messageCount {
            let (context, line) = lines.nextInContext()
            cases += try self.cases(of: line, in: context)
        }
        return cases
    }

    private func makeVariants() throws -> [AdapterCase] {
        var random = AdapterSamples.random
        var lines = RandomLines(translator.description, using: random)
        let vectors = try Vector.Kind.allCases.flatMap { sample.folder?.vectors($0) ?? [] }.map {
            (try $0.context(), try $0.bytes())
        }
        // A few of many, because each one has a hundred variants.
        var packets = Array(vectors.shuffled(using: &random).prefix(10))
        let count = packets.count + max(4, Self.messageCount / 100)
        for _ in 0..<1_000 where packets.count < count {
            let (context, line) = lines.nextInContext()
            let bytes = try? translator.encode(line: line, from: context.sender, states: context.states)
            if let bytes { packets.append((context, bytes)) }
        }
        let noise = (0..<40).map { _ in
            (
                PacketContext(from: Sender.allCases.randomElement(using: &random)!),
                random.bytes(Int.random(in: 0...40, using: &random))
            )
        }
        return noise.map { verdict(on: $1, in: $0) }
            + packets.flatMap { context, bytes in
                translator.variants(of: bytes, in: context, using: &random).map { verdict(on: $0, in: context) }
            }
    }

    // MARK: Single cases

    /// A message's packet and its value, or why the message cannot be written.
    func cases(of line: JSONValue, in context: PacketContext) throws -> [AdapterCase] {
        do throws(TranslationError) {
            return cases(
                of: try translator.encode(line: line, from: context.sender, states: context.states), in: context,
                line: line)
        } catch {
            // With a second fault in the header, languages may differ in which of the two they name.
            if error.reason.kind != "wrong_constant", setsFixedHeader(line) { return [] }
            let answer = AdapterCase.Answer.refused(
                kind: error.reason.kind, path: error.path, offset: nil, isOfBytes: false)
            return [AdapterCase(encoding: line, in: context, answer)]
        }
    }

    /// Whether a line sets a field of the header that its message fixes.
    private func setsFixedHeader(_ line: JSONValue) -> Bool {
        let description = translator.description
        guard let message = description.messages.first(where: { line["message"] == .string($0.name) }) else {
            return false
        }
        return message.headerValues.contains { line["header"]?[description.layout.fields[$0.field].name] != nil }
    }

    /// A packet and its value.
    func cases(of bytes: [UInt8], in context: PacketContext) throws -> [AdapterCase] {
        try cases(of: bytes, in: context, line: translator.decode(bytes.rawSpan, in: context))
    }

    private func cases(of bytes: [UInt8], in context: PacketContext, line: JSONValue) -> [AdapterCase] {
        [AdapterCase(encoding: line, in: context, .bytes(bytes)), verdict(on: bytes, in: context)]
    }

    /// Bytes and the verdict on them.
    func verdict(on bytes: [UInt8], in context: PacketContext) -> AdapterCase {
        let answer: AdapterCase.Answer =
            switch translator.verdict(on: bytes[...], in: context) {
            case .packet(let byteCount, let line): .packet(byteCount: byteCount, line: line)
            case .more: .more
            case .refused(let error):
                .refused(kind: error.reason.kind, path: error.path, offset: error.offset, isOfBytes: true)
            }
        return AdapterCase(decoding: bytes, in: context, answer)
    }
}

/// A question to an adapter, and the right answer.
struct AdapterCase: Sendable {
    enum Answer: Sendable {
        case bytes([UInt8])
        case packet(byteCount: Int, line: JSONValue)
        case more
        /// Only a fault of bytes has an offset.
        case refused(kind: String, path: String, offset: Int?, isOfBytes: Bool)
    }

    private let question: [JSONValue.Member]
    let answer: Answer
    /// What is asked, for people.
    let text: String
    /// The texts of answers that were judged and are right.
    let right = RightAnswers()

    /// Asks what some bytes mean.
    fileprivate init(decoding bytes: [UInt8], in context: PacketContext, _ answer: Answer) {
        let hexadecimal = Hexadecimal.text(of: bytes)
        question =
            [
                JSONValue.Member("ask", "decode"), JSONValue.Member("hex", .string(hexadecimal)),
            ] + Self.members(of: context)
        text = "\(context.sender) \(context.states) \(hexadecimal)"
        self.answer = answer
    }

    /// Asks for the packet of a line.
    fileprivate init(encoding line: JSONValue, in context: PacketContext, _ answer: Answer) {
        question =
            [JSONValue.Member("ask", "encode")] + Self.members(of: context) + [JSONValue.Member("line", line)]
        text = "\(context.states) \(line)"
        self.answer = answer
    }

    private static func members(of context: PacketContext) -> [JSONValue.Member] {
        [JSONValue.Member("from", .string(context.sender.rawValue)), JSONValue.Member("state", context.states.json)]
    }

    /// Returns the question as a line of JSON.
    func line(id: Int) -> JSONValue { .object([JSONValue.Member("id", .exactInteger(Int128(id)))] + question) }
}

extension PacketStates {
    /// The states that are not 0, with their numbers.
    var json: JSONValue { .object(names.map { JSONValue.Member($0, .exactInteger(self[$0])) }) }
}

/// What adapters said and what was found right. Most languages answer with the same text, which need not be judged again.
final class RightAnswers: Sendable {
    private let texts = Mutex<Set<Substring>>([])

    func contains(_ text: Substring) -> Bool { texts.withLock { $0.contains(text) } }

    func insert(_ text: Substring) {
        let own = Substring(String(text))
        texts.withLock { _ = $0.insert(own) }
    }
}
