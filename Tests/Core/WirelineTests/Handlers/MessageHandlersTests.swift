// SPDX-License-Identifier: Apache-2.0

import Goim
import Scene
import Testing
import TestingSupport
import WirelineCodec
import WirelineTesting

/// Handlers by type, on a server in memory.
struct MessageHandlersTests {
    /// The state of a visitor.
    struct Visitor: Sendable {
        var name = ""
        var count = 0
    }

    typealias Handlers = MessageHandlers<GoimProtocol, Visitor>

    /// Whether a handler awaits, so that connections have a task.
    enum Kind: CaseIterable, Sendable { case atOnce, inTask }

    /// Handlers of all messages of the protocol but those that a test handles.
    static func handlers(_ kind: Kind = .atOnce, except: [any PacketMessage.Type] = []) -> Handlers {
        var handlers = Handlers()
        func wants(_ type: any PacketMessage.Type) -> Bool { !except.contains { $0 == type } }
        if wants(Authentication.self) {
            handlers.reply(to: Authentication.self) { login, client in
                client.state.name = login.body
                return AuthenticationReply(body: "hello " + login.body)
            }
        }
        if wants(Heartbeat.self) {
            switch kind {
            case .atOnce:
                handlers.reply(to: Heartbeat.self) { _, client in
                    client.state.count += 1
                    return HeartbeatReply(popularity: UInt32(client.state.count))
                }
            case .inTask:
                handlers.reply(to: Heartbeat.self) { _, client in
                    await Task.yield()
                    client.state.count += 1
                    return HeartbeatReply(popularity: UInt32(client.state.count))
                }
            }
        }
        if wants(ChangeRoom.self) {
            handlers.on(ChangeRoom.self) { change, client in
                try client.send(Notification(body: client.state.name + " goes to " + change.room))
                try client.reply(with: ChangeRoomReply())
            }
        }
        if wants(Subscribe.self) { handlers.ignore(Subscribe.self) }
        return handlers
    }

    static func start(
        _ handlers: Handlers, configuration: ServerConfiguration = ServerConfiguration()
    ) async throws -> TestServer<GoimProtocol> {
        try await TestNetwork().serve(handlers, configuration: configuration) { _ in Visitor() }
    }

    // MARK: Replies and state

    @Test(arguments: Kind.allCases)
    func `a returned value is the reply, with the request's sequence number`(kind: Kind) async throws {
        let server = try await Self.start(Self.handlers(kind))
        let client = try await server.network.connect(to: server)
        let numbers = try await server.network.run {
            try await withThrowingTaskGroup(of: UInt32.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await client.client.request(Heartbeat(body: "")).popularity }
                }
                return try await group.reduce(into: Set<UInt32>()) { $0.insert($1) }
            }
        }
        #expect(numbers == Set(1...100))
    }

    @Test(arguments: Kind.allCases)
    func `each connection has a state of its own, and messages keep their order`(kind: Kind) async throws {
        let server = try await Self.start(Self.handlers(kind))
        for name in ["ann", "bob"] {
            let client = try await server.network.connect(to: server)
            #expect(try await client.request(Authentication(body: name)).body == "hello " + name)
            for _ in 0..<3 { try await client.send(Heartbeat(body: "")) }
            _ = try await client.request(ChangeRoom(room: "7"))
            for number in 1...3 as ClosedRange<UInt32> {
                try await client.expect(HeartbeatReply(popularity: number))
            }
            try await client.expect(Notification(body: name + " goes to 7"))
        }
    }

    // MARK: At the start

    @Test func `a server does not start without a handler of each message`() async throws {
        let handlers = Self.handlers(except: [Heartbeat.self, Subscribe.self])
        await #expect(throws: HandlerError.unhandled(["Heartbeat", "Subscribe"])) {
            _ = try await Self.start(handlers)
        }
        #expect("\(HandlerError.unhandled(["A", "B"]))" == "these messages have no handler: A, B")
    }

    @Test func `a server does not start with two handlers of one message`() async throws {
        var handlers = Self.handlers()
        var part = Handlers()
        part.ignore(Heartbeat.self)
        handlers.include(part)
        let both = handlers
        await #expect(throws: HandlerError.handledTwice(["Heartbeat"])) { _ = try await Self.start(both) }
    }

    @Test(arguments: Kind.allCases)
    func `one handler can take all other messages, and unknown IDs`(kind: Kind) async throws {
        let seen = Seen<String>()
        var handlers = Self.handlers(except: [ChangeRoom.self, Subscribe.self])
        @Sendable func note(_ received: ReceivedMessage<GoimProtocol.FromClient>) {
            switch received.message {
            case .changeRoom(let change): seen.add("room " + change.room)
            case .subscribe: seen.add("subscribe")
            case .unknown(let id): seen.add("unknown \(id)")
            case .authentication, .heartbeat: Issue.record("\(received)")
            }
        }
        switch kind {
        case .atOnce: handlers.others { received, _ in note(received) }
        case .inTask:
            handlers.others { received, _ in
                await Task.yield()
                note(received)
            }
        }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        try await client.send(ChangeRoom(room: "9"))
        try await client.client.send(id: 77, payload: RawSpan())
        try await client.send(Subscribe(operations: ""))
        #expect(await seen.first(3) == ["room 9", "unknown 77", "subscribe"])
    }

    @Test func `unknown IDs are counted and dropped without such a handler`() async throws {
        let server = try await Self.start(Self.handlers())
        let client = try await server.network.connect(to: server)
        try await client.client.send(id: 77, payload: RawSpan())
        #expect(try await client.request(Heartbeat(body: "")).popularity == 1)
        #expect(await server.server.counters().traffic.unknownIDCount == 1)
    }

    // MARK: Steps

    @Test(arguments: Kind.allCases)
    func `a step decides before each message whether it is handled`(kind: Kind) async throws {
        let seen = Seen<String>()
        var handlers = Self.handlers(kind)
        handlers.before(except: [Authentication.self]) { message, client in
            seen.add(message.messageName)
            if !client.state.name.isEmpty { return true }
            try client.send(Notification(body: "log in first"))
            return false
        }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        try await client.send(Heartbeat(body: ""))
        try await client.expect(Notification(body: "log in first"))
        _ = try await client.request(Authentication(body: "ann"))
        #expect(try await client.request(Heartbeat(body: "")).popularity == 1)
        #expect(await seen.first(2) == ["Heartbeat", "Heartbeat"])
    }

    @Test func `a part's steps apply to its own messages, after those of the whole`() async throws {
        let seen = Seen<String>()
        var handlers = Self.handlers(except: [Heartbeat.self])
        var part = Handlers()
        part.reply(to: Heartbeat.self) { _, _ in HeartbeatReply(popularity: 5) }
        part.before { message, _ in
            seen.add("part " + message.messageName)
            return true
        }
        handlers.include(part)
        handlers.before { message, _ in
            seen.add("whole " + message.messageName)
            return true
        }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        _ = try await client.request(Authentication(body: "ann"))
        _ = try await client.request(Heartbeat(body: ""))
        #expect(await seen.first(3) == ["whole Authentication", "whole Heartbeat", "part Heartbeat"])
    }

    @Test func `messages beyond a limit are dropped, or end the connection`() async throws {
        var handlers = Self.handlers()
        handlers.limit([Subscribe.self], to: 2, per: .seconds(10))
        handlers.limit([Heartbeat.self], to: 3, per: .seconds(6), excess: .skip)
        let ends = Seen<String>()
        handlers.onClose { client, error in ends.add("\(client.state.count) \(error.map { "\($0)" } ?? "clean")") }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        for _ in 0..<10 { try await client.send(Heartbeat(body: "")) }
        for _ in 0..<3 { try await client.expect(HeartbeatReply.self) }
        try await client.expectNothing(for: .seconds(4))
        for _ in 0..<10 { try await client.send(Heartbeat(body: "")) }
        for _ in 0..<2 { try await client.expect(HeartbeatReply.self) }
        for _ in 0..<2 { try await client.send(Subscribe(operations: "")) }
        try await client.expectNothing(for: .seconds(5))
        for _ in 0..<2 { try await client.send(Subscribe(operations: "")) }
        try await client.expectEnd()
        #expect(await ends.first(1) == ["5 Subscribe: more than 2 messages in 10.0 seconds"])
    }

    // MARK: Errors and ends

    private struct Refusal: Error {}

    @Test(arguments: Kind.allCases)
    func `a handler that throws ends its connection after what it sent`(kind: Kind) async throws {
        let ends = Seen<String>()
        var handlers = Self.handlers(kind, except: [Subscribe.self])
        handlers.on(Subscribe.self) { _, client in
            try client.send(Notification(body: "last words"))
            throw Refusal()
        }
        handlers.onClose { _, error in ends.add(error is Refusal ? "refusal" : "\(String(describing: error))") }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        try await client.sendTogether(Subscribe(operations: ""), Heartbeat(body: ""))
        try await client.expect(Notification(body: "last words"))
        #expect(try await client.expectEnd() == nil)
        #expect(await ends.first(1) == ["refusal"])
    }

    @Test(arguments: Kind.allCases)
    func `an error handler can let the connection continue`(kind: Kind) async throws {
        let errors = Seen<String>()
        var handlers = Self.handlers(kind, except: [Subscribe.self])
        handlers.on(Subscribe.self) { _, _ in throw Refusal() }
        handlers.onError { error, _ in errors.add("\(type(of: error))") }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        try await client.send(Subscribe(operations: ""))
        // The text is not UTF-8.
        try await client.client.send(id: 12, payload: [UInt8](repeating: 0xFF, count: 2).span.bytes)
        #expect(try await client.request(Heartbeat(body: "")).popularity == 1)
        #expect(await errors.first(2) == ["Refusal", "ConnectionError"])
        #expect(await server.server.counters().traffic.refusedPacketCount == 1)
    }

    @Test(arguments: Kind.allCases)
    func `opened and closed connections are reported once, and the server is at hand`(kind: Kind) async throws {
        let seen = Seen<String>()
        var handlers = Self.handlers(kind)
        handlers.onOpen { client in
            seen.add("opened at \(client.server.address.port)")
            try client.send(Notification(body: "welcome"))
        }
        handlers.onClose { client, error in seen.add("\(client.state.name) closed \(error == nil)") }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        _ = try await client.request(Authentication(body: "ann"))
        await client.finish()
        #expect(await seen.first(2) == ["opened at \(server.address.port)", "ann closed true"])
        try await server.shutDown()
        #expect(seen.count == 2)
    }

    @Test(arguments: Kind.allCases)
    func `a handler of new connections that throws ends the connection`(kind: Kind) async throws {
        let ends = Seen<Bool>()
        var handlers = Self.handlers(kind)
        handlers.onOpen { client in
            try client.send(Notification(body: "full"))
            throw Refusal()
        }
        handlers.onClose { _, error in ends.add(error is Refusal) }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        try await client.expect(Notification.self)
        #expect(try await client.expectEnd() == nil)
        #expect(await ends.first(1) == [true])
    }

    @Test(arguments: Kind.allCases)
    func `a kicked client gets the reason, and no further message of it is handled`(kind: Kind) async throws {
        let handled = Seen<Void>()
        var handlers = Self.handlers(kind, except: [Subscribe.self])
        handlers.on(Subscribe.self) { _, client in
            handled.add(())
            try client.kick(with: Notification(body: "out"))
        }
        let server = try await Self.start(handlers)
        let client = try await server.network.connect(to: server)
        try await client.sendTogether(Subscribe(operations: ""), Subscribe(operations: ""))
        try await client.expect(Notification.self)
        #expect(try await client.expectEnd() == nil)
        #expect(handled.count == 1)
    }

    @Test(arguments: Kind.allCases)
    func `the server's metrics have the handling times of each message`(kind: Kind) async throws {
        let server = try await Self.start(Self.handlers(kind))
        let client = try await server.network.connect(to: server)
        for _ in 0..<129 { _ = try await client.request(Heartbeat(body: "")) }
        let times = await server.server.metrics().messageTimes
        #expect(times.map(\.name) == ["Heartbeat"])
        // Of messages that are handled without `await`, one in 64 is measured: the first, and so on.
        #expect(times.first?.times.count == (kind == .atOnce ? 3 : 129))
    }

    // MARK: Back-pressure

    @Test(arguments: Kind.allCases)
    func `while a client reads nothing, its further messages wait`(kind: Kind) async throws {
        var configuration = ServerConfiguration()
        configuration.limits.pendingByteCount = 64 << 10
        let handled = Seen<Void>()
        var handlers = Self.handlers(kind, except: [Subscribe.self])
        let answer = String(repeating: "x", count: 32 << 10)
        handlers.reply(to: Subscribe.self) { _, _ in
            handled.add(())
            return SubscribeReply(operations: answer)
        }
        let server = try await Self.start(handlers, configuration: configuration)
        let client = try await server.network.connect(to: server)
        await client.pauseReading()
        let count: UInt32 = 200
        let request = try Subscribe(operations: "").encoded()
        try await client.send(bytes: Array(repeatElement(request, count: Int(count)).joined()))
        let pending = await server.server.counters().traffic.pendingByteCount
        #expect(pending > 0)
        #expect(pending < configuration.limits.pendingByteCount + (64 << 10))
        #expect(handled.count < count)
        await client.resumeReading()
        for _ in 0..<count { try await client.expect(SubscribeReply(operations: answer)) }
        #expect(handled.count == count)
    }
}
