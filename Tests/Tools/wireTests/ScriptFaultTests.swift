// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// The faults that a script makes, as a client sees them.
@Suite(.aside)
struct ScriptFaultTests {
    /// What a client receives that sends one message: the messages, and the end.
    private func conversation(_ statements: String) async throws -> (lines: [String], end: String) {
        let server = try ScriptedServer("on Cs_3 { \(statements) }")
        let client = try await server.connect()
        try await client.send("Cs_3", "{}")
        var lines: [String] = []
        var end = "ended"
        do {
            while let line = try await client.next() { lines.append(line) }
        } catch let error as ConnectionError {
            end = error.description
        }
        client.connection.close()
        #expect(server.end() == .success(""))
        return (lines, end)
    }

    private static let message = #"send Sc_1 { ok: 1, greeting: "hello" }"#
    private static let line = #"Sc_1 {"ok":1,"greeting":"hello"}"#

    @Test(arguments: [
        ("wrong { Length: 3 }; close;", "length 0x03 (3) at offset 0 is under the minimum of 14"),
        ("wrong { Length: value + 1 }; close;", "the stream ended inside a packet: 22 bytes came, 1 more was needed"),
        ("wrong { Length: 0xFFFFFFFF }; close;", "length 0xFFFFFFFF is over the limit"),
        ("wrong { Mark: 0 }; close;", "packet.Mark: 0x00 at offset 4 where the constant 0x7E was expected"),
        (
            "wrong { Crc: value - 1 }; close;",
            "packet.Crc: CRC-32 0x09771FDE at offset 18, but the payload's is 0x09771FDF"
        ),
        ("cut 5; close;", "the stream ended inside a packet: 5 bytes came"),
        ("cut 0; reset;", "the peer has reset the connection"),
    ])
    func `a client reports what is wrong with a packet`(_ fault: String, _ error: String) async throws {
        let (lines, end) = try await conversation("\(Self.message); \(Self.message) \(fault)")
        #expect(lines == (fault.hasSuffix("reset;") ? Array(lines.prefix(1)) : [Self.line]))
        #expect(end.contains(error), "\(end)")
    }

    @Test func `bytes that are no packet are recognised as what they are`() async throws {
        let (lines, end) = try await conversation(
            #"raw "48545450 2F312E31 20343030"; raw "0D0A" cut 1; close;"#)
        #expect(lines.isEmpty && end.contains("HTTP"), "\(end)")
    }

    @Test func `a client handles split and merged packets`() async throws {
        let (lines, end) = try await conversation(
            """
            every 1ms times 20 { send Tick { number: 1, text: "between" }; }
            \(Self.message) torn 1 every 1ms;
            glue { repeat 3 { \(Self.message); } raw ""; }
            wait 30ms;
            close;
            """)
        #expect(lines.filter { $0 == Self.line }.count == 4 && end == "ended")
        // No other packet is inserted into one that is sent in pieces.
        #expect(lines.filter { $0 != Self.line }.allSatisfy { $0 == #"Tick {"number":1,"text":"between"}"# })
    }

    @Test func `a server can become silent, and still handle messages`() async throws {
        let server = try ScriptedServer(
            """
            on Cs_1 { send Sc_1 { ok: 1, greeting: "last" }; silence; send Sc_1 { ok: 2, greeting: "never" }; }
            on Cs_3 when count < 3 { reply Sc_1 { ok: 3, greeting: "never" }; }
            on Cs_3 { close; }
            """)
        let client = try await server.connect()
        try await client.send("Cs_1", #"{"user":""}"#)
        for _ in 0..<3 { try await client.send("Cs_3", "{}") }
        #expect(try await client.rest() == [#"Sc_1 {"ok":1,"greeting":"last"}"#])
        #expect(server.end() == .success(""))
    }

    @Test func `a server can half-close`() async throws {
        let server = try ScriptedServer("on Cs_1 { end; send Sc_1 { ok: 1, greeting: \"\" }; }")
        let client = try await server.connect()
        try await client.send("Cs_1", #"{"user":""}"#)
        #expect(try await client.rest() == [])
        try await client.send("Cs_3", "{}")
        // The server has read it.
        #expect(server.tool.nextErrors().hasSuffix("no rule for Cs_3\n"))
        client.connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `each connection can get another fault`() async throws {
        let server = try ScriptedServer(
            """
            on connect when connection == 2 { reset; }
            on connect when connection % 3 == 0 { close; }
            on connect { send Tick { number: connection, text: "" }; }
            """)
        var ends: [String] = []
        for _ in 1...4 {
            do {
                let client = try await server.connect()
                ends.append(try await client.next() ?? "closed")
                client.connection.close()
            } catch ConnectionError.transport(.reset) {
                ends.append("reset")
            }
        }
        #expect(ends == [#"Tick {"number":1,"text":""}"#, "reset", "closed", #"Tick {"number":4,"text":""}"#])
        #expect(server.end() == .success(""))
    }

    @Test(arguments: [
        ("reply Sc_1 { ok: size(request.user), greeting: \"\" };", "1:11: Sc_1.ok: 300 is not in 0...255"),
        ("send Tick { number: 1 / (count - 1), text: \"\" };", "1:31: division by zero"),
        ("send Tick { number: 1, text: \"\" } wrong { Mark: size(request.user) };", "1:59: 300 is not in 0...255"),
        ("repeat 1001 { after 2m { close; } }", "1:25: 1000 timers run on this connection, and no more can"),
        ("every 1ms { send Tick { number: 0 - 1, text: \"\" }; }", "1:23: Tick.number: -1 is not in 0...4294967295"),
        ("glue { repeat 100000 { echo; } }", "1:34: more than 16777216 bytes are glued"),
        (
            "glue { repeat 100000 { repeat 100000 { raw \"\"; } } }",
            "1:50: more than 1000000 statements are glued"
        ),
    ])
    func `an error in a script ends its connection, and is reported`(_ rule: String, _ error: String) async throws {
        let server = try ScriptedServer("on Cs_1 { \(rule) }\non Cs_3 { reply Sc_1 { ok: 1, greeting: \"\" }; }")
        let client = try await server.connect()
        try await client.send("Cs_1", #"{"user":"\#(String(repeating: "a", count: 300))"}"#)
        await #expect(throws: Never.self) { _ = try? await client.rest() }
        let other = try await server.connect()
        #expect(try await other.ask("Cs_3", "{}") == #"Sc_1 {"ok":1,"greeting":""}"#)
        other.connection.close()
        let outcome = server.end()
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasPrefix("error: 127.0.0.1:") && outcome.errors.hasSuffix("game.script:\(error)\n"))
    }

    @Test func `timers may keep only a limited number of received bytes`() async throws {
        let server = try ScriptedServer("on Cs_1 { repeat 100 { after 2m { echo; } } }")
        let client = try await server.connect()
        try await client.send("Cs_1", #"{"user":"\#(String(repeating: "a", count: 60_000))"}"#)
        _ = try? await client.rest()
        let outcome = server.end()
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.hasSuffix(
                "game.script:1:24: timers of this connection hold messages of 4194304 bytes together, and no more\n"
            ))
    }

    @Test func `timers of all connections have a limit, and each connection a share`() async throws {
        let server = try ScriptedServer(
            """
            on Cs_1 { repeat 1000 { after 2m { close; } } reply Sc_1 { ok: 1, greeting: "" }; }
            on Cs_3 { repeat 16 { after 2m { close; } } reply Sc_1 { ok: 2, greeting: "" }; }
            """)
        var clients: [ScriptedConnection] = []
        for _ in 0..<10 {
            let client = try await server.connect()
            #expect(try await client.ask("Cs_1", #"{"user":""}"#) == #"Sc_1 {"ok":1,"greeting":""}"#)
            clients.append(client)
        }
        let modest = try await server.connect()
        #expect(try await modest.ask("Cs_3", "{}") == #"Sc_1 {"ok":2,"greeting":""}"#)
        let greedy = try await server.connect()
        try await greedy.send("Cs_1", #"{"user":""}"#)
        _ = try? await greedy.rest()
        // Whoever leaves makes room.
        for client in clients.prefix(2) { client.connection.close() }
        #expect(
            try await eventually {
                let next = try await server.connect()
                defer { next.connection.close() }
                return (try? await next.ask("Cs_1", #"{"user":""}"#)) != nil
            })
        for client in clients + [modest] { client.connection.close() }
        let outcome = server.end()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("game.script:1:25: 10000 timers run on all connections, and no more can\n"))
    }

    @Test func `timers make no more for a client that does not read than it is allowed`() async throws {
        let text = String(repeating: "x", count: 20_000)
        let server = try ScriptedServer(
            "on Cs_1 { repeat 100 { every 1ms { send Tick { number: 0, text: \"\(text)\" }; } } }")
        let client = try await server.connect()
        try await client.send("Cs_1", #"{"user":""}"#)
        // The client does not learn of the end either: it would have to read for that.
        let fault = "more than 1048576 bytes wait for a client that does not read\n"
        var errors = ""
        while !errors.contains(fault) {
            let more = server.tool.nextErrors()
            try #require(!more.isEmpty, "\(errors)")
            errors += more
        }
        client.connection.close()
        #expect(server.end().status == 0)
    }

    @Test func `a message that does not fit the schema ends its connection`() async throws {
        let server = try ScriptedServer("on any { echo; }")
        let client = try await server.connect()
        let payload: [UInt8] = [0, 9, 65]
        let packet = try client.translator.description.layout.encode(id: 1, payload: payload.span.bytes, limit: 100)
        try await client.connection.send(packet: packet)
        _ = try? await client.rest()
        let outcome = server.end()
        #expect(outcome.status == 0 && outcome.errors.contains("Cs_1.user: needs 9 bytes at offset 12"), "\(outcome)")
    }

    /// Two gigabytes are sent towards a client that reads nothing.
    @Test func `a client that does not read costs no memory`() async throws {
        let text = String(repeating: "x", count: 20_000)
        let server = try ScriptedServer(
            """
            on Cs_1 {
                every 1ms { send Tick { number: 0, text: "\(text)" }; }
                repeat 100000 { send Tick { number: 1, text: "\(text)" }; }
            }
            on Cs_3 { reply Sc_1 { ok: 1, greeting: "" }; }
            """)
        let idle = try await server.connect()
        try await idle.send("Cs_1", #"{"user":""}"#)
        // One message is read, so that all the others have begun, and then no more.
        #expect(try await idle.next()?.hasPrefix("Tick") == true)
        let client = try await server.connect()
        for _ in 0..<20 { #expect(try await client.ask("Cs_3", "{}") == #"Sc_1 {"ok":1,"greeting":""}"#) }
        let status = try String(contentsOfFile: "/proc/\(server.tool.processID)/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst()
            .first
        #expect(try #require(peak.flatMap { Int($0) }) < 1 << 20, "kilobytes")
        idle.connection.close()
        client.connection.close()
        let outcome = server.end()
        #expect(outcome.isGoodButForIdleClients, "\(outcome)")
    }

    /// The example of the documentation.
    @Test func `the example is a scene server for a typed client, with all its faults`() async throws {
        let example = try String(
            contentsOf: Checkout.url("Tests/Support/Examples/scene.script"), encoding: .utf8)
        let schema = try String(
            contentsOf: Checkout.url("Protocols/Scene/scene.wire"), encoding: .utf8)
        let server = try ScriptedServer(example, schema: schema)
        func client() async throws(ConnectionError) -> PacketClient<SceneProtocol> {
            try await PacketClient.connect(
                to: "127.0.0.1", port: server.tool.port, protocol: SceneProtocol.self, configuration: .patient)
        }
        let first = try await client()
        var reply = try await first.request(Cs_20001(sceneID: 0, line: 2, message: ""))
        #expect(reply.res == 4 && reply.message == "no such scene")
        reply = try await first.request(Cs_20001(sceneID: 13, line: 2, message: ""))
        #expect(reply.res == 1 && (1...6).contains(reply.pos))
        await #expect {
            _ = try await first.request(Cs_20001(sceneID: 66, line: 2, message: ""))
        } throws: {
            "\($0)" == "length 0x03 (3) at offset 0 is under the minimum of 6"
        }
        let second = try await client()
        await #expect(throws: ConnectionError.self) {
            _ = try await second.request(Cs_20001(sceneID: 67, line: 2, message: ""))
        }
        await #expect(throws: ConnectionError.transport(.reset)) {
            _ = try await client().request(Cs_20001(sceneID: 1, line: 2, message: ""))
        }
        let fourth = try await client()
        reply = try await fourth.request(Cs_20001(sceneID: 7, line: 2, message: "hi"))
        #expect(reply.res == 1 && reply.defaultCombat == 7_000 && reply.message == "hi, visit 1")
        // A client that enters gets two more messages about it, at any time. They are not replies.
        repeat {
            reply = try await fourth.request(Cs_20001(sceneID: 7, line: 2, message: ""))
        } while reply.status == 10
        #expect(reply.res == 3)
        let fifth = try await client()
        reply = try await fifth.request(Cs_20001(sceneID: 8, line: 2, message: "ho"))
        #expect(reply.message == "ho, visit 2")
        first.close()
        second.close()
        fourth.close()
        fifth.close()
        #expect(server.end() == .success(""))
    }
}
