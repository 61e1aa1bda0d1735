// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// The examples of the page about generated C#, as one program.
@Suite(.enabled(if: CSharpTool.isWanted, "\(CSharpTool.absence)"), .aside)
struct CSharpPageTests {
    @Test func `the examples of the page compile, and print what they say`() throws {
        let documentation = ProtocolFolder.root.appending(
            path: "Sources/WirelineGenerator/WirelineGenerator.docc/GeneratedCSharp.md")
        let blocks = try String(contentsOf: documentation, encoding: .utf8).split(separator: "```csharp\n").dropFirst()
            .map {
                $0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex)
            }
        let lines = blocks.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let modules = try ["Scene", "PostgreSQL", "KeyedGame"].flatMap {
            try CSharpGenerator(ProtocolFolder.named($0).translator.description).files()
        }
        for module in modules { try Data(module.text.utf8).write(to: folder.appending(path: module.path)) }
        // `using` stands outside of the function.
        let statements = lines[1...].map { String($0) }.joined(separator: "\n")
        let head = String(lines[0]) + "\n\npublic static class Page {\n    public static void Main() {\n"
        let text = head + statements + "\n    }\n}\n"
        let page = folder.appending(path: "Page.cs")
        try Data(text.utf8).write(to: page)
        let files = modules.map { folder.appending(path: $0.path) } + [page]
        let program = folder.appending(path: "page.exe")
        #expect(try CSharpTool.compile(files, to: program) == "")
        let output = try CSharpTool.run(program)
        let expected = lines.filter { $0.hasPrefix("// ") }.map { $0.dropFirst(3) + "\n" }
        #expect(output == expected.joined())
        #expect(expected.count == 9)
    }
}
