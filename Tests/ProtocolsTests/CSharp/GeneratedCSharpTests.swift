// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Compares the generated C# of each protocol with Swift's codec: equal bytes, equal values, equal errors.
@Suite(.enabled(if: CSharpTool.isWanted, "\(CSharpTool.absence)"), .aside)
struct GeneratedCSharpTests {
    @Test func `the compiler finds nothing with all its warnings`() throws {
        let findings = try CSharpLanguage.shared.get().findings
        #expect(findings == "")
    }

    /// All of a sample is asked at once, because a program takes long to begin.
    @Test(arguments: AdapterSamples.names)
    func `C# writes and reads the same as Swift, and gives its verdict on packets that are none`(name: String) throws {
        let sample = try CSharpLanguage.sample(name)
        let cases = AdapterCases(sample)
        let judge = AdapterJudge(sample, try cases.values() + cases.variants())
        let output = try CSharpTool.run(sample.program, input: judge.input)
        let disagreements = try judge.disagreements(in: output)
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    /// Platforms that compile ahead of time lack these.
    @Test(arguments: AdapterSamples.names)
    func `a file makes no code at run time and finds no members by their names`(name: String) throws {
        let text = try CSharpLanguage.sample(name).files[0].text
        for word in ["System.Reflection", "Emit", "System.Linq", "dynamic ", "\nusing "] where name != "Reserved" {
            #expect(!text.contains(word))
        }
    }
}
