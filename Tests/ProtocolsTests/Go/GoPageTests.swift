// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// The examples of the page about generated Go, as one program.
@Suite(.enabled(if: GoTool.isWanted, "\(GoTool.absence)"), .aside)
struct GoPageTests {
    @Test func `the examples of the page run, and print what they say`() throws {
        let page = ProtocolFolder.root.appending(
            path: "Sources/WirelineGenerator/WirelineGenerator.docc/GeneratedGo.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```go\n").dropFirst().map {
            $0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex)
        }
        let program = blocks.joined(separator: "\n\n") + "\n"
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, package) in [("Scene", "scene"), ("PostgreSQL", "postgres"), ("KeyedGame", "keyed")] {
            let output = folder.appending(path: package)
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let description = try ProtocolFolder.named(name).translator.description
            for file in try GoGenerator(description, package: package).files() {
                try Data(file.text.utf8).write(to: output.appending(path: file.path))
            }
        }
        try Data("module example.com/game\n\ngo 1.18\n".utf8).write(to: folder.appending(path: "go.mod"))
        try Data(program.utf8).write(to: folder.appending(path: "main.go"))
        let output = try GoTool.run(in: folder, ["run", "."])
        let expected = program.split(separator: "\n").map { $0.drop { $0 == "\t" } }
            .filter { $0.hasPrefix("// ") }.map { $0.dropFirst(3) + "\n" }
        #expect(output == expected.joined())
        #expect(expected.count == 8)
        // The whole program is what `gofmt` makes of it.
        #expect(try GoTool.formatted(folder.appending(path: "main.go")) == program)
    }

    @Test func `the adapter is built from its two files, without a module`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let scene = try ProtocolFolder.named("Scene").translator.description
        let files = try GoGenerator(scene, package: "main").files() + [GoGenerator(scene).adapter()]
        for file in files { try Data(file.text.utf8).write(to: folder.appending(path: file.path)) }
        #expect(try GoTool.run(in: folder, ["build", "-o", "conform"] + files.map(\.path)) == "")
        let question = #"{"id":1,"ask":"decode","from":"client","hex":"0000000f4e21010000000200026869"}"# + "\n"
        let answer = try ProgramRun.output(of: folder.appending(path: "conform").path, [], input: question)
        #expect(answer.hasPrefix(#"{"id":1,"reply":"ok","count":15,"#))
    }
}
