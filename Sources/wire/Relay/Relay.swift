// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTLS
import WirelineTransport

/// Takes connections, and passes each on to a server.
final class Relay: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: RelayedConnection] = [:]
        var isClosing = false
    }

    /// More of them wait to be taken.
    private static let mostConnections = 10_000

    let description: ProtocolDescription
    /// The server, as it was named, and where that is.
    let target: Endpoint
    let addresses: [SocketAddress]
    /// How to speak TLS to the server, if that is asked for.
    private let tls: (context: TLSContext, serverName: String?)?
    let capture: CaptureFile?
    private let page: TrafficPage?
    let log: ConnectionLog
    /// Reads packets for people.
    let packetLog: TrafficLog
    private let listener: Listener
    private let state = Lock(State())

    init(
        _ listener: Listener, to target: Endpoint, _ addresses: [SocketAddress],
        tls: (context: TLSContext, serverName: String?)?, _ description: ProtocolDescription,
        capture: CaptureFile?, page: TrafficPage?, _ log: ConnectionLog
    ) {
        self.listener = listener
        self.target = target
        self.addresses = addresses
        self.tls = tls
        self.description = description
        self.capture = capture
        self.page = page
        self.log = log
        packetLog = TrafficLog(PacketTranslator(description)) { _ in }
    }

    /// Begins to listen.
    static func listener(at endpoint: Endpoint, on group: EventLoopGroup) async throws(TransportError) -> Listener {
        try await .bind(
            toHost: endpoint.host, port: endpoint.port, on: group, backlog: 4_096, connectionLimit: mostConnections)
    }

    var address: SocketAddress { listener.address }

    /// Takes connections from now on.
    func start() {
        listener.start { stream in
            let connection = RelayedConnection(stream, self)
            let isWanted = self.state.withLock { state in
                state.connections[ObjectIdentifier(connection)] = connection
                return !state.isClosing
            }
            if isWanted { connection.start() } else { connection.close() }
        }
    }

    /// Shows what a client's connection, or one side of it, does; may be called on a loop.
    func show(_ remark: Remark, of connection: SocketAddress) {
        log.show("\(connection): \(remark)")
        page?.show(remark, of: connection)
    }

    func makeTLS() throws(TLSError) -> TLSEngine? {
        try tls.map { tls throws(TLSError) in try tls.context.connect(to: tls.serverName ?? target.host) }
    }

    /// A connection has ended; on its loop.
    func ended(_ connection: RelayedConnection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
        listener.connectionEnded()
    }

    /// Takes no more connections, and closes those there are.
    func close() async {
        await listener.loop.run { self.listener.close() }
        let connections = state.withLock { state in
            state.isClosing = true
            return Array(state.connections.values)
        }
        for connection in connections { await connection.loop.run { connection.close() } }
        capture?.close()
    }
}
