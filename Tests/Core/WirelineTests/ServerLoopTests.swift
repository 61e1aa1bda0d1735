// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Which event loops carry connections if the program chooses none.
@Suite(.ahead)
struct ServerLoopTests {
    @Test func `servers have a loop for each core, and clients share one`() throws {
        #expect(try EventLoopGroup.sharedByServers.loops.count == ProcessInfo.processInfo.activeProcessorCount)
        #expect(try EventLoopGroup.shared.loops.count == 1)
    }

    @Test func `the connections of servers are spread over all cores`() async throws {
        let loops = Set(try EventLoopGroup.sharedByServers.loops.map { ObjectIdentifier($0) })
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: .patient
        ) { client in
            while try await client.nextPacket() != nil {}
        }
        var clients: [PacketClient<SceneProtocol>] = []
        // Servers of other tests may take a loop's turn.
        for _ in 0..<(4 * loops.count) { clients.append(try await server.connect()) }
        #expect(try await eventually { server.connections.count == clients.count })
        #expect(Set(server.connections.map { ObjectIdentifier($0.loop) }) == loops)
        let shared = try EventLoopGroup.shared.loops[0]
        #expect(clients.allSatisfy { $0.loop === shared })
        for client in clients { client.close() }
        await server.shutDown()
    }

    @Test func `a server of WebSockets uses the same loops`() async throws {
        let loops = Set(try EventLoopGroup.sharedByServers.loops.map { ObjectIdentifier($0) })
        let seen = Seen<ObjectIdentifier>()
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: .patient) { client in
            seen.add(ObjectIdentifier(client.loop))
            _ = try await client.receive()
        }
        var clients: [WebSocketClient] = []
        for _ in 0..<(4 * loops.count) { clients.append(try await server.connect()) }
        #expect(await Set(seen.first(clients.count)) == loops)
        for client in clients { try await client.close() }
        await server.shutDown()
    }
}
