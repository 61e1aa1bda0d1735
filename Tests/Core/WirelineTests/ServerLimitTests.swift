// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// How a server handles too many connections, slow ones, and those that hold too much memory.
@Suite(.ahead)
struct ServerLimitTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")

    /// A server whose batch handler sends everything back.
    private func echo(
        on group: EventLoopGroup? = nil, _ configuration: ServerConfiguration
    ) async throws -> SceneServer {
        try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, on: group, configuration: configuration
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
    }

    /// A packet of so many bytes.
    private func packet(_ byteCount: Int) throws -> [UInt8] {
        try WirelineTests.packet(payload: [UInt8](repeating: 7, count: byteCount - 6))
    }

    /// Leaves the machine to others for a moment, in a loop that polls.
    private func pause() async {
        try? await Task.sleep(for: .milliseconds(2))
    }

    // MARK: Long ones

    @Test func `a packet that announces the largest possible length is refused for lack of memory`() async throws {
        let ends = ConnectionEnds()
        let limit = 64 << 10
        let configuration = ends.configure {
            $0.listening.heldByteLimit = limit
            $0.limits.maximumPacketByteCount = .max
        }
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint64, .bigEndian), .length(of: .payload, plus: 0)),
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
        ])
        let server = try await PacketListener.start(
            at: "127.0.0.1", port: 0, layout: layout, packetLimit: 1 << 20, configuration: configuration,
            handler: .batches { connection in
                { batch in while let packet = try batch.next() { try connection.write(packet: packet.bytes) } }
            })
        let socket = try RawSocket.connect(to: server.address.port)
        // So much that little of the budget is left, and most of the packet is still to come.
        let byteCount = UInt64(Int.max) - 100
        let header = (0..<8).map { UInt8(truncatingIfNeeded: byteCount >> (56 - 8 * $0)) } + [1]
        try await onThread {
            for bytes in [header] + Array(repeating: [UInt8](repeating: 7, count: 1_000), count: 200) {
                guard (try? socket.send(bytes)) != nil else { break }
            }
        }
        #expect(await ends.next() as? ConnectionError == .noRoom(limit: limit))
        await server.shutDown(within: .zero)
    }

    // MARK: By address

    @Test func `a connection over the limit per address is closed, until another one ends`() async throws {
        let ends = ConnectionEnds()
        let server = try await echo(ends.configure { $0.listening.connectionLimitPerAddress = 2 })
        let first = try await server.connect()
        let second = try await server.connect()
        for client in [first, second] {
            try await client.send(Self.hello)
            #expect(try await client.nextPacket() != nil)
        }
        let third = try await server.connect()
        #expect(await ends.next() as? ConnectionError == .tooManyConnections(limit: 2))
        #expect(try await third.nextPacket() == nil)
        first.close()
        #expect(await ends.next() == nil)
        let fourth = try await server.connect()
        try await fourth.send(Self.hello)
        #expect(try await fourth.nextPacket() != nil)
        let counters = await server.counters()
        #expect(counters.acceptedConnectionCount == 3)
        #expect(counters.connectionCount == 2)
        #expect(counters.refusedConnectionCount == 1)
        for client in [second, third, fourth] { client.close() }
        await server.shutDown()
    }

    @Test(
        arguments: [
            ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("2001:db8::1", "2001:db8::ffff:1", true),
            ("2001:db8::1", "2001:db8:0:1::1", false), ("::ffff:10.1.2.3", "10.1.2.3", true),
        ])
    func `addresses that one subscriber can choose count as one`(left: String, right: String, areOne: Bool) throws {
        let networks = try [left, right].map { PeerNetwork(try SocketAddress(ipAddress: $0, port: 1)) }
        #expect((networks[0] == networks[1]) == areOne)
    }

    // MARK: Slow ones

    @Test(arguments: [false, true])
    func `a peer that sends a packet too slowly is closed, with either kind of handler`(
        isBatched: Bool
    ) async throws {
        let ends = ConnectionEnds()
        let rate = MinimumRate(byteCount: 1_000, window: .milliseconds(100))
        let configuration = ends.configure { $0.listening.minimumRate = rate }
        let server =
            isBatched
            ? try await echo(configuration)
            : try await SceneServer.start(configuration: configuration) { client in
                while let packet = try await client.nextPacket() { try await client.forward(packet) }
            }
        let client = try await server.connect()
        let dribbling = Task {
            for byte in try packet(100_000) {
                try await client.connection.sendRaw([byte])
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(await ends.next() as? ConnectionError == .tooSlow(rate))
        #expect(await server.counters().tooSlowConnectionCount == 1)
        dribbling.cancel()
        client.close()
        await server.shutDown()
    }

    @Test func `a peer that has completed its packet may be silent for longer than the rate window`() async throws {
        let ends = ConnectionEnds()
        // On a loop that other tests do not keep busy, because the test measures its time.
        let group = try EventLoopGroup(threadCount: 1)
        let server = try await echo(
            on: group,
            ends.configure {
                // Long enough for a machine that is busy with all the other tests.
                $0.listening.minimumRate = MinimumRate(byteCount: 1_000, window: .seconds(20))
                // Ends the silence, which is no error.
                $0.listening.idleTimeout = .seconds(25)
            })
        let client = try await server.connect(on: group)
        let bytes = try packet(5_000)
        try await client.connection.onLoop { connection in
            connection.stream.write(Array(bytes[..<4_000]))
            connection.stream.flush()
            // Not in a task, which might have to wait for others.
            connection.loop.schedule(at: connection.loop.now + .milliseconds(50)) {
                connection.stream.write(Array(bytes[4_000...]))
            }
        }
        #expect(try await client.connection.nextBytes() == bytes)
        #expect(await ends.next() as? ConnectionError == .transport(.timedOut))
        client.close()
        await server.shutDown()
    }

    @Test func `the time of a busy handler does not count against a slow packet`() async throws {
        let ends = ConnectionEnds()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (completed, complete) = AsyncStream<Void>.makeStream()
        let configuration = ends.configure { $0.listening.minimumRate = MinimumRate(window: .milliseconds(20)) }
        let server = try await SceneServer.start(configuration: configuration) { client in
            _ = try await client.nextPacket()
            begin.yield()
            // Several windows, while half a packet is buffered.
            try await Task.sleep(for: .milliseconds(100))
            var iterator = completed.makeAsyncIterator()
            await iterator.next()
            try await client.send(Sc_20001.entered(Self.hello))
            guard let rest = try await client.nextPacket() else { return }
            try await client.forward(rest)
        }
        let client = try await server.connect()
        let (first, second) = (try Self.hello.encoded(), try packet(100))
        try await client.connection.sendRaw(first + second[..<50])
        var iterator = begun.makeAsyncIterator()
        await iterator.next()
        try await client.connection.sendRaw(Array(second[50...]))
        complete.yield()
        #expect(try await client.nextPacket() != nil)
        #expect(try await client.connection.nextBytes() == second)
        #expect(await ends.next() == nil)
        client.close()
        await server.shutDown()
    }

    // MARK: Total bytes

    @Test(arguments: [false, true])
    func `partial long packets stay below the memory limit, and every whole packet gets through`(
        isBatched: Bool
    ) async throws {
        let (limit, slowCount) = (2 << 20, 6)
        let configuration = ConnectionEnds().configure {
            $0.listening.heldByteLimit = limit
            // A short wait for rests that will not come; the bytes of whole packets are all here at once.
            $0.listening.minimumRate = MinimumRate(window: .seconds(2))
        }
        // One loop, so that the counters are of one moment.
        let group = try EventLoopGroup(threadCount: 1)
        let server =
            isBatched
            ? try await echo(on: group, configuration)
            : try await SceneServer.start(on: group, configuration: configuration) { client in
                while let packet = try await client.nextPacket() { try await client.forward(packet) }
            }
        let half = try Array(packet(1 << 20).prefix(1 << 19))
        var slow: [PacketClient<SceneProtocol>] = []
        for _ in 0..<slowCount {
            let client = try await server.connect(on: group)
            try await client.send(packet: half)
            slow.append(client)
        }
        // Until nothing more is read, or a connection was closed.
        while true {
            let counters = await server.counters()
            let closedCount = counters.tooSlowConnectionCount + counters.noRoomConnectionCount
            guard counters.heldByteCount < limit / 2, closedCount == 0 else { break }
            await pause()
        }
        let watching = Task {
            var most = 0
            while !Task.isCancelled {
                let counters = await server.counters()
                #expect(counters.heldByteCount <= limit)
                await pause()
                most = max(most, counters.traffic.unreadByteCount + counters.traffic.pendingByteCount)
            }
            return most
        }
        let small = try await server.connect(on: group)
        for line in 1...100 as ClosedRange<UInt32> {
            let bytes = try Cs_20001(sceneID: 1, line: line, message: "small").encoded()
            try await small.send(packet: bytes)
            #expect(try await small.connection.nextBytes() == bytes)
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    let client = try await server.connect(on: group)
                    let whole = try packet(300_000)
                    try await client.send(packet: whole)
                    #expect(try await client.connection.nextBytes() == whole)
                    client.close()
                }
            }
            try await tasks.waitForAll()
        }
        watching.cancel()
        let uncounted = 16 << 10
        // One read of each loop is not counted before it has come.
        #expect(await watching.value <= limit + (slowCount + 5) * uncounted + 2 * (128 << 10))
        for client in slow + [small] { client.close() }
        await server.shutDown(within: .seconds(500))
        #expect(await server.counters().heldByteCount == 0)
    }

    @Test func `if all connections wait for memory, the largest is closed, and the others continue`() async throws {
        let ends = ConnectionEnds()
        let configuration = ends.configure {
            $0.listening.heldByteLimit = 1 << 20
            $0.listening.minimumRate = nil
            $0.listening.minimumReadingRate = nil
        }
        let server = try await echo(configuration)
        let whole = try packet(700_000)
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<3 { clients.append(try await server.connect()) }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for client in clients {
                group.addTask {
                    do {
                        for _ in 0..<5 {
                            try await client.send(packet: whole)
                            guard try await client.connection.nextBytes() == whole else { return false }
                        }
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for client in clients { client.close() }
        for _ in outcomes.filter({ !$0 }) {
            #expect(await ends.next() as? ConnectionError == .noRoom(limit: 1 << 20))
        }
        #expect(outcomes.contains(true))
        await server.shutDown()
    }

    @Test func `a packet larger than the memory limit ends its connection`() async throws {
        let ends = ConnectionEnds()
        let server = try await echo(ends.configure { $0.listening.heldByteLimit = 100_000 })
        let client = try await server.connect()
        try await client.connection.sendRaw(packet(1 << 20))
        #expect(await ends.next() as? ConnectionError == .noRoom(limit: 100_000))
        #expect(await server.counters().noRoomConnectionCount == 1)
        client.close()
        await server.shutDown()
    }

    @Test func `silent connections with partial packets are closed for those that wait for memory`() async throws {
        let ends = ConnectionEnds()
        let limit = 4 << 20
        let configuration = ends.configure {
            $0.listening.heldByteLimit = limit
            // Only the memory limit ends them.
            $0.firstPacketTimeout = nil
            $0.listening.minimumRate = nil
            $0.listening.minimumReadingRate = nil
        }
        let server = try await echo(configuration)
        let whole = try packet(1 << 20)
        var silent: [PacketClient<SceneProtocol>] = []
        for _ in 0..<8 {
            let client = try await server.connect()
            try await client.connection.sendRaw(Array(whole.dropLast()))
            silent.append(client)
        }
        // Those that get memory hold all of a packet but a byte, so that others get none.
        while await server.counters().heldByteCount < limit / 2 { await pause() }
        let client = try await server.connect()
        let other = try packet(200_000)
        for _ in 0..<3 {
            try await client.connection.sendRaw(other)
            #expect(try await client.connection.nextBytes() == other)
        }
        #expect(await server.counters().noRoomConnectionCount > 0)
        for client in silent { client.close() }
        client.close()
        await server.shutDown()
    }

    @Test func `an oversized packet is forgotten with its connection, and delays no others`() async throws {
        let limit = 256 << 10
        let server = try await echo(
            ConnectionEnds().configure {
                $0.listening.heldByteLimit = limit
                $0.listening.minimumRate = nil
                $0.listening.minimumReadingRate = nil
            })
        let (endless, whole) = (try packet(900_000), try packet(200_000))
        var clients: [PacketClient<SceneProtocol>] = []
        for index in 0..<24 {
            let client = try await server.connect()
            // The first ones leave so little memory that each of the others waits for all of its packet.
            try? await client.send(packet: Array(endless.prefix(index < 4 ? 60_000 : 20_000)))
            clients.append(client)
        }
        while await server.counters().noRoomConnectionCount == 0 { await pause() }
        for client in clients { client.close() }
        while await server.counters().connectionCount > 0 { await pause() }
        #expect(await server.counters().heldByteCount == 0)
        let answeredCount = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    guard let client = try? await server.connect() else { return false }
                    defer { client.close() }
                    try? await client.send(packet: whole)
                    return (try? await client.connection.nextBytes()) == whole
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        // Some may have been closed in favour of others, but none waits without end.
        #expect(answeredCount > 0)
        await server.shutDown()
    }

    @Test func `the time in which a packet waits for memory does not count as its peer's silence`() async throws {
        // A run in which the machine kept others from sending in time proves nothing, and is repeated.
        for _ in 0..<5 where try await waitsForRoomBeyondItsTime() { return }
        Issue.record("a packet that waited for room was never whole")
    }

    /// Has a packet wait for memory, while others are silent for too long.
    ///
    /// - Returns: Whether it arrived whole when there was memory.
    private func waitsForRoomBeyondItsTime() async throws -> Bool {
        let configuration = ConnectionEnds().configure {
            $0.listening.heldByteLimit = 256 << 10
            $0.limits.pendingByteCount = 240_000
            $0.limits.writeTimeout = nil
            $0.listening.minimumRate = nil
            $0.listening.minimumReadingRate = nil
            $0.listening.idleTimeout = .milliseconds(300)
        }
        let count = 1_000
        let (many, whole) = (try packet(10_000), try packet(150_000))
        let server = try await SceneServer.start(configuration: configuration) { client in
            guard let packet = try await client.nextPacket() else { return }
            // A client that sends little gets more than it reads; others get back what they sent.
            guard packet.byteCount < 1_000 else { return try await client.forward(packet) }
            for _ in 0..<count { try await client.send(packet: many) }
        }
        let greedy = try await server.connect()
        try await greedy.send(packet: packet(100))
        _ = try await eventually(within: .seconds(10)) { await server.counters().traffic.waitingSenderCount > 0 }
        let patient = try await server.connect()
        try await patient.send(packet: whole)
        // So long that each of three others, which come later, is silent for too long.
        for _ in 0..<3 {
            let silent = try await server.connect()
            _ = try? await silent.nextPacket()
            silent.close()
        }
        let hasWaited = await server.counters().traffic.waitingSenderCount > 0
        async let answer = try? await patient.connection.nextBytes()
        for _ in 0..<count { _ = try? await greedy.nextPacket() }
        let isWhole = await answer == whole
        for client in [greedy, patient] { client.close() }
        await server.shutDown()
        return hasWaited && isWhole
    }

    /// How much the system takes depends on the size: it leaves more or fewer of the last bytes.
    @Test(arguments: [5_000, 17_000])
    func `clients that read nothing stay within the memory limit, and get everything when they read`(
        size: Int
    ) async throws {
        let limit = 256 << 10
        let count = 12
        let configuration = ConnectionEnds().configure {
            $0.listening.heldByteLimit = limit
            $0.limits.pendingByteCount = 200_000
            $0.limits.writeTimeout = nil
        }
        let server = try await SceneServer.start(configuration: configuration) { client in
            let bytes = try packet(size)
            for _ in 0..<10_000_000 / size { try await client.send(packet: bytes) }
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<count { clients.append(try await server.connect()) }
        while await server.counters().traffic.waitingSenderCount < count { await pause() }
        #expect(await server.counters().heldByteCount <= limit)
        // Over the limit each may have 16 KiB that are not counted, a step of 16 KiB between two checks, and one
        // packet. The connections are not counted at the same moment: what one has released, another may already hold.
        let most = limit + count * ((32 << 10) + size)
        var pendingCount = 0
        let holdNoMore = try await eventually(within: .seconds(100)) {
            pendingCount = await server.counters().traffic.pendingByteCount
            return pendingCount <= most
        }
        #expect(holdNoMore, "\(pendingCount) bytes wait, and \(most) may")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for client in clients {
                group.addTask {
                    var byteCount = 0
                    while let packet = try await client.nextPacket() { byteCount += packet.byteCount }
                    return byteCount
                }
            }
            for try await byteCount in group { #expect(byteCount == 10_000_000 / size * size) }
        }
        await server.shutDown()
    }
}
