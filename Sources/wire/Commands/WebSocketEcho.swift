// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport
import WirelineWebSocket

extension Command {
    /// `wire websocket echo`
    static let webSocketEcho = Command(
        name: "websocket echo",
        summary: "send each WebSocket message back as it came, until Ctrl-C",
        parameters: [.endpoint],
        options: [.deflate, .messageLimit, .threads] + TLSOptions.serverOptions,
        example: "wire websocket echo 127.0.0.1:9002 --deflate",
        run: { arguments, console throws(CommandError) in
            let endpoint = try Endpoint(arguments.word(at: 0) ?? "")
            let log = ConnectionLog(console)
            var configuration = WebSocketServerConfiguration()
            configuration.tls = try TLSOptions.server(arguments)
            configuration.handshake.deflate = WebSocketOptions.deflate(arguments)
            // Whatever page asks: nobody has anything here that could be stolen.
            configuration.handshake.origins = .any
            configuration.limits = try WebSocketOptions.limits(arguments)
            configuration.connectionEnded = { peer, error in log.ended(peer, error) }
            let group = try ServerLoops.start(arguments)
            DescriptorLimit.raise()
            let server: WebSocketServer
            do throws(ConnectionError) {
                server = try await WebSocketServer.start(
                    at: endpoint.host, port: endpoint.port, on: group, configuration: configuration
                ) { client in
                    while let message = try await client.receive() { try await client.send(message) }
                }
            } catch {
                throw .failure("cannot listen on \(endpoint): \(error)")
            }
            let end = Signals.takeOver()
            try console.print("listening on \(server.address)")
            try console.flush()
            for await _ in end {}
            await server.shutDown()
            await log.finish()
        })
}
