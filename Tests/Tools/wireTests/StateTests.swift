// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineSchema

/// `wire` with a protocol whose packets depend on states of the connection.
struct StateTests {
    private static let schema = """
        enum Phase : uint8 {
            login = 0;
            play  = 2;
        }

        packet {
            state Phase phase;
            state bit marked;
            @length(rest) uint8 size;
            @if(phase == play) uint8 room;
            @if(marked and sender == server) @constant(0x5A) uint8 mark;
            @id uint8 id;
        }

        @id(1) @from(client) @reply(Welcome)
        message Enter {}

        @id(2) @from(server) @sets(phase = play)
        message Welcome {}

        @id(3) @from(both)
        message Note {
            @rest string text;
        }

        @id(4) @from(client) @sets(marked)
        message Mark {}

        """
    private static let files: KeyValuePairs<String, String> = ["Protocols/Game/Game.wire": schema]

    private static func line(_ message: String, _ id: Int, _ header: String, _ fields: String = "{}") -> String {
        #"{"message":"\#(message)","id":\#(id),"header":{\#(header),"id":\#(id)},"fields":\#(fields)}"# + "\n"
    }

    @Test func `a message is encoded for the states that are named`() throws {
        let workspace = try Workspace(Self.files)
        let json = #"{"text":"hi"}"#
        #expect(try workspace.wire("encode", "Note", json, "--from", "client") == .success("03036869\n"))
        let play = try workspace.wire(
            "encode", "Note", json, "--from", "client", "--state", "phase=play", "--header", #"{"room":7}"#)
        #expect(play == .success("0407036869\n"))
        let marked = try workspace.wire(
            "encode", "Note", json, "--from", "server", "--state", "phase=2", "--state", "marked=true")
        #expect(marked == .success("05005a036869\n"))
    }

    @Test(arguments: [
        ("fase=1", "a connection has no state `fase`"), ("phase=won", "the state `phase` is never `won`"),
        ("marked=2", "the state `marked` is never `2`"), ("marked", "`marked` is no NAME=VALUE"),
    ])
    func `a state that there is not is refused`(text: String, error: String) throws {
        let outcome = try Workspace(Self.files).wire("encode", "Enter", "{}", "--state", text)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: --state: \(error)"), "\(outcome.errors)")
    }

    @Test func `decode goes on with states from packet to packet`() throws {
        let workspace = try Workspace(Self.files)
        let stream = "0102" + "0407036869"
        let expected =
            Self.line("Welcome", 2, #""size":1"#) + Self.line("Note", 3, #""size":4,"room":7"#, #"{"text":"hi"}"#)
        #expect(try workspace.wire("decode", stream, "--from", "server") == .success(expected))
        let later = try workspace.wire("decode", "0407036869", "--from", "server", "--state", "phase=play")
        #expect(later == .success(Self.line("Note", 3, #""size":4,"room":7"#, #"{"text":"hi"}"#)))
    }

    @Test func `a script's server and a call follow what messages set`() throws {
        let script = """
            on Enter { reply Welcome {}; }
            on Note { send Note { text: "in" } header { room: 3 }; }
            """
        let server = try ScriptedServer(script, schema: Self.schema, "--first-packet-timeout", "none")
        let outcome = try server.tool.workspace.wire(
            "call", server.tool.address, "Enter", "{}", "Note", #"{"text":"hi"}"#, "--expect", "Note")
        let expected =
            Self.line("Welcome", 2, #""size":1"#) + Self.line("Note", 3, #""size":4,"room":3"#, #"{"text":"in"}"#)
        #expect(outcome == .success(expected))
        _ = server.end()
    }

    @Test func `a script sets a state that no message sets`() throws {
        let script = """
            state set = 0;
            on connect { set = 1; set phase = "play"; }
            on Note { set marked = request.text == "hi" and set == 1; send Note { text: request.text + "!" } header { room: 3 }; }
            """
        let server = try ScriptedServer(script, schema: Self.schema, "--first-packet-timeout", "none")
        let outcome = try server.tool.workspace.wire(
            "call", server.tool.address, "Note", #"{"text":"hi"}"#, "--expect", "Note", "--state", "phase=play",
            "--state", "marked=1")
        let expected = Self.line("Note", 3, #""size":6,"room":3,"mark":90"#, #"{"text":"hi!"}"#)
        #expect(outcome == .success(expected))
        #expect(server.end() == .success(""))
    }

    @Test(arguments: [
        ("set fase = 1;", "a connection has no state `fase`"), ("set phas = 1;", "did you mean `phase`?"),
        ("set phase = \"won\";", "the state `phase` is never `won`; it is login, play, or a number"),
        ("set marked = 2;", "the state `marked` is never `2`"), ("set phase;", "expected `=` after the state"),
        ("set 1;", "expected the name of a state"),
    ])
    func `a script cannot set a state that there is not`(statement: String, error: String) throws {
        let workspace = try Workspace(Self.files)
        try workspace.write("on connect { \(statement) }", to: "a.script")
        let outcome = try workspace.wire("serve", "--script", "a.script", "--check")
        #expect(outcome.status == 1 && outcome.errors.contains(error), "\(outcome)")
    }

    @Test func `a value that a state cannot have ends the connection of a script`() throws {
        let server = try ScriptedServer(
            "on Enter { set phase = 255 + count; }", schema: Self.schema, "--first-packet-timeout", "none")
        let outcome = try server.tool.workspace.wire("call", server.tool.address, "Enter", "{}")
        #expect(outcome.status == 1, "\(outcome)")
        #expect(server.end().errors.contains("game.script:1:24: the state `phase` is never `256`"))
    }

    @Test func `conform asks in the states of a vector`() throws {
        let workspace = try Workspace(Self.files)
        try workspace.write(
            "# state phase=play\n# state marked=1\n# from server\n05005a036869\n", to: "Protocols/Game/Vectors/note.hex"
        )
        try workspace.write(
            Self.line("Note", 3, #""size":5,"room":0,"mark":90"#, #"{"text":"hi"}"#),
            to: "Protocols/Game/Vectors/note.json")
        let outcome = try workspace.wire("conform")
        #expect(outcome.status == 0, "\(outcome)")
        let adapter = try workspace.shell("wire conform --command 'wire conform --adapter --protocol Protocols/Game'")
        #expect(adapter.status == 0, "\(adapter)")
        let made = try workspace.wire("conform", "--generate", "200", "--write", "made")
        #expect(made.status == 0, "\(made)")
    }

    @Test func `a change of what a message sets is shown by a later packet`() throws {
        let workspace = try Workspace(Self.files)
        try workspace.write(
            Self.schema.replacing("@sets(phase = play)", with: "@sets(marked)"), to: "New/Game/Game.wire")
        let outcome = try workspace.wire("diff", "Protocols/Game", "New/Game")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("STATE_SAME"), "\(outcome)")
    }
}
