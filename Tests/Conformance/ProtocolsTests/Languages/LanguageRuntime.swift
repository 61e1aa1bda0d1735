// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// A way to run the programs of a language, such as one of several interpreters.
struct LanguageRuntime: Sendable, CustomTestStringConvertible {
    let name: String
    let language: Language
    /// Whether it has all that layers need.
    var hasLayers = true
    /// Whether the peers and the examples of the page are run, too.
    var runsPeers = true
    /// Whether it runs the programs of a protocol.
    var takes: @Sendable (_ sample: LanguageSample, _ position: Int) -> Bool = { _, _ in true }
    /// Runs programs one after another, in one process where that is possible, and returns what each one prints.
    let run: @Sendable (_ jobs: [ProgramJob]) throws -> [String]

    private let outputs = [LanguageSample.Program: MadeOnce<[String: String]>](
        uniqueKeysWithValues: LanguageSample.Program.allCases.map { ($0, MadeOnce()) })

    var testDescription: String { name }

    static let wanted = all.filter { $0.language.absence == nil }
    static let all: [LanguageRuntime] = [java, cSharp, cpp, go, rust] + node + [python, erlang] + lua

    private static let java = LanguageRuntime(name: "Java", language: .java) { jobs in
        let folder = try Language.java.code().folder
        return try ProgramJob.outputs(of: jobs) { try JavaTool.run("Each", paths: [folder], input: $0) }
    }

    private static let cSharp = LanguageRuntime(name: "C#", language: .cSharp) { jobs in
        let program = try Language.cSharp.code().folder.appending(path: "all.exe")
        return try ProgramJob.outputs(of: jobs) { try CSharpTool.run(program, input: $0) }
    }

    private static let cpp = LanguageRuntime(name: "C++", language: .cpp) { try $0.map { try $0.run() } }

    private static let go = LanguageRuntime(name: "Go", language: .go) { try $0.map { try $0.run() } }

    private static let rust = LanguageRuntime(name: "Rust", language: .rust) { try $0.map { try $0.run() } }

    private static let node: [LanguageRuntime] = [
        LanguageRuntime(name: "TypeScript", language: .typeScript) { try runInNode($0) },
        LanguageRuntime(
            name: "TypeScript without TextDecoder", language: .typeScript, runsPeers: false,
            takes: { sample, _ in ["Features", "Scene"].contains(sample.name) },
            run: { try runInNode($0, preload: Language.typeScript.peerFile("poor.cjs")) }),
        LanguageRuntime(
            name: "JavaScript", language: .javaScript,
            // It differs from TypeScript in how it is printed. A deep run asks all.
            takes: { sample, position in Depth.isDeep || sample.name == "Features" || position % 3 == 0 },
            run: { try runInNode($0) }),
    ]

    private static let python = LanguageRuntime(name: "Python", language: .python) { jobs in
        let script = Language.python.peerFile("each.py")
        return try ProgramJob.outputs(of: jobs) { try PythonInterpreter.run(script, input: $0) }
    }

    private static let erlang = LanguageRuntime(name: "Erlang", language: .erlang) { try $0.map { try $0.run() } }

    private static let lua: [LanguageRuntime] = LuaTool.wanted.enumerated().map { index, interpreter in
        LanguageRuntime(
            name: interpreter, language: .lua, hasLayers: LuaTool.wantedWithPackages.contains(interpreter),
            // Each one has its share. A deep run asks all, and so do the edges: interpreters have different integers.
            takes: { sample, position in
                Depth.isDeep || sample.name == "Edges" || (position + index) % LuaTool.wanted.count < 2
            },
            run: { jobs in
                let script = Language.lua.peerFile("each.lua")
                return try ProgramJob.outputs(of: jobs) { try LuaTool.run(interpreter, script, input: $0) }
            })
    }

    private static func runInNode(_ jobs: [ProgramJob], preload: URL? = nil) throws -> [String] {
        let script = Language.typeScript.peerFile("each.mjs")
        return try ProgramJob.outputs(of: jobs) { try TypeScriptTool.run(script, preload: preload, input: $0) }
    }

    // MARK: Exams

    /// Returns what is wrong in what a program of a sample prints.
    func faults(of program: LanguageSample.Program, _ name: String) throws -> [String] {
        let output = try #require(outputs[program]?.get { try allOutputs(of: program) }[name])
        return try exam(program, language.code().sample(name)).faults(output)
    }

    private func exam(_ program: LanguageSample.Program, _ sample: LanguageCode.Sample) throws -> Exam {
        try sample.source.exam(for: program, lacksBrotli: language.lacksBrotli)
    }

    private func allOutputs(of program: LanguageSample.Program) throws -> [String: String] {
        let names = try names(of: program)
        let samples = try language.code().samples.filter { names.contains($0.name) }
        // Another language may make the same exams at this moment.
        DispatchQueue.concurrentPerform(iterations: samples.count) { _ = try? exam(program, samples[$0]) }
        let jobs = try samples.map { sample in
            var job = try language.job(program, sample)
            job.input = try exam(program, sample).input
            return job
        }
        return Dictionary(uniqueKeysWithValues: zip(samples.map(\.name), try run(jobs)))
    }

    /// Returns the names of the samples of which a program is asked.
    func names(of program: LanguageSample.Program) throws -> [String] {
        guard language.programs.contains(program) else { return [] }
        let all = try LanguageSample.all.get().filter { $0.isFor(language) }
        let taken = all.enumerated().filter { position, sample in
            sample.programs.contains(program) && (hasLayers || sample.layers == nil) && takes(sample, position)
        }
        let hasReserved = language.backEnd != nil && runsPeers && program != .conversations
        return taken.map(\.element.name) + (hasReserved ? ["Reserved"] : [])
    }
}
