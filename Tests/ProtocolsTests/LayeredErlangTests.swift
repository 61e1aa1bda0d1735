// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Asks the generated Erlang, through the script that is generated for it, about packets with layers.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LayeredErlangTests {
    @Test(arguments: LayeredProtocol.all)
    func `Erlang reads what Swift writes, and writes what Swift reads`(sample: LayeredProtocol) throws {
        let faults = try Self.judge(sample).exchanges()
        #expect(faults.prefix(3) == [])
    }

    @Test(arguments: LayeredProtocol.all)
    func `Erlang refuses messages whose header says that the content is another one, as Swift does`(
        sample: LayeredProtocol
    ) throws {
        let faults = try Self.judge(sample).refusals()
        #expect(faults.prefix(3) == [])
    }

    @Test(arguments: LayeredProtocol.all)
    func `Erlang gives Swift's verdict on cut and damaged packets`(sample: LayeredProtocol) throws {
        let faults = try Self.judge(sample).verdicts()
        #expect(faults.prefix(3) == [])
    }

    @Test func `Erlang refuses a packet in a packet with the same keystream, as Swift does`() throws {
        let faults = try LayeredJudge.nestedKeystream { try Self.run($0, .ciphers) }
        #expect(faults == [])
    }

    @Test func `Erlang refuses a count of the content that its field cannot have, as Swift does`() throws {
        let faults = try LayeredJudge.longCount { try Self.run($0, .counted) }
        #expect(faults == [])
    }

    @Test func `a part of a message sets no state`() throws {
        let files = ErlangGenerator(try LayeredProtocol.streams.translator().description).files()
        let module = try #require(files.first { $0.path.hasSuffix(".erl") })
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Erlang/parts.escript")
        let text = try LayeredProtocol.inFolder(with: files) { folder in
            let process = try ErlangInterpreter.process(
                script: script, arguments: [folder.appending(path: module.path).path])
            let output = Pipe()
            process.standardOutput = output
            let data = try process.runToEnd { try output.fileHandleForReading.readToEnd() ?? Data() }
            return String(decoding: data, as: UTF8.self)
        }
        #expect(text == "as expected\n")
    }

    /// Erlang/OTP has no brotli: its script says that it has no transform.
    private static func judge(_ sample: LayeredProtocol) throws -> LayeredJudge {
        try LayeredJudge(sample, missing: ["brotli"]) { try run($0, sample) }
    }

    private static func run(_ input: String, _ sample: LayeredProtocol) throws -> String {
        let generator = ErlangGenerator(try sample.translator().description)
        let script = generator.adapter()
        return try LayeredProtocol.inFolder(with: generator.files() + [script]) { folder in
            let questions = folder.appending(path: "questions")
            try Data(input.utf8).write(to: questions)
            let process = try ErlangInterpreter.process(script: folder.appending(path: script.path), arguments: [])
            process.standardInput = try FileHandle(forReadingFrom: questions)
            let output = Pipe()
            process.standardOutput = output
            let data = try process.runToEnd { try output.fileHandleForReading.readToEnd() ?? Data() }
            return String(decoding: data, as: UTF8.self)
        }
    }
}
