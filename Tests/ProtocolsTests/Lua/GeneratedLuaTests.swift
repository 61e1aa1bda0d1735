// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Compares the generated Lua of each protocol with Swift's codec, in each interpreter: equal bytes, equal values, equal errors.
@Suite(.enabled(if: !LuaTool.wanted.isEmpty, "no Lua is on the PATH"), .aside)
struct GeneratedLuaTests {
    @Test(.enabled(if: LuaTool.missing.isEmpty, "not on the PATH: \(LuaTool.missing.joined(separator: ", "))"))
    func `no interpreter is passed over`() {
        #expect(LuaTool.wanted == LuaTool.names)
    }

    @Test(arguments: LuaTool.wanted)
    func `each interpreter loads the modules of all protocols`(interpreter: String) throws {
        let modules = try LuaLanguage.shared.get().samples.values.map(\.module.path).sorted()
        #expect(try LuaTool.run(interpreter, LuaLanguage.script("load.lua"), modules) == "\(modules.count) modules\n")
    }

    @Test(arguments: AdapterSamples.names)
    func `Lua writes and reads the same as Swift`(name: String) throws {
        let sample = try LuaLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).values(), LuaTool.wanted)
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: AdapterSamples.names)
    func `Lua gives Swift's verdict on truncated, changed and invalid packets`(name: String) throws {
        let sample = try LuaLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).variants(), Self.some(for: name))
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    /// Two of the interpreters, others for the next sample: each one has its share. A deep run asks all.
    private static func some(for sample: String) -> [String] {
        let (all, position) = (LuaTool.wanted, AdapterSamples.names.firstIndex(of: sample) ?? 0)
        guard !Depth.isDeep, all.count > 2 else { return all }
        return [0, 2].map { all[(position + $0) % all.count] }
    }

    private static func disagreements(
        _ sample: AdapterSample, _ cases: [AdapterCase], _ interpreters: [String]
    ) throws -> [String] {
        let judge = AdapterJudge(sample, cases)
        return try interpreters.flatMap { name in
            try judge.disagreements(in: LuaTool.run(name, sample.adapter, input: judge.input)).map { "\(name): \($0)" }
        }
    }

    @Test(arguments: AdapterSamples.names)
    func `a stream has the same packets wherever it is torn, and an error only after them`(name: String) throws {
        let sample = try LuaLanguage.sample(name)
        let streams = try AdapterStreams(sample)
        let outputs = try Self.some(for: name).map { interpreter in
            try LuaTool.run(
                interpreter, LuaLanguage.script("streams.lua"), [sample.module.path], input: streams.input)
        }
        #expect(outputs.allSatisfy { $0 == "\(streams.count) streams\n" }, AdapterSamples.random.seedComment)
        // Some random layouts have no room for any message.
        #expect(streams.count > 0 || sample.folder == nil)
    }

    @Test(arguments: LuaTool.wanted)
    func `values that Lua alone can give are written, or refused with a reason`(interpreter: String) throws {
        let modules = try ["Features", "Scene"].map { try LuaLanguage.sample($0).module.path }
        #expect(try LuaTool.run(interpreter, LuaLanguage.script("values.lua"), modules) == "right\n")
    }

    @Test(arguments: LuaTool.wanted)
    func `hostile bytes take neither long nor much memory`(interpreter: String) throws {
        let modules = try ["Features", "Scene"].map { try LuaLanguage.sample($0).module.path }
        #expect(try LuaTool.run(interpreter, LuaLanguage.script("hostile.lua"), modules) == "harmless\n")
    }

    @Test(arguments: AdapterSamples.names)
    func `a module requires nothing, and makes no code at run time`(name: String) throws {
        let text = try LuaLanguage.sample(name).files[0].text
        // Without comments, and without what the schema's names say.
        let code = text.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
        let words = ["require(", "require \"", "loadstring(", "load(", "setfenv(", "ffi.", "bit.", "bit32."]
        #expect(words.filter { code.contains($0) } == [])
    }

    @Test(arguments: LuaTool.wanted)
    func `a module makes no globals`(interpreter: String) throws {
        let module = try LuaLanguage.sample("Features").module.path
        #expect(try LuaTool.run(interpreter, LuaLanguage.script("globals.lua"), [module]) == "none\n")
    }
}
