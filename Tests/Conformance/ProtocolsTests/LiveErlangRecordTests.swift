// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang
import WirelineSchema

/// Compares `ErlangRecords` with the generated modules themselves, in a real Erlang.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LiveErlangRecordTests {
    @Test(arguments: ErlangRecordTests.folders)
    func `Erlang reads the same records from a packet, and writes the packet from them`(folder: String) throws {
        let random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let judge = ErlangJudge(folder.translator, nil)
        let records = ErlangRecords(folder.translator.description)
        var lines = RandomLines(folder.translator.description, using: random)
        var packets = try folder.vectors(.exact).map { (try $0.context(), try $0.bytes()) }
        for _ in 0..<100 {
            let (context, line) = lines.nextInContext()
            let bytes = try? folder.translator.encode(line: line, from: context.sender, states: context.states)
            if let bytes { packets.append((context, bytes)) }
        }
        let cases = try packets.map { context, bytes in
            var pair = ErlangTermWriter()
            try records.write(bytes, in: context, to: &pair)
            var reader = ErlangTermReader(pair.bytes.span.bytes)
            _ = reader.readTuple()
            let (header, message) = (reader.copyOfNext(), reader.copyOfNext())
            let line = try folder.translator.decode(bytes.span.bytes, in: context)
            return ErlangTerm.tuple([
                .atom("value"), judge.side(context), .binary(bytes),
                judge.values.header(of: line, onlySettable: true), .encoded(header), .encoded(message),
            ])
        }
        let disagreements = try judge.disagreements(on: cases)
        #expect(disagreements == [], random.seedComment)
    }

    @Test(arguments: ErlangRecordTests.folders)
    func `Erlang refuses the same terms for the same reason`(folder: String) throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        try compare(folder.translator, messageCount: 60, using: &random)
    }

    @Test(arguments: 0..<6)
    func `Erlang refuses the same terms of any schema for the same reason`(number: Int) throws {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<number { _ = random.next() }
        let (_, description) = RandomSchema.make(using: &random)
        try compare(PacketTranslator(description), messageCount: 40, using: &random)
    }

    @Test(arguments: [
        (-129, "{out_of_range,-129,-128,127}"), (2, "{unknown_case,2}"), (128, "{out_of_range,128,-128,127}"),
    ])
    func `a number is no case of a closed enum, or beyond its type`(number: Int, reason: String) throws {
        let text = "@closed enum Way : int8 { up = 1; } @id(1) @from(both) message Go { Way way; }"
        let file = SourceFile(path: "a.wire", bytes: Array(text.utf8))
        let description = try #require(ProtocolDescription.check(name: "Ways", files: [file]).description)
        let (header, message) = (
            ErlangTerm.map([]), ErlangTerm.tuple([.atom("go"), .integer(Int128(number)), .binary([])])
        )
        let error = #expect(throws: ErlangRecordError.self) {
            let pair = ErlangTerm.tuple([header, message]).bytes
            return try ErlangRecords(description).packet(
                ofTerm: pair.span.bytes.extracting(droppingFirst: 1), from: .client)
        }
        #expect(error?.reason == (try WirelineErlang.ErlangTerm(parsing: reason)))
        let judge = ErlangJudge(PacketTranslator(description), nil)
        let answers = try judge.ask("encode", [.tuple([judge.side(PacketContext(from: .client)), header, message])])
        let bytes = try #require(answers.first)
        let answer = try WirelineErlang.ErlangTerm(externalFormat: bytes.span.bytes)
        #expect(try answer == .tuple("error", #require(error).term))
    }

    private func compare(
        _ translator: PacketTranslator, messageCount: Int, using random: inout SeededGenerator
    ) throws {
        let judge = ErlangJudge(translator, nil)
        let records = ErlangRecords(translator.description)
        var lines = RandomLines(translator.description, using: random)
        var questions: [ErlangTerm] = []
        var answers: [WirelineErlang.ErlangTerm] = []
        for _ in 0..<messageCount {
            let (context, line) = lines.nextInContext()
            let pair = ErlangTerm.tuple([
                judge.values.header(of: line, onlySettable: true), try judge.values.message(of: line),
            ])
            let term = try WirelineErlang.ErlangTerm(externalFormat: pair.bytes.span.bytes)
            // With two faults in a term, each side may name another one.
            let right = pair.bytes.span.bytes.extracting(droppingFirst: 1)
            guard (try? records.packet(ofTerm: right, from: context.sender, states: context.states)) != nil
            else { continue }
            for _ in 0..<8 {
                guard case .tuple(let parts) = WrongTerms.changed(term, using: &random), parts.count == 2 else {
                    continue
                }
                guard case .map = parts[0] else { continue }
                var writers = [ErlangTermWriter(), ErlangTermWriter()]
                for index in parts.indices { try writers[index].write(parts[index]) }
                questions.append(.tuple([judge.side(context)] + writers.map { .encoded($0.bytes) }))
                var whole = ErlangTermWriter()
                try whole.write(.tuple(parts))
                do throws(ErlangRecordError) {
                    let packet = try records.packet(
                        ofTerm: whole.bytes.span.bytes, from: context.sender, states: context.states)
                    answers.append(.tuple("ok", .binary(packet)))
                } catch {
                    answers.append(.tuple("error", error.term))
                }
            }
        }
        let found = try judge.ask("encode", questions).map {
            try WirelineErlang.ErlangTerm(externalFormat: $0.span.bytes)
        }
        #expect(found.count == answers.count)
        let different = zip(zip(found, answers), questions).filter { pair, _ in pair.0 != pair.1 }.map {
            pair, question in
            let question = try? WirelineErlang.ErlangTerm(externalFormat: question.bytes.span.bytes)
            return "Erlang: \(pair.0), Swift: \(pair.1), of \(question.map { "\($0)" } ?? "")"
        }
        #expect(different.prefix(5) == [], random.seedComment)
    }
}

/// Terms that are nearly right.
enum WrongTerms {
    /// Returns a term in which one part is another one.
    static func changed(
        _ term: WirelineErlang.ErlangTerm, using random: inout SeededGenerator
    ) -> WirelineErlang.ErlangTerm {
        switch term {
        case .tuple(var parts) where !parts.isEmpty && Int.random(in: 0..<12, using: &random) > 0:
            let index = Int.random(in: 0..<parts.count, using: &random)
            parts[index] = changed(parts[index], using: &random)
            return .tuple(parts)
        case .list(var items) where !items.isEmpty && Int.random(in: 0..<6, using: &random) > 0:
            let index = Int.random(in: 0..<items.count, using: &random)
            items[index] = changed(items[index], using: &random)
            return .list(items)
        case .map(var map) where map.count > 0:
            guard let pair = map.pairs.randomElement(using: &random) else { return term }
            map[pair.key] = changed(pair.value, using: &random)
            return .map(map)
        default: return other(than: term, using: &random)
        }
    }

    private static func other(
        than term: WirelineErlang.ErlangTerm, using random: inout SeededGenerator
    ) -> WirelineErlang.ErlangTerm {
        if Int.random(in: 0..<3, using: &random) == 0 {
            switch term {
            case .binary(let bytes):
                return [
                    .binary(bytes + [0]), .binary(bytes + [0xFF]), .binary(bytes + bytes + [0x20]),
                    .binary(Array(bytes.dropLast())), .binary(Array(repeating: 0x61, count: 70_000)),
                ].randomElement(using: &random)!
            case .list(let items):
                return [
                    .list(items + items), .list(items, tail: "end"), .list(items + [1]), .list(Array(items.dropLast())),
                ].randomElement(using: &random)!
            case .tuple(let parts): return .tuple(parts + ["undefined"])
            case .integer(let value): return .integer(~value)
            default: break
            }
        }
        return [
            "undefined", "true", "false", "infinity", "no_such_name", .tuple("nan", 0x7FC0_0001), .tuple("nan", 1), 0,
            1, -1,
            255, 256, 65_536, 4_294_967_296, WirelineErlang.ErlangTerm(Int128(1) << 63),
            WirelineErlang.ErlangTerm(Int128(1) << 64),
            WirelineErlang.ErlangTerm(-(Int128(1) << 100)), .float(0.5), .float(1e300), .float(-0.0), .binary([]),
            .binary([0xC3, 0x28]),
            .text("7"), .bits(ErlangBits([1, 0x80], lastBitCount: 1)!), [], [1, 2, 3], ["a"], [[]], .list([1], tail: 2),
            .tuple([]),
            .tuple("other", 7, .binary([1])), .map(["a": 1]), .list([.integer(300), "first"]),
        ].randomElement(using: &random)!
    }
}

extension ErlangTermReader {
    /// Skips the next term, and returns a copy of its bytes.
    fileprivate mutating func copyOfNext() -> [UInt8] {
        guard let bytes = skip() else { return [] }
        return [UInt8](copying: bytes)
    }
}
