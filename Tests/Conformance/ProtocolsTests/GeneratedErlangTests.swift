// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Compares the generated Erlang of each protocol with both of Swift's codecs: equal bytes, equal values, equal errors.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct GeneratedErlangTests {
    static let folders = ProtocolFolder.all.filter { !$0.hasLayers }.map(\.name) + ["Features"]
    /// The number of random messages for each protocol.
    static let messageCount = Depth.rounds(20)
    /// The number of cases that Erlang judges at a time.
    private static let batchCount = 10_000

    /// All of a protocol is judged at once, because a node takes long to begin.
    @Test(arguments: folders)
    func `Erlang writes and reads the same as Swift, and gives its verdict on packets that are none`(
        folder: String
    ) throws {
        var random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let judge = ErlangJudge(folder.translator, try folder.generated())
        var lines = RandomLines(folder.translator.description, using: random)
        var cases = try folder.vectors(.exact).map { try judge.value(of: $0.bytes(), in: $0.context()) }
        let varied = Depth.some(3, of: Vector.Kind.allCases.flatMap(folder.vectors), using: &random)
        var packets = try varied.map { (try $0.context(), try $0.bytes()) }
        for number in 0..<Self.messageCount {
            let (context, line) = lines.nextInContext()
            do {
                let bytes = try folder.translator.encode(line: line, from: context.sender, states: context.states)
                cases.append(try judge.value(of: bytes, in: context))
                if number < Depth.rounds(1) { packets.append((context, bytes)) }
            } catch let error as TranslationError {
                cases.append(try judge.refusal(of: line, in: context, error))
            }
        }
        for (context, bytes) in packets {
            for other in judge.translator.variants(of: bytes, in: context, using: &random) {
                cases.append(judge.verdict(on: other, in: context))
            }
            // As many at a time as memory allows.
            guard cases.count >= Self.batchCount else { continue }
            let disagreements = try judge.disagreements(on: cases)
            #expect(disagreements == [], random.seedComment)
            cases = []
        }
        guard !cases.isEmpty else { return }
        let disagreements = try judge.disagreements(on: cases)
        #expect(disagreements == [], random.seedComment)
    }

    /// Scene's messages in packets of any layout: any fields, lengths, IDs, trailers.
    @Test(arguments: 0..<Depth.count(3, deep: 12))
    func `Erlang splits packets of any layout like Swift`(number: Int) throws {
        var random = SeededGenerator.forThisRun()
        // Each number makes another layout, and the seed repeats all of them.
        for _ in 0..<number { _ = random.next() }
        var description = try ProtocolFolder.named("Scene").translator.description
        description.layout = number % 3 == 2 ? .randomBySender(using: &random) : .random(using: &random)
        description.options.maximumPacketByteCount = [200, 70_000, 1 << 20].randomElement(using: &random)!
        let id = description.layout.layout(from: .client).randomMessageID(using: &random)
        for index in description.messages.indices { description.messages[index].id = id }
        let translator = PacketTranslator(description)
        let judge = ErlangJudge(translator, nil)
        var lines = RandomLines(description, using: random)
        var cases: [ErlangTerm] = []
        for _ in 0..<Depth.rounds(5) {
            let (context, line) = lines.nextInContext()
            cases += try judge.cases(of: line, in: context, using: &random)
        }
        let disagreements = try judge.disagreements(on: cases)
        #expect(disagreements == [], "\(random.seedComment): \(description.layout)")
    }

    /// Messages of any types, counts, conditions and unions.
    @Test(arguments: 0..<Depth.count(2, deep: 8))
    func `Erlang reads and writes messages of any schema like Swift`(number: Int) throws {
        var random = SeededGenerator.forThisRun()
        // Each number makes another schema, and the seed repeats all of them.
        for _ in 0..<number { _ = random.next() }
        let (schema, description) = RandomSchema.make(using: &random)
        let judge = ErlangJudge(PacketTranslator(description), nil)
        var lines = RandomLines(description, using: random)
        var cases: [ErlangTerm] = []
        for _ in 0..<Depth.rounds(5) {
            let (context, line) = lines.nextInContext()
            cases += try judge.cases(of: line, in: context, using: &random)
        }
        let disagreements = try judge.disagreements(on: cases)
        #expect(disagreements == [], "\(random.seedComment): \(schema.text)")
    }
}

/// Dialyzer's findings in the runtime with all features at once, in the generated modules and in the examples.
@Suite(
    .enabled(if: ErlangInterpreter.isWantedWithDialyzer, "\(ErlangInterpreter.absenceOfDialyzer)"), .aside)
struct DialyzerTests {
    @Test func `Dialyzer accepts the runtime, the generated code, and the examples that use it`() throws {
        let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }
        let folders = ProtocolFolder.all + [.ciphers, .features, .names]
        for file in folders.flatMap({ ErlangGenerator($0.translator.description).files() }) {
            try Data(file.text.utf8).write(to: output.appending(path: file.path))
        }
        let others = [
            "Tests/Support/Examples/Erlang/scene_client.erl", "Tests/Support/Examples/Erlang/scene_server.erl",
            "Sources/Languages/WirelineGenerator/Runtimes/Erlang/runtime.erl",
        ].map { Checkout.url($0) }
        for file in others {
            try FileManager.default.copyItem(at: file, to: output.appending(path: file.lastPathComponent))
        }
        let answers = try ErlangScript.peer.run(["dialyze", output.path]).map { String(decoding: $0, as: UTF8.self) }
        #expect(answers == ["\(folders.count + others.count)"])
    }
}

/// Sends cases to the generated module of a protocol.
struct ErlangJudge {
    let translator: PacketTranslator
    let generated: (any PacketProtocol.Type)?
    let values: ErlangValues

    init(_ translator: PacketTranslator, _ generated: (any PacketProtocol.Type)?) {
        self.translator = translator
        self.generated = generated
        values = ErlangValues(translator.description)
    }

    // MARK: Cases

    /// A message's packet with its value and the verdicts on changed copies, or why the message cannot be written.
    func cases(
        of line: JSONValue, in context: PacketContext, using random: inout SeededGenerator
    ) throws -> [ErlangTerm] {
        do {
            let bytes = try translator.encode(line: line, from: context.sender, states: context.states)
            let variants = translator.variants(of: bytes, in: context, using: &random).filter {
                keepsItsBits($0, in: context)
            }
            let verdicts = variants.map { verdict(on: $0, in: context) }
            return [try value(of: bytes, in: context)] + verdicts
        } catch let error as TranslationError {
            return [try refusal(of: line, in: context, error)]
        }
    }

    /// A packet and its value.
    func value(of bytes: [UInt8], in context: PacketContext) throws -> ErlangTerm {
        let line = try translator.decode(bytes.span.bytes, in: context)
        return .tuple([
            .atom("value"), side(context), .binary(bytes), values.header(of: line, onlySettable: true),
            values.header(of: line, onlySettable: false), try values.message(of: line),
        ])
    }

    /// A message that cannot be written, and the field that prevents it.
    func refusal(of line: JSONValue, in context: PacketContext, _ error: TranslationError) throws -> ErlangTerm {
        .tuple([
            .atom("refused"), side(context), values.header(of: line, onlySettable: true), try values.message(of: line),
            .text(error.path),
        ])
    }

    /// Whether the packet that bytes begin with has the same bytes if its values are written again. JSON has one NaN, Erlang
    /// and Swift have many.
    func keepsItsBits(_ bytes: [UInt8], in context: PacketContext) -> Bool {
        let layout = translator.description.layout.layout(in: context)
        let limit = translator.description.options.maximumPacketByteCount
        guard generated == nil, case .packet(let bounds)? = try? layout.scan(bytes.span.bytes, limit: limit),
            let line = try? translator.decode(Array(bytes.prefix(bounds.packetByteCount)).span.bytes, in: context)
        else { return true }
        return !"\(line)".contains("\"NaN\"")
    }

    /// Bytes and the verdict on them.
    func verdict(on bytes: [UInt8], in context: PacketContext) -> ErlangTerm {
        .tuple([
            .atom("verdict"), side(context), .binary(bytes),
            ErlangVerdict(translator: translator, generated: generated).term(of: bytes, in: context),
        ])
    }

    func side(_ context: PacketContext) -> ErlangTerm {
        let side = ErlangTerm.atom(context.sender == .client ? "cs" : "sc")
        guard translator.description.layout.hasStates else { return side }
        let states = zip(translator.description.states, values.naming.states).map {
            (ErlangTerm.atom($1), ErlangTerm.integer(context.states[$0.name]))
        }
        return .tuple([side, .map(states)])
    }

    // MARK: Erlang

    /// The cases that the module handles differently; at most three.
    func disagreements(on cases: [ErlangTerm]) throws -> [String] {
        let answers = try ask("judge", cases)
        let texts = answers.map { String(decoding: $0, as: UTF8.self) }
        // The number of cases comes first, so that an empty run does not count as agreement.
        return texts.first == "\(cases.count)" ? Array(texts.dropFirst().prefix(3)) : ["not all was judged: \(texts)"]
    }

    /// Lets the peer do something with the generated module and terms.
    func ask(_ command: String, _ terms: [ErlangTerm]) throws -> [[UInt8]] {
        let output = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: output) }
        for file in ErlangGenerator(translator.description).files() {
            try Data(file.text.utf8).write(to: output.appending(path: file.path))
        }
        return try ErlangScript.peer.run([command, output.path, values.naming.module], input: terms.map(\.bytes))
    }
}
