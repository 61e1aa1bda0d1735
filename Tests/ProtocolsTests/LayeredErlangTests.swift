// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLayers
import WirelineSchema

/// Asks the generated Erlang, through the script that is generated for it, about packets with layers.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LayeredErlangTests {
    @Test(arguments: LayeredProtocol.all)
    func `Erlang reads what Swift writes, and writes what Swift reads`(sample: LayeredProtocol) throws {
        let translator = try sample.translator()
        var questions: [Question] = []
        var lines: [JSONValue] = []
        let packets = sample.packetsForErlang
        for packet in packets {
            let line = try JSONValue(parsing: packet.line)
            let bytes = try translator.encode(line: line, from: packet.sender, states: packet.states)
            lines.append(try translator.decode(bytes.rawSpan, in: packet.context))
            questions.append(Question("decode", packet.context, ["hex": .string(Hexadecimal.text(of: bytes))]))
            questions.append(Question("encode", packet.context, ["line": line]))
        }
        let answers = try ask(questions, of: sample, translator)
        for (number, line) in lines.enumerated() {
            let context = packets[number].context
            #expect(answers[2 * number]["line"] == line)
            guard case .string(let hex) = answers[2 * number + 1]["hex"] else {
                Issue.record("\(answers[2 * number + 1])")
                continue
            }
            let bytes = try Hexadecimal.bytes(of: hex)
            #expect(try translator.decode(bytes.rawSpan, in: context) == line)
        }
    }

    @Test(arguments: LayeredProtocol.all)
    func `Erlang gives Swift's verdict on cut and damaged packets`(sample: LayeredProtocol) throws {
        let translator = try sample.translator()
        var questions: [Question] = []
        var verdicts: [DecodingVerdict] = []
        for packet in sample.packetsForErlang {
            let bytes = try translator.encode(
                line: JSONValue(parsing: packet.line), from: packet.sender, states: packet.states)
            for damaged in Self.damaged(bytes) {
                questions.append(Question("decode", packet.context, ["hex": .string(Hexadecimal.text(of: damaged))]))
                verdicts.append(translator.verdict(on: damaged[...], in: packet.context))
            }
        }
        let answers = try ask(questions, of: sample, translator)
        var disagreements: [String] = []
        for ((question, verdict), answer) in zip(zip(questions, verdicts), answers) {
            let expected = Self.answer(to: verdict)
            let known = JSONValue.object(expected.map { JSONValue.Member($0.name, answer[$0.name]) })
            let wanted = JSONValue.object(expected)
            if known != wanted { disagreements.append("\(question.members): \(known) instead of \(wanted)") }
        }
        #expect(disagreements.prefix(5) == [])
    }

    @Test func `Erlang refuses a packet in a packet with the same keystream, as Swift does`() throws {
        let sample = LayeredProtocol.ciphers
        let translator = try sample.translator()
        let context = PacketContext(from: .client)
        let line = try JSONValue(
            parsing: """
                {"message":null,"id":9,"header":{"kind":"group","streamed":true},"packets":[
                {"message":"Say","header":{"streamed":true},"fields":{"text":"hi"}}]}
                """)
        let refusal = CodecError.Reason.invalidLayer(.nestedKeystream)
        #expect(throws: TranslationError(.value(refusal), path: "packet.StreamKey")) {
            try translator.encode(line: line, from: .client)
        }
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
        let verdict = translator.verdict(on: packet[...], in: context)
        let path = "packets[0].packet.StreamKey"
        guard case .refused(let error) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(error.reason == refusal && error.path == path)
        let answers = try ask(
            [
                Question("encode", context, ["line": line]),
                Question("decode", context, ["hex": .string(Hexadecimal.text(of: packet))]),
            ], of: sample, translator)
        #expect(answers.map { $0["error"] } == ["invalid_layer", "invalid_layer"])
        #expect(answers.map { $0["field"] } == ["packet.StreamKey", .string(path)])
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

    /// Returns the members that an answer must have; null stands for one that is not there.
    private static func answer(to verdict: DecodingVerdict) -> [JSONValue.Member] {
        switch verdict {
        case .packet(let byteCount, let line):
            return [member("reply", "ok"), member("count", byteCount), JSONValue.Member("line", line)]
        case .more(let byteCount):
            return [member("reply", "more"), member("count", byteCount)]
        case .refused(let error):
            return answer(to: error)
        }
    }

    private static func answer(to error: CodecError) -> [JSONValue.Member] {
        // Erlang/OTP has no brotli: its script says that it has no transform.
        if error.path.hasSuffix("packet.brotli") { return [member("reply", "skip")] }
        var members = [member("reply", "error"), member("error", error.reason.kind)]
        members.append(error.path.isEmpty ? JSONValue.Member("field", .null) : member("field", error.path))
        members.append(error.offset.map { member("offset", $0) } ?? JSONValue.Member("offset", .null))
        return members
    }

    private static func member(_ name: String, _ text: String) -> JSONValue.Member {
        JSONValue.Member(name, .string(text))
    }

    private static func member(_ name: String, _ number: Int) -> JSONValue.Member {
        JSONValue.Member(name, .exactInteger(Int128(number)))
    }

    // MARK: Asking

    private struct Question {
        var members: [JSONValue.Member]

        init(_ kind: String, _ context: PacketContext, _ members: KeyValuePairs<String, JSONValue>) {
            let states = context.states.names.map { JSONValue.Member($0, .exactInteger(context.states[$0])) }
            self.members =
                [
                    JSONValue.Member("ask", .string(kind)), JSONValue.Member("from", .string(context.sender.rawValue)),
                    JSONValue.Member("state", .object(states)),
                ] + members.map { JSONValue.Member($0.key, $0.value) }
        }
    }

    /// Returns the script's answers, in the order of the questions.
    private func ask(
        _ questions: [Question], of sample: LayeredProtocol, _ translator: PacketTranslator
    ) throws -> [JSONValue] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let generator = ErlangGenerator(translator.description)
        let script = generator.adapter()
        for file in generator.files() + [script] {
            try Data(file.text.utf8).write(to: folder.appending(path: file.path))
        }
        let keys = JSONValue.object(sample.keys.map { JSONValue.Member($0.key, .string($0.value)) })
        let text = questions.enumerated().map { number, question in
            let id = [JSONValue.Member("id", .exactInteger(Int128(number))), JSONValue.Member("keys", keys)]
            return "\(JSONValue.object(id + question.members))\n"
        }
        let input = folder.appending(path: "questions")
        try Data(text.joined().utf8).write(to: input)
        let process = try ErlangInterpreter.process(script: folder.appending(path: script.path), arguments: [])
        process.standardInput = try FileHandle(forReadingFrom: input)
        let output = Pipe()
        process.standardOutput = output
        let data = try process.runToEnd { try output.fileHandleForReading.readToEnd() ?? Data() }
        let answers = try String(decoding: data, as: UTF8.self).split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
        try #require(answers.count == questions.count)
        return answers
    }
}

extension JSONValue {
    /// The value of a member; null if there is none.
    fileprivate subscript(name: String) -> JSONValue {
        guard case .object(let members) = self else { return .null }
        return members.first { $0.name == name }?.value ?? .null
    }
}

extension LayeredProtocol {
    /// The packets that Erlang/OTP can open: it has no brotli.
    fileprivate var packetsForErlang: [SamplePacket] { packets.filter { !$0.line.contains(#""brotli""#) } }
}
