// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Testing
import TestingSupport
import WirelineTesting

@testable import Wireline
@testable import WirelineTransport

/// What a server does with all of its connections, it does in many small pieces. Too many steps in one piece end the
/// process (`LoopStep`).
@Suite(.ahead)
struct LoopStepTests {
    /// More than one piece may have.
    private static let count = 1_400

    init() { EventLoop.checkSteps() }

    /// A server of a room, and its members.
    private static func crowd(
        on network: TestNetwork, _ room: Room<GoimProtocol>, _ configuration: ServerConfiguration
    ) async throws -> (server: TestServer<GoimProtocol>, clients: [PacketClient<GoimProtocol>]) {
        let server = try await network.serve(GoimProtocol.self, configuration: configuration) { client in
            room.join(client)
            while try await client.nextMessage() != nil {}
        }
        let address = server.address
        let clients = try await network.run {
            var clients: [PacketClient<GoimProtocol>] = []
            for _ in 0..<count {
                clients.append(
                    try await PacketClient.connect(
                        to: address.ipAddress, port: address.port, protocol: GoimProtocol.self, on: network.loops))
            }
            return clients
        }
        await network.settle()
        #expect(server.connectionCount == count)
        return (server, clients)
    }

    @Test func `broadcasts, rooms, counters and an end visit some connections at a time`() async throws {
        let network = try TestNetwork(patience: .seconds(100))
        let room = Room<GoimProtocol>()
        let (server, clients) = try await Self.crowd(on: network, room, .patient)
        let notification = Notification(body: "to all")
        _ = try await network.run { try await server.server.broadcast(notification) }
        try room.send(notification)
        await network.settle()
        #expect(try await network.run { await server.server.metrics() }.counters.connectionCount == Self.count)
        #expect(try await network.run { await room.counters() }.deliveredCount == Self.count)
        try await server.shutDown(telling: notification)
        #expect(server.connectionCount == 0)
        withExtendedLifetime(clients) {}
    }

    @Test func `silent clients are given up some at a time`() async throws {
        let network = try TestNetwork(patience: .seconds(100))
        let configuration = ServerConfiguration(firstPacketTimeout: .seconds(10))
        let (server, clients) = try await Self.crowd(on: network, Room(), configuration)
        await network.advance(by: .seconds(11))
        #expect(server.connectionCount == 0)
        withExtendedLifetime(clients) {}
    }

    @Test func `connections that are closed together end some at a time`() async throws {
        let network = try TestNetwork(patience: .seconds(100))
        let (server, clients) = try await Self.crowd(on: network, Room(), .patient)
        try await server.shutDown(within: .zero)
        #expect(server.connectionCount == 0)
        withExtendedLifetime(clients) {}
    }
}
