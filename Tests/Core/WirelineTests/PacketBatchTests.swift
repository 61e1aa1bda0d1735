// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// Tasks that take all arrived packets at once.
@Suite(.ahead)
struct PacketBatchTests {
    @Test func `a task takes all packets of a read at once, and then waits`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let packets = try (0..<100).map { try packet(id: $0, payload: [UInt8($0)]) }
        try await pair.client.sendRaw(packets.merged)
        let sizes = Seen<Int>()
        let taking = pair.server.taskOnLoop { server in
            while var batch = try await server.nextBatch() { sizes.add(try batch.takeAll().count) }
        }
        #expect(await sizes.first(1) == [100])
        try await pair.client.sendRaw(packets[7])
        #expect(await sizes.first(2) == [100, 1])
        pair.client.endOutput()
        try await taking.value
    }

    @Test func `packets arrive whole and in order, wherever their bytes are split`() async throws {
        var random = SeededGenerator.forThisRun()
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let packets = try (0..<2_000).map { id in
            try packet(id: UInt64(id), payload: (0..<Int.random(in: 0...300, using: &random)).map { UInt8($0 % 251) })
        }
        var bytes = packets.joined()[...]
        var pieces: [[UInt8]] = []
        while !bytes.isEmpty {
            pieces.append(Array(bytes.prefix(Int.random(in: 1...700, using: &random))))
            bytes = bytes.dropFirst(pieces.last?.count ?? 0)
        }
        let sent = pieces
        let sending = Task {
            for piece in sent { try await pair.client.sendRaw(piece) }
            pair.client.endOutput()
        }
        let received = try await pair.server.taskOnLoop { server in
            var received: [[UInt8]] = []
            while var batch = try await server.nextBatch() { received += try batch.takeAll() }
            return received
        }.value
        #expect(received == packets, random.seedComment)
        try await sending.value
    }

    @Test func `packets that a task leaves in a batch come with the next batch, or one by one`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let packets = try (0..<6).map { try packet(payload: [$0]) }
        try await pair.client.sendRaw(packets.merged)
        let taken = try await pair.server.taskOnLoop { server in
            var taken: [[UInt8]] = []
            for _ in 0..<2 {
                guard var batch = try await server.nextBatch() else { break }
                if let packet = try batch.next() { taken.append([UInt8](copying: packet.bytes)) }
            }
            if let packet = try await server.next() { taken.append([UInt8](copying: packet.bytes)) }
            guard var batch = try await server.nextBatch() else { return taken }
            return taken + (try batch.takeAll())
        }.value
        #expect(taken == packets)
    }

    @Test func `a batch can be forwarded packet by packet to a slow reader`() async throws {
        let pair = try await ConnectionPair.make(limits: ConnectionLimits(pendingByteCount: 10_000, writeTimeout: nil))
        defer { pair.close() }
        let packets = try (0..<1_000).map { try packet(id: $0, payload: [UInt8](repeating: 1, count: 9_000)) }
        let echo = pair.server.taskOnLoop { server in
            while var batch = try await server.nextBatch() {
                while let packet = try batch.next() { try await server.forward(packet) }
            }
            server.endOutput()
        }
        let sending = Task {
            for packet in packets { try await pair.client.send(packet: packet) }
            pair.client.endOutput()
        }
        #expect(try await eventually { try await pair.server.onLoop { $0.stream.isOutputStalled } })
        for expected in packets {
            let bytes = try await pair.client.nextBytes()
            guard bytes != expected else { continue }
            #expect(bytes == expected)
            break
        }
        try await sending.value
        try await echo.value
    }

    @Test func `a request in the middle of a batch gets its reply, and the rest stays in order`() async throws {
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: GoimProtocol.self,
            configuration: .patient
        ) { client in
            for number in 0..<5 { try await client.send(Notification(body: "\(number)")) }
            while let packet = try await client.nextPacket() {
                try await client.send(Notification(body: "before"))
                try await client.reply(to: packet, with: HeartbeatReply(popularity: 42))
                try await client.send(Notification(body: "after"))
            }
        }
        let client = try await server.connect()
        let bodies = try await client.connection.taskOnLoop { _ in
            var bodies: [String] = []
            while bodies.last != "after", var batch = try await client.nextBatch() {
                while let packet = try batch.next() {
                    let body = try Notification(payloadOf: packet).body
                    bodies.append(body)
                    guard body == "1" else { continue }
                    let reply = try await client.request(Heartbeat(body: ""), timeout: .seconds(500))
                    bodies.append("reply \(reply.popularity)")
                }
            }
            return bodies
        }.value
        #expect(bodies == ["0", "1", "reply 42", "2", "3", "4", "before", "after"])
        client.close()
        await server.shutDown()
    }

    @Test func `bytes that are no packet end a batch after the packets before them`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let whole = try packet(payload: [1])
        try await pair.client.sendRaw(whole + whole + Array("GET / HTTP/1.1\r\n".utf8))
        let (taken, errors) = try await pair.server.taskOnLoop { server -> ([[UInt8]], [ConnectionError]) in
            var taken: [[UInt8]] = []
            var errors: [ConnectionError] = []
            while errors.count < 3 {
                do throws(ConnectionError) {
                    guard var batch = try await server.nextBatch() else { break }
                    while let packet = try batch.next() { taken.append([UInt8](copying: packet.bytes)) }
                } catch {
                    errors.append(error)
                }
            }
            return (taken, errors)
        }.value
        #expect(taken == [whole, whole])
        #expect(errors.count == 3)
        #expect(errors.allSatisfy { $0.description.contains("HTTP") })
    }

    @Test(arguments: [0, 1, 5, 40_000])
    func `an end of stream comes after the whole packets, and inside a packet it is an error`(cut: Int) async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let whole = try packet(payload: [1])
        try await pair.client.sendRaw(whole + (try packet(payload: [UInt8](repeating: 2, count: 50_000)))[..<cut])
        pair.client.endOutput()
        let (taken, error) = try await pair.server.taskOnLoop { server -> ([[UInt8]], ConnectionError?) in
            var taken: [[UInt8]] = []
            do throws(ConnectionError) {
                while var batch = try await server.nextBatch() {
                    while let packet = try batch.next() { taken.append([UInt8](copying: packet.bytes)) }
                }
                return (taken, nil)
            } catch {
                return (taken, error)
            }
        }.value
        #expect(taken == [whole])
        let codecError: CodecError? = if case .codec(let error) = error { error } else { nil }
        #expect((codecError == nil) == (cut == 0))
        if let codecError, case .endOfStream(let received, _) = codecError.reason { #expect(received == cut) }
    }

    @Test func `a packet in use stays valid when the connection is closed`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let packets = try [packet(payload: [1, 2, 3]), packet(payload: [4])]
        try await pair.client.sendRaw(packets[0] + packets[1])
        let (bytes, error) = try await pair.server.taskOnLoop { server -> ([UInt8], ConnectionError?) in
            guard var batch = try await server.nextBatch() else { return ([], nil) }
            var bytes: [UInt8] = []
            if let packet = try batch.next() {
                server.close()
                bytes = [UInt8](copying: packet.bytes)
            }
            do throws(ConnectionError) {
                _ = try batch.next()
                return (bytes, nil)
            } catch {
                return (bytes, error)
            }
        }.value
        #expect(bytes == packets[0])
        #expect(error == .transport(.closed))
    }

    @Test func `a task that waits for a batch can be cancelled, and the next task gets the batch`() async throws {
        let pair = try await ConnectionPair.make()
        defer { pair.close() }
        let waiting = pair.server.taskOnLoop { server in try await server.nextBatch() == nil }
        waiting.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await waiting.value }
        let bytes = try packet(payload: [1])
        try await pair.client.sendRaw(bytes)
        let taken = try await pair.server.taskOnLoop { server in
            guard var batch = try await server.nextBatch() else { return [[UInt8]]() }
            return try batch.takeAll()
        }.value
        #expect(taken == [bytes])
    }
}

extension PacketConnection {
    /// A task that runs on the connection's loop.
    func taskOnLoop<Value: Sendable>(
        _ body: @escaping @Sendable (PacketConnection) async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: loop) { try await body(self) }
    }
}

extension PacketBatch {
    /// The bytes of all remaining packets.
    fileprivate mutating func takeAll() throws(ConnectionError) -> [[UInt8]] {
        var taken: [[UInt8]] = []
        while let packet = try next() { taken.append([UInt8](copying: packet.bytes)) }
        return taken
    }
}
