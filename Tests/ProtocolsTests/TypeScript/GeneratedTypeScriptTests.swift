// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Compares the generated TypeScript of each protocol with Swift's codec: equal bytes, equal values, equal errors.
@Suite(.enabled(if: TypeScriptTool.isWanted, "\(TypeScriptTool.absence)"), .aside)
struct GeneratedTypeScriptTests {
    @Test func `the strictest settings of the compiler find nothing`() throws {
        let findings = try TypeScriptLanguage.shared.get().findings
        #expect(findings == "")
    }

    @Test(arguments: ["ES2015", "ES2020"])
    func `a platform without the libraries of browsers can compile the modules`(_ target: String) throws {
        let names = ["Features", "Headers", "JTT808", "MQTT", "Scene", "Senders", "Shapes"]
        let modules = try names.map { try TypeScriptLanguage.sample($0).module }
        let findings = try TypeScriptTool.compile(modules, target: target, libraries: target, isEmitted: false)
        #expect(findings == "")
    }

    @Test(arguments: AdapterSamples.names)
    func `TypeScript writes and reads the same as Swift`(name: String) throws {
        let sample = try TypeScriptLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).values())
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: AdapterSamples.names)
    func `TypeScript gives Swift's verdict on truncated, changed and invalid packets`(name: String) throws {
        let sample = try TypeScriptLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).variants())
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: ["Features", "Scene"])
    func `without TextDecoder and TextEncoder nothing is different`(name: String) throws {
        let sample = try TypeScriptLanguage.sample(name)
        let cases = AdapterCases(sample)
        let all = try cases.values() + cases.variants()
        let disagreements = try Self.disagreements(sample, all, preload: TypeScriptPeer.script("poor.cjs"))
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    private static func disagreements(
        _ sample: AdapterSample, _ cases: [AdapterCase], preload: URL? = nil
    ) throws -> [String] {
        let judge = AdapterJudge(sample, cases)
        return try judge.disagreements(
            in: TypeScriptTool.run(sample.adapter, preload: preload, input: judge.input))
    }

    @Test(arguments: AdapterSamples.names)
    func `a module makes no code at run time, and has BigInt only for wide integers`(name: String) throws {
        let sample = try TypeScriptLanguage.sample(name)
        let code = try String(contentsOf: sample.compiledModule, encoding: .utf8)
        #expect(!code.contains("eval(") && !code.contains("Function(") && !code.contains(/(?m)^import\b/))
        // A type says which values are that wide.
        let isWide = sample.files[0].text.contains(/[:|] bigint\b/)
        let hasWideNumbers = code.contains(/\bBigInt\(/)
        // A structure that no message uses has a type, and no code.
        #expect(isWide || !hasWideNumbers)
        if name == "Features" { #expect(hasWideNumbers) }
    }
}
