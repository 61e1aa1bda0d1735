// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// A server's limits, timeouts, broadcasts and end.
@Suite(.ahead)
struct ServerTests {
    @Test func `one actor can read from several connections`() async throws {
        actor World {
            var lines: UInt32 = 0

            func serve(_ client: ServerConnection<SceneProtocol>) async throws {
                while let received = try await client.nextMessage() {
                    guard case .cs20001(let enter) = received.message else { continue }
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

    @Test func `a handler's error is reported, and its connection is closed`() async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            while try await client.nextMessage() != nil {}
        }
        let client = try await server.connect()
        try await client.connection.sendRaw(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(await ends.nextText().contains("HTTP"))
        #expect(try await client.connection.nextBytes() == nil)
        client.close()
        await server.shutDown()
    }

    @Test func `a handler's output arrives even if the handler has not read its input`() async throws {
        let server = try await SceneServer.start { client in
            _ = try await client.nextPacket()
            for number in 0..<1_000 as Range<UInt32> {
                try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: number, message: "")))
            }
        }
        let client = try await server.connect()
        // More than one read takes, so that some of it is unread when the handler ends.
        let message = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 1_000))
        let bytes = try message.encoded()
        try await client.connection.sendRaw(repeatElement(bytes, count: 1_000).merged)
        var count = 0
        while try await client.nextPacket() != nil { count += 1 }
        #expect(count == 1_000)
        client.close()
        await server.shutDown()
    }

    @Test func `a broadcast message is encoded once`() async throws {
        let group = try ConnectionPair.group.get()
        let configuration = ServerConfiguration.patient
        let server = try await SceneServer.start(on: group, configuration: configuration) { client in
            while try await client.nextPacket() != nil {}
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<20 { clients.append(try await server.connect()) }
        // The server lists a connection once it has begun to serve it.
        #expect(try await eventually { server.connections.count >= 20 })
        let message = Sc_20001.entered(Cs_20001(sceneID: 3, line: 4, message: "all"))
        let counted = CountedMessage(message: message)
        #expect(try await server.broadcast(counted).isEmpty)
        #expect(counted.encodings.count == 1)
        for client in clients {
            guard case .sc20001(let copy)? = try await client.firstMessage()?.message else {
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

    @Test func `a slow reader gets no broadcast, and is named`() async throws {
        let limits = ConnectionLimits(pendingByteCount: 1_000, writeTimeout: nil)
        let configuration = ServerConfiguration(firstPacketTimeout: nil, limits: limits)
        let server = try await SceneServer.start(configuration: configuration) { client in
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        #expect(try await eventually { !server.connections.isEmpty })
        let message = Sc_20001.entered(
            Cs_20001(sceneID: 3, line: 4, message: String(repeating: "x", count: 60_000)))
        // Far more than the system takes without a reader: the queue is full from now on.
        let sentCount = 500
        try await server.connections[0].connection.onLoop { for _ in 0..<sentCount { try $0.write(message) } }
        #expect(try await server.broadcast(message) == server.connections)
        try server.connections[0].kick(
            with: Sc_20001.entered(Cs_20001(sceneID: 5, line: 6, message: "")), within: .seconds(500))
        var lines: [UInt32] = []
        while let packet = try await client.nextPacket() {
            lines.append(try packet.decode(Sc_20001.self).defaultCombat)
        }
        #expect(lines == Array(repeating: 4, count: sentCount) + [6])
        client.close()
        await server.shutDown()
    }

    @Test func `a connection over the limit waits for its turn`() async throws {
        let server = try await SceneServer.start(
            configuration: ServerConfiguration(
                listening: ListeningOptions(connectionLimit: 1), firstPacketTimeout: nil)
        ) { client in
            while let packet = try await client.nextPacket() { try await client.forward(packet) }
        }
        let first = try await server.connect()
        let message = Cs_20001(sceneID: 1, line: 1, message: "")
        try await first.send(message)
        _ = try await first.nextPacket()
        let second = try await server.connect()
        try await second.send(message)
        let waiting = Task { try await second.nextPacket() }
        #expect(server.connections.count == 1)
        first.close()
        #expect(try await waiting.value != nil)
        second.close()
        await server.shutDown()
    }

    @Test func `the longest possible timeout never ends`() async throws {
        let ends = ConnectionEnds()
        let forEver = Duration.seconds(Int64.max)
        let configuration = ends.configure {
            $0.listening.handshakeTimeout = forEver
            $0.firstPacketTimeout = forEver
            $0.listening.idleTimeout = forEver
            $0.listening.minimumRate = MinimumRate(window: forEver)
            $0.limits.writeTimeout = forEver
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            while let packet = try await client.nextPacket() { try await client.forward(packet) }
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

    @Test func `a server that shuts down lets its handlers end, and sends their answers`() async throws {
        let (started, start) = AsyncStream<Void>.makeStream()
        // At its own address, where no other test gets the port.
        let server = try await SceneServer.start(at: "127.0.0.8") { client in
            var count: UInt32 = 0
            while try await client.nextPacket() != nil {
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
        guard case .sc20001(let bye)? = try await client.firstMessage()?.message else {
            throw ConnectionError.endedBeforeReply
        }
        #expect(bye.defaultCombat == 1)
        #expect(try await client.connection.nextBytes() == nil)
        client.close()
        await shutDown
        await server.waitUntilShutDown()
        await #expect(throws: ConnectionError.transport(.refused)) { _ = try await server.connect() }
    }

    @Test func `a wait for a server's end can be cancelled, and the server continues`() async throws {
        let server = try await SceneServer.start { client in
            while try await client.nextMessage() != nil {
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

    /// A server whose handler is still busy with its one client, and reports at its end whether it was cancelled.
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

    @Test func `a cancelled shutdown ends at once, and ends all connections`() async throws {
        let (server, client, wasCancelled) = try await startBusyServer()
        let ending = Task { await server.shutDown(within: .seconds(600)) }
        ending.cancel()
        await ending.value
        var iterator = wasCancelled.makeAsyncIterator()
        #expect(await iterator.next() == true)
        client.close()
    }
}

extension PacketClient {
    fileprivate func firstMessage() async throws -> ReceivedMessage<Definition.FromServer>? {
        try await nextMessage()
    }
}
