// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// The examples of the page about generated Lua, as one program.
@Suite(.enabled(if: !LuaTool.wanted.isEmpty, "no Lua is on the PATH"), .aside)
struct LuaPageTests {
    @Test(arguments: LuaTool.wanted)
    func `the examples of the page print what they say`(interpreter: String) throws {
        let page = ProtocolFolder.root.appending(
            path: "Sources/WirelineGenerator/WirelineGenerator.docc/GeneratedLua.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```lua\n").dropFirst().map {
            $0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex)
        }
        let lines = blocks.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let files = try ["Scene", "PostgreSQL", "KeyedGame", "Bilibili"].flatMap {
            try LuaGenerator(ProtocolFolder.named($0).translator.description).files()
        }
        let output = try LayeredProtocol.inFolder(with: files) { folder in
            // Beside the module, wherever the test runs.
            let program = folder.appending(path: "page.lua")
            let start = "package.path = string.match(arg[0], \"^.*/\") .. \"?.lua\"\n"
            try Data((start + lines.joined(separator: "\n")).utf8).write(to: program)
            return try LuaTool.run(interpreter, program)
        }
        let expected = lines.filter { $0.hasPrefix("-- ") }.map { $0.dropFirst(3) + "\n" }
        #expect(output == expected.joined())
        #expect(expected.count == 14)
    }
}
