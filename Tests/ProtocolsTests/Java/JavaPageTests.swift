// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// The examples of the page about generated Java, as one program.
@Suite(.enabled(if: JavaTool.isWanted, "\(JavaTool.absence)"), .aside)
struct JavaPageTests {
    @Test func `the examples of the page compile, and print what they say`() throws {
        let page = ProtocolFolder.root.appending(
            path: "Sources/WirelineGenerator/WirelineGenerator.docc/GeneratedJava.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```java\n").dropFirst().map {
            $0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex)
        }
        let lines = blocks.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let modules = try ["Scene", "PostgreSQL", "KeyedGame"].flatMap {
            try JavaGenerator(ProtocolFolder.named($0).translator.description).files()
        }
        for module in modules { try Data(module.text.utf8).write(to: folder.appending(path: module.path)) }
        let program =
            "public class Page {\n    public static void main(String[] arguments) throws Exception {\n"
            + lines.joined(separator: "\n") + "\n    }\n}\n"
        try Data(program.utf8).write(to: folder.appending(path: "Page.java"))
        #expect(try JavaTool.compile([folder]) == "")
        let output = try JavaTool.run("Page", paths: [folder])
        let expected = lines.filter { $0.hasPrefix("// ") }.map { $0.dropFirst(3) + "\n" }
        #expect(output == expected.joined())
        #expect(expected.count == 9)
    }
}
