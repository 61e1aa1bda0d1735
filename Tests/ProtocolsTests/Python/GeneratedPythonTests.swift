// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Compares the generated Python of each protocol with Swift's codec: equal bytes, equal values, equal errors.
@Suite(.enabled(if: PythonInterpreter.isWanted, "\(PythonInterpreter.absence)"), .aside)
struct GeneratedPythonTests {
    @Test(
        .enabled(if: PythonInterpreter.hasTypeChecker, "\(PythonInterpreter.absenceOfTypeChecker)")
    )
    func `the strictest rules of mypy find nothing`() throws {
        let samples = try PythonLanguage.shared.get().samples.values
        let scene = try PythonLanguage.sample("Scene")
        let folder = scene.module.deletingLastPathComponent()
        let all = folder.deletingLastPathComponent()
        let findings = try PythonInterpreter.checkTypes(of: samples.map(\.module), below: all)
        #expect(findings == "", AdapterSamples.random.seedComment)
        let findingsOfAdapter = try PythonInterpreter.checkTypes(of: [scene.adapter], below: folder)
        #expect(findingsOfAdapter == "")
    }

    @Test(arguments: AdapterSamples.names)
    func `Python writes and reads the same as Swift`(name: String) throws {
        let sample = try PythonLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).values())
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: AdapterSamples.names)
    func `Python gives Swift's verdict on truncated, changed and invalid packets`(name: String) throws {
        let sample = try PythonLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).variants())
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    private static func disagreements(_ sample: AdapterSample, _ cases: [AdapterCase]) throws -> [String] {
        let judge = AdapterJudge(sample, cases)
        return try judge.disagreements(in: PythonInterpreter.run(sample.adapter, input: judge.input))
    }

    @Test(arguments: AdapterSamples.names)
    func `a module imports the standard library only, and makes no code at run time`(name: String) throws {
        let text = try String(contentsOf: PythonLanguage.sample(name).module, encoding: .utf8)
        let imports = text.split(separator: "\n").filter { $0.hasPrefix("import ") || $0.hasPrefix("from ") }
        let known: Set<Substring> = [
            "__future__", "binascii", "collections.abc", "dataclasses", "enum", "re", "struct", "typing", "zlib",
        ]
        #expect(imports.allSatisfy { known.contains($0.split(separator: " ")[1]) })
        #expect(!text.contains("eval(") && !text.contains("exec(") && !text.contains("IntFlag("))
    }
}
