// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// What happens to members that read nothing, and what it costs the others and the server.
@Suite(.ahead)
struct RoomSlowReaderTests {
    private static let pendingByteCount = 20_000

    private static var configuration: ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.limits.pendingByteCount = pendingByteCount
        return configuration
    }

    private static func message(_ id: UInt64, _ number: UInt8, byteCount: Int = 9_000) throws -> [UInt8] {
        try packet(id: id, payload: [number] + [UInt8](repeating: 7, count: byteCount))
    }

    /// Sends messages of the kinds 1 to 3, one at a time, until `condition` holds. Another member gets each of them.
    ///
    /// - Returns: How many were sent.
    private static func send(
        to room: SceneRoom, reader: RoomGuest, until condition: (RoomCounters) -> Bool
    ) async throws -> Int {
        var count = 0
        while await !condition(room.counters()) {
            room.send(packet: try message(UInt64(count % 3 + 1), UInt8(truncatingIfNeeded: count)))
            let received = try #require(try await reader.nextPacket())
            #expect(received.id == UInt64(count % 3 + 1))
            count += 1
        }
        return count
    }

    @Test func `a slow reader misses the newest messages, and the others miss none`() async throws {
        let rooms = try await RoomServer.start(configuration: Self.configuration)
        let reader = try await rooms.connect(1)[0]
        let stopped = try await rooms.connectStopped()
        let count = try await Self.send(to: rooms.room, reader: reader) { $0.droppedCount >= 50 }
        let counters = await rooms.room.counters()
        #expect(counters.droppedCount == 50)
        #expect(counters.deliveredCount + counters.droppedCount == 2 * count)
        let traffic = await rooms.server.counters().traffic
        #expect(traffic.pendingByteCount >= Self.pendingByteCount)
        #expect(traffic.pendingByteCount <= Self.pendingByteCount + 9_100)
        // It gets whole packets up to the first that was dropped, and what is sent after it has read them.
        async let packets = onThread { try stopped.packets(upTo: 9) }
        #expect(try await eventually { await rooms.server.counters().traffic.pendingByteCount == 0 })
        rooms.room.send(packet: try packet(id: 9, payload: []))
        let numbers = try await packets.map(\.number)
        #expect(numbers.dropLast() == Array((0..<count - 50).map { UInt8(truncatingIfNeeded: $0) })[...])
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `of each kind, the newest message waits for a slow reader`() async throws {
        let rooms = try await RoomServer.start(configuration: Self.configuration)
        let reader = try await rooms.connect(1)[0]
        let stopped = try await rooms.connectStopped()
        let member = try #require(rooms.room.members.first { $0 != reader.member })
        rooms.room.leave(member)
        rooms.room.join(member, slowReaders: .keepLatest)
        let count = try await Self.send(to: rooms.room, reader: reader) { $0.replacedCount >= 30 }
        var counters = await rooms.room.counters()
        // Two of the three kinds fit.
        #expect(counters.keptByteCount > 18_000)
        #expect(counters.keptByteCount <= Self.pendingByteCount)
        // A small kind waits, too.
        let small: [(UInt64, UInt8)] = [(4, 1), (5, 2), (4, 3)]
        for (id, number) in small { rooms.room.send(packet: try Self.message(id, number, byteCount: 0)) }
        for _ in 0..<3 { #expect(try await reader.nextPacket() != nil) }
        rooms.room.send(packet: try packet(id: 9, payload: []))
        #expect(try await reader.nextPacket()?.id == 9)
        let packets = try await onThread { try stopped.packets(upTo: 9) }
        counters = await rooms.room.counters()
        #expect(counters.keptByteCount == 0)
        #expect(
            counters.deliveredCount + counters.droppedCount + counters.replacedCount == 2 * (count + 4))
        // What waited comes last, in the order in which it was sent.
        #expect(packets.suffix(3).map(\.id) == [5, 4, 9])
        #expect(packets.suffix(3).map(\.number) == [2, 3, 0])
        #expect(packets.dropLast(3).last?.number == UInt8(truncatingIfNeeded: count - 1))
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `a slow reader is closed with a reason and a farewell`() async throws {
        let ends = ConnectionEnds()
        let farewell = try packet(id: 9, payload: [1])
        let rooms = try await RoomServer.start(
            RoomOptions(slowReaders: .close(farewell: farewell)),
            configuration: ends.configure { $0.limits = Self.configuration.limits })
        let reader = try await rooms.connect(1)[0]
        let stopped = try await rooms.connectStopped()
        let count = try await Self.send(to: rooms.room, reader: reader) { $0.closedCount > 0 }
        #expect(rooms.room.count == 1)
        let packets = try await onThread { try stopped.packets(upTo: 9) }
        #expect(packets.map(\.number).dropLast() == Array((0..<count - 1).map { UInt8(truncatingIfNeeded: $0) })[...])
        #expect(try stopped.receive() == [])
        stopped.endOutput()
        guard case .slowReader(let byteCount)? = await ends.next() as? ConnectionError else {
            throw ConnectionError.endedBeforeReply
        }
        #expect(byteCount >= Self.pendingByteCount)
        #expect(await rooms.server.counters().endedConnectionCounts[.slowReader] == 1)
        let counters = await rooms.room.counters()
        #expect(counters.closedCount == 1)
        #expect(counters.droppedCount == 1)
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `many messages of one turn do not exceed a slow reader's limit`() async throws {
        let rooms = try await RoomServer.start(configuration: Self.configuration)
        let reader = try await rooms.connect(1)[0]
        let stopped = try await rooms.connectStopped()
        let member = try #require(rooms.room.members.first)
        let bytes = try Self.message(1, 0, byteCount: 1_000)
        let sendCount = 3_000
        try await member.connection.onLoop { _ in for _ in 0..<sendCount { rooms.room.send(packet: bytes) } }
        let counting = Task { () throws -> Int in
            var count = 0
            while count < sendCount, try await reader.nextPacket() != nil { count += 1 }
            return count
        }
        #expect(try await eventually { await rooms.room.counters().pendingByteCount == 0 })
        #expect(await rooms.server.counters().traffic.pendingByteCount <= 2 * (Self.pendingByteCount + bytes.count))
        let counters = await rooms.room.counters()
        #expect(counters.deliveredCount + counters.droppedCount == 2 * sendCount)
        #expect(counters.droppedCount > 0)
        counting.cancel()
        _ = try? await counting.value
        stopped.reset()
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `single sends to a slow member come before what waits for it in the room`() async throws {
        let rooms = try await RoomServer.start(
            RoomOptions(slowReaders: .keepLatest), configuration: Self.configuration)
        let stopped = try await rooms.connectStopped()
        let member = try #require(rooms.room.members.first)
        // Far more than the system takes without a reader.
        let filling = try Self.message(1, 0)
        try await member.connection.onLoop { for _ in 0..<1_000 { try $0.write(packet: filling.span.bytes) } }
        let sending = Task { try await member.send(packet: packet(id: 2, payload: [])) }
        #expect(try await eventually { await member.connection.counters().waitingSenderCount == 1 })
        rooms.room.send(packet: try packet(id: 3, payload: []))
        #expect(try await eventually { await rooms.room.counters().keptByteCount > 0 })
        let later = Task { try await member.send(packet: packet(id: 9, payload: [])) }
        #expect(try await eventually { await member.connection.counters().waitingSenderCount == 3 })
        let packets = try await onThread { try stopped.packets(upTo: 9) }
        #expect(packets.count == 1_003)
        #expect(packets.suffix(3).map(\.id) == [2, 3, 9])
        try await sending.value
        try await later.value
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `a loop that is busy drops the newest messages, and never holds more than the limit`() async throws {
        let limit = 50_000
        let rooms = try await RoomServer.start(RoomOptions(pendingByteLimit: limit))
        let clients = try await rooms.connect(3)
        let (isBusy, mayGoOn) = (Seen<Void>(), Seen<Void>())
        try #require(rooms.room.members.first).loop.execute {
            isBusy.add(())
            mayGoOn.block(until: 1)
        }
        _ = await isBusy.first(1)
        for number in 1...1_000 { try rooms.room.send(RoomServer.line(number)) }
        mayGoOn.add(())
        let cost = try RoomServer.line(1).encoded().count + 64
        let sentCount = limit / cost
        for client in clients { #expect(try await client.client.lines(upTo: sentCount) == Array(1...sentCount)) }
        #expect(try await eventually { await rooms.room.counters().pendingByteCount == 0 })
        let counters = await rooms.room.counters()
        #expect(counters.deliveredCount == 3 * sentCount)
        #expect(counters.droppedCount == 3 * (1_000 - sentCount))
        await rooms.server.shutDown(within: .zero)
    }

    @Test func `a loop sends to a large room without delaying its timers`() async throws {
        let rooms = try await RoomServer.start()
        let clients = try await rooms.connect(200)
        let loop = try #require(rooms.room.members.first).loop
        let (hasFired, bytes) = (Seen<Int>(), try packet(id: 1, payload: [1]))
        await loop.run {
            rooms.room.send(packet: bytes)
            loop.schedule(at: loop.now) { hasFired.add(0) }
        }
        // The members get the message in several turns, and the timer fires after the first of them.
        _ = await hasFired.first(1)
        for client in clients { #expect(try await client.nextPacket()?.id == 1) }
        await rooms.server.shutDown(within: .zero)
    }
}
