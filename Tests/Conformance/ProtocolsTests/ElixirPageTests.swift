// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Runs the code of the page about Elixir.
@Suite(.enabled(if: ElixirTool.isWanted, "\(ElixirTool.absence)"), .aside)
struct ElixirPageTests {
    private static let page = Checkout.url(
        "Sources/Languages/WirelineGenerator/WirelineGenerator.docc/GeneratedElixir.md")

    @Test func `what the page about Elixir shows runs, and its server answers`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        let source = folder.appending(path: "src")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let scene = try ProtocolFolder.named("Scene").translator.description
        for file in ErlangGenerator(scene).files() {
            try Data(file.text.utf8).write(to: source.appending(path: file.path))
        }
        let blocks = try Self.blocks()
        #expect(blocks.count == 3)
        let output = try ElixirTool.run(
            ([Self.compilation] + blocks + [Self.client]).joined(separator: "\n"), in: folder)
        #expect(output == "Cs_20001.SceneId: {out_of_range,300,0,255}\n7: hi\n7: hi\n")
    }

    /// The page's code, block by block.
    private static func blocks() throws -> [String] {
        try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```elixir\n").dropFirst().map { text in
            try String(text[..<#require(text.range(of: "```")).lowerBound])
        }
    }

    /// What Mix does in a project.
    private static let compilation = """
        {:ok, module, code} = :compile.file(~c"src/scene_protocol.erl", [:binary])
        {:module, _} = :code.load_binary(module, ~c"scene_protocol", code)
        """

    /// Sends two packets at once to the page's server, and prints the answers.
    private static let client = """
        defmodule Client do
          import Scene

          def run do
            {:ok, port} = SceneServer.start(0)
            {:ok, socket} = :gen_tcp.connect({127, 0, 0, 1}, port, [:binary, packet: :raw, active: false])
            {:ok, packet} = :scene_protocol.encode(cs_20001(scene_id: 7, line: 2, message: "hi"))
            :ok = :gen_tcp.send(socket, [packet, packet])

            for _ <- 1..2 do
              {:ok, bytes} = :gen_tcp.recv(socket, 22)
              {:ok, _header, sc_20001(scene_id: scene, message: text), ""} = :scene_protocol.decode(:sc, bytes)
              IO.puts("#{scene}: #{text}")
            end
          end
        end

        Tour.run()
        Client.run()
        """
}

/// Elixir, which runs scripts.
private enum ElixirTool {
    /// Whether to run the tests that need it: it is installed, or `WIRELINE_REQUIRE_PEERS=1` requires it, so that its
    /// absence is a failure.
    static let isWanted = path != nil || Peers.areRequired

    /// The message of a test that is skipped.
    static let absence = "elixir is not on the PATH: install elixir"

    private static let path = Peers.path(of: "elixir")

    /// Runs a script in a folder.
    ///
    /// - Returns: What it prints.
    static func run(_ script: String, in folder: URL) throws -> String {
        let file = folder.appending(path: "script.exs")
        try Data(script.utf8).write(to: file)
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: try #require(path, "\(absence)"))
        process.arguments = [file.path]
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = output
        let data = try process.runToEnd { try output.fileHandleForReading.readToEnd() ?? Data() }
        let text = String(decoding: data, as: UTF8.self)
        try #require(process.terminationStatus == 0, "\(text)")
        return text
    }
}
