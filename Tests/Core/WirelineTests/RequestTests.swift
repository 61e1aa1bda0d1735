// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline

/// Which reply belongs to which request.
@Suite(.ahead)
struct RequestTests {
    private static let oneByte: [UInt8] = [1]

    @Test func `replies in another order find their requests by sequence number`() async throws {
        let server = try await GoimServer.start { client in
            var waiting: [(packet: ReceivedPacket, body: String)] = []
            while let received = try await client.nextMessage() {
                guard case .heartbeat(let heartbeat) = received.message else { continue }
                waiting.append((received.packet, heartbeat.body))
                guard waiting.count == 10 else { continue }
                for (packet, body) in waiting.reversed() {
                    try await client.reply(to: packet, with: HeartbeatReply(popularity: UInt32(body) ?? 0))
                }
                waiting = []
            }
        }
        let client = try await server.connect()
        try await withThrowingTaskGroup(of: (UInt32, UInt32).self) { group in
            for number in 0..<100 as Range<UInt32> {
                group.addTask { (number, try await client.request(Heartbeat(body: "\(number)")).popularity) }
            }
            for try await (number, popularity) in group { #expect(number == popularity) }
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a reply has the same bytes, however it is written`() async throws {
        let none = PacketHeader()
        let server = try await GoimServer.start { client in
            // One packet in a task of the loop, with its header written at once and field by field; one elsewhere.
            for number in 0..<3 as Range<UInt32> {
                guard let packet = try await client.nextPacket() else { return }
                let reply = HeartbeatReply(popularity: number)
                if number == 2 {
                    try await withTaskExecutorPreference(globalConcurrentExecutor) {
                        try await client.reply(to: packet, with: reply)
                        try await client.reply(to: packet, with: reply, header: none)
                    }
                } else {
                    try await client.reply(to: packet, with: reply)
                    try await client.reply(to: packet, with: reply, header: none)
                }
            }
            while var batch = try await client.nextBatch() {
                while let packet = try batch.next() {
                    try client.writeReply(to: packet, with: HeartbeatReply(popularity: 7))
                    try client.writeReply(to: packet, with: HeartbeatReply(popularity: 7), header: none)
                }
            }
        }
        let client = try await server.connect()
        for sequence in [0, 1, 0x0102_0304, Int128(UInt32.max)] {
            try await client.send(Heartbeat(body: ""), header: ["Sequence": sequence])
            let reply = try #require(try await client.connection.nextBytes())
            #expect(reply[12..<16].reduce(0) { $0 << 8 | Int128($1) } == sequence)
            #expect(try await client.connection.nextBytes() == reply)
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a batch handler replies with each request's sequence number, and sets header fields`() async throws {
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: GoimProtocol.self,
            configuration: .patient
        ) { client in
            { batch in
                while let packet = try batch.next() {
                    let popularity = UInt32(try Heartbeat(payloadOf: packet).body) ?? 0
                    try client.write(HeartbeatReply(popularity: popularity + 1), header: ["Sequence": 0, "Version": 4])
                    let reply = HeartbeatReply(popularity: popularity)
                    try client.writeReply(to: packet, with: reply, header: ["Version": 3])
                }
            }
        }
        let client = try await server.connect()
        let reading = Task {
            var others: [(popularity: UInt32, version: Int128?)] = []
            while let received = try await client.nextMessage() {
                guard case .heartbeatReply(let reply) = received.message else { continue }
                others.append((reply.popularity, try received.header["Version"]))
                if others.count == 3 { break }
            }
            return others
        }
        for number in [5, 3, 9] as [UInt32] {
            #expect(try await client.request(Heartbeat(body: "\(number)")).popularity == number)
        }
        let others = try await reading.value
        #expect(others.map(\.popularity) == [6, 4, 10])
        #expect(others.allSatisfy { $0.version == 4 })
        await #expect(throws: ConnectionError.self) {
            try await client.loop.run { () throws(any Error) in
                try client.connection.write(Heartbeat(body: ""), header: ["Operation": 1])
            }
        }
        client.close()
        await server.shutDown()
    }

    @Test func `without a sequence number, replies come in the order of their requests`() async throws {
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let client = try await server.connect()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 as Range<UInt32> {
                group.addTask {
                    let reply = try await client.request(Cs_20001(sceneID: 1, line: number, message: "\(number)"))
                    return reply.defaultCombat == number && reply.message == "\(number)"
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        client.close()
        await server.shutDown()
    }

    @Test func `other messages between requests and replies reach the iterating task`() async throws {
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                for id in 1...3 as ClosedRange<UInt64> {
                    try await client.send(packet: PacketLayout.standard.encode(id: id, payload: RawSpan()))
                }
                try await client.send(Sc_20001.entered(enter))
                try await client.send(packet: PacketLayout.standard.encode(id: 4, payload: RawSpan()))
            }
        }
        let client = try await server.connect()
        for round in 0..<3 as Range<UInt32> {
            let reply = try await client.request(Cs_20001(sceneID: 1, line: round, message: ""))
            #expect(reply.defaultCombat == round)
        }
        var ids: [UInt64] = []
        while ids.count < 12, let packet = try await client.nextPacket() { ids.append(packet.id) }
        #expect(ids == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
        client.close()
        await server.shutDown()
    }

    @Test func `requests are answered while another task iterates`() async throws {
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(packet: PacketLayout.standard.encode(id: 5, payload: RawSpan()))
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let client = try await server.connect()
        let counting = Task {
            var count = 0
            while let received = try await client.nextMessage() {
                guard case .unknown = received.message else { continue }
                count += 1
                if count == 50 { break }
            }
            return count
        }
        for round in 0..<50 as Range<UInt32> {
            #expect(try await client.request(Cs_20001(sceneID: 1, line: round, message: "")).defaultCombat == round)
        }
        #expect(try await counting.value == 50)
        client.close()
        await server.shutDown()
    }

    /// A server that holds its first reply until it is told to send it.
    private func startLateServer<Definition: PacketProtocol>(
        _ reply: @escaping @Sendable (ServerConnection<Definition>, ReceivedPacket) async throws -> Void
    ) async throws -> (PacketServer<Definition>, AsyncStream<Void>.Continuation) {
        let (signals, signal) = AsyncStream<Void>.makeStream()
        let server = try await PacketServer<Definition>.start { client in
            var signals = signals.makeAsyncIterator()
            guard let first = try await client.nextPacket() else { return }
            _ = await signals.next()
            try await reply(client, first)
            while let packet = try await client.nextPacket() { try await reply(client, packet) }
        }
        return (server, signal)
    }

    @Test func `a late reply answers no other request, with sequence numbers`() async throws {
        let (server, signal) = try await startLateServer { (client: ServerConnection<GoimProtocol>, packet) in
            let body = try packet.decode(Heartbeat.self).body
            try await client.reply(to: packet, with: HeartbeatReply(popularity: UInt32(body) ?? 0))
        }
        let client = try await server.connect()
        await #expect(throws: ConnectionError.unanswered(unreadByteCount: 0)) {
            _ = try await client.request(Heartbeat(body: "1"), timeout: .milliseconds(1))
        }
        signal.yield()
        #expect(try await client.request(Heartbeat(body: "2")).popularity == 2)
        var iterator = client.messages.makeAsyncIterator()
        guard case .heartbeatReply(let late)? = try await iterator.next()?.message else {
            throw ConnectionError.endedBeforeReply
        }
        #expect(late.popularity == 1)
        client.close()
        await server.shutDown()
    }

    @Test func `a late reply answers no other request, in order`() async throws {
        let (server, signal) = try await startLateServer { (client: ServerConnection<SceneProtocol>, packet) in
            try await client.send(Sc_20001.entered(packet.decode(Cs_20001.self)))
        }
        let client = try await server.connect()
        for number in 1...2 as ClosedRange<UInt32> {
            await #expect(throws: ConnectionError.unanswered(unreadByteCount: 0)) {
                _ = try await client.request(
                    Cs_20001(sceneID: 1, line: number, message: ""), timeout: .milliseconds(1))
            }
        }
        signal.yield()
        #expect(try await client.request(Cs_20001(sceneID: 1, line: 3, message: "")).defaultCombat == 3)
        var iterator = client.messages.makeAsyncIterator()
        var late: [UInt32] = []
        while late.count < 2, case .sc20001(let reply)? = try await iterator.next()?.message {
            late.append(reply.defaultCombat)
        }
        #expect(late == [1, 2])
        client.close()
        await server.shutDown()
    }

    @Test func `a cancelled request ends, and the next one gets its own reply`() async throws {
        let (requests, asked) = AsyncStream<Void>.makeStream()
        let (signals, signal) = AsyncStream<Void>.makeStream()
        let server = try await SceneServer.start { client in
            var signals = signals.makeAsyncIterator()
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                asked.yield()
                _ = await signals.next()
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let client = try await server.connect()
        let task = Task { try await client.request(Cs_20001(sceneID: 1, line: 1, message: "")) }
        var iterator = requests.makeAsyncIterator()
        _ = await iterator.next()
        task.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await task.value }
        signal.yield()
        signal.yield()
        #expect(try await client.request(Cs_20001(sceneID: 1, line: 2, message: "")).defaultCombat == 2)
        client.close()
        await server.shutDown()
    }

    @Test func `a peer that ends without a reply ends the wait`() async throws {
        let server = try await SceneServer.start { client in
            _ = try await client.nextPacket()
        }
        let client = try await server.connect()
        await #expect(throws: ConnectionError.endedBeforeReply) {
            _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: ""))
        }
        await #expect(throws: ConnectionError.endedBeforeReply) {
            _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: ""))
        }
        client.close()
        await #expect(throws: ConnectionError.self) {
            _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: ""))
        }
        await server.shutDown()
    }

    @Test func `unread packets stop the reading, and a request's error says so`() async throws {
        let server = try await SceneServer.start { client in
            let packet = try PacketLayout.standard.encode(id: 1, payload: [UInt8](repeating: 0, count: 994).span.bytes)
            while true { try await client.send(packet: packet) }
        }
        var configuration = ClientConfiguration.patient
        configuration.limits.unreadByteCount = 10_000
        let client = try await server.connect(configuration: configuration)
        var unreadCount = 0
        // The server may not have sent that much by then.
        while unreadCount <= 5_000 {
            do {
                _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: ""), timeout: .seconds(1))
                Issue.record("nobody has answered")
            } catch ConnectionError.unanswered(let byteCount) {
                unreadCount = byteCount
            }
        }
        #expect(unreadCount <= 11_000)
        client.close()
        await server.shutDown()
    }

    @Test func `a reply after too many unread packets is found once a task reads`() async throws {
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                let pushed = try PacketLayout.standard.encode(
                    id: 1, payload: [UInt8](repeating: 0, count: 994).span.bytes)
                let answers = repeatElement(pushed, count: 10).merged
                try await client.send(packet: answers + Sc_20001.entered(enter).encoded())
            }
        }
        var configuration = ClientConfiguration.patient
        configuration.limits.unreadByteCount = 5_000
        let client = try await server.connect(configuration: configuration)
        for round in 1...3 as ClosedRange<UInt32> {
            async let reply = client.request(Cs_20001(sceneID: 1, line: round, message: ""))
            for _ in 0..<10 { #expect(try await client.nextPacket()?.id == 1) }
            #expect(try await reply.defaultCombat == round)
        }
        client.close()
        await server.shutDown()
    }

    @Test func `closing ends a request whose reply is after too many unread packets`() async throws {
        let server = try await SceneServer.start { client in
            let packet = try PacketLayout.standard.encode(id: 1, payload: [UInt8](repeating: 0, count: 994).span.bytes)
            while true { try await client.send(packet: packet) }
        }
        var configuration = ClientConfiguration.patient
        configuration.limits.unreadByteCount = 5_000
        let client = try await server.connect(configuration: configuration)
        let waiting = Task { try await client.request(Cs_20001(sceneID: 1, line: 1, message: "")) }
        #expect(try await eventually { try await client.connection.onLoop({ $0.unreadByteCount }) >= 4_000 })
        client.close()
        await #expect(throws: ConnectionError.transport(.closed)) { _ = try await waiting.value }
        await server.shutDown()
    }

    @Test func `a reply that the schema refuses is an error that names its field once`() async throws {
        let server = try await SceneServer.start { client in
            while try await client.nextPacket() != nil {
                try await client.send(
                    packet: PacketLayout.standard.encode(id: 20_001, payload: Self.oneByte.span.bytes))
            }
        }
        let client = try await server.connect()
        do {
            _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: ""))
            Issue.record("the reply passed")
        } catch {
            #expect("\(error)" == "Sc_20001.SceneId: needs 4 bytes at offset 7, 0 are left")
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a value that does not fit is refused before anything is sent`() async throws {
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let client = try await server.connect()
        let long = String(repeating: "x", count: 70_000)
        do {
            _ = try await client.request(Cs_20001(sceneID: 1, line: 1, message: long))
            Issue.record("it was sent")
        } catch {
            #expect("\(error)".hasPrefix("Cs_20001.message"))
        }
        #expect(try await client.request(Cs_20001(sceneID: 1, line: 4, message: "")).defaultCombat == 4)
        client.close()
        await server.shutDown()
    }
}
