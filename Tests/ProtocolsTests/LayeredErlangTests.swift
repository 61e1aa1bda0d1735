// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Asks the generated Erlang, through the script that is generated for it, about packets with layers.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LayeredErlangTests {
    /// Erlang/OTP has no brotli: its script says that it has no transform.
    static let language = LayeredLanguage("Erlang", missing: ["brotli"], run: run)

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
