// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// The owner of a connection is told of a reset: with each carrier of packets, and whether it reads its input or not.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct ResetTests {
    enum Carrier: CaseIterable {
        case tcp, tls, webSocket, secureWebSocket

        var isSecure: Bool { self == .tls || self == .secureWebSocket }
        var isWebSocket: Bool { self == .webSocket || self == .secureWebSocket }
    }

    /// What the owner of a connection does when the reset comes.
    enum Occupation: CaseIterable {
        case receives
        /// It waits for the end, and has nothing to read.
        case waits
        /// It waits for the end while so much is unread that nothing more is read.
        case leavesUnread
        /// It waits to send, because the peer reads nothing.
        case sends

        func occupy(_ connection: PacketConnection) async throws {
            switch self {
            case .receives: while try await connection.nextBytes() != nil {}
            case .waits, .leavesUnread: try await connection.waitUntilEnd()
            case .sends: while true { try await connection.send(packet: ResetTests.packet) }
            }
        }

        /// What its peer does meanwhile.
        func oppose(_ connection: PacketConnection) async throws {
            guard self == .leavesUnread else { return try await connection.waitUntilEnd() }
            while true { try await connection.send(packet: ResetTests.packet) }
        }
    }

    /// 60,006 bytes, with an unknown ID.
    private static let packet: [UInt8] = [0, 0, 0xEA, 0x66, 0, 9] + [UInt8](repeating: 7, count: 60_000)

    private static func server(_ carrier: Carrier, _ ends: ConnectionEnds) throws -> ServerConfiguration {
        var configuration = ends.configure()
        configuration.limits.pendingByteCount = 1_000
        if carrier.isWebSocket { configuration.webSocket = ServerConfiguration.WebSocketOptions() }
        if carrier.isSecure { configuration.listening.tls = try LocalTLS.contexts.get().server }
        return configuration
    }

    private static func client(_ carrier: Carrier) throws -> ClientConfiguration {
        var configuration = ClientConfiguration.patient
        configuration.limits.pendingByteCount = 1_000
        if carrier.isWebSocket { configuration.webSocket = ClientConfiguration.WebSocketOptions() }
        guard carrier.isSecure else { return configuration }
        configuration.dialing.tls = try LocalTLS.contexts.get().client
        configuration.dialing.tlsServerName = "localhost"
        return configuration
    }

    /// Finds out whether a connection sends, and waits because the peer does not read.
    private final class Stall: Sendable {
        private let sentByteCount = Lock(-1)

        func isReached(by connection: PacketConnection) async -> Bool {
            let counters = await connection.counters()
            // What the systems buffer still moves between two looks.
            let last = sentByteCount.withLock { last in
                defer { last = counters.sentByteCount }
                return last
            }
            return counters.waitingSenderCount > 0 && counters.sentByteCount == last
        }
    }

    /// Lets both ends do what they do, resets the line, and returns what the owners of both ends are told.
    private static func outcomes(
        _ carrier: Carrier, server occupied: @escaping @Sendable (PacketConnection) async throws -> Void,
        client occupiedClient: @escaping @Sendable (PacketConnection) async throws -> Void,
        until isReached: @escaping (_ server: PacketConnection, _ client: PacketConnection) async throws -> Bool
    ) async throws -> (server: any Error, client: any Error, end: (any Error)?) {
        let ends = ConnectionEnds()
        let (connections, errors) = (Seen<PacketConnection>(), Seen<any Error>())
        let server = try await SceneServer.start(configuration: server(carrier, ends)) { client in
            connections.add(client.connection)
            do {
                try await occupied(client.connection)
                errors.add(Unnoticed())
            } catch {
                errors.add(error)
                throw error
            }
        }
        let line = try ResettableLine(to: server.address.port)
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: line.port, protocol: SceneProtocol.self, configuration: client(carrier))
        let waiting = Task(executorPreference: client.loop) {
            try await occupiedClient(client.connection)
            throw Unnoticed()
        }
        let other = await connections.first(1)[0]
        #expect(try await eventually { try await isReached(other, client.connection) })
        line.reset()
        guard case .failure(let clientError) = await waiting.result else { throw Unnoticed() }
        let outcome = (server: await errors.first(1)[0], client: clientError, end: await ends.next())
        #expect(server.connections.isEmpty)
        await server.shutDown()
        return outcome
    }

    /// The end was told without an error.
    private struct Unnoticed: Error {}

    @Test(arguments: Carrier.allCases, Occupation.allCases)
    func `a reset is told to a server's handler`(carrier: Carrier, occupation: Occupation) async throws {
        let stall = Stall()
        let outcome = try await Self.outcomes(
            carrier, server: occupation.occupy, client: occupation.oppose
        ) { server, client in
            switch occupation {
            case .receives, .waits: true
            case .leavesUnread: await stall.isReached(by: client)
            case .sends: await stall.isReached(by: server)
            }
        }
        #expect(outcome.server as? ConnectionError == .transport(.reset))
        #expect(outcome.end as? ConnectionError == .transport(.reset))
    }

    @Test(arguments: Carrier.allCases, Occupation.allCases)
    func `a reset is told to a client`(carrier: Carrier, occupation: Occupation) async throws {
        let stall = Stall()
        let outcome = try await Self.outcomes(
            carrier, server: occupation.oppose, client: occupation.occupy
        ) { server, client in
            switch occupation {
            case .receives, .waits: true
            case .leavesUnread: await stall.isReached(by: server)
            case .sends: await stall.isReached(by: client)
            }
        }
        #expect(outcome.client as? ConnectionError == .transport(.reset))
    }

    @Test(arguments: Carrier.allCases)
    func `a reset ends a connection whose batch handler has paused the input`(carrier: Carrier) async throws {
        let ends = ConnectionEnds()
        let paused = Seen<PacketConnection>()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: Self.server(carrier, ends)
        ) { client in
            { batch in
                while try batch.next() != nil {}
                client.connection.pauseInput()
                paused.add(client.connection)
            }
        }
        let line = try ResettableLine(to: try #require(server.addresses.first?.port))
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: line.port, protocol: SceneProtocol.self, configuration: Self.client(carrier))
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        _ = await paused.first(1)
        line.reset()
        #expect(await ends.next() != nil)
        #expect(server.connections.isEmpty)
        await server.shutDown()
    }
}
