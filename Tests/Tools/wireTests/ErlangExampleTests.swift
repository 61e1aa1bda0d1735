// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The examples in `Tests/Support/Examples/Erlang`, with the module that `wire generate erlang` writes, against the tool.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct ErlangExampleTests {
    private static let scene = Checkout.url("Protocols/Scene").path

    @Test func `the example server in Erlang answers a call of the tool`() throws {
        let workspace = try Self.generated()
        let server = try ErlangServer(Self.script(workspace, ["serve"]))
        defer { server.end() }
        let port = server.port
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

    @Test func `the example client in Erlang gets its packets back from the echo server`() throws {
        let workspace = try Self.generated()
        let tool = try ServingTool("--protocol", Self.scene)
        let client = try Self.script(workspace, ["call", "\(tool.port)"])
        let output = Pipe()
        client.standardOutput = output
        let data = try client.runToEnd { output.fileHandleForReading.readDataToEndOfFile() }
        let text = String(decoding: data, as: UTF8.self)
        #expect(
            text == """
                {ok,{cs_20001,7,2,<<"hi">>,<<>>}}
                {ok,{unknown,999,<<1,2,3>>}}

                """)
        #expect(client.terminationStatus == 0)
        #expect(tool.end().status == 0)
    }

    @Test(.enabled(if: SharkTool.isWanted, "\(SharkTool.absence)"))
    func `tshark shows of a recording what the tool decodes`() throws {
        let workspace = try Self.generated()
        let dissector = try workspace.wire("generate", "wireshark", "--out", "wireshark", "--protocol", Self.scene)
        #expect(dissector.status == 0 && dissector.output == "wireshark/scene.lua\n", "\(dissector)")
        let server = try ErlangServer(Self.script(workspace, ["serve"]))
        defer { server.end() }
        let capture = workspace.folder.appending(path: "traffic.pcapng")
        let proxy = try ServingTool(
            running: [
                "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(server.port)", "--record", capture.path,
                "--protocol", Self.scene,
            ])
        for (scene, text) in [(7, "你好"), (255, ""), (0, "nobody's \u{1F600}")] {
            let fields = #"{"SceneId":\#(scene),"Line":4000000000,"message":"\#(text)"}"#
            let outcome = try workspace.wire(
                "call", proxy.address, "Cs_20001", fields, "--timeout", "20m", "--protocol", Self.scene)
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(proxy.end().status == 0)

        let names = [
            "Cs_20001": ["SceneId": "scene_id", "Line": "line", "message": "message"],
            "Sc_20001": [
                "Res": "res", "SceneId": "scene_id", "Pos": "pos", "Status": "status", "Type": "type",
                "DefaultCombat": "default_combat", "message": "message",
            ],
        ]
        let columns = names.flatMap { message, fields in
            fields.map { (message: message, field: $0, filter: "scene.\(message.lowercased()).\($1)") }
        }
        let shown = try SharkTool.read(
            [UInt8](Data(contentsOf: capture)),
            script: String(contentsOf: workspace.folder.appending(path: "wireshark/scene.lua"), encoding: .utf8),
            ["-o", "scene.server_ports:\(server.port)", "-Y", "scene", "-T", "fields"]
                + (["scene.message", "tcp.payload"] + columns.map(\.filter)).flatMap { ["-e", $0] })
        let rows = shown.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        #expect(rows.map { $0[0] } == ["Cs_20001", "Sc_20001", "Cs_20001", "Sc_20001", "Cs_20001", "Sc_20001"])
        for row in rows {
            let decoded = try workspace.wire(
                "decode", "--from", row[0] == "Cs_20001" ? "client" : "server", "--protocol", Self.scene, String(row[1])
            )
            let line = try #require(
                JSONSerialization.jsonObject(with: Data(decoded.output.utf8)) as? [String: Any], "\(decoded)")
            #expect(line["message"] as? String == String(row[0]))
            let fields = try #require(line["fields"] as? [String: Any])
            let values = zip(columns, row.dropFirst(2)).filter { $0.0.message == row[0] }
            #expect(values.count == fields.count)
            for (column, value) in values { #expect(fields[column.field].map { "\($0)" } == String(value)) }
        }
    }

    private static func generated() throws -> Workspace {
        let workspace = try Workspace()
        let outcome = try workspace.wire("generate", "erlang", "--out", "erlang", "--protocol", scene)
        #expect(outcome == .success("erlang/scene_protocol.erl\nerlang/scene_protocol.hrl\n"))
        return workspace
    }

    private static func script(_ workspace: Workspace, _ arguments: [String]) throws -> Process {
        try ErlangInterpreter.process(
            script: Checkout.url("Tests/Tools/wireTests/Erlang/scene.escript"),
            arguments: [
                workspace.folder.appending(path: "erlang").path, Checkout.url("Tests/Support/Examples/Erlang").path,
            ]
                + arguments)
    }
}

/// The example server in Erlang, running.
private struct ErlangServer {
    let port: UInt16
    private let process: Process
    private let input = Pipe()

    /// Starts it, and waits until it listens.
    init(_ process: Process) throws {
        self.process = process
        let output = Pipe()
        (process.standardInput, process.standardOutput) = (input, output)
        try process.runWatched()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)), "it printed \(line)")
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
