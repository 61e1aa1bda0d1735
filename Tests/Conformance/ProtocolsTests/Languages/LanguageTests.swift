// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport

/// The generated code of all languages does what Swift does.
@Suite(.aside)
struct LanguageTests {
    private static let absences: [String] =
        Language.all.compactMap(\.absence) + LuaTool.missing.map { "\($0) is not on the PATH" }
        + (LuaTool.wantedWithPackages.isEmpty ? [LuaTool.absenceOfPackages] : [])
        + (PythonInterpreter.hasTypeChecker ? [] : [PythonInterpreter.absenceOfTypeChecker])

    @Test(.enabled(if: absences.isEmpty, "\(absences.joined(separator: "; "))"))
    func `no language and no interpreter is passed over`() {
        #expect(Language.wanted.count == 10)
        #expect(LanguageRuntime.wanted.filter { $0.language.name == "Lua" }.map(\.name) == LuaTool.names)
    }

    @Test func `the schemas of all samples are without faults`() throws {
        #expect(try LanguageSample.all.get().count > 50, AdapterSamples.random.seedComment)
    }

    // MARK: Compilers

    @Test(arguments: Language.wanted)
    func `a compiler finds nothing with all its warnings`(language: Language) throws {
        let findings = try language.code().findings
        #expect(findings == "", AdapterSamples.random.seedComment)
    }

    @Test(arguments: Language.wanted)
    func `a module makes no code at run time, and imports only what it may`(language: Language) throws {
        let objections = try language.code().representativeSamples.flatMap { sample in
            try language.objections(sample).map { "\(sample.name): \($0)" }
        }
        #expect(objections == [], AdapterSamples.random.seedComment)
    }

    // MARK: Exams

    /// A program of one protocol in one language.
    struct Item: Sendable, CustomTestStringConvertible {
        let runtime: LanguageRuntime
        let name: String

        var testDescription: String { "\(runtime.name): \(name)" }

        /// Languages take turns, so that several of them run at a time.
        static func all(_ program: LanguageSample.Program) throws -> [Item] {
            let all = try LanguageRuntime.wanted.map { runtime in
                try runtime.names(of: program).map { Item(runtime: runtime, name: $0) }
            }
            return (0..<(all.map(\.count).max() ?? 0)).flatMap { index in
                all.compactMap { $0.indices.contains(index) ? $0[index] : nil }
            }
        }
    }

    @Test(arguments: try Item.all(.adapter))
    func `a language writes and reads the same as Swift, and gives its verdict on packets that are none`(
        item: Item
    ) throws {
        let faults = try item.runtime.faults(of: .adapter, item.name)
        #expect(faults == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: try Item.all(.streams))
    func `a stream has the same packets wherever it is split, and an error only after them`(item: Item) throws {
        let faults = try item.runtime.faults(of: .streams, item.name)
        #expect(faults == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: try Item.all(.conversations))
    func `keystreams and states go on from packet to packet, wherever streams are split`(item: Item) throws {
        let faults = try item.runtime.faults(of: .conversations, item.name)
        #expect(faults == [], AdapterSamples.random.seedComment)
    }

    // MARK: Peers

    /// A check of one language.
    struct Check: Sendable, CustomTestStringConvertible {
        let runtime: LanguageRuntime
        let check: LanguageCheck

        var testDescription: String { "\(runtime.name): \(check.promise)" }

        static let all = LanguageRuntime.wanted.filter(\.runsPeers).flatMap { runtime in
            runtime.language.checks.map { Check(runtime: runtime, check: $0) }
        }.filter { $0.runtime.hasLayers || !$0.check.hasLayers }
    }

    @Test(arguments: Check.all)
    func `a program in the language finds what it expects`(_ item: Check) throws {
        let (check, runtime) = (item.check, item.runtime)
        let code = try runtime.language.code()
        let samples = check.samples.isEmpty ? code.samples : try check.samples.map(code.sample)
        let outputs = try runtime.run([runtime.language.peer(check.peer, samples)])
        #expect(outputs == [check.output])
    }

    @Test(arguments: LanguageRuntime.wanted.filter { $0.runsPeers && $0.language.page != nil })
    func `the examples of the page print what they say`(runtime: LanguageRuntime) throws {
        let page = try #require(runtime.language.page)
        let outputs = try runtime.run([page.job(runtime.language.code())])
        let expected = try page.expectedLines()
        #expect(outputs == [expected.map { $0 + "\n" }.joined()])
        #expect(expected.count == page.commentCount)
    }
}
