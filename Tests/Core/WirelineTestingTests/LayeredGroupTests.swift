// SPDX-License-Identifier: Apache-2.0

import Bilibili
import Ciphers
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTesting
import WirelineTransport

/// Packets with layers in rooms, broadcasts and sessions.
struct LayeredGroupTests {
    /// The number of clients that came so far, from which keys follow.
    private final class Arrivals: Sendable {
        private let count = Lock(UInt8(0))

        func next() -> UInt8 {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// A server whose clients have keys of their own, by the order in which they come; they join the room.
    private static func server(
        on network: TestNetwork, _ room: Room<CiphersProtocol> = Room()
    ) async throws -> TestServer<CiphersProtocol> {
        let arrivals = Arrivals()
        return try await network.serve(CiphersProtocol.self) { client in
            try client.layers.setKey("session", [arrivals.next(), 7])
            room.join(client)
            while let received = try await client.nextMessage() {
                guard case .ask(let ask) = received.message else { continue }
                if ask.text == "room" { try room.send(Note(text: "to all")) }
                if ask.text == "kick" { return try client.kick(with: Note(text: "go")) }
                try await client.reply(to: received, with: Answer(text: ask.text + "!"))
            }
        }
    }

    /// Connects clients, one after another.
    private static func connect(
        _ count: UInt8, to server: TestServer<CiphersProtocol>, on network: TestNetwork
    ) async throws -> [TestClient<CiphersProtocol>] {
        var clients: [TestClient<CiphersProtocol>] = []
        for number in 1...count {
            let client = try await network.connect(to: server)
            try client.client.layers.setKey("session", [number, 7])
            clients.append(client)
        }
        return clients
    }

    // MARK: Rooms and broadcasts

    @Test func `each member of a room gets a message with its own key`() async throws {
        let network = try TestNetwork()
        let server = try await Self.server(on: network)
        let members = try await Self.connect(3, to: server, on: network)
        for round in 0..<3 {
            #expect(try await members[round].request(Ask(text: "room")) == Answer(text: "room!"))
            for member in members { try await member.expect(Note(text: "to all")) }
            // Keystreams go on after what came from the room.
            for member in members { #expect(try await member.request(Ask(text: "a")) == Answer(text: "a!")) }
        }
    }

    @Test func `a broadcast and a farewell reach each client with its own key`() async throws {
        let network = try TestNetwork()
        let server = try await Self.server(on: network)
        let clients = try await Self.connect(2, to: server, on: network)
        for client in clients { #expect(try await client.request(Ask(text: "a")) == Answer(text: "a!")) }
        let slow = try await network.run { try await server.server.broadcast(Note(text: "all")) }
        #expect(slow.isEmpty)
        for client in clients { try await client.expect(Note(text: "all")) }
        try await clients[0].send(Ask(text: "kick"))
        try await clients[0].expect(Note(text: "go"))
        try await server.shutDown(telling: Note(text: "bye"))
        try await clients[1].expect(Note(text: "bye"))
        try await clients[1].expectEnd()
    }

    @Test func `a room sends messages in one packet`() async throws {
        let network = try TestNetwork()
        let room = Room<BilibiliProtocol>()
        let server = try await network.serve(BilibiliProtocol.self) { client in
            room.join(client)
            while try await client.nextMessage() != nil {}
        }
        let members = [try await network.connect(to: server), try await network.connect(to: server)]
        for version in [2, 3] as [Int128] {
            try room.send(
                packets: [Notification(body: "a"), Notification(body: "b")], id: 5, header: ["Version": version])
            try room.send(Notification(body: "c"))
            for member in members {
                for body in ["a", "b", "c"] { try await member.expect(Notification(body: body)) }
            }
        }
        let slow = try await network.run {
            try await server.server.broadcast(packets: [Notification(body: "d")], id: 5, header: ["Version": 2])
        }
        #expect(slow.isEmpty)
        for member in members { try await member.expect(Notification(body: "d")) }
    }

    @Test func `a room refuses messages in a packet that has none inside`() throws {
        let room = Room<BilibiliProtocol>()
        let error = ConnectionError.codec(CodecError(.wrongPresence(isSet: true), path: "packets"))
        #expect(throws: error) { try room.send(packets: [Notification(body: "a")], id: 5, header: ["Version": 1]) }
        let missing = ConnectionError.codec(CodecError(.wrongPresence(isSet: false), path: "Notification.packets"))
        #expect(throws: missing) { try room.send(Notification(body: "a"), header: ["Version": 2]) }
    }

    // MARK: Sessions

    @Test func `a session seals its messages anew on each connection`() async throws {
        let network = try TestNetwork()
        let room = Room<CiphersProtocol>()
        let server = try await Self.server(on: network, room)
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: CiphersProtocol.self, on: network.loops
        ) { login in
            try login.client.layers.setKey("session", [UInt8(login.number), 7])
            _ = try await login.client.request(Ask(text: "login"))
        }
        for round in 0..<3 {
            try await network.run { try await session.waitUntilReady() }
            for _ in 0..<2 {
                let answer = try await network.run { try await session.request(Ask(text: "\(round)")) }
                #expect(answer == Answer(text: "\(round)!"))
            }
            for member in room.members { member.connection.close() }
            await network.advance(by: .seconds(10))
        }
    }

    @Test func `a session's heartbeats have layers, too`() async throws {
        let network = try TestNetwork()
        let beats = Seen<String>()
        let server = try await network.serve(BilibiliProtocol.self) { client in
            while let received = try await client.nextMessage() {
                guard case .heartbeat(let heartbeat) = received.message else { continue }
                beats.add(heartbeat.body)
                try await client.reply(to: received, with: HeartbeatReply(popularity: 1))
            }
        }
        var conventions = SessionConventions<BilibiliProtocol>()
        // Before the server's limit for the first packet.
        conventions.heartbeat(HeartbeatPolicy(interval: .seconds(2)), answeredBy: HeartbeatReply.self) {
            Heartbeat(body: "beat")
        }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: BilibiliProtocol.self, on: network.loops, conventions: conventions)
        try await network.run { try await session.waitUntilReady() }
        for _ in 0..<2 { await network.advance(by: .seconds(2)) }
        #expect(await beats.first(2) == ["beat", "beat"])
        session.end()
    }

    // MARK: Output that waits

    @Test func `a request that is given up while it waits to be sent does not break the keystream`() async throws {
        let network = try TestNetwork()
        let texts = Seen<Int>()
        let gate = Seen<Void>()
        let server = try await network.serve(CiphersProtocol.self) { client in
            try client.layers.setKey("session", [1])
            _ = await gate.first(1)
            while let received = try await client.nextMessage() {
                guard case .ask(let ask) = received.message else { continue }
                texts.add(ask.text.utf8.count)
                if ask.text == "last" { try await client.reply(to: received, with: Answer(text: "done")) }
            }
        }
        let ann = try await network.connect(to: server)
        let client = ann.client
        try client.layers.setKey("session", [1])
        let text = String(repeating: "a", count: 60_000)
        let senders = (0..<20).map { _ in
            Task(executorPreference: client.loop) { try await client.send(Ask(text: text)) }
        }
        let given = Task(executorPreference: client.loop) { try await client.request(Ask(text: "given up")) }
        await network.settle()
        await network.advance(by: .seconds(11))
        await #expect(throws: ConnectionError.self) { _ = try await given.value }
        gate.add(())
        #expect(try await ann.request(Ask(text: "last")) == Answer(text: "done"))
        for sender in senders { try await sender.value }
        #expect(await texts.first(22).sorted() == [4, 8] + Array(repeating: 60_000, count: 20))
    }
}
