// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// A task that sends all the time to a fast reader leaves loop time for others.
@Suite(.ahead)
struct FairSendingTests {
    private static let hello = Sc_20001.entered(Cs_20001(sceneID: 1, line: 1, message: ""))

    /// Whether a timer of a loop fires while something is sent again and again.
    private func timerFires(
        on loop: EventLoop, within sendCount: Int, of send: @escaping @Sendable () async throws -> Void
    ) async throws -> Bool {
        try await Task(executorPreference: loop) {
            let hasFired = Seen<Void>()
            loop.schedule(at: loop.now) { hasFired.add(()) }
            for _ in 0..<sendCount where hasFired.count == 0 { try await send() }
            return hasFired.count > 0
        }.value
    }

    /// With the smallest limit every packet is sent separately, and the system has buffers for all of them.
    @Test(arguments: [(1, 20, 2_000), (64 << 10, 1_000, 200_000), (64 << 10, 500_000, 400)])
    func `a timer fires while packets are sent`(limit: Int, packetByteCount: Int, sendCount: Int) async throws {
        let pair = try await ConnectionPair.make(limits: ConnectionLimits(pendingByteCount: limit, writeTimeout: nil))
        let reading = Task(executorPreference: pair.server.loop) {
            while var batch = try await pair.server.nextBatch() { while try batch.next() != nil {} }
        }
        let bytes = try packet(payload: [UInt8](repeating: 7, count: packetByteCount))
        #expect(
            try await timerFires(on: pair.client.loop, within: sendCount) {
                try await pair.client.send(packet: bytes)
            })
        pair.client.endOutput()
        try await reading.value
        #expect(await pair.client.counters().pendingByteCount == 0)
        pair.close()
    }

    @Test func `several senders of one connection take turns, and all output arrives`() async throws {
        let pair = try await ConnectionPair.make(limits: ConnectionLimits(pendingByteCount: 1, writeTimeout: nil))
        defer { pair.close() }
        let (loop, bytes) = (pair.client.loop, try packet(payload: [7]))
        let (senderCount, sendCount) = (3, 500)
        let counting = Task(executorPreference: pair.server.loop) {
            var count = 0
            while try await pair.server.next() != nil { count += 1 }
            return count
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<senderCount {
                group.addTask(executorPreference: loop) {
                    for _ in 0..<sendCount { try await pair.client.send(packet: bytes) }
                }
            }
            try await group.waitForAll()
        }
        pair.client.endOutput()
        #expect(try await counting.value == senderCount * sendCount)
    }

    @Test(arguments: [1_000, 30_000])
    func `a timer fires while WebSocket messages are sent`(messageByteCount: Int) async throws {
        let outcomes = Seen<Bool>()
        // The reader never answers a close frame.
        let configuration = WebSocketServerConfiguration.patient { $0.limits.frames.closeTimeout = .milliseconds(100) }
        let server = try await WebSocketServer.serving(on: EventLoopGroup(threadCount: 1), configuration) { client in
            let content = [UInt8](repeating: 7, count: messageByteCount)
            outcomes.add(
                try await timerFires(on: client.loop, within: 50_000_000 / messageByteCount) {
                    try await client.send(content)
                })
        }
        // It only reads, and so is a fast reader.
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(RawWebSocket.request)
        async let reading: Void = onThread { socket.drain() }
        #expect(await outcomes.first(1) == [true])
        await server.shutDown()
        try await reading
    }

    /// With the smallest limit every message is sent separately.
    @Test func `a timer fires while a session sends`() async throws {
        let server = try await SceneServer.start(on: EventLoopGroup(threadCount: 1)) { client in
            while var batch = try await client.nextBatch() { while try batch.next() != nil {} }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.pendingByteCount = 1
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: SceneProtocol.self, on: EventLoopGroup(threadCount: 1),
            configuration: configuration)
        try await session.waitUntilReady()
        #expect(
            try await timerFires(on: session.loop, within: 2_000) {
                try await session.send(Cs_20001(sceneID: 1, line: 1, message: ""))
            })
        session.end()
        await server.shutDown()
    }

    @Test func `a timer fires while messages are broadcast`() async throws {
        let server = try await SceneServer.start(
            configuration: ConnectionEnds().configure { $0.limits.pendingByteCount = 1 }
        ) { client in
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        #expect(try await eventually { await server.counters().traffic.receivedPacketCount > 0 })
        let loop = try #require(server.connections.first).loop
        #expect(try await timerFires(on: loop, within: 500) { try await server.broadcast(Self.hello) })
        client.close()
        await server.shutDown()
    }

    @Test func `a client gets a broadcast in order, even while its sender waits for the loop`() async throws {
        let news = Sc_20001.entered(Cs_20001(sceneID: 1, line: 99, message: ""))
        // A turn sends 64 packets if each one is sent separately.
        let sendCount = 100
        let servers = Seen<SceneServer>()
        let server = try await SceneServer.start(
            configuration: ConnectionEnds().configure { $0.limits.pendingByteCount = 1 }
        ) { client in
            let server = await servers.first(1)[0]
            let sending = Task(executorPreference: client.loop) {
                for _ in 0..<sendCount { try await client.send(Self.hello) }
            }
            // After the other task.
            await Task.yield()
            #expect(await client.connection.counters().waitingSenderCount == 1)
            #expect(try await server.broadcast(news).isEmpty)
            try await sending.value
        }
        let client = try await server.connect()
        servers.add(server)
        var lines: [UInt32] = []
        while let packet = try await client.nextPacket() {
            lines.append(try packet.decode(Sc_20001.self).defaultCombat)
        }
        #expect(lines.count == sendCount + 1)
        let place = try #require(lines.firstIndex(of: 99))
        #expect((1..<sendCount).contains(place))
        client.close()
        await server.shutDown()
    }
}
