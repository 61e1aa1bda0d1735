// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// What a server does about too many connections, slow ones, and those that hold too much.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct ServerLimitTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")

    /// A server whose batch handler returns what comes.
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

    /// Leaves the machine to others for a moment, where something is asked for again and again.
    private func pause() async {
        try? await Task.sleep(for: .milliseconds(2))
    }

    // MARK: Long ones

    @Test func `a packet as long as numbers go finds no room, and stops nothing else`() async throws {
        let ends = ConnectionEnds()
        let limit = 64 << 10
        let configuration = ends.configure {
            $0.heldByteLimit = limit
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
        // So much that little is left, and most of the packet is still to come.
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

    @Test func `a connection too many from one address is closed, and the next one behind an end is not`() async throws
    {
        let ends = ConnectionEnds()
        let server = try await echo(ends.configure { $0.connectionLimitPerAddress = 2 })
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
    func `addresses that one subscriber can choose from are one`(left: String, right: String, areOne: Bool) throws {
        let networks = try [left, right].map { PeerNetwork(try SocketAddress(ipAddress: $0, port: 1)) }
        #expect((networks[0] == networks[1]) == areOne)
    }

    // MARK: Slow ones

    @Test(arguments: [false, true])
    func `a peer that dribbles a packet is closed, with a handler that waits or a batch handler`(
        isBatched: Bool
    ) async throws {
        let ends = ConnectionEnds()
        let rate = MinimumRate(byteCount: 1_000, window: .milliseconds(100))
        let configuration = ends.configure { $0.minimumRate = rate }
        let server =
            isBatched
            ? try await echo(configuration)
            : try await SceneServer.start(configuration: configuration) { client in
                for try await packet in client.packets { try await client.forward(packet) }
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

    @Test func `a peer that has sent all it began may be silent for longer than a window`() async throws {
        let ends = ConnectionEnds()
        // On a loop that other tests do not keep busy: its time is what is looked at.
        let group = try EventLoopGroup(threadCount: 1)
        let server = try await echo(
            on: group,
            ends.configure {
                // Long enough for a machine that is busy with all the other tests.
                $0.minimumRate = MinimumRate(byteCount: 1_000, window: .seconds(20))
                // What ends the silence that is no fault.
                $0.idleTimeout = .seconds(25)
            })
        let client = try await server.connect(on: group)
        let bytes = try packet(5_000)
        try await client.connection.onLoop { connection in
            connection.stream.write(Array(bytes[..<4_000]))
            connection.stream.flush()
            // Not by a task, which may have to wait for others.
            connection.loop.schedule(at: connection.loop.now + .milliseconds(50)) {
                connection.stream.write(Array(bytes[4_000...]))
            }
        }
        #expect(try await client.connection.nextBytes() == bytes)
        #expect(await ends.next() as? ConnectionError == .transport(.timedOut))
        client.close()
        await server.shutDown()
    }

    @Test func `time in which the handler is busy is not the peer's`() async throws {
        let ends = ConnectionEnds()
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (completed, complete) = AsyncStream<Void>.makeStream()
        let configuration = ends.configure { $0.minimumRate = MinimumRate(window: .milliseconds(20)) }
        let server = try await SceneServer.start(configuration: configuration) { client in
            _ = try await client.nextPacket()
            begin.yield()
            // Several windows, with half a packet there.
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

    // MARK: Bytes in all

    @Test(arguments: [false, true])
    func `many halves of long packets stay beneath the limit, and every whole packet gets through`(
        isBatched: Bool
    ) async throws {
        let (limit, slowCount) = (2 << 20, 6)
        let configuration = ConnectionEnds().configure {
            $0.heldByteLimit = limit
            // A short time to wait for rests that will not come; whole packets have all their bytes here at once.
            $0.minimumRate = MinimumRate(window: .seconds(2))
        }
        // One loop, so that what is counted is what there was at one moment.
        let group = try EventLoopGroup(threadCount: 1)
        let server =
            isBatched
            ? try await echo(on: group, configuration)
            : try await SceneServer.start(on: group, configuration: configuration) { client in
                for try await packet in client.packets { try await client.forward(packet) }
            }
        let half = try Array(packet(1 << 20).prefix(1 << 19))
        var slow: [PacketClient<SceneProtocol>] = []
        for _ in 0..<slowCount {
            let client = try await server.connect(on: group)
            try await client.send(packet: half)
            slow.append(client)
        }
        // Until nothing more is read, or was not.
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

    @Test func `where all wait for more, the one that holds most is closed, and the others go on`() async throws {
        let ends = ConnectionEnds()
        let configuration = ends.configure {
            $0.heldByteLimit = 1 << 20
            $0.minimumRate = nil
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

    @Test func `a packet that could never be held ends its connection`() async throws {
        let ends = ConnectionEnds()
        let server = try await echo(ends.configure { $0.heldByteLimit = 100_000 })
        let client = try await server.connect()
        try await client.connection.sendRaw(packet(1 << 20))
        #expect(await ends.next() as? ConnectionError == .noRoom(limit: 100_000))
        #expect(await server.counters().noRoomConnectionCount == 1)
        client.close()
        await server.shutDown()
    }

    @Test func `what could never be held is forgotten with its connection, and holds up nobody`() async throws {
        let limit = 256 << 10
        let server = try await echo(
            ConnectionEnds().configure {
                $0.heldByteLimit = limit
                $0.minimumRate = nil
            })
        let (endless, whole) = (try packet(900_000), try packet(200_000))
        var clients: [PacketClient<SceneProtocol>] = []
        for index in 0..<24 {
            let client = try await server.connect()
            // The first ones leave so little that each of the others asks for all of its packet.
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
        // Some may have been closed for the others, but nobody waits for ever.
        #expect(answeredCount > 0)
        await server.shutDown()
    }

    @Test func `time in which a packet waits for room among all is not its peer's silence`() async throws {
        // A scene in which the machine kept others from saying something in time shows nothing, and is repeated.
        for _ in 0..<5 where try await waitsForRoomBeyondItsTime() { return }
        Issue.record("a packet that waited for room was never whole")
    }

    /// Has a packet wait for room, and others be silent for too long meanwhile.
    ///
    /// - Returns: Whether it came whole when there was room.
    private func waitsForRoomBeyondItsTime() async throws -> Bool {
        let configuration = ConnectionEnds().configure {
            $0.heldByteLimit = 256 << 10
            $0.limits.pendingByteCount = 240_000
            $0.limits.writeTimeout = nil
            $0.minimumRate = nil
            $0.idleTimeout = .milliseconds(300)
        }
        let count = 1_000
        let (many, whole) = (try packet(10_000), try packet(150_000))
        let server = try await SceneServer.start(configuration: configuration) { client in
            guard let packet = try await client.nextPacket() else { return }
            // Who sends little is sent more than it takes; others get back what they have sent.
            guard packet.byteCount < 1_000 else { return try await client.forward(packet) }
            for _ in 0..<count { try await client.send(packet: many) }
        }
        let greedy = try await server.connect()
        try await greedy.send(packet: packet(100))
        _ = try await eventually(within: .seconds(10)) { await server.counters().traffic.waitingSenderCount > 0 }
        let patient = try await server.connect()
        try await patient.send(packet: whole)
        // So long that each of three others, who come later, is silent for too long.
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

    /// How much the system takes is another matter for each size: of the last bytes that it does not take, more or less.
    @Test(arguments: [5_000, 10_000, 17_000, 47_000])
    func `clients that read nothing hold no more than the limit, and get everything when they read`(
        size: Int
    ) async throws {
        let limit = 256 << 10
        let count = 12
        let configuration = ConnectionEnds().configure {
            $0.heldByteLimit = limit
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
        // Beyond the limit each may have 16 KiB that are not counted, a step of 16 KiB between two looks at what is left,
        // and one packet. The connections are not counted in the same moment: what one has got rid of, another may hold
        // already.
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
