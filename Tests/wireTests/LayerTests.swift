// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineSchema

/// `wire` with protocols whose packets have layers: on connections, in scripts and through a proxy.
@Suite(.aside)
struct LayerTests {
    private static let cipher = """
        option byte_order = little;

        packet {
            @length(packet) uint16 size;
            layer rc4(session);
            @id uint16 opcode;
            @sequence uint8 number;
        }

        @id(1) @from(client) @reply(Answer) message Ask { @rest string text; }
        @id(2) @from(server) message Answer { @rest string text; }
        @id(3) @from(server) message Note { @rest string text; }

        """
    private static let bundles = """
        option max_inflated = 1048576;

        enum Form : uint8 { plain = 0; zlib = 2; }

        packet {
            @length(packet) uint32 size;
            @default(plain) Form form;
            @id uint16 id;
            @if(form == zlib) layer zlib;
            @if(form == zlib) packets;
        }

        @id(1) @from(client) message Ask { @rest string text; }
        @id(2) @from(server) message Line { @rest string text; }

        """

    private static func files(_ schema: String) -> KeyValuePairs<String, String> {
        ["Protocols/Game/Game.wire": schema]
    }

    private static func texts(_ outcome: Outcome) -> [String] {
        outcome.output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /"text":"([^"]*)"/).map { String($0.1) }
        }
    }

    // MARK: Calls and servers

    @Test func `a call and a script's server use the key that they are given`() throws {
        let script = """
            on Ask { send Note { text: "heard" }; reply Answer { text: request.text + "!" }; }
            """
        let server = try ScriptedServer(script, schema: Self.cipher, "--key", "session=0102030405")
        let outcome = try server.tool.workspace.wire(
            "call", server.tool.address, "Ask", #"{"text":"a"}"#, "Ask", #"{"text":"b"}"#, "--key", "session=0102030405"
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(Self.texts(outcome) == ["heard", "a!", "heard", "b!"])
        #expect(server.end() == .success(""))
    }

    @Test func `an echo server returns opened packets as it sends them`() throws {
        let server = try ServingTool(
            running: ["serve", "127.0.0.1:0", "--echo", "--key", "session=00ff"], files: Self.files(Self.cipher))
        for text in ["a", "b"] {
            let outcome = try server.wire(
                "call", server.address, "Ask", #"{"text":"\#(text)"}"#, "--expect", "Ask", "--key", "session=00ff")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(Self.texts(outcome) == [text])
        }
        #expect(server.end() == .success(""))
    }

    @Test func `without a key a call says what to give`() throws {
        let server = try ServingTool(files: Self.files(Self.cipher))
        let outcome = try server.wire("call", server.address, "Ask", #"{"text":"a"}"#)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("packet.session"), "\(outcome.errors)")
        _ = server.end()
    }

    @Test func `the log of a server shows opened packets of both sides`() throws {
        let server = try ServingTool(
            running: ["serve", "127.0.0.1:0", "--echo", "--key", "session=00ff", "--verbose"],
            files: Self.files(Self.cipher))
        let outcome = try server.wire(
            "call", server.address, "Ask", #"{"text":"abc"}"#, "--expect", "Ask", "--key", "session=00ff")
        #expect(outcome.status == 0, "\(outcome)")
        let log = server.end().errors
        #expect(log.contains(#"received Ask {size: 8, opcode: 1, number: 1} text: "abc""#), "\(log)")
        #expect(log.contains(#"sent Ask {size: 8, opcode: 1, number: 1} text: "abc""#), "\(log)")
    }

    // MARK: Proxies

    private func proxy(to target: String, _ schema: String, _ words: String...) throws -> ServingTool {
        try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", target] + words, files: Self.files(schema))
    }

    /// The lines that a proxy printed, without their times and the numbers of connections.
    private func lines(_ outcome: Outcome) -> [String] {
        outcome.output.split(separator: "\n").map { line in
            String(line.replacing(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z #\d+ /#, with: ""))
        }
    }

    @Test func `a proxy with the key shows what is inside`() throws {
        let server = try ScriptedServer(
            #"on Ask { reply Answer { text: "yes" }; }"#, schema: Self.cipher, "--key", "session=0102")
        let proxy = try proxy(to: server.tool.address, Self.cipher, "--key", "session=0102")
        let outcome = try proxy.wire(
            "call", proxy.address, "Ask", #"{"text":"a"}"#, "Ask", #"{"text":"b"}"#, "--key", "session=0102")
        #expect(Self.texts(outcome) == ["yes", "yes"], "\(outcome)")
        let shown = lines(proxy.end())
        #expect(shown.contains(#"client: Ask {size: 6, opcode: 1, number: 1} text: "a""#), "\(shown)")
        #expect(shown.contains(#"client: Ask {size: 6, opcode: 1, number: 2} text: "b""#), "\(shown)")
        #expect(shown.count { $0.hasPrefix("server: Answer {size: 8, opcode: 2, number: ") } == 2, "\(shown)")
        _ = server.end()
    }

    @Test func `a proxy without the key shows sealed bytes, and goes on`() throws {
        let server = try ScriptedServer(
            #"on Ask { reply Answer { text: "yes" }; }"#, schema: Self.cipher, "--key", "session=0102")
        let proxy = try proxy(to: server.tool.address, Self.cipher)
        let outcome = try proxy.wire("call", proxy.address, "Ask", #"{"text":"a"}"#, "--key", "session=0102")
        #expect(Self.texts(outcome) == ["yes"], "\(outcome)")
        let shown = lines(proxy.end())
        #expect(shown.contains { $0.hasPrefix(#"client: sealed: "session" {size: 6} 4 bytes "#) }, "\(shown)")
        #expect(shown.contains { $0.hasPrefix(#"server: sealed: "session" {size: 8} 6 bytes "#) }, "\(shown)")
        _ = server.end()
    }

    @Test func `a proxy shows a packet, and those inside of it`() throws {
        let script = """
            on Ask {
                bundle { send Line { text: "a" }; repeat 2 { send Line { text: "b" }; } } header { id: 7, form: 2 };
                send Line { text: "c" };
            }
            """
        let server = try ScriptedServer(script, schema: Self.bundles)
        let proxy = try proxy(to: server.tool.address, Self.bundles)
        let outcome = try proxy.wire(
            "call", proxy.address, "Ask", #"{"text":""}"#, "--expect", "Line", "--listen", "1s")
        #expect(Self.texts(outcome) == ["a", "b", "b", "c"], "\(outcome)")
        let shown = lines(proxy.end())
        let bundle = shown.firstIndex { $0.hasPrefix(#"server: packet 7 {"#) && $0.hasSuffix("}, which has 3 packets") }
        let start = try #require(bundle, "\(shown)")
        #expect(
            shown[(start + 1)...].prefix(4) == [
                #"server:   Line {size: 8, form: "plain", id: 2} text: "a""#,
                #"server:   Line {size: 8, form: "plain", id: 2} text: "b""#,
                #"server:   Line {size: 8, form: "plain", id: 2} text: "b""#,
                #"server: Line {size: 8, form: "plain", id: 2} text: "c""#,
            ])
        _ = server.end()
    }
}
