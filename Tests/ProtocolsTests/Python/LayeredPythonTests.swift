// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Asks the generated Python, through its adapter, about packets with layers.
@Suite(.enabled(if: PythonInterpreter.isWanted, "\(PythonInterpreter.absence)"), .aside)
struct LayeredPythonTests {
    static let language = LayeredLanguage("Python", run: run)

    @Test func `a program gives functions for layers, and gets packets in packets one by one`() throws {
        let generator = PythonGenerator(try LayeredProtocol.bilibili.translator().description)
        let files = try generator.files()
        let output = try LayeredProtocol.inFolder(with: files) { folder in
            try PythonInterpreter.run(
                PythonPeer.script("layers.py"), [folder.appending(path: files[0].path).path])
        }
        #expect(output == "as expected\n")
    }

    @Test func `a part of a message sets no state`() throws {
        let files = try PythonGenerator(LayeredProtocol.streams.translator().description).files()
        let output = try LayeredProtocol.inFolder(with: files) { folder in
            try PythonInterpreter.run(
                PythonPeer.script("parts.py"), [folder.appending(path: files[0].path).path])
        }
        #expect(output == "as expected\n")
    }

    @Test(.enabled(if: PythonInterpreter.hasTypeChecker, "\(PythonInterpreter.absenceOfTypeChecker)"))
    func `the strictest rules of mypy find nothing`() throws {
        for sample in LayeredProtocol.all {
            let generator = PythonGenerator(try sample.translator().description)
            let files = try generator.files() + [generator.adapter()]
            let findings = try LayeredProtocol.inFolder(with: files) { folder in
                try PythonInterpreter.checkTypes(of: files.map { folder.appending(path: $0.path) }, below: folder)
            }
            #expect(findings == "", "\(sample)")
        }
    }

    private static func run(_ input: String, _ sample: LayeredProtocol) throws -> String {
        let generator = PythonGenerator(try sample.translator().description)
        let script = try generator.adapter()
        return try LayeredProtocol.inFolder(with: generator.files() + [script]) { folder in
            try PythonInterpreter.run(folder.appending(path: script.path), input: input)
        }
    }
}
