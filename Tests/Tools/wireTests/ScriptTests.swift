// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineSchema

/// `wire serve --script`, as a program.
@Suite(.aside)
struct ScriptTests {
    // MARK: Replies

    @Test func `a reply takes values from the request, its header, the rule and the connection`() async throws {
        let server = try ScriptedServer(
            """
            on Cs_2 when request.kind == "gold" and not (request.number < 5) {
                reply Sc_2 {
                    number: request.number * 2 + header.Version - request.items[1].count / 2,
                    kind: request.kind, big: request.big, items: [request.items[1], { id: count, count: connection }],
                    note: request.note + "!"
                };
            }
            on Cs_2 {
                reply Sc_2 { number: size(request.items), kind: 0, big: request.big + 1, items: request.items };
            }
            """)
        let first = try await server.connect()
        let fields =
            #""big":"18446744073709551614","items":[{"id":7,"count":1},{"id":8,"count":9}]"#
        var answer = try await first.ask("Cs_2", #"{"number":50,"kind":"gold",\#(fields),"note":"hey"}"#)
        #expect(
            answer == #"Sc_2 {"number":97,"kind":"gold","big":"18446744073709551614","#
                + #""items":[{"id":8,"count":9},{"id":1,"count":1}],"note":"hey!"}"#)
        answer = try await first.ask("Cs_2", #"{"number":4,"kind":"gold",\#(fields)}"#)
        #expect(
            answer == #"Sc_2 {"number":2,"kind":"none","big":"18446744073709551615","#
                + #""items":[{"id":7,"count":1},{"id":8,"count":9}]}"#)
        let second = try await server.connect()
        answer = try await second.ask("Cs_2", #"{"number":6,"kind":"gold",\#(fields),"note":""}"#)
        #expect(answer?.contains(#"{"id":1,"count":2}"#) == true)
        first.connection.close()
        second.connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `a reply has its request's sequence number, and other messages have the script's`() async throws {
        let server = try ScriptedServer(
            """
            on Cs_1 {
                reply Sc_1 { ok: 1, greeting: "" };
                send Sc_1 { ok: 2, greeting: "" } header { Version: 9, Sequence: header.Sequence + 1 };
                send Sc_1 { ok: 3, greeting: "" };
                close;
            }
            """)
        let client = try await server.connect()
        try await client.send("Cs_1", #"{"user":"ann"}"#, header: #"{"Sequence":70}"#)
        var headers: [String] = []
        while let packet = try await client.connection.next() {
            let line = try client.translator.decode(packet.lent, from: .server)
            headers.append("\(line["header"]?["Version"] ?? .null) \(line["header"]?["Sequence"] ?? .null)")
        }
        #expect(headers == ["1 70", "9 71", "1 0"])
        #expect(server.end() == .success(""))
    }

    @Test func `the header of a sent message decides which fields it has`() async throws {
        let server = try ScriptedServer(
            """
            on Ask when header.urgent { reply Answer { text: "at once" } header { urgent: request.n == 1 }; }
            on Ask { reply Answer {}; }
            """,
            schema: """
                packet { @length(packet) uint16 length; @id uint8 id; bool urgent; }
                @id(1) @from(client) @reply(Answer) message Ask { @if(header.urgent) uint8 n; }
                @id(1) @from(server) message Answer { @if(header.urgent) string text; }
                """)
        let client = try await server.connect()
        #expect(try await client.ask("Ask", "{}") == "Answer {}")
        try await client.send("Ask", #"{"n":1}"#, header: #"{"urgent":true}"#)
        #expect(try await client.next() == #"Answer {"text":"at once"}"#)
        // The script's own mistake ends the connection, and is reported.
        try await client.send("Ask", #"{"n":2}"#, header: #"{"urgent":true}"#)
        #expect(try await client.rest() == [])
        let outcome = server.end()
        #expect(outcome.errors.contains("Answer.text: is set, but its condition does not hold"), "\(outcome)")
    }

    @Test func `without a login a client gets no service`() async throws {
        let server = try ScriptedServer(
            """
            state user = "";
            shared players = 0;
            on Cs_1 {
                user = request.user;
                players = players + 1;
                reply Sc_1 { ok: 1, greeting: "welcome " + user + ", player " + players };
            }
            on any when user == "" {
                send Sc_1 { ok: 0, greeting: "log in first" };
                close;
            }
            on Cs_3 {
                reply Sc_1 { ok: 1, greeting: message + " of " + user + " has ID " + id };
            }
            """)
        let ann = try await server.connect()
        #expect(try await ann.ask("Cs_1", #"{"user":"ann"}"#) == #"Sc_1 {"ok":1,"greeting":"welcome ann, player 1"}"#)
        let stranger = try await server.connect()
        try await stranger.send("Cs_3", "{}")
        #expect(try await stranger.rest() == [#"Sc_1 {"ok":0,"greeting":"log in first"}"#])
        let bob = try await server.connect()
        #expect(try await bob.ask("Cs_1", #"{"user":"bob"}"#) == #"Sc_1 {"ok":1,"greeting":"welcome bob, player 2"}"#)
        #expect(try await ann.ask("Cs_3", "{}") == #"Sc_1 {"ok":1,"greeting":"Cs_3 of ann has ID 3"}"#)
        ann.connection.close()
        bob.connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `the same seed gives the same numbers, and different ones for each connection`() async throws {
        let script = """
            seed 11;
            on Cs_3 { send Tick { number: random(1, 1000000000), text: "" }; }
            """
        func numbers() async throws -> [String] {
            let server = try ScriptedServer(script)
            var lines: [String] = []
            for _ in 0..<2 {
                let client = try await server.connect()
                for _ in 0..<3 { lines.append(try await client.ask("Cs_3", "{}") ?? "") }
                client.connection.close()
            }
            #expect(server.end() == .success(""))
            return lines
        }
        let first = try await numbers()
        #expect(Set(first).count == 6)
        #expect(try await numbers() == first)
    }

    // MARK: Time

    @Test func `a rule can greet a client, and send several messages, now and later`() async throws {
        let server = try ScriptedServer(
            """
            state ticks = 0;
            on connect { send Sc_1 { ok: 1, greeting: "hello" }; }
            on Cs_3 {
                repeat 2 { send Tick { number: 0, text: "at once" }; }
                wait 5ms to 20ms;
                send Tick { number: 0, text: "after a while" };
                every 10ms times 3 {
                    ticks = ticks + 1;
                    if ticks == 2 { send Tick { number: ticks, text: "two" }; }
                    else if ticks == 3 { send Tick { number: ticks, text: "three" }; close; }
                    else { send Tick { number: ticks, text: "one" }; stop; }
                    send Tick { number: ticks, text: "behind" };
                }
                every 10ms {
                    ticks = ticks + 1;
                    if ticks > 4 { close; }
                    send Tick { number: ticks, text: "" };
                }
            }
            """)
        let client = try await server.connect()
        #expect(try await client.next() == #"Sc_1 {"ok":1,"greeting":"hello"}"#)
        try await client.send("Cs_3", "{}")
        let lines = try await client.rest()
        #expect(
            lines.prefix(4) == [
                #"Tick {"number":0,"text":"at once"}"#, #"Tick {"number":0,"text":"at once"}"#,
                #"Tick {"number":0,"text":"after a while"}"#, #"Tick {"number":1,"text":"one"}"#,
            ])
        // `stop` has ended the first timer; the second one continues.
        #expect(
            lines.dropFirst(4) == [
                #"Tick {"number":2,"text":""}"#, #"Tick {"number":3,"text":""}"#, #"Tick {"number":4,"text":""}"#,
            ])
        #expect(server.end() == .success(""))
    }

    @Test func `a message delayed by a timer comes after one that is not delayed`() async throws {
        let server = try ScriptedServer(
            """
            on Cs_1 { after 50ms { reply Sc_1 { ok: 1, greeting: request.user }; } }
            on Cs_3 { reply Tick { number: count, text: "" }; }
            """)
        let client = try await server.connect()
        // In one piece: the server reads the second message before the first one's timer begins.
        let late = try client.packet("Cs_1", #"{"user":"late"}"#)
        await client.connection.sendRaw(late + (try client.packet("Cs_3", "{}")))
        var lines = [try await client.next() ?? "ended"]
        // The timer fires, however many messages come meanwhile.
        while lines.last?.hasPrefix("Tick") == true {
            try await client.send("Cs_3", "{}")
            lines.append(try await client.next() ?? "ended")
        }
        #expect(lines.first == #"Tick {"number":1,"text":""}"#)
        #expect(lines.last == #"Sc_1 {"ok":1,"greeting":"late"}"#)
        client.connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `SIGTERM ends connections with running timers`() async throws {
        let server = try ScriptedServer(
            """
            on connect {
                every 1ms { send Tick { number: count, text: "" }; }
                every 2m { send Tick { number: 0, text: "never" }; }
            }
            """)
        let client = try await server.connect()
        #expect(try await client.next() == #"Tick {"number":1,"text":""}"#)
        server.tool.send(SIGTERM)
        // The remaining packets are complete.
        #expect(try await client.rest().allSatisfy { $0 == #"Tick {"number":1,"text":""}"# })
        #expect(server.tool.outcome() == .success(""))
    }

    @Test func `timers end with the connection, and the server continues`() async throws {
        let server = try ScriptedServer(
            """
            shared ended = 0;
            on Cs_1 { every 1ms { send Tick { number: 0, text: "x" }; } }
            on Cs_3 { reply Sc_1 { ok: 1, greeting: "" }; }
            """)
        for _ in 0..<20 {
            let client = try await server.connect()
            try await client.send("Cs_1", #"{"user":""}"#)
            #expect(try await client.next() == #"Tick {"number":0,"text":"x"}"#)
            await client.connection.loop.run { client.connection.stream.reset() }
        }
        let client = try await server.connect()
        #expect(try await client.ask("Cs_3", "{}") == #"Sc_1 {"ok":1,"greeting":""}"#)
        client.connection.close()
        #expect(server.end() == .success(""))
    }

    // MARK: Messages without a rule

    @Test func `unknown IDs can be echoed, and messages without a rule are reported`() async throws {
        let server = try ScriptedServer("on unknown { echo; }\non Cs_3 when count == 2 { echo; }")
        let client = try await server.connect()
        let layout = client.translator.description.layout
        let payload: [UInt8] = [1, 2, 3]
        let packet = try layout.encode(id: 77, payload: payload.span.bytes, limit: 100)
        try await client.send("Cs_1", #"{"user":"ann"}"#)
        try await client.send("Cs_3", "{}")
        try await client.connection.send(packet: packet)
        #expect(try await client.connection.next().map { [UInt8](copying: $0.bytes) } == packet)
        client.connection.close()
        let outcome = server.end()
        let notes = outcome.errors.split(separator: "\n").map { $0.split(separator: ": ").last }
        #expect(outcome.status == 0 && notes == ["no rule for Cs_1", "no rule for Cs_3"])
    }

    @Test func `a script can echo everything`() async throws {
        let server = try ScriptedServer("on any { echo; }")
        let outcome = try server.tool.wire(
            "call", server.tool.address, "Cs_1", #"{"user":"ann"}"#, "--expect", "Cs_1")
        #expect(outcome.output.contains(#""fields":{"user":"ann"}"#) && outcome.errors.isEmpty)
        #expect(server.end() == .success(""))
    }

    @Test(arguments: [["--websocket", "/game"], ["--threads", "3"], ["--threads=2", "--verbose"]])
    func `a script can be served with the options of an echo server`(_ words: [String]) throws {
        let server = try ScriptedServer(
            #"on Cs_1 { reply Sc_1 { ok: 1, greeting: request.user } torn 4 every 1ms; }"#, words[0],
            words.count > 1 ? words[1] : "--threads=1")
        let others = words[0] == "--websocket" ? words : []
        for _ in 0..<4 {
            let outcome = try server.tool.wire(
                ["call", server.tool.address, "Cs_1", #"{"user":"ann"}"#] + others)
            #expect(outcome.output.contains(#""fields":{"ok":1,"greeting":"ann"}"#), "\(outcome)")
        }
        let outcome = server.end()
        #expect(outcome.status == 0)
        // The log shows a packet that was sent in pieces as bytes.
        #expect(outcome.errors.contains("sent 4 bytes that are no packet") == words.contains("--verbose"))
    }
}
