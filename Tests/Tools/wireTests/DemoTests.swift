// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

struct DemoTests {
    @Test func `the demo shows values and bytes, and splits packets on a real connection`() throws {
        let outcome = try Workspace([:]).wire("demo")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 60)
        #expect(lines.contains("    Swift  Cs_20001(sceneID: 7, line: 2, message: \"你好\")"))
        #expect(lines.contains(#"    JSON   {"SceneId":7,"Line":2,"message":"你好"}"#))
        #expect(lines.contains(#"    11  0006 e4bda0e5a5bd  message  "你好""#))
        for (direction, byteCount) in [("client to server", 70), ("server to client", 74)] {
            #expect(lines.contains("    \(direction): glued: 1 write of \(byteCount) bytes, 3 packets, all equal"))
            let cuts = "\(byteCount - 1) cuts, 3 packets each"
            #expect(lines.contains("    \(direction): torn in two at every place: \(cuts), all equal"))
            #expect(lines.contains("    \(direction): byte by byte: \(byteCount) writes, 3 packets, all equal"))
        }
        let title = /Over TCP to 127\.0\.0\.1:\d+, glued and torn, and put together again:/
        #expect(lines.contains { $0.wholeMatch(of: title) != nil })
        #expect(!outcome.output.contains("\u{1B}"))
    }

    @Test func `the program demo shows the same packets`() throws {
        // Without the names, which are the schema's or Swift's, and without JSON.
        func shown(by command: String) throws -> [[String]] {
            let outcome = try Workspace([:]).shell(command)
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            let lines = outcome.output.split(separator: "\n").filter {
                !$0.contains(" JSON ") && !$0.contains("127.0.0.1:")
            }
            return lines.map { line in
                let columns = line.components(separatedBy: "  ").filter { !$0.isEmpty }
                return columns.count == 4 ? Array(columns[0..<2] + columns[3...]) : columns
            }
        }
        let own = try shown(by: "demo")
        #expect(own.count > 20)
        #expect(try own == shown(by: "wire demo"))
    }

    @Test func `the demo's schema is the same as under Protocols`() throws {
        let source = Checkout.url("Sources/Tools/wire/Demo/SceneSchema.swift")
        let schema = Checkout.url("Protocols/Scene/scene.wire")
        let literal = try String(contentsOf: source, encoding: .utf8)
        let indented = try String(contentsOf: schema, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
        #expect(literal.hasSuffix("#\"\"\"\n\(indented)\n    \"\"\"#\n"))
    }

    @Test func `every example in the help works`() throws {
        let workspace = try Workspace()
        let help = try workspace.wire("--help").output.split(separator: "\n")
        let examples = help.filter { $0.hasPrefix("    wire ") }.map(String.init)
        let serve = try #require(examples.first { $0.hasPrefix("    wire serve ") })
        let call = try #require(examples.first { $0.hasPrefix("    wire call ") })
        // The other examples with an address have tests of their own, with a server that answers.
        let alone = examples.filter { !$0.contains("127.0.0.1") }
        #expect(alone.count >= 5)
        let out = workspace.folder.appendingPathComponent("out").path
        // These two belong together. Only the port is different here.
        let line = """
            set -e
            \(alone.joined(separator: "\n"))
            mkfifo \(out)
            \(serve.replacing(":9001", with: ":0")) > \(out) &
            read -r listening < \(out)
            \(call.replacing(":9001", with: "\":${listening##*:}\"")) --timeout 500s
            kill $!
            wait $!
            """
        let outcome = try workspace.shell(line, in: Checkout.root)
        #expect(outcome.status == 0 && outcome.errors.replacing(ServingTool.note, with: "").isEmpty)
        #expect(outcome.output.hasSuffix(packetLine))
    }

    @Test(arguments: [
        "demo", "check", "format", "diff", "encode", "decode", "generate", "call", "serve", "proxy", "conform",
    ])
    func `a command's help has its example`(_ command: String) throws {
        let outcome = try Workspace().wire(command, "--help")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\nexample:\n    wire \(command)"))
    }
}
