// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

@Suite(.ahead)
struct PacketConnectionTests {
    // MARK: Receiving

    @Test func `a message that one end sends arrives as a packet at the other end`() async throws {
        let pair = try await ConnectionPair.make(Cs_20001.Definition.layout)
        defer { pair.close() }
        let message = Cs_20001(sceneID: 7, line: 2, message: "你好")
        try await pair.client.send(message)
        let packet = try #require(try await pair.server.next())
        #expect(packet.id == 20_001)
        #expect(try Cs_20001(packet: packet.bytes) == message)
        #expect(packet.byteCount == 19)
    }

    @Test func `packets arrive whole even if every byte travels alone`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let packets = try (0..<20).map { try packet(id: $0, payload: Array(repeating: UInt8($0), count: Int($0))) }
        let sending = Task {
            for byte in packets.joined() { try await pair.client.sendRaw([byte]) }
        }
        for expected in packets { #expect(try await pair.server.nextBytes() == expected) }
        try await sending.value
    }

    @Test func `merged packets are split again, for reads of any size`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let packets = try (0..<40_000).map { try packet(id: $0 % 65_536, payload: [UInt8](repeating: 1, count: 9)) }
        let sending = Task { try await pair.client.sendRaw(packets.merged) }
        for expected in packets {
            let bytes = try await pair.server.nextBytes()
            guard bytes != expected else { continue }
            #expect(bytes == expected)
            break
        }
        try await sending.value
    }

    @Test(arguments: [0, 1, 16_378, 16_379, 131_065, 131_066, 131_067, 300_000, 9_000_000])
    func `a packet of any length arrives whole, and so does the next one`(byteCount: Int) async throws {
        var random = SeededGenerator.forThisRun()
        let pair = try await ConnectionPair.make(
            limits: ConnectionLimits(maximumPacketByteCount: 16 << 20, writeTimeout: nil))
        defer { pair.close() }
        let payload = random.bytes(byteCount)
        let packets = [try packet(payload: [1]), try packet(payload: payload), try packet(payload: [2])]
        let sending = Task { try await pair.client.sendRaw(packets.merged) }
        for expected in packets {
            let bytes = try await pair.server.nextBytes()
            #expect(bytes?.count == expected.count)
            #expect(bytes == expected)
        }
        try await sending.value
    }

    @Test(arguments: [true, false])
    func `packets come back in order, on the loop and off it`(isOnLoop: Bool) async throws {
        var random = SeededGenerator.forThisRun()
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let preference: (any TaskExecutor)? = isOnLoop ? pair.server.stream.loop : nil
        let echo = Task(executorPreference: preference) {
            while let packet = try await pair.server.next() {
                try await pair.server.send(packet: [UInt8](copying: packet.bytes))
            }
        }
        let packets = try (0..<3_000).map { id in
            try packet(id: UInt64(id), payload: random.bytes(Int.random(in: 0...2_000, using: &random)))
        }
        let sending = Task {
            for packet in packets { try await pair.client.send(packet: packet) }
            pair.client.endOutput()
        }
        for expected in packets {
            let bytes = try await pair.client.nextBytes()
            guard bytes != expected else { continue }
            #expect(bytes == expected, random.seedComment)
            break
        }
        try await sending.value
        try await echo.value
    }

    @Test @MainActor func `an actor sends and receives, and stays isolated`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let bytes = try packet(payload: [1, 2, 3])
        for _ in 0..<100 {
            try await pair.client.send(packet: bytes)
            MainActor.preconditionIsolated()
            #expect(try await pair.server.nextBytes() == bytes)
            MainActor.preconditionIsolated()
        }
    }

    @Test func `a packet that is kept does not change while others arrive`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        try await pair.client.sendRaw(try packet(payload: [1, 2, 3]))
        let kept = try #require(try await pair.server.next())
        for number in 0..<200 as Range<UInt8> {
            try await pair.client.sendRaw(try packet(payload: [number]))
            _ = try await pair.server.next()
        }
        #expect([UInt8](copying: kept.payload) == [1, 2, 3])
    }

    @Test func `the size of a partial packet is known, unless whole packets come before it`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let (first, second) = (try packet(payload: [1]), try packet(payload: [2, 3]))
        let bytes = first + second + (try packet(payload: [4, 5, 6, 7]).prefix(9))
        try await pair.client.sendRaw(bytes)
        #expect(try await pair.server.nextBytes() == first)
        // The second packet is whole: a partial packet of 17 of 8 bytes would be wrong.
        try await pair.server.onLoop { connection in #expect(connection.partialPacket == nil) }
        #expect(try await pair.server.nextBytes() == second)
        try await pair.server.onLoop { connection in
            #expect(connection.partialPacket?.receivedByteCount == 9)
            #expect(connection.partialPacket?.byteCount == 10)
        }
    }

    // MARK: Ends

    @Test func `an end of stream between packets is an end, however often it is read`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        try await pair.client.sendRaw(try packet(payload: [1]))
        pair.client.endOutput()
        #expect(try await pair.server.next() != nil)
        #expect(try await pair.server.next() == nil)
        #expect(try await pair.server.next() == nil)
        // The other direction is open.
        try await pair.server.send(packet: packet(payload: [2]))
        #expect(try await pair.client.next() != nil)
    }

    @Test(arguments: [1, 3, 4, 6, 7, 40_000])
    func `an end of stream inside a packet is an error, after the whole packets`(cut: Int) async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let whole = try packet(payload: [1])
        let torn = try packet(payload: [UInt8](repeating: 2, count: 50_000))
        try await pair.client.sendRaw(whole + torn[..<cut])
        pair.client.endOutput()
        #expect(try await pair.server.nextBytes() == whole)
        for _ in 0..<2 {
            let error = await #expect(throws: ConnectionError.self) { try await pair.server.next() }
            guard case .codec(let codecError) = error, case .endOfStream(let received, _) = codecError.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(received == cut)
        }
    }

    @Test func `a reset and an end of stream are different`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let waiting = Task { try await pair.server.next() }
        try await pair.client.onLoop { $0.stream.reset() }
        await #expect(throws: ConnectionError.transport(.reset)) { try await waiting.value }
        await #expect(throws: ConnectionError.transport(.reset)) {
            try await pair.server.send(packet: packet(payload: []))
        }
    }

    @Test func `bytes that are no packet end a connection after the packets before them`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let whole = try packet(payload: [1])
        try await pair.client.sendRaw(whole + whole + Array("GET / HTTP/1.1\r\n".utf8))
        #expect(try await pair.server.nextBytes() == whole)
        #expect(try await pair.server.nextBytes() == whole)
        for _ in 0..<2 {
            let error = await #expect(throws: ConnectionError.self) { try await pair.server.next() }
            guard case .codec(let codecError) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(codecError.description.contains("HTTP"))
        }
    }

    @Test func `closing a connection ends every wait`() async throws {
        let pair = try await ConnectionPair.make()
        let waiting = Task(executorPreference: pair.server.stream.loop) { try await pair.server.next() }
        pair.server.close()
        await #expect(throws: ConnectionError.transport(.closed)) { try await waiting.value }
        await #expect(throws: ConnectionError.transport(.closed)) {
            try await pair.server.send(packet: packet(payload: []))
        }
        #expect(try await pair.client.next() == nil)
        pair.close()
    }

    // MARK: Back-pressure

    @Test func `a sender waits while its peer reads nothing, and nothing is lost`() async throws {
        let pair = try await ConnectionPair.make(limits: ConnectionLimits(pendingByteCount: 1 << 20, writeTimeout: nil))
        defer { pair.close() }
        let piece = try packet(payload: [UInt8](repeating: 3, count: 60_000))
        let count = 1_000
        let sending = Task(executorPreference: pair.client.stream.loop) {
            for _ in 0..<count { try await pair.client.send(packet: piece) }
            pair.client.endOutput()
        }
        // 60 MB are more than the systems buffer: the rest waits, here no more than the limit and a packet. Less is left
        // if a system takes some of it later: the sender waits until it has taken all.
        #expect(try await eventually { await pair.client.counters().waitingSenderCount == 1 })
        #expect(try await pair.client.onLoop { $0.stream.pendingByteCount } <= 1 << 20 + piece.count)
        var received = 0
        while let bytes = try await pair.server.nextBytes() {
            received += bytes == piece ? 1 : 0
        }
        #expect(received == count)
        try await sending.value
    }

    @Test func `a sender that is cancelled while it waits sends nothing`() async throws {
        let pair = try await ConnectionPair.make(limits: ConnectionLimits(pendingByteCount: 1_000, writeTimeout: nil))
        defer { pair.close() }
        let filler = try packet(id: 1, payload: [UInt8](repeating: 0, count: 1_000_000))
        // Far more than the system takes without a reader: from now on, senders wait.
        try await pair.client.onLoop { for _ in 0..<20 { try $0.write(packet: filler.span.bytes) } }
        let cancelled = Task { try await pair.client.send(packet: packet(id: 2, payload: [])) }
        cancelled.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await cancelled.value }
        let reading = Task {
            var ids: [UInt64] = []
            while let packet = try await pair.server.next() { ids.append(packet.id) }
            return ids
        }
        try await pair.client.send(packet: packet(id: 3, payload: []))
        pair.client.endOutput()
        #expect(try await reading.value == Array(repeating: 1, count: 20) + [3])
    }

    @Test func `a cancelled task still sends what fits in the queue, wherever it runs`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let loops: [EventLoop?] = [nil, pair.client.loop]
        for (number, loop) in loops.enumerated() {
            let expected = try packet(payload: [UInt8(number)])
            let isCancelled = Gate()
            let sending = Task(executorPreference: loop) {
                await isCancelled.wait()
                try await pair.client.send(packet: expected)
            }
            sending.cancel()
            isCancelled.open()
            try await sending.value
            #expect(try await pair.server.nextBytes() == expected)
        }
    }

    @Test func `a reset ends the wait of every sender, once`() async throws {
        let pair = try await ConnectionPair.make(
            limits: ConnectionLimits(pendingByteCount: 1_000, writeTimeout: nil))
        defer { pair.close() }
        let piece = try packet(payload: [UInt8](repeating: 0, count: 1_000_000))
        let errors = await withTaskGroup(of: ConnectionError?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do throws(ConnectionError) {
                        try await pair.client.send(packet: piece)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            // Some have sent; the others wait for output that the system does not take.
            _ = await group.next()
            try? await pair.server.onLoop { $0.stream.reset() }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count == 49)
        #expect(errors.contains(.transport(.reset)))
        #expect(errors.allSatisfy { $0 == nil || $0 == .transport(.reset) })
    }

    @Test func `a cancelled receiver loses no packet`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        for number in 0..<50 as Range<UInt8> {
            let cancelled = Task { try await pair.server.nextBytes() }
            let expected = try packet(payload: [number])
            try await pair.client.sendRaw(expected)
            cancelled.cancel()
            do {
                #expect(try await cancelled.value == expected)
            } catch ConnectionError.cancelled {
                #expect(try await pair.server.nextBytes() == expected)
            }
        }
    }

    @Test(arguments: [PacketLayout.standard, .checked])
    func `a payload can be sent with another ID`(layout: PacketLayout) async throws {
        let pair = try await ConnectionPair.make(layout)
        defer { pair.close() }
        let relay = pair.server.taskOnLoop { server in
            while var batch = try await server.nextBatch() {
                while let packet = try batch.next() {
                    try await server.send(id: packet.id + 1, payload: packet.payload)
                    try server.write(id: packet.id + 2, payload: packet.payload)
                }
            }
            server.endOutput()
        }
        let payloads = [[], [7], Array("content".utf8), [UInt8](repeating: 9, count: 100_000)]
        for payload in payloads {
            // From any thread.
            try await pair.client.send(id: 40, payload: payload.span.bytes)
            for id: UInt64 in [41, 42] {
                #expect(try await pair.client.nextBytes() == layout.encode(id: id, payload: payload.span.bytes))
            }
        }
        pair.client.endOutput()
        try await relay.value
    }

    @Test func `a payload that fits no packet is refused, and none of it is sent`() async throws {
        let pair = try await ConnectionPair.make(
            limits: ConnectionLimits(maximumPacketByteCount: 100, writeTimeout: nil))
        defer { pair.close() }
        let payload = [UInt8](repeating: 1, count: 94)
        let sending = pair.client.taskOnLoop { client in
            let longer = payload + [1]
            try await client.send(id: 1, payload: payload.span.bytes)
            await #expect(throws: ConnectionError.self) { try await client.send(id: 2, payload: longer.span.bytes) }
            #expect(throws: ConnectionError.self) { try client.write(id: 3, payload: longer.span.bytes) }
            await #expect(throws: ConnectionError.self) {
                try await client.send(id: 1 << 16, payload: payload.span.bytes)
            }
            client.endOutput()
        }
        #expect(try await pair.server.nextBytes() == PacketLayout.standard.encode(id: 1, payload: payload.span.bytes))
        #expect(try await pair.server.nextBytes() == nil)
        try await sending.value
    }
}

extension PacketLayout {
    /// A length of variable width, and a checksum after the payload: a header that is not written as one number.
    fileprivate static let checked = PacketLayout(
        generatedHeader: [
            PacketField("length", .varint(maximumByteCount: 4), .length(of: .payload, plus: 0)),
            PacketField("id", .integer(.uint16, .bigEndian), .messageID),
        ],
        trailer: [PacketField("crc", .integer(.uint32, .littleEndian), .checksum)])
}
