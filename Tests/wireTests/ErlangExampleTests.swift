// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The examples in `Tests/Examples/Erlang`, with the module that `wire generate erlang` makes, against the tool.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .timeLimit(.minutes(30)), .aside)
struct ErlangExampleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let scene = root.appending(path: "Protocols/Scene").path

    @Test func `a call of the tool is answered by the server in Erlang`() throws {
        let workspace = try Self.generated()
        let server = try Self.script(workspace, ["serve"])
        let (input, output) = (Pipe(), Pipe())
        (server.standardInput, server.standardOutput) = (input, output)
        try server.run()
        defer {
            try? input.fileHandleForWriting.close()
            server.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)), "it printed \(line)")
        let good = try workspace.wire(
            "call", "127.0.0.1:\(port)", "Cs_20001", #"{"SceneId":7,"Line":2,"message":"你好"}"#, "--timeout", "20m",
            "--protocol", Self.scene)
        let fields =
            #"{"Res":1,"SceneId":7,"Pos":1,"Status":0,"Type":0,"DefaultCombat":100,"message":"你好"}"#
        let header = #""header":{"length":26,"id":20001}"#
        #expect(good == .success(#"{"message":"Sc_20001","id":20001,\#(header),"fields":\#(fields)}"# + "\n"))
        let other = try workspace.wire(
            "call", "127.0.0.1:\(port)", "Cs_20001", #"{"SceneId":0,"Line":0,"message":""}"#, "--timeout", "20m",
            "--protocol", Self.scene)
        #expect(other.output.contains(#""fields":{"Res":4,"#))
    }

    @Test func `a client in Erlang gets back what it has sent to the echo server`() throws {
        let workspace = try Self.generated()
        let tool = try ServingTool("--protocol", Self.scene)
        let client = try Self.script(workspace, ["call", "\(tool.port)"])
        let output = Pipe()
        client.standardOutput = output
        try client.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        client.waitUntilExit()
        #expect(
            text == """
                {ok,{cs_20001,7,2,<<"hi">>,<<>>}}
                {ok,{unknown,999,<<1,2,3>>}}

                """)
        #expect(client.terminationStatus == 0)
        #expect(tool.end().status == 0)
    }

    private static func generated() throws -> Workspace {
        let workspace = try Workspace()
        let outcome = try workspace.wire("generate", "erlang", "--out", "erlang", "--protocol", scene)
        #expect(outcome == .success("erlang/scene_protocol.erl\nerlang/scene_protocol.hrl\n"))
        return workspace
    }

    private static func script(_ workspace: Workspace, _ arguments: [String]) throws -> Process {
        try ErlangInterpreter.process(
            script: root.appending(path: "Tests/wireTests/Erlang/scene.escript"),
            arguments: [
                workspace.folder.appending(path: "erlang").path, root.appending(path: "Tests/Examples/Erlang").path,
            ]
                + arguments)
    }
}
