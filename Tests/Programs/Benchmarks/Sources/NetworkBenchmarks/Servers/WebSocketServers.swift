// SPDX-License-Identifier: Apache-2.0

internal import Wireline

/// As the documentation of `WebSocketServer` writes it: a task for each connection, which sends each message back.
func serveWebSocketsWithWireline() async throws {
    let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, on: EventLoopGroup.shared) { client in
        while let message = try await client.receive() { try await client.send(message) }
    }
    announceListening(port: Int(server.address.port))
    await server.waitUntilShutDown()
}
