// SPDX-License-Identifier: Apache-2.0

import Goim
import Testing
import WirelineTesting

struct TestNetworkTests {
    typealias Handlers = MessageHandlers<GoimProtocol, String>

    /// Handlers whose state is the name of the client.
    static func handlers(_ rooms: Rooms<String, GoimProtocol> = Rooms()) -> Handlers {
        var handlers = Handlers()
        handlers.reply(to: Authentication.self) { login, client in
            client.state = login.body
            return AuthenticationReply(body: "hello " + login.body)
        }
        handlers.reply(to: Heartbeat.self) { _, _ in HeartbeatReply(popularity: 1) }
        handlers.on(ChangeRoom.self) { change, client in
            let room = rooms.join(client.connection, change.room)
            try room.send(Notification(body: client.state + " is here"), except: client.connection)
            try client.reply(with: ChangeRoomReply())
        }
        handlers.on(Subscribe.self) { _, client in try client.kick(with: Notification(body: "go")) }
        return handlers
    }

    // MARK: Messages

    @Test(
        arguments: [
            .whole, .bytes(1), .bytes(5), .cut(at: 4), .cut(at: 20), .random(seed: 1), .random(seed: 2),
        ] as [TestNetwork.Delivery])
    func `messages arrive, however the network cuts them`(delivery: TestNetwork.Delivery) async throws {
        let network = try TestNetwork()
        network.delivery = delivery
        let server = try await network.serve(Self.handlers()) { _ in "" }
        let (ann, bob) = (try await network.connect(to: server), try await network.connect(to: server))
        try await ann.send(Authentication(body: "Ann"))
        try await ann.expect(AuthenticationReply(body: "hello Ann"))
        try await ann.send(ChangeRoom(room: "7"))
        try await ann.expect(ChangeRoomReply())
        try await bob.send(ChangeRoom(room: "7"))
        try await ann.expect(Notification(body: " is here"))
        try await bob.expect(ChangeRoomReply())
        try await ann.expectNothing()
        try await bob.expectNothing()
        #expect(server.connectionCount == 2)
    }

    @Test func `every cut of a packet in two gives the same messages`() async throws {
        let packets = try Authentication(body: "Ann").encoded() + ChangeRoom(room: "7").encoded()
        for offset in 0...packets.count {
            let network = try TestNetwork()
            network.delivery = .cut(at: offset)
            let server = try await network.serve(Self.handlers()) { _ in "" }
            let ann = try await network.connect(to: server)
            try await ann.send(bytes: packets)
            try await ann.expect(AuthenticationReply(body: "hello Ann"))
            try await ann.expect(ChangeRoomReply())
        }
    }

    @Test func `a request gets its reply, and other messages wait for their expectation`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers()) { _ in "" }
        let ann = try await network.connect(to: server)
        try await ann.sendTogether(Authentication(body: "Ann"), Heartbeat(body: ""))
        #expect(try await ann.request(Heartbeat(body: "")).popularity == 1)
        try await ann.expect(AuthenticationReply.self)
        guard case .heartbeatReply(let reply) = try await ann.expectMessage().message else {
            return #expect(Bool(false), "another message")
        }
        #expect(reply.popularity == 1)
    }

    @Test func `a server with a task for each connection works as well`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(GoimProtocol.self) { client in
            while let received = try await client.nextMessage() {
                try await client.reply(to: received, with: HeartbeatReply(popularity: 5))
            }
        }
        let ann = try await network.connect(to: server)
        #expect(try await ann.request(Heartbeat(body: "")).popularity == 5)
    }

    // MARK: Time

    @Test func `a timeout passes when the test moves the clock`() async throws {
        let network = try TestNetwork()
        var configuration = ServerConfiguration()
        configuration.listening.idleTimeout = .seconds(90)
        let server = try await network.serve(Self.handlers(), configuration: configuration) { _ in "" }
        let ann = try await network.connect(to: server)
        try await ann.send(Heartbeat(body: ""))
        try await ann.expect(HeartbeatReply.self)
        try await ann.expectNothing(for: .seconds(89))
        await network.advance(by: .seconds(1))
        try await ann.expectEnd()
        #expect(server.ends.map { $0 as? ConnectionError } == [.transport(.timedOut)])
    }

    @Test func `a rate limit counts by the clock of the test`() async throws {
        let network = try TestNetwork()
        var handlers = Self.handlers()
        handlers.limit(to: 2, per: .seconds(10), excess: .skip)
        let server = try await network.serve(handlers) { _ in "" }
        let ann = try await network.connect(to: server)
        for _ in 0..<3 { try await ann.send(Heartbeat(body: "")) }
        for _ in 0..<2 { try await ann.expect(HeartbeatReply.self) }
        try await ann.expectNothing(for: .seconds(5))
        for _ in 0..<2 { try await ann.send(Heartbeat(body: "")) }
        try await ann.expect(HeartbeatReply.self)
        try await ann.expectNothing()
    }

    @Test func `latency delays messages, and an expectation may move the clock for them`() async throws {
        let network = try TestNetwork()
        network.latency = .milliseconds(50)
        let server = try await network.serve(Self.handlers()) { _ in "" }
        let ann = try await network.connect(to: server)
        let start = network.time
        try await ann.send(Heartbeat(body: ""))
        try await ann.expectNothing(for: .milliseconds(99))
        try await ann.expect(HeartbeatReply.self, within: .seconds(1))
        #expect((network.time - start) / .milliseconds(1) < 101)
        #expect(try await ann.request(Heartbeat(body: ""), within: .seconds(1)).popularity == 1)
    }

    // MARK: Ends

    @Test func `a kicked client gets the last message, and then the end`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers()) { _ in "" }
        let ann = try await network.connect(to: server)
        try await ann.send(Subscribe(operations: "1"))
        try await ann.expect(Notification(body: "go"))
        #expect(try await ann.expectEnd() == nil)
        #expect(server.connectionCount == 0)
        #expect(server.ends.map { $0 as? ConnectionError } == [.kicked])
    }

    @Test func `a room forgets a member that resets its connection`() async throws {
        let network = try TestNetwork()
        let rooms = Rooms<String, GoimProtocol>()
        let server = try await network.serve(Self.handlers(rooms)) { _ in "" }
        let (ann, bob) = (try await network.connect(to: server), try await network.connect(to: server))
        for client in [ann, bob] { try await client.send(ChangeRoom(room: "7")) }
        #expect(rooms["7"]?.count == 2)
        await bob.reset()
        #expect(rooms["7"]?.count == 1)
        #expect(server.ends.map { $0 as? ConnectionError } == [.transport(.reset)])
        #expect(!bob.isOpen)
    }

    @Test func `a client that vanishes is found by keep-alive`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers()) { _ in "" }
        let ann = try await network.connect(to: server)
        try await ann.send(Heartbeat(body: ""))
        await ann.vanish()
        await network.advance(by: .seconds(119))
        #expect(server.connectionCount == 1)
        await network.advance(by: .seconds(1))
        #expect(server.ends.map { $0 as? ConnectionError } == [.transport(.timedOut)])
    }

    @Test func `a client that reads nothing becomes a slow reader of its room`() async throws {
        let network = try TestNetwork()
        network.bufferByteCount = 1_000
        let rooms = Rooms<String, GoimProtocol>(options: RoomOptions(slowReaders: .dropNewest))
        let server = try await network.serve(Self.handlers(rooms)) { _ in "" }
        let (ann, bob) = (try await network.connect(to: server), try await network.connect(to: server))
        for client in [ann, bob] { try await client.send(ChangeRoom(room: "7")) }
        await ann.skipAll()
        try await bob.expect(ChangeRoomReply())
        await bob.pauseReading()
        let room = try #require(rooms["7"])
        for number in 0..<200 {
            try room.send(Notification(body: "\(number) " + String(repeating: "x", count: 2_000)))
            await network.settle()
        }
        #expect(await room.counters().droppedCount > 0)
        for number in 0..<200 { #expect(try await ann.expect(Notification.self).body.hasPrefix("\(number) ")) }
        await bob.resumeReading()
        #expect(try await bob.expect(Notification.self).body.hasPrefix("0 "))
    }

    @Test func `a server drains, and a client that stays is closed at the time limit`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(GoimProtocol.self) { client in
            // It ignores the end of the sequence for a while.
            while try await client.nextMessage() != nil {}
            try await client.send(Notification(body: "bye"))
        }
        let ann = try await network.connect(to: server)
        try await server.shutDown()
        try await ann.expect(Notification(body: "bye"))
        try await ann.expectEnd()
        await #expect(throws: ConnectionError.transport(.refused)) { try await network.connect(to: server) }
    }

    // MARK: Sessions

    @Test func `a session reconnects after a reset, and after a cut network`() async throws {
        let network = try TestNetwork()
        let server = try await network.serve(Self.handlers()) { _ in "" }
        network.setHost("game.example.com", to: server.address)
        let session = try PacketSession.start(
            to: [ServerEndpoint("game.example.com", port: server.address.port)], protocol: GoimProtocol.self,
            on: network.loops
        ) { login in _ = try await login.client.request(Authentication(body: "Ann")) }
        let request: @Sendable () async throws -> UInt32 = {
            try await session.request(Heartbeat(body: ""), delivery: .atLeastOnce).popularity
        }
        #expect(try await network.run(request) == 1)
        await network.resetConnections()
        #expect(try await network.run(within: .seconds(60), request) == 1)
        await network.cut()
        await network.advance(by: .seconds(300))
        #expect(server.connectionCount == 0)
        await network.mend()
        try await network.run(within: .seconds(120)) { try await session.waitUntilReady() }
        #expect(try await network.run(request) == 1)
        #expect(server.connectionCount == 1)
    }

    // MARK: Other carriers

    @Test func `packets travel over a WebSocket, too`() async throws {
        let network = try TestNetwork()
        network.delivery = .random(seed: 7)
        var (configuration, clientConfiguration) = (ServerConfiguration(), ClientConfiguration())
        configuration.webSocket = ServerConfiguration.WebSocketOptions(paths: ["/sub"])
        clientConfiguration.webSocket = ClientConfiguration.WebSocketOptions(path: "/sub")
        let server = try await network.serve(Self.handlers(), configuration: configuration) { _ in "" }
        let ann = try await network.connect(to: server, configuration: clientConfiguration)
        try await ann.send(Authentication(body: "Ann"))
        try await ann.expect(AuthenticationReply(body: "hello Ann"))
    }

    @Test func `a WebSocket server and client meet on the network`() async throws {
        let network = try TestNetwork()
        let text = try await network.run { [loops = network.loops] in
            let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, on: loops) { client in
                for try await message in client.messages { try await client.send(message) }
            }
            let client = try await WebSocketClient.connect(
                to: WebSocketURL("ws://127.0.0.1:\(server.address.port)/"), on: loops)
            try await client.send("hi")
            return try await client.receive()
        }
        #expect(text == .text("hi"))
    }
}
