// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// The examples of the page about generated TypeScript, as one program.
@Suite(.enabled(if: TypeScriptTool.isWanted, "\(TypeScriptTool.absence)"), .aside)
struct TypeScriptPageTests {
    @Test func `the examples of the page compile, and print what they say`() throws {
        let page = ProtocolFolder.root.appending(
            path: "Sources/WirelineGenerator/WirelineGenerator.docc/GeneratedTypeScript.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```ts\n").dropFirst().map {
            $0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex)
        }
        let lines = blocks.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let files = try ["Scene", "PostgreSQL", "KeyedGame", "Bilibili"].flatMap {
            try TypeScriptGenerator(ProtocolFolder.named($0).translator.description).files()
        }
        // What the examples use of Node, whose own types are a package.
        let node = """
            declare module "node:zlib" {
              export function inflateSync(b: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
              export function deflateSync(b: Uint8Array): Uint8Array;
            }
            """
        let types = GeneratedFile(path: "node.d.ts", text: node)
        let output = try LayeredProtocol.inFolder(with: files + [types]) { folder in
            let program = folder.appending(path: "page.ts")
            try Data(lines.joined(separator: "\n").utf8).write(to: program)
            #expect(
                try TypeScriptTool.compile(
                    [program, folder.appending(path: types.path)], target: "ES2015", module: "CommonJS") == "")
            return try TypeScriptTool.run(folder.appending(path: "page.js"))
        }
        let expected = lines.filter { $0.hasPrefix("// ") }.map { $0.dropFirst(3) + "\n" }
        #expect(output == expected.joined())
        #expect(expected.count == 10)
    }
}
