// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline

/// What a session receives from its server, and what happens if the program does not read it.
@Suite(.ahead)
struct PacketSessionReceivingTests {
    @Test func `unread messages slow the server down, are not lost, and do not count as silence`() async throws {
        // More than the system's buffers take.
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let beats = Seen<UInt64>()
        let connections = Seen<Void>()
        let sent = Seen<Int>()
        let server = try await GoimServer.start { client in
            connections.add(())
            let connection = connections.count
            async let reading: Void = { while let packet = try await client.nextPacket() { beats.add(packet.id) } }()
            for number in 0..<count {
                try await client.send(Notification(body: "\(connection).\(number) \(body)"))
                sent.add(number)
            }
            try await reading
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = 4_096
        var conventions = SessionConventions<GoimProtocol>()
        // No answer ever comes. The session must not mind, because it reads nothing.
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(250), timeout: .seconds(15)), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, on: EventLoopGroup(threadCount: 1),
            configuration: configuration, conventions: conventions
        ) { login in
            // From here on there is always something to read.
            _ = await sent.first(8)
            let first = try await login.client.nextPacket()
            #expect(first != nil)
        }
        // More than the timeout passes without a read.
        #expect(Set(await beats.first(65)) == [Heartbeat.messageID])
        #expect(connections.count == 1)
        var next = 1
        for try await received in session.messages {
            guard case .notification(let notification) = received.message else { continue }
            // During the reads, a busy machine may keep the server silent.
            guard notification.body.hasPrefix("1.") else { break }
            #expect(notification.body == "1.\(next) \(body)")
            next += 1
            if next == count { break }
        }
        #expect(next == count || connections.count > 1)
        session.end()
        await server.shutDown()
    }

    @Test func `messages of an older connection are read first`() async throws {
        let body = String(repeating: "x", count: 16_384)
        let connections = Seen<Int>()
        let server = try await GoimServer.start { client in
            connections.add(connections.count)
            let connection = connections.count
            for number in 0..<20 { try await client.send(Notification(body: "\(connection).\(number) \(body)")) }
            if connection > 1 { while try await client.nextPacket() != nil {} }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = 4 * body.utf8.count
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        _ = await connections.first(1)
        try await session.waitUntilReady()
        var bodies: [String] = []
        for try await received in session.messages {
            guard case .notification(let notification) = received.message else { continue }
            bodies.append(String(notification.body.prefix { $0 != " " }))
            if bodies.count == 40 { break }
        }
        #expect(bodies == (1...2).flatMap { connection in (0..<20).map { "\(connection).\($0)" } })
        session.end()
        await server.shutDown()
    }

    @Test func `if the oldest messages may be dropped, requests get replies without a reader`() async throws {
        let body = String(repeating: "x", count: 16_384)
        let server = try await GoimServer.start { client in
            while let packet = try await client.nextPacket() {
                for _ in 0..<10 { try await client.send(Notification(body: body)) }
                try await client.reply(to: packet, with: ChangeRoomReply())
            }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = body.utf8.count
        configuration.client.requestTimeout = .milliseconds(100)
        let holding = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        // The reply is after unread messages, and the error says so once they have arrived.
        var byteCount: Int?
        while byteCount == nil {
            do throws(ConnectionError) {
                _ = try await holding.request(ChangeRoom(room: "1"))
                Issue.record("it was answered")
            } catch {
                if case .unanswered(let unreadByteCount) = error { byteCount = unreadByteCount }
            }
        }
        #expect(byteCount ?? 0 > body.utf8.count)
        configuration.dropsOldestUnread = true
        configuration.client.requestTimeout = .seconds(500)
        let dropping = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        for number in 0..<5 { _ = try await dropping.request(ChangeRoom(room: "\(number)")) }
        holding.end()
        dropping.end()
        await server.shutDown()
    }

    @Test func `a task that iterates can be cancelled, and another one continues`() async throws {
        let maySend = Gate()
        let server = try await GoimServer.start { client in
            await maySend.wait()
            try await client.send(Notification(body: "for the second"))
            while try await client.nextPacket() != nil {}
        }
        let session = try server.session()
        let task = Task { for try await _ in session.messages { Issue.record("nothing was sent") } }
        task.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await task.value }
        maySend.open()
        var iterator = session.messages.makeAsyncIterator()
        #expect(try await iterator.next()?.packet.id == Notification.messageID)
        await server.shutDown()
    }
}
