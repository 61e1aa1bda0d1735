// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineLayers
import WirelineSchema

extension Language {
    /// Lua, for all interpreters in one file. Each one compiles a module when it loads it.
    static let lua: Language = Language(
        name: "Lua", directory: "Lua", absence: LuaTool.wanted.isEmpty ? "no Lua is on the PATH" : nil,
        files: { try LuaGenerator($0).files() }, adapter: { try LuaGenerator($0).adapter() }, backEnd: "lua",
        job: { program, sample in
            switch program {
            case .adapter: ProgramJob(sample.adapter.path)
            case .streams: ProgramJob(lua.peerFile("streams.lua").path, [sample.module.path])
            case .conversations:
                ProgramJob(
                    lua.peerFile("conversations.lua").path, [sample.module.path] + sample.source.conversationOptions)
            }
        },
        peer: { name, samples in ProgramJob(lua.peerFile(name).path, samples.map(\.module.path)) },
        checks: [
            LanguageCheck("it loads all modules", "load.lua", [], "loaded\n"),
            LanguageCheck(
                "values that Lua alone can give are written, or refused with a reason", "values.lua",
                ["Features", "Scene"], "right\n"),
            LanguageCheck(
                "hostile bytes take neither long nor much memory", "hostile.lua", ["Features", "Scene"], "harmless\n"),
            LanguageCheck("a module makes no globals", "globals.lua", ["Features"], "none\n"),
            LanguageCheck(
                "a program gives functions and keys, and gets packets in packets one by one", "layers.lua",
                ["Bilibili", "KeyedGame"]),
        ],
        page: LanguagePage(
            name: "GeneratedLua.md", fence: "lua", comment: "-- ", commentCount: 14,
            file: { lines in
                // Beside the modules, wherever the test runs.
                let start = "package.path = string.match(arg[0], \"^.*/\") .. \"?.lua\"\n"
                return GeneratedFile(path: "page.lua", text: start + lines.joined(separator: "\n"))
            },
            job: { ProgramJob($0.folder.appending(path: "page.lua").path) }),
        objections: { sample in
            // Without comments, and without what the schema's names say.
            let code = sample.files[0].text.split(separator: "\n").filter { !$0.hasPrefix("--") }
                .joined(separator: "\n")
            let words = ["require(", "require \"", "loadstring(", "load(", "setfenv(", "ffi.", "bit.", "bit32."]
            return words.filter(code.contains)
        })
}

extension LanguageSample {
    /// The layers and options that a connection in Lua can have, as arguments of a script.
    fileprivate var conversationOptions: [String] {
        let kinds = description.layout.content.layers.map(\.kind.word)
        let options = kinds + (kinds.contains { $0.hasPrefix("aes") } ? ["aes"] : [])
        return [options.isEmpty ? "none" : options.joined(separator: " ")]
            + (description.layout.framing == nil ? [] : ["framed"])
    }
}

extension LayeredProtocol {
    /// Values of all types in packets with layers: a chunk of Lua has room for 200 local variables.
    static let everything: LayeredProtocol = {
        func packet(_ schema: String) -> Range<String.Index> {
            let start = schema.firstRange(of: "packet {")!.lowerBound
            return start..<schema[start...].firstRange(of: "\n}")!.upperBound
        }
        var schema = ProtocolFolder.features.files(extension: "wire").map {
            try! String(contentsOf: $0, encoding: .utf8)
        }.joined()
        let other = streams.schema
        schema.replaceSubrange(packet(schema), with: other[packet(other)])
        return LayeredProtocol(name: "Everything", schema: schema, packets: [])
    }()
}
