// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLayers
import WirelineSchema

/// Asks the generated Lua about packets with layers: through its adapter, and in conversations whose keystreams go on.
@Suite(.enabled(if: !LuaTool.wantedWithPackages.isEmpty, "\(LuaTool.absenceOfPackages)"), .aside)
struct LayeredLuaTests {
    private static let samples = LayeredProtocol.all

    /// Returns what an interpreter makes of the generated Lua. No package for Lua has brotli: the script says that it has none.
    static func language(_ interpreter: String) -> LayeredLanguage {
        LayeredLanguage(
            interpreter, missing: ["brotli"], damagedSamples: samples.filter { some(for: $0).contains(interpreter) }
        ) { try run($0, $1, interpreter) }
    }

    @Test(arguments: samples + [.streams])
    func `keystreams and states go on from packet to packet, wherever streams are split`(
        sample: LayeredProtocol
    ) throws {
        for interpreter in Self.some(for: sample) {
            let differences = try LayeredConversation.differences(of: sample) { input in
                try Self.inFolder(sample) { module, _ in
                    let options = try sample.options + (sample.isFramed ? ["framed"] : [])
                    return try LuaTool.run(
                        interpreter, LuaLanguage.script("conversations.lua"), [module.path] + options, input: input)
                }
            }
            #expect(differences == [], AdapterSamples.random.seedComment)
        }
    }

    @Test(arguments: LuaTool.wantedWithPackages)
    func `a program gives functions and keys, and gets packets in packets one by one`(interpreter: String) throws {
        let files = try ["Bilibili", "KeyedGame"].map {
            try LuaGenerator(ProtocolFolder.named($0).translator.description).files()[0]
        }
        let output = try LayeredProtocol.inFolder(with: files) { folder in
            try LuaTool.run(
                interpreter, LuaLanguage.script("layers.lua"), files.map { folder.appending(path: $0.path).path })
        }
        #expect(output == "as expected\n")
    }

    @Test func `a module with layers requires nothing, and makes no code at run time`() throws {
        for sample in Self.samples {
            let text = try LuaGenerator(sample.translator().description).files()[0].text
            let words = ["require(", "require \"", "loadstring(", "load(", "setfenv(", "ffi.", "bit.", "bit32."]
            #expect(words.filter(text.contains) == [])
        }
    }

    /// A chunk has room for 200 local variables.
    @Test(arguments: LuaTool.wanted)
    func `a module with values of all types has room for layers`(interpreter: String) throws {
        func packet(_ schema: String) throws -> Range<String.Index> {
            let start = try #require(schema.firstRange(of: "packet {")).lowerBound
            return start..<(try #require(schema[start...].firstRange(of: "\n}"))).upperBound
        }
        var schema = try ProtocolFolder.features.files(extension: "wire").map {
            try String(contentsOf: $0, encoding: .utf8)
        }.joined()
        let other = LayeredProtocol.streams.schema
        schema.replaceSubrange(try packet(schema), with: other[try packet(other)])
        let file = SourceFile(path: "Everything/a.wire", bytes: Array(schema.utf8))
        let result = ProtocolDescription.check(name: "Everything", files: [file])
        let files = try LuaGenerator(#require(result.description)).files()
        let output = try LayeredProtocol.inFolder(with: files) { folder in
            try LuaTool.run(
                interpreter, LuaLanguage.script("load.lua"), [folder.appending(path: files[0].path).path])
        }
        #expect(output == "1 modules\n")
    }

    /// Two of the interpreters, others for the next sample. A deep run asks all.
    private static func some(for sample: LayeredProtocol) -> [String] {
        let all = LuaTool.wantedWithPackages
        let position = samples.firstIndex { $0.name == sample.name } ?? 0
        guard !Depth.isDeep, all.count > 2 else { return all }
        return [0, 2].map { all[(position + $0) % all.count] }
    }

    private static func run(_ input: String, _ sample: LayeredProtocol, _ interpreter: String) throws -> String {
        try inFolder(sample) { _, adapter in try LuaTool.run(interpreter, adapter, input: input) }
    }

    private static func inFolder<Result>(
        _ sample: LayeredProtocol, _ body: (_ module: URL, _ adapter: URL) throws -> Result
    ) throws -> Result {
        let generator = LuaGenerator(try sample.translator().description)
        let files = try generator.files() + [generator.adapter()]
        return try LayeredProtocol.inFolder(with: files) { folder in
            try body(folder.appending(path: files[0].path), folder.appending(path: files[1].path))
        }
    }
}

extension LayeredProtocol {
    /// The layers and options that a connection in Lua can have, as one argument of a script.
    fileprivate var options: [String] {
        get throws {
            let kinds = try translator().description.layout.content.layers.map(\.kind.word)
            return [(kinds + (kinds.contains { $0.hasPrefix("aes") } ? ["aes"] : [])).joined(separator: " ")]
        }
    }

    fileprivate var isFramed: Bool { get throws { try translator().description.layout.framing != nil } }
}
