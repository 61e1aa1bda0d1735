// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport
import WirelineWebSocket

extension Command {
    static let webSocketEcho = Command(
        name: "websocket echo",
        summary: "run a server that returns each WebSocket message unchanged, until Ctrl-C",
        parameters: [.endpoint],
        options: [.deflate, .compressionBytes, .messageLimit, .allowedHost, .threads]
            + LimitOptions.webSocketServerOptions + TLSOptions.serverOptions,
        example: "wire websocket echo 127.0.0.1:9002 --deflate",
        run: { arguments, console throws(CommandError) in
            let served = try ServedAddresses(arguments)
            let loopCount = try ServerLoops.count(arguments)
            let log = try ConnectionLog(console, arguments)
            var configuration = WebSocketServerConfiguration()
            configuration.limits = try WebSocketOptions.limits(arguments)
            try LimitOptions.apply(arguments, to: &configuration)
            let tls = try TLSOptions.server(arguments)
            configuration.listening.tls = tls?.context
            configuration.handshake.deflate = WebSocketOptions.deflate(arguments)
            if let text = arguments[.compressionBytes] {
                configuration.handshake.compressionByteLimit = Int(
                    try WholeNumber.value(of: text, in: 0...WholeNumber.most, of: .compressionBytes))
            }
            // Pages of any origin may connect, because an echo has no secrets.
            configuration.handshake.origins = .any
            configuration.handshake.hosts = WebSocketOptions.hosts(arguments)
            configuration.listening.connectionEnded = { peer, error in log.ended(peer, error) }
            configuration.listening.acceptFailed = { error in log.acceptFailed(error) }
            let group = try ServerLoops.start(loopCount)
            DescriptorLimit.raise()
            try tls?.reloadOnHangUp(log)
            let server: WebSocketServer
            do throws(ConnectionError) {
                server = try await WebSocketServer.start(
                    at: served.addresses, on: group, configuration: configuration
                ) { client in
                    while let message = try await client.receive() { try await client.send(message) }
                }
            } catch {
                throw .failure("cannot listen on \(served): \(error)")
            }
            let run = ServerRun(
                addresses: server.addresses, loop: group.nextLoop(), log: log,
                connectionCount: { server.connections.count })
            try await run.untilInterrupted(console) { await server.shutDown(within: $0) }
        })
}

extension Option {
    fileprivate static let compressionBytes = Option(
        "--compression-bytes", value: "N",
        "the most bytes that compression may keep for all clients together; further ones are not compressed (default "
            + "536870912)")
}
