// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Parts
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

    @Test func `connections that come together are accepted some at a time`() async throws {
        let network = try TestNetwork(patience: .seconds(100))
        let server = try await network.serve(GoimProtocol.self, configuration: .patient) { client in
            while try await client.nextMessage() != nil {}
        }
        let address = server.address
        let clients = try await network.run {
            try await withThrowingTaskGroup(of: PacketClient<GoimProtocol>.self) { group in
                for _ in 0..<Self.count {
                    group.addTask {
                        try await PacketClient.connect(
                            to: address.ipAddress, port: address.port, protocol: GoimProtocol.self, on: network.loops)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        await network.settle()
        #expect(server.connectionCount == Self.count)
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

    // MARK: The guard itself

    @Test(arguments: LoopStep.allCases) func `one step too many ends the process`(step: LoopStep) async {
        await #expect(processExitsWith: .failure) { [number = step.rawValue as Int] in
            EventLoop.checkSteps()
            let loop = try EventLoop()
            await loop.run {
                guard let step = LoopStep(rawValue: number) else { return }
                loop.note(step, count: step.share)
                loop.note(step)
            }
        }
    }

    @Test func `the bytes of a partial packet that are moved are counted`() async {
        await #expect(processExitsWith: .failure) {
            var configuration = ServerConfiguration.patient
            configuration.limits.maximumPacketByteCount = 1 << 27
            let server = try await PacketServer.start(
                at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(), configuration: configuration
            ) { client in
                _ = try await client.nextPacket()
            }
            let client = try await PacketClient.connect(
                to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: PartsProtocol.self)
            try await client.connection.send(packet: [5, 0, 0, 0] + [UInt8](repeating: 0, count: 80 << 20))
            _ = try await client.nextPacket()
        }
    }

    @Test func `messages that are logged are counted`() async {
        await #expect(processExitsWith: .failure) {
            let server = try await PacketServer.start(
                at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(), configuration: .patient
            ) { client in
                while try await client.nextPacket() != nil {}
            }
            var configuration = ClientConfiguration.patient
            configuration.log = TrafficLog(of: PartsProtocol.self) { _ in }
            let client = try await PacketClient.connect(
                to: "127.0.0.1", port: try #require(server.addresses.first?.port), protocol: PartsProtocol.self,
                configuration: configuration)
            let packet = try Say(text: "").encoded()
            try await client.connection.send(packet: repeatElement(packet, count: 30_001).merged)
            _ = try await client.nextPacket()
        }
    }
}
