// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Connections that come too fast, or that have to wait.
@Suite(.ahead)
struct ConnectionRateTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")

    private func echo(_ configuration: ServerConfiguration) async throws -> SceneServer {
        try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: configuration
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
    }

    @Test func `connections of one address that come too fast are refused, and do not count for others`() async throws {
        let ends = ConnectionEnds()
        let server = try await echo(
            ends.configure {
                $0.listening.connectionRate = MaximumRate(3, per: .seconds(1_000))
                $0.listening.connectionRatePerAddress = MaximumRate(2, per: .seconds(1_000))
            })
        var clients: [PacketClient<SceneProtocol>] = []
        for (number, address) in ["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.3"].enumerated() {
            var configuration = ClientConfiguration.patient
            configuration.dialing.localAddress = try SocketAddress(ipAddress: address, port: 0)
            let client = try await server.connect(configuration: configuration)
            clients.append(client)
            if number == 2 || number == 4 {
                let rate = MaximumRate(number == 2 ? 2 : 3, per: .seconds(1_000))
                #expect(await ends.next() as? ConnectionError == .tooManyNewConnections(rate))
            } else {
                try await client.send(Self.hello)
                #expect(try await client.nextPacket() != nil)
            }
        }
        #expect(await server.counters().refusedConnectionCounts == [.addressRate: 1, .rate: 1])
        #expect(await server.counters().refusedConnectionCount == 2)
        #expect(
            await server.metrics().prometheusText()
                .contains("wireline_refused_connections_total{reason=\"address_rate\"} 1\n"))
        for client in clients { client.close() }
        await server.shutDown()
    }

    @Test func `a server counts how often connections wait for its limit`() async throws {
        let ends = ConnectionEnds()
        let server = try await echo(ends.configure { $0.listening.connectionLimit = 1 })
        let first = try await server.connect()
        try await first.send(Self.hello)
        #expect(try await first.nextPacket() != nil)
        let second = try await server.connect()
        try await second.send(Self.hello)
        #expect(try await eventually { await server.counters().connectionLimitCount > 0 })
        first.close()
        #expect(try await second.nextPacket() != nil)
        #expect(await server.counters().connectionLimitCount == 1)
        second.close()
        await server.shutDown()
    }
}
