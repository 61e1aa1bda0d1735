// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// What adapters are asked about a protocol without layers, and what is right by Swift's codec.
struct AdapterCases {
    /// The number of random messages for each protocol.
    static let messageCount = Depth.rounds(15)
    /// The number of vectors, and of random messages, whose variants are asked. Each one has a hundred variants.
    private static let variedCount = Depth.rounds(2)

    let translator: PacketTranslator
    /// The vectors' folder; nil for a protocol without vectors.
    let folder: ProtocolFolder?

    // MARK: Cases of a protocol

    /// All exact vectors, and random messages: their packets and their values, or why they cannot be written.
    func values() throws -> [AdapterCase] {
        var lines = RandomLines(translator.description, using: AdapterSamples.random)
        var cases: [AdapterCase] = []
        for vector in folder?.vectors(.exact) ?? [] {
            cases += try self.cases(of: vector.bytes(), in: vector.context())
        }
        for _ in 0..<Self.messageCount {
            let (context, line) = lines.nextInContext()
            cases += try self.cases(of: line, in: context)
        }
        return cases
    }

    /// Truncated, changed and invalid packets, and bytes that are none: the verdicts on them.
    func variants() throws -> [AdapterCase] {
        var random = AdapterSamples.random
        var lines = RandomLines(translator.description, using: random)
        let vectors = try Vector.Kind.allCases.flatMap { folder?.vectors($0) ?? [] }.map {
            (try $0.context(), try $0.bytes())
        }
        var packets = Array(vectors.shuffled(using: &random).prefix(Self.variedCount))
        let count = packets.count + Self.variedCount
        for _ in 0..<1_000 where packets.count < count {
            let (context, line) = lines.nextInContext()
            let bytes = try? translator.encode(line: line, from: context.sender, states: context.states)
            if let bytes { packets.append((context, bytes)) }
        }
        let noise = (0..<10).map { _ in
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
    private func cases(of line: JSONValue, in context: PacketContext) throws -> [AdapterCase] {
        do throws(TranslationError) {
            return cases(
                of: try translator.encode(line: line, from: context.sender, states: context.states), in: context,
                line: line)
        } catch {
            // With a second fault in the header, languages may differ in which of the two they name.
            let (kind, path) = (error.reason.kind, error.path)
            if kind != "wrong_constant", setsFixedHeader(line) { return [] }
            return [
                AdapterCase(encoding: line, in: context) { answer in
                    let isSame = answer["error"] == .string(kind) && (path.isEmpty || answer["field"] == .string(path))
                    return isSame ? nil : "not the error \(kind) at \(path)"
                }
            ]
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
    private func cases(of bytes: [UInt8], in context: PacketContext) throws -> [AdapterCase] {
        try cases(of: bytes, in: context, line: translator.decode(bytes.rawSpan, in: context))
    }

    private func cases(of bytes: [UInt8], in context: PacketContext, line: JSONValue) -> [AdapterCase] {
        let hex = Hexadecimal.text(of: bytes)
        return [
            AdapterCase(encoding: line, in: context) { $0["hex"] == .string(hex) ? nil : "not the bytes \(hex)" },
            verdict(on: bytes, in: context),
        ]
    }

    private func verdict(on bytes: [UInt8], in context: PacketContext) -> AdapterCase {
        AdapterCase(verdictOn: bytes, in: context, by: translator)
    }
}

extension AdapterCase {
    /// Asks what some bytes mean, and compares the answer with Swift's verdict on them.
    ///
    /// - Parameter missing: The kinds of layers that the adapter says it does not have: `brotli`.
    init(
        verdictOn bytes: [UInt8], in context: PacketContext, keys: [String: String]? = nil, missing: Set<String> = [],
        by translator: PacketTranslator
    ) {
        let verdict = translator.verdict(on: bytes[...], in: context)
        self.init(decoding: bytes, in: context, keys: keys) { answer in
            switch verdict {
            case .more: return answer["reply"] == "more" ? nil : "it does not wait"
            case .packet(let byteCount, let line):
                guard answer["reply"] == "ok", answer["count"] == .exactInteger(Int128(byteCount)),
                    let found = answer["line"]
                else { return "not a packet of \(byteCount) bytes" }
                return LineComparison(translator).difference(line, found).map {
                    "another value at \($0.path)"
                }
            case .refused(let error):
                if missing.contains(where: { error.path.hasSuffix("packet.\($0)") }) {
                    return answer["reply"] == "skip" ? nil : "it is not skipped"
                }
                let field: JSONValue? = error.path.isEmpty ? nil : .string(error.path)
                let offset: JSONValue? = error.offset.map { .exactInteger(Int128($0)) }
                let isSame =
                    answer["error"] == .string(error.reason.kind) && answer["field"] == field
                    && answer["offset"] == offset
                return isSame ? nil : "not the error \(error.reason.kind), \(error)"
            }
        }
    }
}
