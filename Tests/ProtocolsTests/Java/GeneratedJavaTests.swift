// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Compares the generated Java of each protocol with Swift's codec: equal bytes, equal values, equal errors.
@Suite(.enabled(if: JavaTool.isWanted, "\(JavaTool.absence)"), .aside)
struct GeneratedJavaTests {
    @Test func `the compiler finds nothing with all its warnings`() throws {
        let findings = try JavaLanguage.shared.get().findings
        #expect(findings == "")
    }

    /// All of a sample is asked at once, because a program takes long to begin.
    @Test(arguments: AdapterSamples.names)
    func `Java writes and reads the same as Swift, and gives its verdict on packets that are none`(name: String) throws
    {
        let sample = try JavaLanguage.sample(name)
        let cases = AdapterCases(sample)
        let judge = AdapterJudge(sample, try cases.values() + cases.variants())
        let output = try JavaTool.run(sample.adapterName, paths: [sample.folderOfModule], input: judge.input)
        let disagreements = try judge.disagreements(in: output)
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: AdapterSamples.names)
    func `a class makes no code at run time and finds no members by their names`(name: String) throws {
        let text = try JavaLanguage.sample(name).files[0].text
        for word in ["java.lang.reflect", "Class.forName", "\nimport "] { #expect(!text.contains(word)) }
    }
}
