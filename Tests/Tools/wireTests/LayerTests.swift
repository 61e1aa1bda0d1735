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
    private static let compressed = """
        packet { @length(packet) uint32 size; @id uint16 id; layer zlib; }
        @id(1) @from(both) message Ask { @rest string text; }

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

    @Test(arguments: [
        // The middle one of the six bytes is the first letter.
        (#"reply Answer { text: "yes" } damaged;"#, "Answer", "xes"), ("echo damaged;", "Ask", "xes"),
        // A `Note` that is sealed with the first bytes of the keystream.
        (#"raw "0800 471d 98a5 441b" damaged;"#, "Note", "xes"),
    ])
    func `a script damages a bit inside of a cipher`(statement: String, message: String, text: String) throws {
        let server = try ScriptedServer(
            "on Ask { \(statement) }", schema: Self.cipher, "--key", "session=0102")
        let outcome = try server.tool.workspace.wire(
            "call", server.tool.address, "Ask", #"{"text":"yes"}"#, "--key", "session=0102", "--expect", message)
        #expect(Self.texts(outcome) == [text], "\(outcome)")
        _ = server.end()
    }

    @Test func `a script damages a bit inside of a compressed packet`() throws {
        let script = """
            on Ask {
                send Line { text: "whole" };
                bundle { send Line { text: "broken" }; } header { form: 2 } damaged;
            }
            """
        let server = try ScriptedServer(script, schema: Self.bundles)
        let outcome = try server.tool.workspace.wire(
            "call", server.tool.address, "Ask", #"{"text":""}"#, "--expect", "Line", "--listen", "1s")
        #expect(outcome.status == 1 && outcome.errors.contains("packet.zlib"), "\(outcome)")
        #expect(Self.texts(outcome) == ["whole"], "\(outcome)")
        _ = server.end()
    }

    /// The bytes of an `Ask` with a text, compressed.
    private static func ask(_ text: String) throws -> [UInt8] {
        let packet = try Workspace(files(compressed)).wire("encode", "Ask", #"{"text":"\#(text)"}"#)
        return try Hexadecimal.bytes(of: packet.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func `no message gets into a glued block while a long one is compressed`() async throws {
        let server = try ScriptedServer(
            """
            on Ask {
                after 1ms { send Note { text: "" }; close; }
                glue { repeat 10 { send Ask { text: request.text }; } }
            }
            """, schema: Self.compressed + "@id(3) @from(server) message Note { @rest string text; }\n")
        let connection = try await server.tool.connect()
        await connection.sendRaw(try Self.ask((0..<20_000).map { "\($0 * 7919 % 1_000) " }.joined()))
        let ids = try await connection.rest().map { $0[5] }
        #expect(ids == [UInt8](repeating: 1, count: 10) + [3])
        connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `a server compresses at the level that it is given`() async throws {
        let text = (0..<2_000).map { "\($0 * 7919 % 1_000) " }.joined()
        let bytes = try Self.ask(text)
        var byteCounts: [Int] = []
        for level in [[], ["--compression-level", "6"], ["--compression-level", "0"]] {
            let server = try ServingTool(
                running: ["serve", "127.0.0.1:0", "--echo"] + level, files: Self.files(Self.compressed))
            let connection = try await server.connect()
            await connection.sendRaw(bytes)
            connection.endOutput()
            byteCounts.append(try await connection.rest().joined().count)
            connection.close()
            #expect(server.end() == .success(""))
        }
        #expect(byteCounts[0] == byteCounts[1])
        #expect(byteCounts[2] > text.utf8.count && byteCounts[0] < byteCounts[2] / 2)
    }

    @Test(arguments: [
        (compressed, "10", 2, "--compression-level is a number from 0 to 9; `10` is not"),
        (compressed, "high", 2, "--compression-level is a number from 0 to 9; `high` is not"),
        (cipher, "1", 1, "--compression-level: the packets of this protocol have no compression"),
    ])
    func `a level that the layers do not have is refused`(
        schema: String, level: String, status: Int32, message: String
    ) throws {
        let outcome = try Workspace(Self.files(schema)).wire(
            "serve", "127.0.0.1:0", "--echo", "--compression-level", level)
        #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome)")
    }

    @Test func `packets inside of one another do not have the same keystream`() throws {
        let schema = """
            packet {
                @length(packet) uint16 size; uint8 form; @id uint8 id;
                @if(form) layer rc4(session);
                @if(form == 1) packets;
            }
            @id(1) @from(client) message Ask { @rest string text; }

            """
        let workspace = try Workspace(Self.files(schema))
        func encode(_ form: Int) throws -> Outcome {
            let packets = #"[{"message":"Ask","header":{"form":\#(form)},"fields":{"text":""}}]"#
            return try workspace.wire(
                "encode", "--packets", packets, "--id", "9", "--header", #"{"form":1}"#, "--key", "session=0102")
        }
        #expect(try encode(0).status == 0)
        let refused = try encode(2)
        #expect(refused.status == 1 && refused.errors.contains("packet.session: a packet inside"), "\(refused)")
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

    @Test(arguments: [
        ("session=0102", "session: a key of 2 bytes, where a layer needs 16, 24 or 32"),
        ("start=0102", "start: a key of 2 bytes, where a layer needs 16"),
        ("sesion=00", "sesion: no layer has a key \"sesion\""),
    ])
    func `a key that no layer takes is refused, with the sizes that it may have`(key: String, text: String) throws {
        let schema = """
            packet { @length(rest) uint16 size; layer aes_ctr(session, start); @id uint8 id; }
            @id(1) @from(client) message Ask { @rest string text; }

            """
        let workspace = try Workspace(Self.files(schema))
        for words in [["encode", "Ask", #"{"text":""}"#], ["decode", "000101"]] {
            let outcome = try workspace.wire(words + ["--key", key])
            #expect(outcome.status == 1 && outcome.errors.hasPrefix("error: --key \(text)\n"), "\(outcome)")
        }
    }

    @Test func `a packet without an ID is written around others`() throws {
        let schema = """
            packet { @length(rest) uint16 size; uint8 form; @if(form == 1) packets; }
            @from(client) message Ask { @rest string text; }

            """
        let workspace = try Workspace(Self.files(schema))
        let packets = #"[{"message":"Ask","fields":{"text":"a"}},{"message":null,"header":{"form":1},"packets":[]}]"#
        let outcome = try workspace.wire("encode", "--packets", packets, "--header", #"{"form":1}"#)
        #expect(outcome == .success("0008" + "01" + "00020061" + "000101" + "\n"))
    }

    @Test func `a packet around others is written in the states that are given`() throws {
        let schema = """
            packet { state bit wide; @length(packet) uint16 size; @if(wide) uint8 extra; @id uint8 id; @if(id == 9) packets; }
            @id(1) @from(client) message Ask {}

            """
        let workspace = try Workspace(Self.files(schema))
        let arguments = ["encode", "--packets", #"[{"message":"Ask","fields":{}}]"#, "--id", "9"]
        #expect(try workspace.wire(arguments) == .success("0006090003" + "01\n"))
        #expect(try workspace.wire(arguments + ["--state", "wide=1"]) == .success("00080009" + "00040001\n"))
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

    // MARK: Differences

    @Test func `diff names the keys with which its packets are sealed`() throws {
        let workspace = try Workspace(Self.files(Self.cipher))
        try workspace.write(
            Self.cipher.replacing("message Note { @rest", with: "message Note {"), to: "New/Game/Game.wire")
        let outcome = try workspace.wire("diff", "Protocols/Game", "New/Game")
        let proof = try #require(
            outcome.output.firstMatch(of: /as ([0-9a-f]+), sealed with (--key) (session=[0-9a-f]+)/))
        #expect(outcome.status == 1)
        // What it says can be read again.
        let read = try workspace.wire(
            "decode", String(proof.1), String(proof.2), String(proof.3), "--from", "server", "--protocol", "New/Game")
        #expect(read.status == 0 && read.output.contains(#""message":"Note""#), "\(outcome) \(read)")
        let json = try workspace.wire("diff", "Protocols/Game", "New/Game", "--format", "json")
        #expect(
            json.output.contains(#""keys":{"session":"\#(proof.3.dropFirst("session=".count))"},"reading""#), "\(json)")
    }

    // MARK: States

    /// The ID, and a field that only some states have, are inside of the layer.
    private static let rooms = """
        packet {
            state uint8 phase;
            @length(packet) uint16 size;
            uint8 form;
            layer xor(session);
            @id uint8 id;
            @if(phase == 1) uint8 room;
            @if(form == 1) packets;
        }

        @id(1) @from(client) message Enter {}
        @id(2) @from(server) @sets(phase = 1) message Welcome {}
        @id(3) @from(both) message Note { @rest string text; }
        @id(4) @from(client) @sets(phase = 0) message Leave {}

        """
    /// Packets with the key 01: a `Welcome`, a `Note` of both sides in the room 7, and a `Leave`.
    private static let (welcome, note, leave) = ("00040003", "00070002066968", "0005000506")

    @Test func `decode follows what messages inside of layers set`() throws {
        let workspace = try Workspace(Self.files(Self.rooms))
        let words = ["--key", "session=01", "--from", "server"]
        let outcome = try workspace.wire(["decode", Self.welcome + Self.note + Self.note] + words)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(Self.texts(outcome) == ["hi", "hi"])
        #expect(outcome.output.ranges(of: #""room":7"#).count == 2, "\(outcome)")
        // Without the first packet, the state must be named.
        let later = try workspace.wire(["decode", Self.note, "--state", "phase=1"] + words)
        #expect(later.output.ranges(of: #""room":7"#).count == 1, "\(later)")
    }

    @Test func `decode follows what a message sets that stands in a packet with others`() throws {
        let workspace = try Workspace(Self.files(Self.rooms))
        let packets = #"[{"message":"Welcome","fields":{}}]"#
        let bundle = try workspace.wire(
            "encode", "--packets", packets, "--id", "9", "--header", #"{"form":1}"#, "--from", "server", "--key",
            "session=01")
        let stream = bundle.output.trimmingCharacters(in: .newlines) + Self.note
        let outcome = try workspace.wire("decode", stream, "--from", "server", "--key", "session=01")
        #expect(outcome.status == 0 && outcome.output.ranges(of: #""room":7"#).count == 1, "\(outcome)")
    }

    @Test func `decode finds the next packets after a broken one, in the states that they set`() throws {
        let workspace = try Workspace(Self.files(Self.rooms))
        try workspace.write("0001" + Self.welcome + Self.note, to: "stream.hex")
        let outcome = try workspace.shell("wire decode --hex --from server --key session=01 < stream.hex")
        #expect(outcome.status == 1 && outcome.errors.contains("skipped"), "\(outcome)")
        #expect(outcome.output.ranges(of: #""room":7"#).count == 1, "\(outcome)")
    }

    @Test func `decode follows what messages inside of layers set in a capture, in both directions`() throws {
        let bytes = { (text: String) throws in try Hexadecimal.bytes(of: text) }
        // The server sets the state, and then the client: each side's packets change for the other, too.
        var (client, server) = (1001, 2001)
        func segment(fromClient: Bool, _ payload: [UInt8]) -> [UInt8] {
            defer { if fromClient { client += payload.count } else { server += payload.count } }
            return TestSegment(
                fromClient: fromClient, sequence: fromClient ? client : server,
                acknowledgement: fromClient ? server : client, payload: payload
            ).ipv4()
        }
        let frames = [
            segment(fromClient: true, try bytes("00040000")), segment(fromClient: false, try bytes(Self.welcome)),
            segment(fromClient: true, try bytes(Self.note + Self.leave)),
            segment(fromClient: false, try bytes("0005000269")),
        ]
        let workspace = try Workspace(Self.files(Self.rooms))
        try workspace.write(Data(TestCapture.pcap(frames)), to: "c.pcap")
        let outcome = try workspace.wire("decode", "--capture", "c.pcap", "--port", "9001", "--key", "session=01")
        #expect(outcome.status == 0, "\(outcome)")
        let messages = outcome.output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /"message":"([A-Za-z]+)"/).map { String($0.1) }
        }
        #expect(messages == ["Enter", "Welcome", "Note", "Leave", "Note"], "\(outcome)")
        #expect(outcome.output.ranges(of: #""room":7"#).count == 2, "\(outcome)")
        #expect(Self.texts(outcome) == ["hi", "h"])
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
