// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Testing
import TestingSupport
import Wireline

/// Connections that are cut after each byte in turn.
@Suite(.ahead)
struct SeveredSessionTests {
    @Test(arguments: [Relay.Ending.end, .reset], [(Relay.Sender.server, 145), (.client, 82)])
    func `after a cut at any byte a session reconnects, and each message arrives once`(
        ending: Relay.Ending, cut: (sender: Relay.Sender, sessionCount: Int)
    ) async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let relay = try Relay(to: server.address.port)
        let session = GoimCutSession(with: remembering, by: relay.port)
        let (complaints, count, _) = try await session.cutEverywhere(by: relay, [ending], of: [cut.sender])
        #expect(complaints == [])
        #expect(count == cut.sessionCount)
        relay.stop()
        #expect(try await session.connections.complaint("connections") == nil)
        await server.shutDown()
        #expect(try await remembering.connections.complaint("connections of the server") == nil)
    }

    @Test(arguments: [Relay.Ending.end, .reset], [(Relay.Sender.server, 70), (.client, 49)])
    func `without sequence numbers, a message without a complete reply is sent again`(
        ending: Relay.Ending, cut: (sender: Relay.Sender, sessionCount: Int)
    ) async throws {
        let server = try await SceneCutSession.startServer()
        let relay = try Relay(to: server.address.port)
        let (complaints, count, _) = try await SceneCutSession(by: relay.port).cutEverywhere(
            by: relay, [ending], of: [cut.sender])
        #expect(complaints == [])
        #expect(count == cut.sessionCount)
        relay.stop()
        await server.shutDown()
    }

    @Test(arguments: [Relay.Ending.end, .reset])
    func `after a cut at any client byte, whole packets are handled and the end is reported`(
        ending: Relay.Ending
    ) async throws {
        let bytes =
            try Authentication(body: "me").encoded() + ChangeRoom(room: "1").encoded() + Heartbeat(body: "").encoded()
            + ChangeRoom(room: "2").encoded()
        let client = CutClient(sending: bytes)
        let (complaints, count) = try await client.goEverywhere([ending])
        #expect(complaints == [])
        #expect(count == bytes.count + 1)
        #expect(try await client.connections.complaint("connections of the server") == nil)
    }

    @Test func `a session works the same if every byte travels alone`() async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let relay = try Relay(to: server.address.port, pieceByteCount: 1)
        relay.begin(cut: nil)
        let session = GoimCutSession(with: remembering, by: relay.port)
        let result = try await session.run("byte by byte")
        #expect(try session.complaints(about: result, of: "byte by byte", relay.recordings) == [])
        relay.stop()
        await server.shutDown()
    }

    // MARK: Ends

    @Test(arguments: [
        (ServerEnd.endsOutput, DisconnectCause.endedByPeer), (.endsInsidePacket, .endedByPeer), (.resets, .reset),
        (.sendsNoPacket, .broken("")),
    ])
    func `a session reports how a connection ended, and leaves no half-open connection`(
        end: ServerEnd, cause: DisconnectCause
    ) async throws {
        let connections = Seen<PacketConnection>()
        // Not before the test watches the session.
        let mayEnd = Gate()
        let server = try await GoimServer.start { client in
            connections.add(client.connection)
            if connections.count == 1 {
                await mayEnd.wait()
                try await end.carryOut(on: client.connection)
            }
            while let packet = try await client.nextPacket() {
                try await client.reply(to: packet, with: ChangeRoomReply())
            }
        }
        let session = try server.session()
        var causes: [DisconnectCause] = []
        for await state in session.states {
            if case .waiting(_, let cause) = state { causes.append(cause) }
            if state == .ready {
                if !causes.isEmpty { break }
                mayEnd.open()
            }
        }
        // A text may follow.
        #expect(causes.count == 1 && causes[0].description.hasPrefix(cause.description), "\(causes)")
        _ = try await session.request(ChangeRoom(room: "1"))
        let first = await connections.first(1)[0]
        #expect(try await eventually { try await first.onLoop { !$0.stream.isOpen } })
        session.end()
        await server.shutDown()
    }

    /// How a server ends a connection.
    enum ServerEnd: Sendable {
        /// It continues to read.
        case endsOutput
        case endsInsidePacket
        case resets
        case sendsNoPacket

        func carryOut(on connection: PacketConnection) async throws {
            switch self {
            case .endsOutput: connection.endOutput()
            case .endsInsidePacket:
                try await connection.sendRaw([0, 0, 0, 20, 0, 16])
                connection.endOutput()
            case .resets: try await connection.onLoop { $0.stream.reset() }
            case .sendsNoPacket: try await connection.sendRaw(Array("HTTP/1.1 400 Bad Request".utf8))
            }
        }
    }

    // MARK: Unread messages

    /// Sends a notification of each number, and ends the connection after them.
    private static func flood(
        _ client: ServerConnection<GoimProtocol>, with numbers: some Sequence<Int>
    ) async throws {
        for number in numbers {
            try await client.send(Notification(body: "\(number) " + String(repeating: "x", count: 1_000)))
        }
        try await client.connection.onLoop { connection in
            connection.stream.flush()
            connection.stream.reset()
        }
    }

    /// A session that reads nothing, with a small limit, and sends until a condition is true. It is ended then.
    private static func session(
        with server: PacketServer<GoimProtocol>, until isDone: @escaping @Sendable () -> Bool
    ) async throws -> PacketSession<GoimProtocol> {
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = 4_096
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        let isDone = try await eventually {
            _ = try? await session.send(ChangeRoom(room: "is anybody there?"))
            return isDone()
        }
        #expect(isDone)
        session.end()
        return session
    }

    /// The numbers of the unread notifications.
    private static func numbers(in session: PacketSession<GoimProtocol>) async throws -> [Int] {
        var numbers: [Int] = []
        for try await received in session.messages {
            guard case .notification(let notification) = received.message else { continue }
            numbers.append(try #require(notification.body.split(separator: " ").first.flatMap { Int($0) }))
        }
        return numbers
    }

    @Test func `a connection that nothing reads from still ends, and its messages are kept`() async throws {
        let connections = Seen<PacketConnection>()
        let server = try await GoimServer.start { client in
            connections.add(client.connection)
            guard connections.count == 1 else {
                while try await client.nextPacket() != nil {}
                return
            }
            _ = try await client.nextPacket()
            try await Self.flood(client, with: 0..<100)
        }
        let session = try await Self.session(with: server) { connections.count > 1 }
        let numbers = try await Self.numbers(in: session)
        #expect(numbers == Array(0..<numbers.count))
        #expect(numbers.count > 4)
        await server.shutDown()
    }

    @Test func `servers that end one connection after another do not fill a slow reader's memory`() async throws {
        let connections = Seen<PacketConnection>()
        let server = try await GoimServer.start { client in
            connections.add(client.connection)
            let number = connections.count
            _ = try await client.nextPacket()
            try await Self.flood(client, with: repeatElement(number, count: 100))
        }
        let session = try await Self.session(with: server) { connections.count > 6 }
        let sources = try await Self.numbers(in: session)
        #expect(sources.count > 4)
        #expect(sources.count <= 100)
        #expect(Set(sources) == [1])
        await server.shutDown()
    }

    @Test func `a server's message before a reset is read during an upload`() async throws {
        let mayEnd = Gate()
        let server = try await GoimServer.start { client in
            // The server reads nothing, so the upload fills the systems' buffers.
            await mayEnd.wait()
            try await client.send(Notification(body: "enough"))
            try await client.connection.onLoop { connection in
                connection.stream.flush()
                connection.stream.reset()
            }
        }
        let notice = KickNotice(reason: 5, advice: .stop)
        var conventions = SessionConventions<GoimProtocol>()
        conventions.end(Notification.self) { _ in notice }
        let session = try server.session(conventions: conventions)
        try await session.waitUntilReady()
        let piece = ChangeRoom(room: String(repeating: "x", count: 200_000))
        var isHeldUp = false
        while !isHeldUp {
            do throws(ConnectionError) {
                try await session.send(piece)
            } catch {
                #expect(error == .session(.tooManyBytes(limit: 1 << 20)))
                isHeldUp = true
            }
        }
        mayEnd.open()
        for await state in session.states {
            guard case .ended(let cause) = state else { continue }
            #expect(cause == .stopped(.kicked(notice)))
        }
        await server.shutDown()
    }
}
