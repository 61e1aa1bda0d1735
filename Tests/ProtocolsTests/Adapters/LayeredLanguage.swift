// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// A language whose generated code is asked, through its adapter, about packets with layers; one for each interpreter of it.
struct LayeredLanguage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The protocols for which it has an adapter.
    let samples: [LayeredProtocol]
    /// Those of which damaged packets are sent, which takes longest.
    let damagedSamples: [LayeredProtocol]
    /// The kinds of layers that its adapter says it does not have: `brotli`.
    let missing: Set<String>
    /// Gives lines of questions to the adapter of a sample, and returns the lines that it prints.
    let run: @Sendable (_ input: String, _ sample: LayeredProtocol) throws -> String

    init(
        _ name: String, missing: Set<String> = [], damagedSamples: [LayeredProtocol]? = nil,
        run: @escaping @Sendable (_ input: String, _ sample: LayeredProtocol) throws -> String
    ) {
        testDescription = name
        samples =
            LayeredProtocol.all
            + LayeredProtocol.random.filter { sample in !missing.contains(where: sample.schema.contains) }
        self.damagedSamples = damagedSamples ?? samples
        self.missing = missing
        self.run = run
    }

    /// Those whose tools are there. The suite of a language says why it is skipped.
    static let wanted: [LayeredLanguage] = [
        ErlangInterpreter.isWanted ? [LayeredErlangTests.language] : [],
        TypeScriptTool.isWanted ? [LayeredTypeScriptTests.language] : [],
        LuaTool.wantedWithPackages.map(LayeredLuaTests.language),
        PythonInterpreter.isWanted ? [LayeredPythonTests.language] : [],
        JavaTool.isWanted ? [LayeredJavaTests.language] : [],
        CSharpTool.isWanted ? [LayeredCSharpTests.language] : [],
        GoTool.isWanted ? [LayeredGoTests.language] : [],
    ].flatMap { $0 }

    /// One protocol in one language.
    struct Sample: Sendable, CustomTestStringConvertible {
        let language: LayeredLanguage
        let sample: LayeredProtocol

        var testDescription: String { "\(language.testDescription): \(sample.name)" }

        func judge() throws -> LayeredJudge {
            try LayeredJudge(sample, missing: language.missing) { try language.run($0, sample) }
        }
    }

    static let samples = wanted.flatMap { language in language.samples.map { Sample(language: language, sample: $0) } }
    static let damagedSamples = wanted.flatMap { language in
        language.damagedSamples.map { Sample(language: language, sample: $0) }
    }
}

/// Asks the generated code of all languages about packets with layers.
@Suite(.aside)
struct LayeredLanguageTests {
    @Test(arguments: LayeredLanguage.samples)
    func `a language reads what Swift writes, and writes what Swift reads`(sample: LayeredLanguage.Sample) throws {
        let faults = try sample.judge().exchanges()
        #expect(faults.prefix(3) == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: LayeredLanguage.samples)
    func `a language refuses messages whose header says that the content is another one, as Swift does`(
        sample: LayeredLanguage.Sample
    ) throws {
        let faults = try sample.judge().refusals()
        #expect(faults.prefix(3) == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: LayeredLanguage.damagedSamples)
    func `a language gives Swift's verdict on cut and damaged packets`(sample: LayeredLanguage.Sample) throws {
        let faults = try sample.judge().verdicts()
        #expect(faults.prefix(3) == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: LayeredLanguage.wanted)
    func `a language refuses a packet in a packet with the same keystream, as Swift does`(
        language: LayeredLanguage
    ) throws {
        #expect(try LayeredJudge.nestedKeystream { try language.run($0, .ciphers) } == [])
    }

    @Test(arguments: LayeredLanguage.wanted)
    func `a language refuses a count of the content that its field cannot have, as Swift does`(
        language: LayeredLanguage
    ) throws {
        #expect(try LayeredJudge.longCount { try language.run($0, .counted) } == [])
    }

    @Test(arguments: LayeredLanguage.wanted)
    func `a language reads contents that shrink much`(language: LayeredLanguage) throws {
        #expect(try LayeredJudge.repetitions { try language.run($0, .inside) }.prefix(3) == [])
    }
}
