// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLayers
import WirelineSchema

/// Compares generated code for packets with layers with Swift's codec, through the adapter of its language.
///
/// Sealed bytes are not canonical, so each side reads what the other one writes.
struct LayeredJudge {
    let sample: LayeredProtocol
    let translator: PacketTranslator
    /// The kinds of layers that the adapter says it does not have: `brotli`.
    private let missing: Set<String>
    private let packets: [LayeredProtocol.SamplePacket]
    /// Gives lines of questions to an adapter, and returns the lines that it prints.
    private let run: (_ input: String) throws -> String

    init(
        _ sample: LayeredProtocol, missing: Set<String> = [], run: @escaping (_ input: String) throws -> String
    ) throws {
        self.sample = sample
        self.missing = missing
        self.run = run
        translator = try sample.translator()
        var packets = sample.packets.filter { packet in !missing.contains { packet.line.contains("\"\($0)\"") } }
        var lines = RandomLines(translator.description, using: AdapterSamples.random)
        // A few of many, because each one is damaged at every byte.
        let randomPackets = max(20, AdapterCases.messageCount / 5)
        let count = packets.count + randomPackets
        for _ in 0..<10 * randomPackets where packets.count < count {
            let (context, line) = lines.nextInContext()
            guard (try? translator.encode(line: line, from: context.sender, states: context.states)) != nil else {
                continue
            }
            packets.append(LayeredProtocol.SamplePacket(context.sender, in: context.states, "\(line)"))
        }
        self.packets = packets
    }

    /// Returns the packets of which one side does not read what the other one writes.
    func exchanges() throws -> [String] {
        var questions: [Question] = []
        var lines: [JSONValue] = []
        for packet in packets {
            let line = try JSONValue(parsing: packet.line)
            let bytes = try translator.encode(line: line, from: packet.sender, states: packet.states)
            lines.append(try translator.decode(bytes.rawSpan, in: packet.context))
            questions.append(Question("decode", packet.context, ["hex": .string(Hexadecimal.text(of: bytes))]))
            questions.append(Question("encode", packet.context, ["line": line]))
        }
        let answers = try ask(questions)
        var faults: [String] = []
        for (number, line) in lines.enumerated() {
            let read = answers[2 * number]["line"] ?? .null
            if difference(line, read) != nil { faults.append("\(line) is read as \(answers[2 * number])") }
            guard case .string(let hex)? = answers[2 * number + 1]["hex"] else {
                faults.append("\(line) is not written: \(answers[2 * number + 1])")
                continue
            }
            let bytes = try Hexadecimal.bytes(of: hex)
            let written = try translator.decode(bytes.rawSpan, in: packets[number].context)
            if translator.differenceOfSealed(line, written) != nil { faults.append("\(line) is written as \(written)") }
        }
        return faults
    }

    /// Returns messages with headers of which Swift refuses the packet, alone or in another one, and the adapter does not say the same
    /// about it.
    func refusals() throws -> [String] {
        let lines = try packets.map { (try JSONValue(parsing: $0.line), $0.context) }
        let headers = lines.compactMap { line, _ in line["header"] }
        let outer = lines.first { line, _ in line["packets"] != nil }
        var questions: [Question] = []
        var errors: [(kind: String, path: String)] = []
        for (line, context) in lines {
            guard case .object(let members) = line, case .string? = line["message"] else { continue }
            for header in headers {
                let alone = JSONValue.object(
                    members.filter { $0.name != "header" } + [JSONValue.Member("header", header)])
                let inside = outer.map { (Self.packet($0.0, around: alone), $0.1) }
                for (other, context) in [(alone, context)] + [inside].compactMap(\.self) {
                    guard let error = error(of: other, in: context) else { continue }
                    questions.append(Question("encode", context, ["line": other]))
                    errors.append(error)
                }
            }
        }
        let answers = try ask(questions)
        return zip(zip(questions, errors), answers).compactMap { item, answer in
            let isSame = answer["error"] == .string(item.1.kind) && answer["field"] == .string(item.1.path)
            return isSame ? nil : "\(item.0.members): \(answer) instead of \(item.1)"
        }
    }

    /// Returns why Swift does not write a line; nil if it does, or says it with words for JSON.
    private func error(of line: JSONValue, in context: PacketContext) -> (kind: String, path: String)? {
        do throws(TranslationError) {
            _ = try translator.encode(line: line, from: context.sender, states: context.states)
            return nil
        } catch {
            // What values a type can have, and which fields a packet has, is said with other words.
            guard case .value(let reason) = error.reason, !error.path.contains("packet."),
                ["presence", "invalid_header_field"].contains(reason.kind)
            else { return nil }
            return (reason.kind, error.path)
        }
    }

    /// Returns the line of a packet that holds one other packet.
    private static func packet(_ line: JSONValue, around inner: JSONValue) -> JSONValue {
        guard case .object(let members) = line else { return line }
        return .object(members.filter { $0.name != "packets" } + [JSONValue.Member("packets", .array([inner]))])
    }

    private func difference(_ line: JSONValue, _ other: JSONValue) -> String? {
        LineComparison(translator.description).difference(line, other).map { "\($0)" }
    }

    /// Returns the cut and damaged packets on which the adapter gives another verdict than Swift.
    ///
    /// - Parameter count: The most packets to ask about; they are chosen at random.
    func verdicts(count: Int = .max) throws -> [String] {
        var random = AdapterSamples.random
        let damaged = try packets.flatMap { packet in
            let bytes = try translator.encode(
                line: JSONValue(parsing: packet.line), from: packet.sender, states: packet.states)
            return Self.damaged(bytes).map { ($0, packet.context) }
        }
        return try verdicts(on: count < damaged.count ? Array(damaged.shuffled(using: &random).prefix(count)) : damaged)
    }

    /// Returns the packets on which the adapter gives another verdict than Swift.
    func verdicts(on packets: [(bytes: [UInt8], context: PacketContext)]) throws -> [String] {
        let questions = packets.map { packet in
            Question("decode", packet.context, ["hex": .string(Hexadecimal.text(of: packet.bytes))])
        }
        let verdicts = packets.map { translator.verdict(on: $0.bytes[...], in: $0.context) }
        let answers = try ask(questions)
        return zip(zip(questions, verdicts), answers).compactMap { item, answer in
            fault(of: answer, item.1).map { "\(item.0.members): \(answer) instead of \($0)" }
        }
    }

    /// Returns what is wrong with the answer about a message that is longer than its field for the count of the content can say.
    static func longCount(run: @escaping (_ input: String) throws -> String) throws -> [String] {
        let judge = try LayeredJudge(.counted, run: run)
        let line: JSONValue = [
            "message": "Say", "header": ["dataLength": 1],
            "fields": ["text": .string(String(repeating: "x", count: 65_535))],
        ]
        do throws(TranslationError) {
            _ = try judge.translator.encode(line: line, from: .client)
        } catch {
            let answer = try judge.ask([Question("encode", PacketContext(from: .client), ["line": line])])[0]
            guard case .value(let reason) = error.reason, reason.kind == "out_of_range",
                error.path == "Say.packet.dataLength"
            else { return ["\(error)"] }
            let isSame = answer["error"] == .string(reason.kind) && answer["field"] == .string(error.path)
            return isSame ? [] : ["\(answer)"]
        }
        return ["it is written"]
    }

    /// Returns the messages of repeated letters, which shrink much, that the adapter reads otherwise.
    ///
    /// In texts of 194 to 255 letters the last symbol of the stream gives more than half of the content.
    static func repetitions(run: @escaping (_ input: String) throws -> String) throws -> [String] {
        let judge = try LayeredJudge(.inside, run: run)
        let context = PacketContext(from: .client)
        let letters = String(repeating: "abcdefghijklmnopqrstuvwxyz", count: 24)
        var (lines, questions): ([JSONValue], [Question]) = ([], [])
        for count in 0...600 {
            let line: JSONValue = [
                "message": "Say", "header": ["mode": 1, "depth": 1],
                "fields": ["text": .string(String(letters.prefix(count)))],
            ]
            let bytes = try judge.translator.encode(line: line, from: .client)
            lines.append(try judge.translator.decode(bytes.rawSpan, in: context))
            questions.append(Question("decode", context, ["hex": .string(Hexadecimal.text(of: bytes))]))
        }
        return try zip(lines, judge.ask(questions)).compactMap { line, answer in
            judge.translator.differenceOfSealed(line, answer["line"] ?? .null).map { _ in "\(line): \(answer)" }
        }
    }

    /// Returns what is wrong with the answers about a packet in a packet with the same keystream, which must be refused.
    static func nestedKeystream(run: @escaping (_ input: String) throws -> String) throws -> [String] {
        let judge = try LayeredJudge(.ciphers, run: run)
        let translator = judge.translator
        let context = PacketContext(from: .client)
        let line = try JSONValue(
            parsing: """
                {"message":null,"id":9,"header":{"kind":"group","streamed":true},"packets":[
                {"message":"Say","header":{"streamed":true},"fields":{"text":"hi"}}]}
                """)
        // What a program without this check would send.
        func sealed(_ id: UInt64, _ header: PacketHeader, _ payload: [UInt8], isNested: Bool) throws -> [UInt8] {
            var sealer = translator.makeSealer(from: .client)
            sealer.beginPacket()
            var keystreams = LayerSet()
            return try sealer.packet(
                id: id, header: header, payload: payload.rawSpan, isNested ? .message : .packets, isNested: isNested,
                &keystreams)
        }
        let inner = try sealed(1, ["streamed": 1], [0, 2, 0x68, 0x69], isNested: true)
        let packet = try sealed(9, ["kind": 1, "streamed": 1], inner, isNested: false)
        let answers = try judge.ask([
            Question("encode", context, ["line": line]),
            Question("decode", context, ["hex": .string(Hexadecimal.text(of: packet))]),
        ])
        let verdict = translator.verdict(on: packet[...], in: context)
        var faults: [String] = []
        if let fault = judge.fault(of: answers[1], verdict) { faults.append(fault) }
        guard case .refused(let error) = verdict, error.reason == .invalidLayer(.nestedKeystream) else {
            return faults + ["\(verdict)"]
        }
        if answers[0]["error"] != "invalid_layer" || answers[0]["field"] != "packet.StreamKey" {
            faults.append("\(answers[0])")
        }
        return faults
    }

    /// Returns a packet cut at each byte, with each byte changed in two ways, and with a byte more.
    private static func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
        let cut = (0..<bytes.count).map { Array(bytes.prefix($0)) }
        let changed = bytes.indices.flatMap { index in
            [0x01, 0xA0].map { (mask: UInt8) in
                var copy = bytes
                copy[index] ^= mask
                return copy
            }
        }
        return cut + changed + [bytes + [0]]
    }

    /// Returns what an answer should be if it is another one.
    private func fault(of answer: JSONValue, _ verdict: DecodingVerdict) -> String? {
        switch verdict {
        case .packet(let byteCount, let line):
            let isSame =
                answer["reply"] == "ok" && answer["count"] == .exactInteger(Int128(byteCount))
                && difference(line, answer["line"] ?? .null) == nil
            return isSame ? nil : "\(byteCount) bytes: \(line)"
        case .more: return answer["reply"] == "more" ? nil : "more"
        case .refused(let error):
            if missing.contains(where: { error.path.hasSuffix("packet.\($0)") }) {
                return answer["reply"] == "skip" ? nil : "skip"
            }
            let field: JSONValue? = error.path.isEmpty ? nil : JSONValue.string(error.path)
            let offset: JSONValue? = error.offset.map { JSONValue.exactInteger(Int128($0)) }
            let isSameKind = answer["error"] == JSONValue.string(error.reason.kind)
            let isSame = isSameKind && answer["field"] == field && answer["offset"] == offset
            return isSame
                ? nil : "\(error.reason.kind) at \(error.path), offset \(error.offset.map(String.init) ?? "-")"
        }
    }

    // MARK: Asking

    private struct Question {
        var members: [JSONValue.Member]

        init(_ kind: String, _ context: PacketContext, _ members: KeyValuePairs<String, JSONValue>) {
            self.members =
                [
                    JSONValue.Member("ask", .string(kind)), JSONValue.Member("from", .string(context.sender.rawValue)),
                    JSONValue.Member("state", context.states.json),
                ] + members.map { JSONValue.Member($0.key, $0.value) }
        }
    }

    /// Returns the adapter's answers, in the order of the questions.
    private func ask(_ questions: [Question]) throws -> [JSONValue] {
        let keys = JSONValue.object(sample.keys.map { JSONValue.Member($0.key, .string($0.value)) })
        let text = questions.enumerated().map { number, question in
            let id = [JSONValue.Member("id", .exactInteger(Int128(number))), JSONValue.Member("keys", keys)]
            return "\(JSONValue.object(id + question.members))\n"
        }
        let answers = try run(text.joined()).split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        guard answers.count == questions.count else { throw Silence(count: answers.count, of: questions.count) }
        return answers
    }

    /// The adapter did not answer all questions.
    private struct Silence: Error {
        let count: Int
        let of: Int
    }
}
