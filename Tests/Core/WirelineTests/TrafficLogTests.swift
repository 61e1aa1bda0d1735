// SPDX-License-Identifier: Apache-2.0

import Features
import Parts
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// What a log receives about connections, and what it does not.
@Suite(.ahead)
struct TrafficLogTests {
    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi\n")

    /// The lines of a log, without addresses.
    private final class Lines: Sendable {
        private let lines = Lock<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func log<Definition: PacketProtocol>(
            of definition: Definition.Type, showsUnknownBytes: Bool = false
        ) -> TrafficLog {
            TrafficLog(of: definition, showsUnknownBytes: showsUnknownBytes) { entry in
                self.lines.withLock { $0.append("\(entry.event)") }
            }
        }
    }

    @Test(arguments: [false, true])
    func `the log shows every message once on both sides, in order`(isBatched: Bool) async throws {
        let (lines, clientLines) = (Lines(), Lines())
        var configuration = ServerConfiguration.patient
        configuration.log = lines.log(of: SceneProtocol.self)
        let server =
            isBatched
            ? try await PacketServer.startBatched(
                at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: configuration
            ) { client in
                { batch in
                    while let packet = try batch.next() {
                        try client.write(Sc_20001.entered(Cs_20001(payloadOf: packet)))
                    }
                }
            }
            : try await SceneServer.start(configuration: configuration) { client in
                while let received = try await client.nextMessage() {
                    guard case .cs20001(let enter) = received.message else { continue }
                    try await client.send(Sc_20001.entered(enter))
                }
            }
        var clientConfiguration = ClientConfiguration.patient
        clientConfiguration.log = clientLines.log(of: SceneProtocol.self)
        let client = try await server.connect(configuration: clientConfiguration)
        let request = #"Cs_20001 {length: 16, id: 20001} sceneID: 7, line: 2, message: "hi\n""#
        let reply =
            "Sc_20001 {length: 23, id: 20001} res: 1, sceneID: 7, pos: 0, status: 0, type: 0, defaultCombat: 2, "
            + #"message: "hi\n""#
        // Two at once, and one request.
        let bytes = try Self.hello.encoded()
        try await client.send(packet: bytes + bytes)
        for _ in 0..<2 { #expect(try await client.nextPacket() != nil) }
        _ = try await client.request(Self.hello)
        client.endOutput()
        #expect(try await client.nextPacket() == nil)
        await client.connection.loop.run { client.connection.close() }
        await server.shutDown()
        let exchanges = [request, reply]
        #expect(lines.all.filter { $0.hasPrefix("received") } == Array(repeating: "received \(request)", count: 3))
        #expect(lines.all.filter { $0.hasPrefix("sent") } == Array(repeating: "sent \(reply)", count: 3))
        #expect(lines.all.suffix(3) == ["received \(exchanges[0])", "sent \(exchanges[1])", "ended"])
        #expect(
            clientLines.all == [
                "opened", "sent \(request)", "sent \(request)", "received \(reply)", "received \(reply)",
                "sent \(request)", "received \(reply)", "ended",
            ])
    }

    @Test func `long packets that were sent are opened over many turns, and the end comes after them`() async throws {
        let group = try EventLoopGroup.ofFewTests()
        let loop = group.loops[0]
        let entries = Seen<(text: String, turn: MonotonicTime)>()
        var configuration = ServerConfiguration.patient
        configuration.log = TrafficLog(of: PartsProtocol.self) { entries.add(("\($0.event)", loop.turnTime)) }
        let count = 3_000
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: group, configuration: configuration
        ) { client in
            try await client.connection.send(
                packets: (0..<count).map { Say(text: "\($0)") }, id: 1,
                header: ["shape": Int128(Shape.bundle.rawValue)])
            try await client.send(Say(text: "last"))
        }
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: PartsProtocol.self,
            configuration: .patient)
        while try await client.nextPacket() != nil {}
        client.close()
        let seen = await entries.first(count + 3)
        #expect(seen.first?.text == "opened")
        #expect(seen.last?.text == "ended")
        let texts = seen.dropFirst().dropLast().map { $0.text.split(separator: " ").last ?? "" }
        let isRight = texts == (0..<count).map { "\"\($0)\"" } + ["\"last\""]
        #expect(isRight)
        #expect(Set(seen.dropFirst().dropLast(2).map(\.turn)).count > 3)
        await server.shutDown()
    }

    @Test func `the entries of one connection have its number, and a line shows it`() async throws {
        let entries = Lock<[TrafficLog.Entry]>([])
        var configuration = ServerConfiguration.patient
        configuration.log = TrafficLog(of: SceneProtocol.self) { entry in entries.withLock { $0.append(entry) } }
        let server = try await SceneServer.start(configuration: configuration) { client in
            while let packet = try await client.nextPacket() { try await client.forward(packet) }
        }
        var ids: [UInt64] = []
        for _ in 0..<2 {
            let client = try await server.connect()
            try await client.send(Self.hello)
            #expect(try await client.nextPacket() != nil)
            ids.append(try #require(server.connections.first?.connection.id))
            client.close()
            while !server.connections.isEmpty { await Task.yield() }
        }
        await server.shutDown()
        #expect(ids[0] < ids[1])
        for id in ids {
            let own = entries.withLock { $0.filter { $0.connectionID == id } }
            #expect(own.count == 4 && Set(own.map(\.peerAddress)).count == 1)
            #expect(own.first.map { "\($0)" } == own.first.map { "\($0.peerAddress) #\(id): opened" })
        }
        #expect(entries.withLock { $0.count } == 8)
    }

    @Test func `sensitive values are in no text, wherever they are`() async throws {
        let hidden = FeaturesProtocol.Hidden(password: "s3cret", userName: "ann", unused: 2, place: .init(x: 3))
        let lines = Lines()
        let entries = Lock<[TrafficLog.Entry]>([])
        var configuration = ServerConfiguration.patient
        configuration.log = lines.log(of: FeaturesProtocol.self)
        let server = try await PacketServer<FeaturesProtocol>.start(configuration: configuration) { client in
            while let packet = try await client.nextPacket() { try await client.forward(packet) }
        }
        var clientConfiguration = ClientConfiguration.patient
        clientConfiguration.log = TrafficLog(of: FeaturesProtocol.self) { entry in
            entries.withLock { $0.append(entry) }
        }
        let client = try await server.connect(configuration: clientConfiguration)
        try await client.send(hidden)
        #expect(try await client.nextPacket() != nil)
        client.close()
        await server.shutDown()
        #expect(lines.all.contains { $0.contains(#"password: (hidden), userName: "ann", unused: 2, place: (x: 3)"#) })
        #expect(!lines.all.joined().contains("s3cret"))
        for entry in entries.withLock({ $0 }) {
            var dumped = ""
            dump(entry, to: &dumped)
            #expect(!dumped.contains("s3cret") && !String(reflecting: entry).contains("s3cret"))
        }
    }

    @Test func `sensitive fields are hidden inside lists, structures and optional values`() {
        let tight = Tight(text: "s3cret")
        let values: [any Sendable] = [[tight, tight], tight, tight as Tight?, [[tight]]]
        let texts = values.map { FieldText(of: Holder(value: $0)).text }
        #expect(
            texts == [
                "value: [(text: (hidden)), (text: (hidden))]", "value: (text: (hidden))", "value: (text: (hidden))",
                "value: [[(text: (hidden))]]",
            ])
    }

    @Test func `a log shows the size of an unknown packet, and its bytes only on request`() async throws {
        for (showsBytes, text) in [(false, "3 bytes"), (true, "3 bytes <733363>")] {
            let lines = Lines()
            var configuration = ServerConfiguration.patient
            configuration.log = lines.log(of: SceneProtocol.self, showsUnknownBytes: showsBytes)
            let server = try await SceneServer.start(configuration: configuration) { client in
                while let packet = try await client.nextPacket() { try await client.forward(packet) }
            }
            let client = try await server.connect()
            try await client.send(packet: packet(id: 9, payload: Array("s3c".utf8)))
            #expect(try await client.nextPacket() != nil)
            client.close()
            await server.shutDown()
            #expect(lines.all.contains("received unknown ID 9 {length: 9, id: 9} \(text)"))
        }
    }

    @Test func `a message that the schema refuses is logged without its content`() async throws {
        let lines = Lines()
        var configuration = ServerConfiguration.patient
        configuration.log = lines.log(of: SceneProtocol.self)
        let ends = ConnectionEnds()
        configuration.listening.connectionEnded = ends.configure().listening.connectionEnded
        let server = try await SceneServer.start(configuration: configuration) { client in
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        try await client.send(packet: packet(id: Cs_20001.messageID, payload: [7, 0, 0, 0, 2, 0, 1, 0xFF]))
        try await client.connection.sendRaw(Array("s3cret s3cret".utf8))
        _ = await ends.next()
        client.close()
        await server.shutDown()
        #expect(
            lines.all.contains(
                "received Cs_20001 {length: 14, id: 20001} "
                    + "Cs_20001.message: not UTF-8 at offset 13: a byte that cannot begin a character"))
        #expect(lines.all.contains { $0.hasPrefix("ended: ") })
        #expect(!lines.all.joined().contains("s3cret"))
    }

    @Test(arguments: [
        (CodecError.Reason.truncated(needed: 28_769, available: 3), "needs more bytes than are left at offset 9: 3"),
        (.invalidBoolean(77), "a bool is 0 or 1, the byte at offset 9 is neither"),
        (.outOfRange(value: 77, minimum: 0, maximum: 9), "the value at offset 9 is not in 0...9"),
        (.floatOutOfRange(value: 77, minimum: 0, maximum: 9), "the value at offset 9 is not in its range"),
        (.tooLong(count: 77, limit: 5), "the length at offset 9 is over the limit of 5"),
        (.unknownCase(77), "the value at offset 9 is not a case of this closed enum"),
        (.duplicateKey("77"), "a key stands twice at offset 9"),
        (.invalidProperty("77"), "a line at offset 9 is no property"),
        (.wrongConstant(value: 77, expected: 1), "the value at offset 9 is not the constant"),
        (.wrongChecksum(value: 77, computed: 1), "the checksum at offset 9 is not that of the payload"),
        (
            .wrongChecksum(
                value: 77, computed: 1, of: PacketChecksum(.xor8, of: .parts(.field("a"), through: .payload))),
            "the checksum at offset 9 is not that of the bytes a..payload"
        ),
        (.missingTerminator, "the string at offset 9 has no terminating NUL"),
        (.invalidLayer(.damaged), "the compressed stream is damaged at offset 9"),
        (.inflatedTooLong(limit: 8), "the layers make more than 8 bytes of the packet"),
    ])
    func `a log tells why a message cannot be read, without its values`(_ reason: CodecError.Reason, _ text: String) {
        #expect(CodecError(reason, offset: 9, path: "Login.password").shownText == "Login.password: " + text)
    }

    @Test func `a peer's text is escaped in logs and errors`() {
        let (evil, shown) = ("\u{1B}[2J\u{9B}2J\u{85}\u{2028}\u{202E}", #"\u{1B}[2J\u{9B}2J\u{85}\u{2028}\u{202E}"#)
        let text = FieldText(of: Cs_20001(sceneID: 1, line: 2, message: evil)).text
        #expect(text == "sceneID: 1, line: 2, message: \"\(shown)\"")
        #expect(
            ConnectionError.transport(.unknownHost(evil, reason: "none")).description
                == "no address of \"\(shown)\" is known: none")
        #expect(
            ConnectionError.tls(.invalidServerName(evil)).description
                == "\"\(shown)\" is neither a host name in ASCII nor an IP address")
        #expect(SessionLoginRefused(evil).description == shown)
        #expect(ServerEndpoint(evil, port: 1).description == shown + ":1")
        let combined = FieldText(
            of: Cs_20001(sceneID: 1, line: 2, message: "e" + String(repeating: "\u{301}", count: 9_999)))
        #expect(combined.text.unicodeScalars.count < 400)
    }

    @Test func `long values are cut, and bytes of a newer peer are only counted`() {
        let newer = Cs_20001(sceneID: 1, line: 2, message: "", trailingBytes: [1, 2, 3])
        #expect(FieldText(of: newer).text == #"sceneID: 1, line: 2, message: "", trailingBytes: 3 bytes"#)
        let text = FieldText(of: Cs_20001(sceneID: 1, line: 2, message: String(repeating: "x", count: 9_999))).text
        #expect(text == "sceneID: 1, line: 2, message: \"" + String(repeating: "x", count: 256) + "\"… 9999 bytes")
        let bytes = FieldText(of: Holder(value: [UInt8](repeating: 7, count: 100))).text
        #expect(bytes == "value: <" + String(repeating: "07", count: 32) + "… 100 bytes>")
        let list = FieldText(of: Holder(value: Array(1...17 as ClosedRange<UInt16>))).text
        #expect(list == "value: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, … 17 items]")
        #expect(FieldText(of: Holder(value: Rights(rawValue: 5))).text == "value: [mute, 4]")
    }
}

/// A message with any value.
private struct Holder: PacketMessage {
    typealias Definition = SceneProtocol
    static let messageName = "Holder"
    static let messageID: UInt64 = 1

    let value: any Sendable

    init(value: any Sendable) { self.value = value }
    init(from reader: inout ByteReader) throws(CodecError) { value = 0 }
    func payloadByteCount() throws(CodecError) -> Int { 0 }
    func writePayload(to writer: inout ByteWriter) {}
    static func == (left: Holder, right: Holder) -> Bool { false }
}
