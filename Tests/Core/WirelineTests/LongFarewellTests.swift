// SPDX-License-Identifier: Apache-2.0

import Bilibili
import FaultSupport
import Parts
import Testing
import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineTransport

@testable import Wireline

/// Ends of connections on which long packets with compression wait to be sealed.
@Suite(.ahead)
struct LongFarewellTests {
    private static let compressed: PacketHeader = ["shape": Int128(Shape.compressed.rawValue)]
    private static let secret: PacketHeader = ["shape": Int128(Shape.secret.rawValue)]
    private static let secretCompressed: PacketHeader = ["shape": Int128(Shape.secretCompressed.rawValue)]

    /// A text of two letters, which takes zlib as long as a text can.
    private static let long: String = {
        var random = SeededGenerator.forThisRun()
        return String(decoding: random.bytes(900_000).map { $0 & 1 + 0x61 }, as: UTF8.self)
    }()

    private typealias Member = ServerConnection<PartsProtocol>

    private static func start(
        _ configuration: ServerConfiguration = .patient,
        _ handler: @escaping @Sendable (Member) async throws -> Void
    ) async throws -> (PacketServer<PartsProtocol>, PacketClient<PartsProtocol>) {
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(), configuration: configuration,
            handler: handler)
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: PartsProtocol.self,
            configuration: .patient)
        return (server, client)
    }

    /// The beginnings of the texts that a client gets until the end, or of so many.
    private static func texts(
        _ count: Int = .max, of client: PacketClient<PartsProtocol>
    ) async throws -> [String] {
        var texts: [String] = []
        while texts.count < count, let packet = try await client.nextPacket() {
            let text = try Say(payloadOf: packet.lent).text
            texts.append(text == Self.long ? "long" : text)
        }
        return texts
    }

    @Test func `a kick does not seal in one go, and what was sent before it comes first`() async throws {
        let ends = ConnectionEnds()
        let (server, client) = try await Self.start(ends.configure()) { client in
            try client.write(Say(text: "first"))
            for _ in 0..<2 { try client.write(Say(text: Self.long), header: Self.compressed) }
            try client.kick(with: Say(text: "go"), header: Self.compressed, within: .seconds(500))
            #expect(client.connection.hasDeferredPackets)
            // It has ended for the handler.
            #expect(throws: ConnectionError.kicked) { try client.write(Say(text: "more")) }
            let packet = try Say(text: "more").encoded()
            #expect(throws: ConnectionError.kicked) { try client.write(packet: packet.span.bytes) }
            await #expect(throws: ConnectionError.kicked) { try await client.send(Say(text: "more")) }
            await #expect(throws: ConnectionError.kicked) { try await client.nextPacket() }
            #expect(client.connection.hasDeferredPackets)
        }
        // The end of the input is not waited for.
        for _ in 0..<10 { try await client.send(Say(text: "unread")) }
        #expect(try await Self.texts(of: client) == ["first", "long", "long", "go"])
        client.close()
        #expect(await ends.next() as? ConnectionError == .kicked)
        await server.shutDown()
    }

    @Test func `the time of an end counts from the call`() async throws {
        let ends = ConnectionEnds()
        let (server, client) = try await Self.start(ends.configure()) { client in
            for _ in 0..<20 { try client.write(Say(text: Self.long), header: Self.compressed) }
            try client.kick(with: Say(text: "go"), within: .milliseconds(1))
        }
        let texts = (try? await Self.texts(of: client)) ?? []
        #expect(texts.last != "go")
        client.close()
        #expect(await ends.next() as? ConnectionError == .kicked)
        await server.shutDown()
    }

    @Test func `a message that turns out to be too long ends a connection that leaves`() async throws {
        var random = SeededGenerator.forThisRun()
        // Compression leaves three quarters of it, which is more than a packet may have.
        let text = String(decoding: random.bytes(2 << 20).map { $0 & 0x3F + 0x20 }, as: UTF8.self)
        let ends = ConnectionEnds()
        let (server, client) = try await Self.start(ends.configure()) { client in
            try client.write(Say(text: "first"))
            try client.write(Say(text: text), header: Self.compressed)
            try client.write(Say(text: "not any more"))
            client.connection.finish()
        }
        #expect(try await Self.texts(of: client) == ["first"])
        client.close()
        #expect(Self.isTooLong(await ends.next()))
        await server.shutDown()
    }

    @Test func `what goes to many keeps its place between long messages`() async throws {
        let ready = Seen<Member>()
        let room = Room<PartsProtocol>()
        let (server, client) = try await Self.start { client in
            room.join(client)
            ready.add(client)
            while try await client.nextPacket() != nil {}
        }
        let member = await ready.first(1)[0]
        try await member.connection.onLoop { _ in
            try member.write(Say(text: Self.long), header: Self.compressed)
            try room.send(Say(text: "to the room"))
            try room.send(Say(text: Self.long), header: Self.compressed)
            try member.write(Say(text: "to one"))
            try member.write(Say(text: Self.long), header: Self.compressed)
            #expect(member.connection.hasDeferredPackets)
        }
        async let end: Void = server.shutDown(within: .seconds(500), telling: Say(text: "to all"))
        #expect(try await Self.texts(of: client) == ["long", "to the room", "long", "to one", "long", "to all"])
        client.close()
        try await end
    }

    // MARK: Packets that a connection cannot make

    /// Whether a connection has ended because a packet was too long when it was sealed.
    private static func isTooLong(_ error: (any Error)?) -> Bool {
        guard case .codec(let fault)? = error as? ConnectionError, case .packetTooLong = fault.reason else {
            return false
        }
        return true
    }

    /// Whether it is known at once that a connection without its key cannot make a message, or only when it is compressed.
    @Test(arguments: [false, true])
    func `who cannot make a message for many without its key misses it, which is told, and stays`(
        isLate: Bool
    ) async throws {
        let room = Room<PartsProtocol>()
        let ready = Seen<Member>()
        let (server, client) = try await Self.start { client in
            room.join(client)
            ready.add(client)
            while try await client.nextPacket() != nil {}
        }
        let port = try #require(server.addresses.first?.port)
        _ = await ready.first(1)
        let other = try await PacketClient.connect(
            to: "127.0.0.1", port: port, protocol: PartsProtocol.self, configuration: .patient)
        let members = await ready.first(2)
        for layers in [members[0].layers, client.layers] { try layers.setKey("session", [1, 2, 3]) }
        let (text, header) = isLate ? (Self.long, Self.secretCompressed) : ("short", Self.secret)
        #expect(try await server.broadcast(Say(text: text), header: header) == [members[1]])
        try room.send(Say(text: text), header: header)
        try room.send(Say(text: "end"))
        let expected = isLate ? ["long", "long", "end"] : ["short", "short", "end"]
        #expect(try await Self.texts(3, of: client) == expected)
        #expect(try await Self.texts(1, of: other) == ["end"])
        let counters = await room.counters()
        #expect((counters.deliveredCount, counters.droppedCount) == (3, 1))
        other.close()
        client.close()
        await server.shutDown()
    }

    @Test func `who has moved a keystream for a message that it cannot make ends, and is told`() async throws {
        var random = SeededGenerator.forThisRun()
        let text = String(decoding: random.bytes(2 << 20).map { $0 & 0x3F + 0x20 }, as: UTF8.self)
        let ends = ConnectionEnds()
        let room = Room<PartsProtocol>()
        let ready = Seen<Member>()
        let (server, client) = try await Self.start(ends.configure()) { client in
            try client.layers.setKey("session", [1, 2, 3])
            ready.add(client)
            while try await client.nextPacket() != nil {}
        }
        let member = await ready.first(1)[0]
        #expect(try await server.broadcast(Say(text: text), header: Self.secretCompressed) == [member])
        #expect(Self.isTooLong(await ends.next()))
        let other = try await PacketClient.connect(
            to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: PartsProtocol.self,
            configuration: .patient)
        room.join(await ready.first(2)[1])
        try room.send(Say(text: text), header: Self.secretCompressed)
        #expect(Self.isTooLong(await ends.next()))
        let counters = await room.counters()
        #expect((counters.deliveredCount, counters.droppedCount) == (0, 1))
        other.close()
        client.close()
        await server.shutDown()
    }

    // MARK: Packets that are sealed once

    /// Notifications of which each has this text.
    private static func notifications(_ text: String) -> [Notification] {
        Array(repeating: Notification(body: text), count: 4)
    }

    @Test func `a long message to a room is sealed over many turns, and each loop goes on meanwhile`() async throws {
        let text = String(Self.long.prefix(200_000))
        let group = try EventLoopGroup(threadCount: 2)
        let room = Room<BilibiliProtocol>()
        let ready = Seen<ServerConnection<BilibiliProtocol>>()
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self, on: group, configuration: .patient
        ) { client in
            room.join(client)
            ready.add(client)
            while try await client.nextPacket() != nil {}
        }
        var clients: [PacketClient<BilibiliProtocol>] = []
        for _ in 0..<4 {
            clients.append(
                try await PacketClient.connect(
                    to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: BilibiliProtocol.self,
                    configuration: .patient))
            _ = await ready.first(clients.count)
        }
        let author = await ready.first(1)[0]
        try await author.connection.onLoop { _ in
            try room.send(Notification(body: "before"))
            try room.send(packets: Self.notifications(text), id: 5, header: ["Version": 2])
            try room.send(Notification(body: "after"))
            try author.write(Notification(body: "to one"))
            // It comes after the room's, so it waits for them.
            #expect(author.connection.hasDeferredPackets)
        }
        var expected = ["before"] + Array(repeating: text, count: 4) + ["after", "to one"]
        for client in clients {
            var texts: [String] = []
            while texts.count < expected.count, let packet = try await client.nextPacket() {
                texts.append(try packet.decode(Notification.self).body)
            }
            let isRight = texts == expected
            #expect(isRight)
            expected = Array(expected.prefix(6))
        }
        let counters = await room.counters()
        #expect((counters.deliveredCount, counters.droppedCount, counters.pendingByteCount) == (12, 0, 0))
        for client in clients { client.close() }
        await server.shutDown()
    }
}
