// SPDX-License-Identifier: Apache-2.0

import Bilibili
import Ciphers
import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Packets with layers on connections: Bilibili's compressed packets in packets, and a cipher whose key comes later.
@Suite(.ahead)
struct LayeredConnectionTests {
    /// The bodies of the notifications that a client gets until the end.
    private static func bodies(of client: PacketClient<BilibiliProtocol>) async throws -> [String] {
        var bodies: [String] = []
        while let received = try await client.nextMessage() {
            if case .notification(let notification) = received.message { bodies.append(notification.body) }
        }
        return bodies
    }

    /// A server that does something with each client, and then ends the connection.
    private static func serve(
        _ handler: @escaping @Sendable (ServerConnection<BilibiliProtocol>) async throws -> Void
    ) async throws -> (server: PacketServer<BilibiliProtocol>, client: PacketClient<BilibiliProtocol>) {
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self, handler: handler)
        let port = try #require(server.addresses.first?.port)
        return (server, try await PacketClient.connect(to: "127.0.0.1", port: port, protocol: BilibiliProtocol.self))
    }

    /// Bytes of a server, published in SocialSisterYi/bilibili-API-collect, `docs/live/message_stream.md`.
    private static let recorded = """
        000000860010000300000005000000008b3880000000720010000000000005000000007b22636d64223a22574154434845445f434841\
        4e4745222c2264617461223a7b226e756d223a32323039372c22746578745f736d616c6c223a22322e32e4b887222c22746578745f6c\
        61726765223a22322e32e4b887e4babae79c8be8bf87227d7d03
        """

    @Test func `a recorded packet arrives as the message inside of it`() async throws {
        let recorded = try Hexadecimal.bytes(of: Self.recorded)
        let (server, client) = try await Self.serve { try await $0.send(packet: recorded + recorded) }
        let bodies = try await Self.bodies(of: client)
        #expect(bodies.count == 2)
        #expect(bodies.allSatisfy { $0.hasPrefix(#"{"cmd":"WATCHED_CHANGE""#) })
        await server.shutDown()
    }

    @Test(arguments: [Form.plain, .zlib, .brotli])
    func `messages in one packet arrive one by one, in the place of that packet`(form: Form) async throws {
        let (server, client) = try await Self.serve { client in
            try await client.send(Notification(body: "before"))
            if form == .plain {
                for body in ["a", "b"] { try await client.send(Notification(body: body)) }
            } else {
                try await client.connection.send(
                    packets: [Notification(body: "a"), Notification(body: "b")], id: 5,
                    header: ["Version": Int128(form.rawValue)])
            }
            try await client.send(Notification(body: "after"))
        }
        #expect(try await Self.bodies(of: client) == ["before", "a", "b", "after"])
        await server.shutDown()
    }

    @Test func `brotli compresses at level 5 on connections unless the program sets a level`() async throws {
        var byteCounts: [Int] = []
        for level in [nil, 5, 11] {
            var configuration = ServerConfiguration()
            configuration.layers.brotliLevel = level
            let server = try await PacketServer.start(
                at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self, configuration: configuration
            ) { client in
                let packets = (0..<500).map { Notification(body: "\($0 * 7919 % 1_000) was seen by \($0 * 31) others") }
                try await client.connection.send(
                    packets: packets, id: 5, header: ["Version": Int128(Form.brotli.rawValue)])
            }
            let port = try #require(server.addresses.first?.port)
            let client = try await PacketClient.connect(
                to: "127.0.0.1", port: port, protocol: BilibiliProtocol.self)
            #expect(try await Self.bodies(of: client).count == 500)
            byteCounts.append(await client.connection.counters().receivedByteCount)
            await server.shutDown()
        }
        #expect(byteCounts[0] == byteCounts[1])
        #expect(byteCounts[0] > byteCounts[2])
    }

    @Test func `a batch has the packets inside of a packet`() async throws {
        let (server, client) = try await Self.serve { client in
            try await client.connection.send(
                packets: (0..<100).map { Notification(body: "\($0)") }, id: 5, header: ["Version": 2])
        }
        let bodies = try await Task(executorPreference: client.loop) {
            var bodies: [String] = []
            while var batch = try await client.nextBatch() {
                while let packet = try batch.next() {
                    bodies.append(try Notification(payloadOf: packet).body)
                }
            }
            return bodies
        }.value
        #expect(bodies == (0..<100).map { "\($0)" })
        await server.shutDown()
    }

    @Test func `what stands before a broken packet arrives, and then the connection ends`() async throws {
        let first = try Notification(body: "first").encoded()
        let (server, client) = try await Self.serve { client in
            try await client.send(packet: first)
            // The content of a zlib stream is missing.
            try await client.send(packet: [0, 0, 0, 17, 0, 16, 0, 2, 0, 0, 0, 5, 0, 0, 0, 0, 0x78])
            while try await client.nextPacket() != nil {}
        }
        let received = try await client.nextMessage()
        guard case .notification(let notification)? = received?.message else {
            Issue.record("no notification")
            return
        }
        #expect(notification.body == "first")
        await #expect(throws: ConnectionError.codec(CodecError(.invalidLayer(.cut), path: "packet.zlib"))) {
            _ = try await client.nextMessage()
        }
        client.close()
        await server.shutDown()
    }

    @Test(arguments: [1, 500])
    func `a reset is told while the packets inside of a packet are unread`(count: Int) async throws {
        let (ends, opened, errors) = (ConnectionEnds(), Seen<Void>(), Seen<any Error>())
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self,
            configuration: ends.configure { $0.limits.pendingByteCount = 1_000 }
        ) { client in
            do {
                _ = try await client.nextMessage()
                opened.add(())
                try await client.connection.waitUntilEnd()
            } catch {
                errors.add(error)
                throw error
            }
        }
        let line = try ResettableLine(to: try #require(server.addresses.first?.port))
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: line.port, protocol: BilibiliProtocol.self)
        let packets = (0..<count).map { Notification(body: String(repeating: "\($0)", count: 100)) }
        try await client.connection.send(packets: packets, id: 5, header: ["Version": Int128(Form.zlib.rawValue)])
        _ = await opened.first(1)
        line.reset()
        #expect(await errors.first(1)[0] as? ConnectionError == .transport(.reset))
        #expect(await ends.next() as? ConnectionError == .transport(.reset))
        #expect(server.connections.isEmpty)
        await server.shutDown()
    }

    private enum Serving: CaseIterable {
        case task, batches, handlers
    }

    /// What a client sends inside of layers, and what is wrong with it.
    private static let brokenPackets = [
        "a layer that ends too early": "00000011001000020000000700000000" + "78",
        "a layer with a wrong checksum":
            "00000027001000020000000700000000789c636060106410606064606060076286ff0002f20128",
        "a packet of another length":
            "00000026001000020000000700000000789c6360601064106060646060600762060001c9002a",
        "a message that is no text":
            "00000027001000020000000700000000789c636060106410606064606060076286ff0002f20129",
    ]

    /// An attacker who changes packets of a cipher would learn from another code whether its padding was right.
    @Test(arguments: Serving.allCases)
    private func `a WebSocket's code does not tell what was wrong inside of a layer`(serving: Serving) async throws {
        var configuration = ServerConfiguration.patient
        configuration.webSocket = ServerConfiguration.WebSocketOptions()
        let server = try await Self.reader(serving, configuration)
        let port = try #require(server.addresses.first?.port)
        var clientConfiguration = ClientConfiguration.patient
        clientConfiguration.webSocket = ClientConfiguration.WebSocketOptions()
        for (fault, packet) in Self.brokenPackets {
            let client = try await PacketClient.connect(
                to: "127.0.0.1", port: port, protocol: BilibiliProtocol.self, configuration: clientConfiguration)
            try await client.send(packet: Hexadecimal.bytes(of: packet))
            let error = await #expect(throws: ConnectionError.self) { _ = try await client.nextMessage() }
            guard case .webSocketEnded(let end)? = error else {
                Issue.record("\(fault): \(String(describing: error))")
                continue
            }
            #expect(end.code == .invalidPayload, "\(fault)")
        }
        await server.shutDown()
    }

    /// A server that reads messages of each client.
    private static func reader(
        _ serving: Serving, _ configuration: ServerConfiguration
    ) async throws -> PacketServer<BilibiliProtocol> {
        switch serving {
        case .task:
            return try await PacketServer.start(
                at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self, configuration: configuration
            ) { client in while try await client.nextMessage() != nil {} }
        case .batches:
            return try await PacketServer.startBatched(
                at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self, configuration: configuration
            ) { _ in { batch in while let packet = try batch.next() { _ = try Authentication(payloadOf: packet) } } }
        case .handlers:
            var handlers = MessageHandlers<BilibiliProtocol, Void>()
            handlers.on(Authentication.self) { _, _ in }
            handlers.ignore(Heartbeat.self)
            return try await PacketServer.start(
                at: "127.0.0.1", port: 0, configuration: configuration, handlers: handlers)
        }
    }

    @Test func `a message cannot be sent where packets must be`() async throws {
        let (server, client) = try await Self.serve { client in while try await client.nextPacket() != nil {} }
        let error = CodecError(.wrongPresence(isSet: false), path: "Heartbeat.packets")
        await #expect(throws: ConnectionError.codec(error)) {
            try await client.send(Heartbeat(body: ""), header: ["Version": 2])
        }
        client.close()
        await server.shutDown()
    }

    // MARK: Ciphers

    @Test func `keystreams go on in both directions, and requests find their replies`() async throws {
        let key: [UInt8] = [1, 2, 3, 4, 5]
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: CiphersProtocol.self, configuration: .patient
        ) { client in
            try client.connection.layers.setKey("session", key)
            while let received = try await client.nextMessage() {
                guard case .ask(let ask) = received.message else { continue }
                try await client.send(Note(text: "heard"))
                try await client.reply(to: received, with: Answer(text: ask.text + "!"))
            }
        }
        let port = try #require(server.addresses.first?.port)
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: port, protocol: CiphersProtocol.self, configuration: .patient)
        try client.connection.layers.setKey("session", key)
        for number in 0..<20 {
            let answer = try await client.request(Ask(text: "\(number)"))
            #expect(answer.text == "\(number)!")
        }
        client.close()
        await server.shutDown()
    }

    @Test func `without a key, packets are neither sent nor taken`() async throws {
        let server = try await PacketServer.start(at: "127.0.0.1", port: 0, protocol: CiphersProtocol.self) { client in
            try await client.send(packet: [6, 0, 1, 2, 3, 4])
            while try await client.nextPacket() != nil {}
        }
        let port = try #require(server.addresses.first?.port)
        let client = try await PacketClient.connect(to: "127.0.0.1", port: port, protocol: CiphersProtocol.self)
        let need = CodecError.Reason.layerUnavailable(.key("session", of: .client))
        await #expect(throws: ConnectionError.codec(CodecError(need, path: "Ask.packet.session"))) {
            try await client.send(Ask(text: ""))
        }
        let missing = CodecError.Reason.layerUnavailable(.key("session", of: .server))
        await #expect(throws: ConnectionError.codec(CodecError(missing, path: "packet.session"))) {
            _ = try await client.nextPacket()
        }
        #expect(throws: LayerKeyError.unknownName("other")) {
            try client.connection.layers.setKey("other", [1])
        }
        client.close()
        await server.shutDown()
    }
}
