// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineSchema

/// `wire` with a protocol whose packets depend on their sender.
struct SenderTests {
    private static let schema = """
        packet {
            @if(sender == server) uint8 shard;
            @length(rest) uint8 size;
            @default(1) uint8 version;
            @id uint8 id;
        }
        @id(1) @from(client) @reply(Answer) message Ask { uint8 count; }
        @id(1) @from(server) message Answer { uint8 count; }
        @id(2) @from(both) message Note { @rest string text; }

        """
    private static let files: KeyValuePairs<String, String> = ["Protocols/Game/Game.wire": schema]

    @Test func `a message of both ends is encoded for the sender that is named`() throws {
        let workspace = try Workspace(Self.files)
        let json = #"{"text":"hi"}"#
        #expect(try workspace.wire("encode", "Note", json, "--from", "client") == .success("0401026869\n"))
        #expect(try workspace.wire("encode", "Note", json, "--from=server") == .success("000401026869\n"))
        let missing = try workspace.wire("encode", "Note", json)
        #expect(missing.status == 2)
        #expect(
            missing.errors.hasPrefix(
                "error: --from is missing: Note from the client and from the server have other headers\n"))
        #expect(try workspace.wire("encode", "Ask", #"{"count":9}"#) == .success("03010109\n"))
        let wrong = try workspace.wire("encode", "Ask", #"{"count":9}"#, "--from", "server")
        #expect(wrong == Outcome(status: 1, output: "", errors: "error: Ask is no message from the server\n"))
    }

    @Test func `the sender decides how bytes are decoded`() throws {
        let workspace = try Workspace(Self.files)
        let ask = #"{"message":"Ask","id":1,"header":{"size":3,"version":1,"id":1},"fields":{"count":9}}"# + "\n"
        let answer =
            #"{"message":"Answer","id":1,"header":{"shard":7,"size":3,"version":1,"id":1},"fields":{"count":9}}"# + "\n"
        #expect(try workspace.wire("decode", "0301010903010109") == .success(ask + ask))
        #expect(try workspace.wire("decode", "07030101090703010109", "--from", "server") == .success(answer + answer))
    }

    @Test func `an echo has the header of the server`() throws {
        let tool = try ServingTool([], files: Self.files)
        let outcome = try tool.workspace.wire(
            "call", tool.address, "Ask", #"{"count":9}"#, "--header", #"{"version":5}"#)
        let answer =
            #"{"message":"Answer","id":1,"header":{"shard":0,"size":3,"version":5,"id":1},"fields":{"count":9}}"#
        #expect(outcome == .success(answer + "\n"))
    }

    @Test func `a script's messages have the header of the server`() async throws {
        let script = """
            on Ask { reply Answer { count: 2 } header { shard: 3 }; }
            on Note { echo; send Note { text: "torn" } wrong { size: value - 1 }; }
            """
        let server = try ScriptedServer(script, schema: Self.schema, "--first-packet-timeout", "none")
        let client = try await server.connect()
        #expect(try await client.ask("Ask", #"{"count":1}"#) == #"Answer {"count":2}"#)
        #expect(try await client.ask("Note", #"{"text":"hi"}"#) == #"Note {"text":"hi"}"#)
        #expect(try await client.next() == #"Note {"text":"tor"}"#)
        _ = server.end()
    }
}
