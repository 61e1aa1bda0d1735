// SPDX-License-Identifier: Apache-2.0

import States
import Testing
import Wireline
import WirelineCodec
import WirelineTesting
import WirelineTransport

/// A protocol whose packets depend on states of the connection, between programs.
struct StateTests {
    private static func handlers(_ room: Room<StatesProtocol>) -> MessageHandlers<StatesProtocol, Int> {
        var handlers = MessageHandlers<StatesProtocol, Int>()
        handlers.on(Hello.self) { hello, client in
            room.join(client.connection)
            try client.reply(with: Welcome(name: "v\(hello.version)"))
        }
        handlers.on(Note.self) { note, client in
            if note.text == "checked" { try client.send(Features()) }
            if note.text == "all" { try room.send(note) } else { try client.send(Note(text: note.text + "!")) }
        }
        handlers.on(Again.self) { _, _ in }
        handlers.on(Level.self) { _, client in try client.send(Note(text: "up")) }
        return handlers
    }

    @Test func `both ends follow what messages of either end set`() async throws {
        let network = try TestNetwork()
        network.delivery = .random(seed: 3)
        let server = try await network.serve(Self.handlers(Room())) { _ in 0 }
        let ann = try await network.connect(to: server)
        try await ann.send(Note(text: "early"))
        try await ann.expect(Note(text: "early!"))
        #expect(try await ann.request(Hello(version: 3)) == Welcome(name: "v3"))
        #expect(try await ann.client.state(.phase) == .play)
        // The ID is wide now.
        try await ann.send(Note(text: "wide"))
        try await ann.expect(Note(text: "wide!"))
        // After this, a client's packets have a token.
        try await ann.sendTogether(Level(), Note(text: "token"))
        try await ann.expect(Note(text: "up"))
        try await ann.expect(Note(text: "token!"))
        // After this, packets have short IDs and a checksum.
        try await ann.send(Note(text: "checked"))
        try await ann.expect(Features())
        try await ann.expect(Note(text: "checked!"))
        #expect(try await ann.client.state(.features) == [.short, .checked])
        #expect(try await ann.client.state(.level) == 5)
        try await ann.send(Note(text: "last"))
        try await ann.expect(Note(text: "last!"))
        try await server.shutDown(telling: Note(text: "bye"))
        try await ann.expect(Note(text: "bye"))
        try await ann.expectEnd()
    }

    @Test func `a program sets states, and reads them`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(StatesProtocol.self) { client in
            try await client.setState(.phase, to: .play)
            while let received = try await client.nextMessage() {
                if case .note(let note) = received.message { try await client.send(note) }
            }
        }
        let ann = try await network.connect(to: server)
        try await ann.client.setState(.phase, to: .play)
        try await ann.client.setState(.level, to: -7)
        try await ann.send(Note(text: "hi"))
        try await ann.expect(Note(text: "hi"))
        #expect(try await ann.client.state(.phase) == .play)
        #expect(try await ann.client.state(.level) == -7)
        let connection = ann.client.connection
        await #expect(throws: ConnectionError.codec(CodecError(.unknownState("fase")))) {
            try await connection.setState("fase", to: 1)
        }
        await #expect(throws: ConnectionError.self) { try await connection.setState("phase", to: 256) }
        await #expect(throws: ConnectionError.self) { try await connection.state("fase") }
        #expect(try await connection.state("phase") == 2)
        try await ann.send(Note(text: "still open"))
        try await ann.expect(Note(text: "still open"))
    }

    @Test func `a session begins each connection with all states at 0`() async throws {
        let network = try TestNetwork()
        let room = Room<StatesProtocol>()
        let server = try await network.serve(Self.handlers(room)) { _ in 0 }
        let session = try PacketSession.start(to: [server.endpoint], protocol: StatesProtocol.self, on: network.loops) {
            login in _ = try await login.client.request(Hello(version: 1))
        }
        for _ in 0..<2 {
            try await network.run { try await session.waitUntilReady() }
            let outcome = try await network.run {
                try await session.send(Note(text: "hi"), delivery: .atMostOnce).outcome()
            }
            #expect(outcome == .given)
            await network.settle()
            for member in room.members { member.connection.close() }
            await network.advance(by: .seconds(10))
        }
        #expect(await server.server.counters().acceptedConnectionCount == 3)
    }

    @Test func `members of a room get a message as their states ask for`() async throws {
        let network = try TestNetwork()
        let room = Room<StatesProtocol>("", options: RoomOptions(states: ["phase": 2]))
        let server = try await network.serve(Self.handlers(room)) { client in
            room.join(client)
            return 0
        }
        // One is in the first phase, one in the last, and one has checksums too.
        let (ann, ben, cay) = (
            try await network.connect(to: server), try await network.connect(to: server),
            try await network.connect(to: server)
        )
        for client in [ben, cay] { _ = try await client.request(Hello(version: 1)) }
        try await cay.send(Note(text: "checked"))
        try await cay.expect(Features())
        try await cay.expect(Note(text: "checked!"))
        try await ann.send(Note(text: "all"))
        for client in [ann, ben, cay] { try await client.expect(Note(text: "all")) }
        // Only a wide ID can hold this message, and only one member has that.
        try room.send(Wide())
        try await ben.expect(Wide())
        try room.send(Note(text: "end"))
        for client in [ann, ben, cay] { try await client.expect(Note(text: "end")) }
        #expect(try await network.run { await room.counters() }.droppedCount == 2)
        // A message of the room changes the states of its members.
        try room.send(Features())
        for client in [ann, ben, cay] { try await client.expect(Features()) }
        try await ben.send(Note(text: "all"))
        for client in [ann, ben, cay] { try await client.expect(Note(text: "all")) }
    }

    @Test func `packets in a WebSocket depend on states, too`() async throws {
        let network = try TestNetwork()
        network.delivery = .random(seed: 7)
        var (configuration, clientConfiguration) = (ServerConfiguration(), ClientConfiguration())
        configuration.webSocket = ServerConfiguration.WebSocketOptions()
        clientConfiguration.webSocket = ClientConfiguration.WebSocketOptions()
        let server = try await network.serve(Self.handlers(Room()), configuration: configuration) { _ in 0 }
        let ann = try await network.connect(to: server, configuration: clientConfiguration)
        #expect(try await ann.request(Hello(version: 1)) == Welcome(name: "v1"))
        try await ann.send(Note(text: "hi"))
        try await ann.expect(Note(text: "hi!"))
    }

    @Test func `a batch ends after a packet that sets a state`() async throws {
        let network = try TestNetwork()
        let sizes = Seen()
        let server = try await network.serve(StatesProtocol.self) { client in
            while var batch = try await client.nextBatch() {
                var count = 0
                while let packet = try batch.next() {
                    count += 1
                    // A program sets here what the next packets need.
                    if packet.id == Hello.messageID { try await client.connection.setState("level", to: 1) }
                }
                sizes.add(count)
            }
        }
        let ann = try await network.connect(to: server)
        try await ann.sendTogether(
            Note(text: "a"), Note(text: "b"), Hello(version: 1), Note(text: "c"), Level(), Note(text: ""))
        await network.settle()
        #expect(sizes.list == [3, 2, 1])
    }

    @Test func `a received message keeps its packet, whatever its states are`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(StatesProtocol.self) { client in
            while let received = try await client.nextMessage() {
                guard case .note = received.message else { continue }
                let names = try received.header.fields.map(\.name)
                try await client.send(Note(text: names.joined(separator: " ")))
            }
        }
        let ann = try await network.connect(to: server)
        try await ann.send(Note(text: ""))
        try await ann.expect(Note(text: "size magic code mode"))
        try await ann.send(Hello(version: 1))
        try await ann.send(Note(text: ""))
        try await ann.expect(Note(text: "size code mode"))
    }
}

/// Numbers that a handler has noted.
private final class Seen: Sendable {
    private let numbers = Lock<[Int]>([])
    var list: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}
