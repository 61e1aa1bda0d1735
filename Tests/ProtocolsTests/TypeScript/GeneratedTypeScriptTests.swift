// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Compares the generated TypeScript of each protocol with Swift's codec: equal bytes, equal values, equal errors.
///
/// `WIRELINE_TYPESCRIPT_MESSAGES=10000` sets the number of random messages for each protocol; the default is 100.
@Suite(.enabled(if: TypeScriptTool.isWanted, "\(TypeScriptTool.absence)"), .aside)
struct GeneratedTypeScriptTests {
    static let messageCount =
        ProcessInfo.processInfo.environment["WIRELINE_TYPESCRIPT_MESSAGES"].flatMap { Int($0) } ?? 100

    @Test func `the strictest settings of the compiler find nothing`() throws {
        let findings = try CompiledTypeScript.shared.get().findings
        #expect(findings == "")
    }

    @Test(arguments: ["ES2015", "ES2020"])
    func `a platform without the libraries of browsers can compile the modules`(_ target: String) throws {
        let names = ["Features", "Headers", "JTT808", "MQTT", "Scene", "Senders", "Shapes"]
        let modules = try names.map { try CompiledTypeScript.sample($0).module }
        let findings = try TypeScriptTool.compile(modules, target: target, libraries: target, isEmitted: false)
        #expect(findings == "")
    }

    @Test(arguments: CompiledTypeScript.names)
    func `TypeScript writes and reads the same as Swift`(name: String) throws {
        let sample = try CompiledTypeScript.sample(name)
        let judge = TypeScriptJudge(sample)
        let random = CompiledTypeScript.random
        var lines = RandomLines(sample.translator.description, using: random)
        var cases: [TypeScriptJudge.Case] = []
        for vector in sample.folder?.vectors(.exact) ?? [] {
            cases += try judge.cases(of: vector.bytes(), from: vector.context().sender)
        }
        for _ in 0..<Self.messageCount {
            let (sender, line) = lines.next()
            cases += try judge.cases(of: line, from: sender)
        }
        let disagreements = try judge.disagreements(on: cases)
        #expect(disagreements == [], random.seedComment)
    }

    @Test(arguments: CompiledTypeScript.names)
    func `TypeScript gives Swift's verdict on truncated, changed and invalid packets`(name: String) throws {
        let sample = try CompiledTypeScript.sample(name)
        let judge = TypeScriptJudge(sample)
        var random = CompiledTypeScript.random
        var lines = RandomLines(sample.translator.description, using: random)
        let vectors = try Vector.Kind.allCases.flatMap { sample.folder?.vectors($0) ?? [] }.map {
            (try $0.context().sender, try $0.bytes())
        }
        // A few of many, because each one has a hundred variants.
        var packets = Array(vectors.shuffled(using: &random).prefix(10))
        let count = packets.count + max(4, Self.messageCount / 100)
        for _ in 0..<1_000 where packets.count < count {
            let (sender, line) = lines.next()
            if let bytes = try? sample.translator.encode(line: line, from: sender) { packets.append((sender, bytes)) }
        }
        let noise = (0..<40).map { _ in
            (Sender.allCases.randomElement(using: &random)!, random.bytes(Int.random(in: 0...40, using: &random)))
        }
        let cases =
            noise.map { judge.verdict(on: $1, from: $0) }
            + packets.flatMap { sender, bytes in
                sample.translator.variants(of: bytes, in: PacketContext(from: sender), using: &random).map {
                    judge.verdict(on: $0, from: sender)
                }
            }
        let disagreements = try judge.disagreements(on: cases)
        #expect(disagreements == [], random.seedComment)
    }

    @Test func `without TextDecoder and TextEncoder nothing is different`() throws {
        for name in ["Features", "Scene"] {
            let sample = try CompiledTypeScript.sample(name)
            let judge = TypeScriptJudge(sample)
            var random = CompiledTypeScript.random
            var lines = RandomLines(sample.translator.description, using: random)
            var cases: [TypeScriptJudge.Case] = []
            for number in 0..<Self.messageCount {
                let (sender, line) = lines.next()
                let made = try judge.cases(of: line, from: sender)
                cases += made
                guard number < 4, let bytes = try? sample.translator.encode(line: line, from: sender) else { continue }
                cases += sample.translator.variants(of: bytes, in: PacketContext(from: sender), using: &random).map {
                    judge.verdict(on: $0, from: sender)
                }
            }
            let poor = TypeScriptPeer.script("poor.cjs")
            let disagreements = try judge.disagreements(on: cases, preload: poor)
            #expect(disagreements == [], random.seedComment)
        }
    }

    @Test(arguments: CompiledTypeScript.names)
    func `a module makes no code at run time, and has BigInt only for wide integers`(name: String) throws {
        let sample = try CompiledTypeScript.sample(name)
        let code = try String(contentsOf: sample.script, encoding: .utf8)
        #expect(!code.contains("eval(") && !code.contains("Function(") && !code.contains(/(?m)^import\b/))
        // A type says which values are that wide.
        let isWide = sample.files[0].text.contains(/[:|] bigint\b/)
        #expect(code.contains(/\bBigInt\(/) == isWide)
    }
}

/// Asks the adapter of a sample, and compares its answers with Swift's.
struct TypeScriptJudge {
    let sample: CompiledTypeScript.Sample
    private var translator: PacketTranslator { sample.translator }

    init(_ sample: CompiledTypeScript.Sample) { self.sample = sample }

    /// A question, and what is right.
    struct Case {
        fileprivate let question: TypeScriptQuestion
        fileprivate let answer: Answer
        /// What is asked, for people.
        fileprivate let text: String
    }

    fileprivate enum Answer {
        case bytes([UInt8])
        case packet(byteCount: Int, line: JSONValue)
        case more
        /// Only a fault of bytes has an offset.
        case refused(kind: String, path: String, offset: Int?, isOfBytes: Bool)
    }

    // MARK: Cases

    /// A message's packet and its value, or why the message cannot be written.
    func cases(of line: JSONValue, from sender: Sender) throws -> [Case] {
        do throws(TranslationError) {
            return cases(of: try translator.encode(line: line, from: sender), from: sender, line: line)
        } catch {
            let answer = Answer.refused(kind: error.reason.kind, path: error.path, offset: nil, isOfBytes: false)
            return [Case(question: TypeScriptQuestion(encoding: line, from: sender), answer: answer, text: "\(line)")]
        }
    }

    /// A packet and its value.
    func cases(of bytes: [UInt8], from sender: Sender) throws -> [Case] {
        try cases(of: bytes, from: sender, line: translator.decode(bytes.rawSpan, from: sender))
    }

    private func cases(of bytes: [UInt8], from sender: Sender, line: JSONValue) -> [Case] {
        [
            Case(question: TypeScriptQuestion(encoding: line, from: sender), answer: .bytes(bytes), text: "\(line)"),
            verdict(on: bytes, from: sender),
        ]
    }

    /// Bytes and the verdict on them.
    func verdict(on bytes: [UInt8], from sender: Sender) -> Case {
        let answer: Answer =
            switch translator.verdict(on: bytes[...], in: PacketContext(from: sender)) {
            case .packet(let byteCount, let line): .packet(byteCount: byteCount, line: line)
            case .more: .more
            case .refused(let error):
                .refused(kind: error.reason.kind, path: error.path, offset: error.offset, isOfBytes: true)
            }
        return Case(
            question: TypeScriptQuestion(decoding: bytes, from: sender), answer: answer,
            text: "\(sender) \(Hexadecimal.text(of: bytes))")
    }

    // MARK: Answers

    /// The cases that the module handles differently; at most three.
    func disagreements(on cases: [Case], preload: URL? = nil) throws -> [String] {
        let answers = try sample.ask(cases.map(\.question), preload: preload)
        // An empty run does not count as agreement.
        guard answers.count == cases.count, !cases.isEmpty else { return ["not all was answered"] }
        let faults = zip(cases, answers).lazy.compactMap { item, answer in
            fault(of: answer, item.answer).map { "\(item.text): \($0), in \(answer)" }
        }
        return Array(faults.prefix(3))
    }

    private func fault(of answer: JSONValue, _ expected: Answer) -> String? {
        let reply = answer["reply"]
        switch expected {
        case .bytes(let bytes):
            let hex = Hexadecimal.text(of: bytes)
            return answer["hex"] == .string(hex) ? nil : "not the bytes \(hex)"
        case .more: return reply == "more" ? nil : "it does not wait"
        case .packet(let byteCount, let line):
            guard reply == "ok", answer["count"] == .exactInteger(Int128(byteCount)), let found = answer["line"] else {
                return "not a packet of \(byteCount) bytes"
            }
            return LineComparison(translator.description).difference(line, found).map { "another value at \($0.path)" }
        case .refused(let kind, let path, let offset, let isOfBytes):
            var members = [JSONValue.Member("error", .string(kind))]
            if !path.isEmpty { members.append(JSONValue.Member("field", .string(path))) }
            if let offset { members.append(JSONValue.Member("offset", .exactInteger(Int128(offset)))) }
            let isSame = members.allSatisfy { answer[$0.name] == $0.value }
            let isSilent = !path.isEmpty || answer["field"] == nil || !isOfBytes
            return reply == "error" && isSame && isSilent ? nil : "not the error \(JSONValue.object(members))"
        }
    }
}
