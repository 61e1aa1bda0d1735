// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

struct DemoTests {
    @Test func `the demo shows values and bytes, and that no cut changes them`() throws {
        let outcome = try Workspace([:]).wire("demo")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 60)
        #expect(lines.contains("    Swift  Cs_20001(sceneID: 7, line: 2, message: \"你好\", trailingBytes: [])"))
        #expect(lines.contains(#"    JSON   {"SceneId":7,"Line":2,"message":"你好"}"#))
        #expect(lines.contains(#"    11  0006 e4bda0e5a5bd  message  "你好""#))
        #expect(lines.contains { $0.hasSuffix("torn in two at every place: 69 cuts, 3 packets each, all equal") })
        #expect(lines.contains { $0.hasSuffix("byte by byte: 74 pieces, 3 packets, all equal") })
        #expect(!outcome.output.contains("\u{1B}"))
    }

    @Test func `the demo's schema is the one under Protocols`() throws {
        let source = repositoryFolder.appendingPathComponent("Sources/wire/Demo/SceneSchema.swift")
        let schema = repositoryFolder.appendingPathComponent("Protocols/Scene/scene.wire")
        let literal = try String(contentsOf: source, encoding: .utf8)
        let indented = try String(contentsOf: schema, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
        #expect(literal.hasSuffix("#\"\"\"\n\(indented)\n    \"\"\"#\n"))
    }

    @Test func `every example in the help works`() throws {
        let workspace = try Workspace()
        let help = try workspace.wire("--help").output.split(separator: "\n")
        let examples = help.filter { $0.hasPrefix("    wire ") }
        #expect(examples.count >= 5)
        let outcome = try workspace.shell("set -e\n" + examples.joined(separator: "\n"), in: repositoryFolder)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
    }

    @Test(arguments: ["demo", "check", "encode", "decode", "generate"])
    func `a command's own help has its example`(_ command: String) throws {
        let outcome = try Workspace().wire(command, "--help")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\nexample:\n    wire \(command)"))
    }
}
