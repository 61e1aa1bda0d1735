// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// One message for many WebSockets.
@Suite(.ahead)
struct WebSocketBroadcastTests {
    @Test(arguments: [WebSocketMessage.text("all"), .binary([1, 2, 3])])
    func `a broadcast reaches all clients, compressed if they asked for it`(message: WebSocketMessage) async throws {
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: ConnectionPair.group.get(),
            configuration: .patient { $0.handshake.deflate = WebSocketDeflate() }
        ) { client in
            for try await _ in client.messages {}
        }
        var clients: [WebSocketClient] = []
        for number in 0..<10 {
            clients.append(
                try await server.connect("/", .patient { $0.deflate = number % 2 == 0 ? nil : WebSocketDeflate() }))
        }
        // A handler begins after the answer.
        #expect(try await eventually { server.connections.count == 10 })
        #expect(await server.broadcast(message).isEmpty)
        for client in clients { #expect(try await client.receive() == message) }
        let chosen = server.connections.prefix(3)
        #expect(await server.broadcast(.text("few"), to: Array(chosen)).isEmpty)
        #expect(await server.counters().traffic.sentPacketCount == 13)
        for client in clients { try await client.close() }
        #expect(try await eventually { server.connections.isEmpty })
        await server.shutDown()
    }

    @Test func `a broadcast skips an ended client and a slow reader, and names them`() async throws {
        let server = try await WebSocketServer.serving(.patient { $0.limits.frames.outputLimit = 1_000 }) { client in
            for try await _ in client.messages {}
        }
        let client = try await server.connect()
        #expect(try await eventually { !server.connections.isEmpty })
        let message = WebSocketMessage.binary([UInt8](repeating: 1, count: 60_000))
        let slow = server.connections
        var sentCount = 0
        var left: [WebSocketServerConnection] = []
        // Only the first refusal is certain: the system may take more a moment later.
        repeat {
            left = await server.broadcast(message)
            if left.isEmpty { sentCount += 1 }
        } while left.isEmpty
        #expect(left == slow)
        for _ in 0..<sentCount { #expect(try await client.receive() == message) }
        try await client.close()
        #expect(try await eventually { server.connections.isEmpty })
        #expect(await server.broadcast(message, to: slow) == slow)
        await server.shutDown()
    }
}
