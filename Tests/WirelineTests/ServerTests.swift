// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// A server's limits, deadlines, batches, broadcasts and end.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct ServerTests {
    @Test func `a batch handler goes on after replies beyond the limit that leave in one write`() async throws {
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: ServerConfiguration(
                firstPacketTimeout: nil, limits: ConnectionLimits(pendingByteCount: 1, writeTimeout: nil))
        ) { client in
            { batch in
                while let packet = try batch.next() {
                    try client.write(Sc_20001.entered(Cs_20001(payloadOf: packet)))
                }
            }
        }
        let client = try await server.connect()
        for line in 1...3 as ClosedRange<UInt32> {
            let reply = try await client.request(Cs_20001(sceneID: 1, line: line, message: "hi"))
            #expect(reply.defaultCombat == line)
        }
        await server.shutDown()
    }

    @Test func `a batch handler takes the packets of a read at once`() async throws {
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: .patient
        ) {
            client in
            var total: UInt32 = 0
            return { batch in
                while let packet = try batch.next() {
                    let enter = try Cs_20001(payloadOf: packet)
                    total += enter.line
                    try client.write(Sc_20001.entered(Cs_20001(sceneID: 1, line: total, message: enter.message)))
                }
            }
        }
        let client = try await server.connect()
        let sending = Task {
            for number in 1...2_000 as ClosedRange<UInt32> {
                try await client.send(Cs_20001(sceneID: 1, line: number, message: "\(number)"))
            }
            client.endOutput()
        }
        var replies: [Sc_20001] = []
        for try await message in client.messages {
            if case .message(let reply as Sc_20001, _) = message { replies.append(reply) }
        }
        try await sending.value
        let sums = (1...2_000 as ClosedRange<UInt32>).map { $0 * ($0 + 1) / 2 }
        #expect(replies.map(\.defaultCombat) == sums)
        #expect(replies.last?.message == "2000")
        await server.shutDown()
    }

    @Test func `a batch handler's client that reads nothing is not read from either, and loses nothing`() async throws {
        let limits = ConnectionLimits(pendingByteCount: 10_000, writeTimeout: nil)
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: ConnectionEnds().configure { $0.limits = limits }
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
        let client = try await server.connect(on: ConnectionPair.group.get())
        let packet = try packet(payload: [UInt8](repeating: 7, count: 10_000))
        // Twice what the system's buffers hold on both ways, and more.
        let byteCount = 8_000 * packet.count
        let sending = Task {
            for _ in 0..<8_000 { try await client.send(packet: packet) }
            client.endOutput()
        }
        // Until nothing more is taken for a while.
        var (receivedByteCount, quietCount) = (0, 0)
        while quietCount < 20 {
            try await Task.sleep(for: .milliseconds(10))
            let count = await server.counters().traffic.receivedByteCount
            let isWaiting = await client.connection.counters().waitingSenderCount == 1
            quietCount = isWaiting && count > 0 && count == receivedByteCount ? quietCount + 1 : 0
            receivedByteCount = count
            guard count < byteCount else { break }
        }
        #expect(receivedByteCount < byteCount / 2)
        #expect(await server.counters().traffic.pendingByteCount < limits.pendingByteCount + (256 << 10))
        var received = 0
        for try await packet in client.packets { received += packet.byteCount }
        try await sending.value
        #expect(received == byteCount)
        client.close()
        await server.shutDown()
    }

    @Test func `a connection that is closed where its batch handler is made is let go of`() async throws {
        let (made, feed) = AsyncStream<WeakConnection>.makeStream()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self
        ) { client in
            feed.yield(WeakConnection(client.connection))
            client.close()
            return { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
        let client = try await server.connect()
        #expect(try await client.nextPacket() == nil)
        var iterator = made.makeAsyncIterator()
        let closed = try #require(await iterator.next())
        #expect(try await eventually { closed.connection == nil })
        #expect(server.connections.isEmpty)
        client.close()
        await server.shutDown()
    }

    @Test func `an actor that several connections share reads from each of them`() async throws {
        actor World {
            var lines: UInt32 = 0

            func serve(_ client: ServerConnection<SceneProtocol>) async throws {
                for try await message in client.messages {
                    guard case .message(let enter as Cs_20001, _) = message else { continue }
                    lines &+= enter.line
                    try await client.send(Sc_20001.entered(enter))
                }
            }
        }
        let world = World()
        let server = try await SceneServer.start(on: ConnectionPair.group.get()) { try await world.serve($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let client = try await server.connect()
                    for line in 1...100 as ClosedRange<UInt32> {
                        let reply = try await client.request(Cs_20001(sceneID: 1, line: line, message: ""))
                        #expect(reply.defaultCombat == line)
                    }
                    client.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(await world.lines == 8 * 5_050)
        await server.shutDown()
    }

    @Test func `what a batch handler throws closes its connection, and is told`() async throws {
        struct Refusal: Error, CustomStringConvertible { let description = "no" }
        let ends = ConnectionEnds()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: ends.configure()
        ) { _ in
            { _ in throw Refusal() }
        }
        let client = try await server.connect()
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        #expect(await ends.nextText() == "no")
        await server.shutDown()
    }

    @Test func `a handler's error is told, and its connection closed`() async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            for try await _ in client.messages {}
        }
        let client = try await server.connect()
        try await client.connection.sendRaw(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(await ends.nextText().contains("HTTP"))
        #expect(try await client.connection.nextBytes() == nil)
        client.close()
        await server.shutDown()
    }

    @Test func `what a handler has sent arrives although it has not read what came`() async throws {
        let server = try await SceneServer.start { client in
            var packets = client.packets.makeAsyncIterator()
            _ = try await packets.next()
            for number in 0..<1_000 as Range<UInt32> {
                try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: number, message: "")))
            }
        }
        let client = try await server.connect()
        // More than is read at once, so that some of it is left when the handler has ended.
        let message = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 1_000))
        let bytes = try message.encoded()
        try await client.connection.sendRaw(Array(repeatElement(bytes, count: 1_000).joined()))
        var count = 0
        for try await _ in client.packets { count += 1 }
        #expect(count == 1_000)
        client.close()
        await server.shutDown()
    }

    @Test func `one message goes to many, and is encoded once`() async throws {
        let group = try ConnectionPair.group.get()
        let configuration = ServerConfiguration.patient
        let server = try await SceneServer.start(on: group, configuration: configuration) { client in
            for try await _ in client.packets {}
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<20 { clients.append(try await server.connect()) }
        // Who has been answered once is known to the server.
        #expect(try await eventually { server.connections.count >= 20 })
        let message = Sc_20001.entered(Cs_20001(sceneID: 3, line: 4, message: "all"))
        #expect(try await server.broadcast(CountedMessage(message: message)).isEmpty)
        #expect(CountedMessage.encodings.count == 1)
        for client in clients {
            guard case .message(let copy as Sc_20001, _)? = try await client.firstMessage() else {
                throw ConnectionError.endedBeforeReply
            }
            #expect(copy == message)
        }
        let ended = server.connections[0]
        ended.close()
        #expect(try await server.broadcast(message, to: [ended]) == [ended])
        for client in clients { client.close() }
        await server.shutDown()
    }

    @Test func `a slow client gets no broadcast, and is named`() async throws {
        let limits = ConnectionLimits(pendingByteCount: 1_000, writeTimeout: nil)
        let configuration = ServerConfiguration(firstPacketTimeout: nil, limits: limits)
        let server = try await SceneServer.start(configuration: configuration) { client in
            for try await _ in client.packets {}
        }
        let client = try await server.connect()
        #expect(try await eventually { !server.connections.isEmpty })
        let message = Sc_20001.entered(
            Cs_20001(sceneID: 3, line: 4, message: String(repeating: "x", count: 60_000)))
        // Far more than the system takes while nobody reads: there is no room from now on.
        let sentCount = 500
        try await server.connections[0].connection.onLoop { for _ in 0..<sentCount { try $0.write(message) } }
        #expect(try await server.broadcast(message) == server.connections)
        try server.connections[0].kick(
            with: Sc_20001.entered(Cs_20001(sceneID: 5, line: 6, message: "")), within: .seconds(500))
        var lines: [UInt32] = []
        for try await packet in client.packets { lines.append(try packet.decode(Sc_20001.self).defaultCombat) }
        #expect(lines == Array(repeating: 4, count: sentCount) + [6])
        client.close()
        await server.shutDown()
    }

    @Test func `a connection beyond the limit waits for its turn`() async throws {
        let server = try await SceneServer.start(
            configuration: ServerConfiguration(connectionLimit: 1, firstPacketTimeout: nil)
        ) { client in
            for try await packet in client.packets { try await client.forward(packet) }
        }
        let first = try await server.connect()
        let message = Cs_20001(sceneID: 1, line: 1, message: "")
        try await first.send(message)
        _ = try await first.firstPacket()
        let second = try await server.connect()
        try await second.send(message)
        let waiting = Task { try await second.firstPacket() }
        #expect(server.connections.count == 1)
        first.close()
        #expect(try await waiting.value != nil)
        second.close()
        await server.shutDown()
    }

    @Test func `a connection that never sends a packet is closed, even one that drips bytes`() async throws {
        let ends = ConnectionEnds()
        let configuration = ends.configure { $0.firstPacketTimeout = .milliseconds(50) }
        let server = try await SceneServer.start(configuration: configuration) { client in
            for try await _ in client.packets {}
        }
        let client = try await server.connect()
        // A packet of 1 MiB, a byte at a time.
        let dripping = Task {
            try await client.connection.sendRaw([0x00, 0x10, 0x00, 0x00, 0x00, 0x01])
            while true {
                try await Task.sleep(for: .milliseconds(2))
                try await client.connection.sendRaw([7])
            }
        }
        #expect(await ends.nextText() == "the deadline has passed")
        dripping.cancel()
        client.close()
        await server.shutDown()
    }

    @Test func `silence ends a connection, but not while its handler is busy`() async throws {
        let ends = ConnectionEnds()
        // On a loop that other tests do not keep busy: its time is what is looked at.
        let group = try EventLoopGroup(threadCount: 1)
        let configuration = ends.configure {
            $0.firstPacketTimeout = .seconds(500)
            $0.idleTimeout = .seconds(1)
        }
        let server = try await SceneServer.start(on: group, configuration: configuration) { client in
            var packets = client.packets.makeAsyncIterator()
            guard let packet = try await packets.next() else { return }
            // Longer than the deadline: that time is the handler's and not the peer's.
            try await Task.sleep(for: .milliseconds(1_500))
            try await client.forward(packet)
            _ = try await packets.next()
        }
        let client = try await server.connect(on: group)
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        #expect(try await client.firstPacket() != nil)
        #expect(await ends.nextText() == "the deadline has passed")
        client.close()
        await server.shutDown()
    }

    @Test(arguments: [false, true])
    func `a silent peer is ended, although somebody asks it again and again or waits for short times`(
        isAsked: Bool
    ) async throws {
        let configuration = ConnectionEnds().configure { $0.idleTimeout = .milliseconds(300) }
        let server = try await SceneServer.start(configuration: configuration) { client in
            while !Task.isCancelled {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try? await client.nextPacket() }
                    if isAsked {
                        group.addTask {
                            for _ in 0..<10 {
                                let question = Cs_20001(sceneID: 1, line: 1, message: "")
                                _ = try? await client.connection.request(question, timeout: .milliseconds(20))
                            }
                        }
                    } else {
                        group.addTask { try await Task.sleep(for: .milliseconds(20)) }
                    }
                    try await group.next()
                    group.cancelAll()
                }
                guard client.connection.stream.isOpen else { return }
            }
        }
        let client = try await server.connect()
        // What has been sent to it comes first.
        while let packet = try await client.nextPacket() { #expect(isAsked && packet.id == 20_001) }
        client.close()
        await server.shutDown()
    }

    @Test func `a time that is too long to be told is as long as it likes`() async throws {
        let ends = ConnectionEnds()
        let forEver = Duration.seconds(Int64.max)
        let configuration = ends.configure {
            $0.handshakeTimeout = forEver
            $0.firstPacketTimeout = forEver
            $0.idleTimeout = forEver
            $0.minimumRate = MinimumRate(window: forEver)
            $0.limits.writeTimeout = forEver
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            for try await packet in client.packets { try await client.forward(packet) }
        }
        let client = try await server.connect()
        let bytes = try Cs_20001(sceneID: 1, line: 1, message: "").encoded()
        try await client.connection.sendRaw(Array(bytes.prefix(3)))
        let isWaited = try await eventually { await server.counters().traffic.unreadByteCount == 3 }
        #expect(isWaited)
        try await client.connection.sendRaw(Array(bytes.dropFirst(3)))
        #expect(try await client.connection.nextBytes() == bytes)
        client.close()
        await server.shutDown(within: forEver)
        #expect(await ends.next() == nil)
    }

    @Test func `a peer that takes nothing is given up`() async throws {
        let ends = ConnectionEnds()
        let configuration = ends.configure { $0.limits.writeTimeout = .milliseconds(50) }
        let server = try await SceneServer.start(configuration: configuration) { client in
            let message = Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 999)))
            while true { try await client.send(message) }
        }
        let client = try await server.connect()
        #expect(await ends.nextText() == "the deadline has passed")
        client.close()
        await server.shutDown()
    }

    @Test func `a server that shuts down lets its handlers end, and their answers leave`() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        // At an address of its own, where nobody else gets the port.
        let server = try await SceneServer.start(at: "127.0.0.8") { client in
            var packets = client.packets.makeAsyncIterator()
            var count: UInt32 = 0
            while try await packets.next() != nil {
                count += 1
                start.yield()
            }
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: count, message: "bye")))
        }
        let client = try await server.connect()
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        var iterator = started.makeAsyncIterator()
        _ = await iterator.next()
        async let shutDown: Void = server.shutDown()
        guard case .message(let bye as Sc_20001, _)? = try await client.firstMessage() else {
            throw ConnectionError.endedBeforeReply
        }
        #expect(bye.defaultCombat == 1)
        #expect(try await client.connection.nextBytes() == nil)
        client.close()
        await shutDown
        await server.waitUntilShutDown()
        await #expect(throws: ConnectionError.transport(.refused)) { _ = try await server.connect() }
    }

    @Test func `who waits for a server's end can be cancelled, and the server goes on`() async throws {
        let server = try await SceneServer.start { client in
            for try await _ in client.messages {
                try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: "")))
            }
        }
        let waiting = Task { await server.waitUntilShutDown() }
        waiting.cancel()
        await waiting.value
        let client = try await server.connect()
        _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: ""))
        client.close()
        await server.shutDown()
    }

    /// A server whose handler is still busy with its one client, and says when it ends whether it was cancelled.
    private func startBusyServer() async throws -> (SceneServer, PacketClient<SceneProtocol>, AsyncStream<Bool>) {
        let (wasCancelled, feed) = AsyncStream<Bool>.makeStream()
        let server = try await SceneServer.start { client in
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: "")))
            try? await Task.sleep(for: .seconds(600))
            feed.yield(Task.isCancelled)
        }
        let client = try await server.connect()
        _ = try await client.firstMessage()
        return (server, client, wasCancelled)
    }

    @Test func `a shut-down that is cancelled ends at once, and takes what there is with it`() async throws {
        let (server, client, wasCancelled) = try await startBusyServer()
        let ending = Task { await server.shutDown(within: .seconds(600)) }
        ending.cancel()
        await ending.value
        var iterator = wasCancelled.makeAsyncIterator()
        #expect(await iterator.next() == true)
        client.close()
    }

    @Test func `a handler that does not end in time is cancelled`() async throws {
        let (server, client, wasCancelled) = try await startBusyServer()
        await server.shutDown(within: .milliseconds(10))
        var iterator = wasCancelled.makeAsyncIterator()
        #expect(await iterator.next() == true)
        client.close()
    }
}

/// A message that takes note of how often it is written.
private struct CountedMessage: ServerMessage {
    typealias Definition = SceneProtocol

    static let messageName = Sc_20001.messageName
    static let messageID = Sc_20001.messageID
    static let encodings = Seen<Void>()

    let message: Sc_20001

    init(message: Sc_20001) { self.message = message }

    init(from reader: inout ByteReader) throws(CodecError) { message = try Sc_20001(from: &reader) }

    func payloadByteCount() throws(CodecError) -> Int { try message.payloadByteCount() }

    func writePayload(to writer: inout ByteWriter) {
        Self.encodings.add(())
        message.writePayload(to: &writer)
    }
}

/// A connection that is not held.
private final class WeakConnection: Sendable {
    private let reference: Lock<WeakReference>

    init(_ connection: PacketConnection) {
        reference = Lock(WeakReference(connection: connection))
    }

    var connection: PacketConnection? { reference.withLock { $0.connection } }

    private struct WeakReference {
        weak var connection: PacketConnection?
    }
}

extension PacketClient {
    fileprivate func firstMessage() async throws -> ReceivedMessage<Definition>? {
        var iterator = messages.makeAsyncIterator()
        return try await iterator.next()
    }

    fileprivate func firstPacket() async throws -> ReceivedPacket? {
        var iterator = packets.makeAsyncIterator()
        return try await iterator.next()
    }
}
