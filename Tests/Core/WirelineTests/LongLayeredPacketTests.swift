// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Parts
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineLayers
import WirelineTransport

/// Long packets with compression: they are opened and sealed over many turns of the loop, and keep their place.
@Suite(.ahead)
struct LongLayeredPacketTests {
    private static let key: [UInt8] = [1, 2, 3, 4, 5]
    private static let compressed: PacketHeader = ["shape": Int128(Shape.compressed.rawValue)]
    private static let secretCompressed: PacketHeader = ["shape": Int128(Shape.secretCompressed.rawValue)]

    /// A text of two letters, which takes zlib as long as a text can.
    private static let long: String = {
        var random = SeededGenerator.forThisRun()
        return String(decoding: random.bytes(900_000).map { $0 & 1 + 0x61 }, as: UTF8.self)
    }()

    /// A packet as a client would seal it.
    private static func sealed(_ text: String, shape: Shape) throws -> [UInt8] {
        var settings = LayerSettings()
        try settings.setKey("session", key, in: PartsProtocol.layout)
        var sealer = PacketSealer(
            PartsProtocol.layout, from: .client, packetLimit: PartsProtocol.maximumPacketByteCount, settings: settings)
        sealer.beginPacket()
        var keystreams = LayerSet()
        let payload = shape == .bundle ? try Say(text: text).encoded() : Array(text.utf8)
        return try sealer.packet(
            id: 1, header: ["shape": Int128(shape.rawValue)], payload: payload.rawSpan,
            shape == .bundle ? .packets : .message, &keystreams)
    }

    private static func start(
        _ configuration: ServerConfiguration = .patient,
        _ handler: @escaping @Sendable (ServerConnection<PartsProtocol>) async throws -> Void
    ) async throws -> (PacketServer<PartsProtocol>, PacketClient<PartsProtocol>) {
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(), configuration: configuration,
            handler: handler)
        return (server, try await connect(to: server))
    }

    private static func connect(
        to server: PacketServer<PartsProtocol>
    ) async throws -> PacketClient<PartsProtocol> {
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: PartsProtocol.self,
            configuration: .patient)
        try client.layers.setKey("session", key)
        return client
    }

    /// The next texts that a client gets.
    private static func texts(_ count: Int, of client: PacketClient<PartsProtocol>) async throws -> [String] {
        var texts: [String] = []
        while texts.count < count, let packet = try await client.nextPacket() {
            texts.append(try Say(payloadOf: packet.lent).text)
        }
        return texts
    }

    private static func areEqual(_ texts: [String], _ others: [String]) -> Bool { texts == others }

    // MARK: Opening

    @Test(arguments: [Shape.bundle, .compressed, .secretCompressed])
    func `a long packet is opened in many turns, and in its place`(shape: Shape) async throws {
        let turns = Seen<Int>()
        let texts = Seen<String>()
        let (server, client) = try await Self.start { client in
            try client.layers.setKey("session", Self.key)
            let turn = LoopTurn(of: client.loop)
            while let packet = try await client.nextPacket() {
                turns.add(turn.number)
                texts.add(try Say(payloadOf: packet.lent).text)
            }
            turn.stop()
        }
        try await client.connection.send(
            packet: Say(text: "before").encoded() + Self.sealed(Self.long, shape: shape) + Say(text: "after").encoded())
        let seen = await turns.first(3)
        #expect(seen[1] - seen[0] > 3)
        let isRight = await Self.areEqual(texts.first(3), ["before", Self.long, "after"])
        #expect(isRight)
        client.close()
        await server.shutDown()
    }

    @Test func `a batch handler gets long packets of several clients, each in its place`() async throws {
        let texts = Seen<String>()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(), configuration: .patient
        ) { _ in
            { batch in while let packet = try batch.next() { texts.add(try Say(payloadOf: packet).text) } }
        }
        let packet = try Self.sealed(Self.long, shape: .compressed)
        var clients: [PacketClient<PartsProtocol>] = []
        for _ in 0..<5 { clients.append(try await Self.connect(to: server)) }
        for client in clients { try await client.connection.send(packet: packet + packet) }
        #expect(await texts.first(10).allSatisfy { $0 == Self.long })
        for client in clients { client.close() }
        await server.shutDown()
    }

    @Test func `a long packet that its reader leaves half opened does not keep others from theirs`() async throws {
        let texts = Seen<String>()
        let stopped = Seen<PacketConnection>()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(), configuration: .patient
        ) { client in
            { batch in
                while let packet = try batch.next() {
                    let text = try Say(payloadOf: packet).text
                    texts.add(text)
                    // What follows is opened when the input goes on.
                    guard text == "stop" else { continue }
                    client.connection.pauseInput()
                    stopped.add(client.connection)
                }
            }
        }
        let long = try Self.sealed(Self.long, shape: .compressed)
        let first = try await Self.connect(to: server)
        try await first.connection.send(packet: Say(text: "stop").encoded() + long)
        _ = await stopped.first(1)
        let second = try await Self.connect(to: server)
        try await second.connection.send(packet: long)
        let isRight = await Self.areEqual(texts.first(2), ["stop", Self.long])
        #expect(isRight)
        try await stopped.first(1)[0].onLoop { $0.resumeInput() }
        #expect(await texts.first(3)[2] == Self.long)
        first.close()
        second.close()
        await server.shutDown()
    }

    @Test func `a long packet that breaks off is an error, after what was whole`() async throws {
        let texts = Seen<String>()
        let errors = Seen<ConnectionError?>()
        let (server, client) = try await Self.start { client in
            do throws(ConnectionError) {
                while let packet = try await client.nextPacket() {
                    texts.add((try? Say(payloadOf: packet.lent).text) ?? "")
                }
                errors.add(nil)
            } catch {
                errors.add(error)
            }
        }
        var packet = try Self.sealed(Self.long, shape: .compressed)
        packet.removeLast(100)
        packet[0..<4] = [0, UInt8(packet.count >> 16), UInt8(packet.count >> 8 & 0xFF), UInt8(packet.count & 0xFF)]
        try await client.connection.send(packet: Say(text: "whole").encoded() + packet)
        #expect(await errors.first(1) == [.codec(CodecError(.invalidLayer(.cut), path: "packet.zlib"))])
        #expect(await texts.first(1) == ["whole"])
        #expect(texts.count == 1)
        client.close()
        await server.shutDown()
    }

    // MARK: Sealing

    @Test(arguments: [compressed, secretCompressed])
    func `a long message is sealed in many turns, and what is sent after it comes after it`(
        header: PacketHeader
    ) async throws {
        let turns = Seen<Int>()
        let (server, client) = try await Self.start { client in
            try client.layers.setKey("session", Self.key)
            let turn = LoopTurn(of: client.loop)
            try client.write(Say(text: "first"))
            try client.write(Say(text: Self.long), header: header)
            try client.write(Say(text: "second"), header: header)
            try client.write(Say(text: "third"))
            try await client.send(Say(text: "fourth"), header: header)
            turns.add(turn.number)
            try await client.send(Say(text: Self.long), header: header)
            try await client.send(Say(text: "fifth"), header: header)
            turns.add(turn.number)
            turn.stop()
        }
        let texts = try await Self.texts(7, of: client)
        let isRight = Self.areEqual(texts, ["first", Self.long, "second", "third", "fourth", Self.long, "fifth"])
        #expect(isRight)
        let seen = await turns.first(2)
        #expect(seen[0] > 3 && seen[1] - seen[0] > 3)
        client.close()
        await server.shutDown()
    }

    @Test func `packets that are returned without waiting keep their order, and are read no faster than sealed`()
        async throws
    {
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(), configuration: .patient
        ) { client in
            { batch in while let packet = try batch.next() { try client.connection.writeAgain(packet) } }
        }
        let client = try await Self.connect(to: server)
        let long = try Self.sealed(Self.long, shape: .compressed)
        var packets: [UInt8] = []
        for number in 0..<4 { packets += try long + Say(text: "\(number)").encoded() }
        try await client.connection.send(packet: packets)
        client.connection.endOutput()
        let texts = try await Self.texts(8, of: client)
        let isRight = Self.areEqual(texts, (0..<4).flatMap { [Self.long, "\($0)"] })
        #expect(isRight)
        await server.shutDown()
    }

    @Test func `a key that is set after a long message is for what follows`() async throws {
        let (server, client) = try await Self.start { client in
            try client.layers.setKey("session", Self.key)
            try client.write(Say(text: Self.long), header: Self.secretCompressed)
            try client.layers.setKey("session", [9, 9], for: .server)
            try await client.send(Say(text: "other key"), header: Self.secretCompressed)
        }
        var texts = try await Self.texts(1, of: client)
        try client.layers.setKey("session", [9, 9], for: .server)
        texts += try await Self.texts(1, of: client)
        let isRight = Self.areEqual(texts, [Self.long, "other key"])
        #expect(isRight)
        client.close()
        await server.shutDown()
    }

    @Test func `what a broadcast and a farewell send waits for a long message`() async throws {
        let ready = Seen<ServerConnection<PartsProtocol>>()
        let (server, client) = try await Self.start { client in
            ready.add(client)
            while try await client.nextPacket() != nil {}
        }
        let member = await ready.first(1)[0]
        async let late = server.broadcast(Say(text: "to all"))
        try await member.connection.onLoop { _ in try member.write(Say(text: Self.long), header: Self.compressed) }
        _ = try await late
        _ = try await server.broadcast(Say(text: "to all again"))
        let texts = try await Self.texts(3, of: client)
        let isRight = Self.areEqual(texts.filter { $0 != "to all" }, [Self.long, "to all again"])
        #expect(isRight)
        client.close()
        await server.shutDown()
    }

    @Test func `a connection that ends in order sends a long message before`() async throws {
        let (server, client) = try await Self.start { client in
            try client.write(Say(text: Self.long), header: Self.compressed)
            try client.write(Say(text: "last"))
        }
        let isRight = try await Self.areEqual(Self.texts(3, of: client), [Self.long, "last"])
        #expect(isRight)
        client.close()
        await server.shutDown()
    }

    @Test func `closing does not wait until long messages are compressed`() async throws {
        let (server, client) = try await Self.start { client in
            try client.write(Say(text: "first"))
            for _ in 0..<3 { try client.write(Say(text: Self.long), header: Self.compressed) }
            client.close()
        }
        var texts: [String] = []
        while let packet = try? await client.nextPacket() { texts.append(try Say(payloadOf: packet.lent).text) }
        #expect(texts.map { $0.prefix(20) } == ["first"])
        client.close()
        await server.shutDown()
    }

    @Test func `a client that leaves while its message is sealed ends its handler`() async throws {
        let outcomes = Seen<Bool>()
        let (server, client) = try await Self.start { client in
            do {
                while true { try await client.send(Say(text: Self.long), header: Self.compressed) }
            } catch {
                outcomes.add(true)
            }
        }
        _ = try await Self.texts(1, of: client)
        client.close()
        #expect(await outcomes.first(1) == [true])
        await server.shutDown()
    }

    @Test(arguments: [false, true])
    func `a message that is too long when it is sealed is an error, and nothing comes after it`(
        waits: Bool
    ) async throws {
        var random = SeededGenerator.forThisRun()
        // Compression leaves three quarters of it, which is more than a packet may have.
        let text = String(decoding: random.bytes(2 << 20).map { $0 & 0x3F + 0x20 }, as: UTF8.self)
        let errors = Seen<any Error>()
        var configuration = ServerConfiguration.patient
        configuration.listening.connectionEnded = { _, error in errors.add(error ?? End()) }
        let (server, client) = try await Self.start(configuration) { client in
            try await client.send(Say(text: "before"))
            if waits {
                try await client.send(Say(text: text), header: Self.compressed)
            } else {
                try client.write(Say(text: text), header: Self.compressed)
            }
            try await client.send(Say(text: "not any more"))
        }
        let texts = try await Self.texts(2, of: client)
        #expect(texts.map { $0.prefix(20) } == ["before"])
        client.close()
        let error = await errors.first(1)[0]
        if case ConnectionError.codec(let fault) = error, case .packetTooLong = fault.reason {
        } else {
            Issue.record("\(error)")
        }
        await server.shutDown()
    }

    private struct End: Error {}
}
