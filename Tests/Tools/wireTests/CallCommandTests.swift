// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// `wire call`, against peers in this process.
@Suite(.aside)
struct CallCommandTests {
    /// A `Sc_20001` of the tests' schema.
    static let reply: [UInt8] = [0, 0, 0, 11, 0x4E, 0x21, 1, 0, 0, 0, 7]
    static let replyLine =
        #"{"message":"Sc_20001","id":20001,"header":{"length":11,"id":20001},"fields":{"Res":1,"SceneId":7}}"# + "\n"

    /// Runs `wire call` against a peer that handles the connection with `handler`.
    private func call(
        _ words: [String], files: KeyValuePairs<String, String> = ["Protocols/Scene/Scene.wire": sceneSchema],
        layout: PacketLayout = .standard, input: Data = Data(),
        _ handler: @escaping @Sendable (PacketConnection) async throws -> Void
    ) async throws -> Outcome {
        let peer = try await peer(layout, handler)
        let words = words.withPatience.map { "'\($0)'" }
        let line = (["wire", "call", peer.address.description] + words).joined(separator: " ")
        var outcome = try Workspace(files).shell(line, input: input)
        await peer.shutDown(within: .seconds(60))
        // The port is different each time.
        outcome.errors.replace(peer.address.description, with: "PEER")
        return outcome
    }

    /// Receives the request, which must be the usual one, and answers with these bytes.
    private static func answer(_ bytes: [UInt8]) -> @Sendable (PacketConnection) async throws -> Void {
        { connection in
            guard let request = try await connection.next() else { return }
            let isRight = [UInt8](copying: request.bytes) == Array(packetBytes)
            await connection.sendRaw(isRight ? bytes : [0, 0, 0, 6, 0xFF, 0xFF])
        }
    }

    // MARK: Replies

    @Test func `the reply is printed in the form of decode`() async throws {
        let outcome = try await call(["Cs_20001", packetFields], Self.answer(Self.reply))
        #expect(outcome == .success(Self.replyLine))
    }

    @Test(arguments: [[], ["-"]])
    func `a message that is not in the call is read from standard input`(_ words: [String]) async throws {
        let input = Data((packetFields + "\n").utf8)
        let outcome = try await call(["Cs_20001"] + words, input: input, Self.answer(Self.reply))
        #expect(outcome == .success(Self.replyLine))
    }

    @Test(.enabled(if: ErlangInterpreter.isWanted, Comment(rawValue: ErlangInterpreter.absence)))
    func `a call to a server in Erlang gets its reply`() throws {
        let server = try ErlangEnd(["serve", "1"])
        defer { server.stop() }
        let schema = Checkout.url("Protocols/Scene/scene.wire")
        let workspace = try Workspace(["Protocols/Scene/Scene.wire": String(contentsOf: schema, encoding: .utf8)])
        let outcome = try workspace.shell(
            "wire call 127.0.0.1:\(server.port()) Cs_20001 '\(packetFields)' --timeout 20m")
        let reply =
            #"{"message":"Sc_20001","id":20001,"header":{"length":22,"id":20001},"fields":{"Res":1,"SceneId":1,"Pos":0,"#
            + #""Status":0,"Type":0,"DefaultCombat":2,"message":"hi"}}"# + "\n"
        #expect(outcome == .success(reply))
    }

    @Test func `messages before the reply are skipped, with a note`() async throws {
        let unknown = try standardPacket(id: 9, [1])
        let outcome = try await call(["Cs_20001", packetFields], Self.answer(unknown + unknown + Self.reply))
        let note = "note: passed over a message that is not known (ID 9), waiting for Sc_20001 (ID 20001)\n"
        #expect(outcome == Outcome(status: 0, output: Self.replyLine, errors: note + note))
    }

    @Test(arguments: [
        (Self.reply, Self.replyLine),
        (
            [0, 0, 0, 8, 0, 9, 0xAB, 0xCD],
            #"{"message":null,"id":9,"header":{"length":8,"id":9},"payload":"abcd"}"# + "\n"
        ),
    ])
    func `for a message without a reply in the schema, the first packet is the reply`(
        _ bytes: [UInt8], _ line: String
    ) async throws {
        let schema = sceneSchema + "message Cs_7 { uint8 a; }\n"
        let outcome = try await call(["Cs_7", #"{"a":1}"#], files: ["Protocols/Scene/Scene.wire": schema]) {
            connection in
            _ = try await connection.next()
            await connection.sendRaw(bytes)
        }
        #expect(outcome == .success(line))
    }

    @Test func `the expected message is awaited, whichever side should send it`() async throws {
        let outcome = try await call(
            ["Cs_20001", packetFields, "--expect", "Cs_20001"], Self.answer(try standardPacket(id: 9, []) + packetBytes)
        )
        let note = "note: passed over a message that is not known (ID 9), waiting for Cs_20001 (ID 20001)\n"
        #expect(outcome == Outcome(status: 0, output: packetLine, errors: note))
    }

    // MARK: Sequence numbers

    /// Goim's header, little-endian.
    static let numbered: KeyValuePairs<String, String> = [
        "P/a.wire": """
        option byte_order = little;
        packet {
            @length(packet) uint32 PacketLength;
            @id             uint32 Operation;
            @sequence       uint32 Sequence;
        }
        @id(2) @from(client) @reply(HeartbeatReply) message Heartbeat { @rest string Body; }
        @id(3) @from(server) message HeartbeatReply { uint32 Popularity; }
        @id(5) @from(server) message Notification { @rest string Body; }

        """
    ]
    static let numberedLayout = PacketLayout(generatedHeader: [
        PacketField("PacketLength", .integer(.uint32, .littleEndian), .length(of: .packet, plus: 0)),
        PacketField("Operation", .integer(.uint32, .littleEndian), .messageID),
        PacketField("Sequence", .integer(.uint32, .littleEndian), .sequence),
    ])

    /// Answers with a notification, with a reply to another request, and with the reply.
    @Sendable private static func answerNumbered(_ connection: PacketConnection) async throws {
        guard let request = try await connection.next() else { return }
        let sequence = try connection.layout.header(of: request.lent)["Sequence"] ?? 0
        for (id, number, popularity) in [(5, 0, 0x41), (3, sequence + 1, 7), (3, sequence, 9)]
            as [(UInt64, Int128, UInt8)]
        {
            let payload: [UInt8] = [popularity, 0, 0, 0]
            try await connection.send(
                packet: numberedLayout.encode(id: id, header: ["Sequence": number], payload: payload.span.bytes))
        }
    }

    @Test(arguments: [
        (["Heartbeat", #"{"Body":""}"#], 1),
        (["Heartbeat", #"{"Body":""}"#, "--header", #"{"Sequence":41}"#], 41),
        (["Heartbeat", #"{"Body":""}"#, "--header", #"{"Sequence":0}"#], 0),
        (["Heartbeat", #"{"header":{"Sequence":6},"fields":{"Body":""}}"#], 6),
        (["Heartbeat", #"{"header":{"Sequence":6},"fields":{"Body":""}}"#, "--header", #"{"Sequence":8}"#], 8),
    ])
    func `the reply has the request's sequence number, which is 1 by default`(
        _ words: [String], _ sequence: Int
    ) async throws {
        let outcome = try await call(
            words + ["--protocol", "P"], files: Self.numbered, layout: Self.numberedLayout, Self.answerNumbered)
        let line =
            #"{"message":"HeartbeatReply","id":3,"header":{"PacketLength":16,"Operation":3,"Sequence":\#(sequence)},"#
            + #""fields":{"Popularity":9}}"# + "\n"
        let waiting = "waiting for HeartbeatReply (ID 3, Sequence \(sequence))\n"
        let notes =
            "note: passed over Notification (ID 5, Sequence 0), \(waiting)"
            + "note: passed over HeartbeatReply (ID 3, Sequence \(sequence + 1)), \(waiting)"
        #expect(outcome == Outcome(status: 0, output: line, errors: notes))
    }

    @Test func `an expected message may have any sequence number`() async throws {
        let outcome = try await call(
            ["Heartbeat", #"{"Body":""}"#, "--expect", "Notification", "--protocol", "P"], files: Self.numbered,
            layout: Self.numberedLayout, Self.answerNumbered)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix(#"{"message":"Notification","id":5,"#))
    }

    // MARK: Several replies

    private static let severalReplies: KeyValuePairs<String, String> = [
        "P/a.wire": """
        packet {
            @length(packet) uint16 length;
            @id             uint8  id;
            @sequence       uint8  seq;
        }
        @id(1) @from(client) @reply(Welcome | Failure) message Login { String user; }
        @id(2) @from(server) message Welcome {}
        @id(3) @from(server) message Failure { uint8 code; }
        @id(4) @from(server) message Tick {}

        """
    ]

    /// Answers with a tick, with a failure of another request, and with this failure.
    @Sendable private static func fail(_ connection: PacketConnection) async throws {
        _ = try await connection.next()
        await connection.sendRaw([0, 4, 4, 0, 0, 5, 3, 9, 7, 0, 5, 3, 1, 8])
        // Returns after the caller has gone.
        _ = try? await connection.next()
    }

    private static let login = ["Login", #"{"user":"ann"}"#, "--protocol", "P"]
    private static let failureLine =
        #"{"message":"Failure","id":3,"header":{"length":5,"id":3,"seq":1},"fields":{"code":8}}"# + "\n"
    private static let severalLayout = PacketLayout(generatedHeader: [
        PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
        PacketField("id", .integer(.uint8, .bigEndian), .messageID),
        PacketField("seq", .integer(.uint8, .bigEndian), .sequence),
    ])

    @Test func `any of several replies is the reply`() async throws {
        let outcome = try await call(
            Self.login, files: Self.severalReplies, layout: Self.severalLayout, Self.fail)
        let waiting = "waiting for Welcome (ID 2, seq 1) or Failure (ID 3, seq 1)\n"
        let notes =
            "note: passed over Tick (ID 4, seq 0), \(waiting)note: passed over Failure (ID 3, seq 9), \(waiting)"
        #expect(outcome == Outcome(status: 0, output: Self.failureLine, errors: notes))
    }

    @Test func `a negative sequence number is named as it is`() async throws {
        let schema = Self.severalReplies[0].value.replacing("uint8  seq", with: "int8   seq")
        let layout = PacketLayout(generatedHeader: [
            PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
            PacketField("seq", .integer(.int8, .bigEndian), .sequence),
        ])
        let outcome = try await call(Self.login, files: ["P/a.wire": schema], layout: layout) { connection in
            _ = try await connection.next()
            await connection.sendRaw([0, 5, 3, 0xFF, 7, 0, 5, 3, 1, 8])
            _ = try? await connection.next()
        }
        let waiting = "waiting for Welcome (ID 2, seq 1) or Failure (ID 3, seq 1)\n"
        #expect(outcome.errors == "note: passed over Failure (ID 3, seq -1), \(waiting)")
        #expect(outcome.output == Self.failureLine)
    }

    @Test func `another reply than the expected one is printed, and ends the call with an error`() async throws {
        let outcome = try await call(
            Self.login + ["--expect", "Welcome"], files: Self.severalReplies, layout: Self.severalLayout, Self.fail)
        #expect(outcome.status == 1 && outcome.output == Self.failureLine)
        #expect(outcome.errors.hasSuffix("\nerror: Login was answered by Failure, not by Welcome\n"))
    }

    @Test func `a message that is no reply in the schema is awaited after the replies`() async throws {
        let outcome = try await call(
            Self.login + ["--expect", "Tick"], files: Self.severalReplies, layout: Self.severalLayout
        ) { connection in
            _ = try await connection.next()
            await connection.sendRaw([0, 5, 3, 1, 8, 0, 4, 4, 0])
            _ = try? await connection.next()
        }
        #expect(outcome.status == 0 && outcome.output.hasPrefix(#"{"message":"Tick","#))
        #expect(outcome.errors == "note: passed over Failure (ID 3), waiting for Tick (ID 4)\n")
    }

    // MARK: Errors

    @Sendable private static func reset(_ connection: PacketConnection) async throws {
        _ = try await connection.next()
        await connection.loop.run { connection.stream.reset() }
    }

    @Test(arguments: [
        (
            Self.answer(Array("HTTP/1.1 400 Bad Request\r\n".utf8)),
            #"PEER: length 0x48545450 is over the limit of 1048576; these bytes are ASCII "HTTP": is this an HTTP server?"#
        ),
        (
            Self.answer(Array(reply.prefix(7))),
            "PEER: the stream ended inside a packet: 7 bytes came, 4 more were needed"
        ),
        (
            Self.answer([0, 0, 0, 8, 0x4E, 0x21, 1, 0]),
            "the reply of PEER: Sc_20001.SceneId: needs 4 bytes at offset 7, 1 is left"
        ),
        (Self.answer([]), "PEER has ended the connection before it replied"),
        (Self.reset, "PEER: the peer has reset the connection"),
    ])
    func `a broken peer is an error`(
        _ handler: @escaping @Sendable (PacketConnection) async throws -> Void, _ error: String
    ) async throws {
        let outcome = try await call(["Cs_20001", packetFields], handler)
        #expect(outcome == Outcome(status: 1, output: "", errors: "error: \(error)\n"))
    }

    @Test func `a reply that does not come before the timeout is an error`() async throws {
        // The timeout includes connecting, which may use all of it on a busy machine. Then it is longer in the next
        // try.
        for time in ["100ms", "5s", "60s"] {
            let outcome = try await call(["Cs_20001", packetFields, "--timeout", time]) { connection in
                _ = try await connection.next()
                // Returns after the caller has gone.
                _ = try? await connection.next()
            }
            if outcome.errors.hasPrefix("error: no connection"), time != "60s" { continue }
            let errors =
                "error: no reply from PEER within \(time)\n"
                + "help: --expect names another message than Sc_20001 to wait for\n"
            #expect(outcome == Outcome(status: 1, output: "", errors: errors))
            break
        }
    }

    @Test(arguments: [(10, "10 of 11 bytes"), (6, "6 of 11 bytes"), (5, "5 bytes"), (1, "1 byte")])
    func `a reply that is incomplete at the timeout is an error with the number of bytes`(
        count: Int, words: String
    ) async throws {
        // Even the part may come too late. Then the timeout is longer in the next try.
        for time in ["200ms", "5s", "60s"] {
            let outcome = try await call(["Cs_20001", packetFields, "--timeout", time]) { connection in
                _ = try await connection.next()
                await connection.sendRaw(Array(Self.reply.prefix(count)))
                // Returns after the caller has gone.
                _ = try? await connection.next()
            }
            let isLate = ["error: no connection", "error: no reply from PEER within \(time)\n"]
                .contains(where: outcome.errors.hasPrefix)
            if isLate, time != "60s" { continue }
            let errors = "error: no reply from PEER within \(time): only \(words) of a packet came\n"
            #expect(outcome == Outcome(status: 1, output: "", errors: errors))
            break
        }
    }

    @Test func `an interrupted call ends at once, with the status for shells`() async throws {
        let requests = Seen<Int>()
        let peer = try await rawPeer { all, _ in
            requests.add(all.count)
            return []
        }
        let workspace = try Workspace()
        let process = workspace.process(["call", peer.address, "Cs_20001", packetFields, "--timeout", "20m"])
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.terminationHandler = { _ in requests.add(0) }
        try process.runWatched()
        _ = await requests.first(1)
        process.interrupt()
        try await onThread { process.waitUntilExit() }
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        for pipe in [output, errors] { #expect(pipe.fileHandleForReading.readDataToEndOfFile().isEmpty) }
        await peer.close()
    }

    @Test func `a message that comes back unchanged is not taken for a broken reply`() async throws {
        let outcome = try await call(["Cs_20001", #"{"SceneId":1,"Line":2,"message":""}"#]) { connection in
            if let packet = try await connection.next() { try await connection.forward(packet) }
        }
        // The bytes are a whole `Sc_20001` and two bytes more, which this schema keeps.
        #expect(outcome.status == 0)
        let strict = ["Protocols/Scene/Scene.wire": "option trailing = reject;\n" + sceneSchema] as KeyValuePairs
        let refused = try await call(["Cs_20001", #"{"SceneId":1,"Line":2,"message":""}"#], files: strict) {
            connection in
            if let packet = try await connection.next() { try await connection.forward(packet) }
        }
        let errors =
            "error: the reply of PEER: Sc_20001: 2 bytes after the last field at offset 11\n"
            + "help: these are the bytes that were sent; --expect Cs_20001 reads what a server returns unchanged\n"
        #expect(refused == Outcome(status: 1, output: "", errors: errors))
    }

    @Test(arguments: [
        ("127.0.0.1:1 Cs_20001 --timeout 20m", "cannot connect to 127.0.0.1:1: nobody listens at this address\n"),
        ("127.0.0.1:1 Cs_20002", "no message is named \"Cs_20002\"\nhelp: did you mean `Cs_20001`?\n"),
        (
            "127.0.0.1:1 Cs_20001 --expect Sc_20002",
            "no message is named \"Sc_20002\"\nhelp: did you mean `Sc_20001`?\n"
        ),
        (
            "127.0.0.1:1 Cs_20001 --header '{\"id\":1}'",
            "Cs_20001.header.id: \"id\" is not a header field that can be set\n"
        ),
    ])
    func `a call that cannot be made exits with 1`(_ words: String, _ error: String) throws {
        let workspace = try Workspace()
        try workspace.write(packetFields, to: "fields")
        let outcome = try workspace.shell("wire call \(words) < fields")
        #expect(outcome == Outcome(status: 1, output: "", errors: "error: " + error))
    }

    @Test func `the error for a host without an address has the resolver's reason`() throws {
        let outcome = try Workspace().wire("call", "a..b:1", "Cs_20001", packetFields, "--timeout", "20m")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: cannot connect to a..b:1: no address of \"a..b\" is known: "))
    }

    @Test func `an invalid message is not sent`() async throws {
        let (connections, feed) = AsyncStream<Void>.makeStream()
        let outcome = try await call(["Cs_20001", #"{"SceneId":256}"#]) { _ in feed.yield() }
        feed.finish()
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("error: Cs_20001.SceneId: 256 is not in 0...255"))
        for await _ in connections { Issue.record("nothing should have connected") }
    }
}
