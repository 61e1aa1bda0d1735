// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineSession
package import WirelineTransport

/// A server of packets, whatever their messages are.
package typealias PacketListener = ConnectionListener<PacketConnection>

/// What deals with a connection of packets.
package enum PacketHandler: Sendable {
    /// Starts a task for a connection, on its loop, which calls `taskBegins(_:)` first and `taskEnds(_:_:)` last.
    ///
    /// Whoever knows the handler's type starts it: with one more closure between task and handler, a task that
    /// waits takes another kilobyte.
    case task(@Sendable (PacketListener, PacketConnection) -> Task<Void, Never>)
    /// Makes what takes the packets of a connection, on its loop. The connection ends when its peer's stream does.
    case batches(@Sendable (PacketConnection) -> (_ batch: inout PacketBatch) throws -> Void)
}

extension ConnectionListener where Connection == PacketConnection {
    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address; of several addresses, the first is taken.
    ///   - port: The port; 0 lets the system choose one.
    ///   - group: Among whose loops connections are shared out.
    ///   - layout: How packets are laid out.
    ///   - packetLimit: The most bytes of a packet where the configuration does not say.
    ///   - configuration: Deadlines and limits.
    ///   - handler: What deals with each connection.
    package static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil, layout: PacketLayout, packetLimit: Int,
        configuration: ServerConfiguration = ServerConfiguration(), handler: PacketHandler
    ) async throws(ConnectionError) -> PacketListener {
        let supervision = Supervision(
            minimumRate: configuration.minimumRate, heldByteLimit: configuration.heldByteLimit,
            log: configuration.log, side: .server)
        let make: @Sendable (ByteStream) throws -> PacketConnection = { stream in
            let connection = PacketConnection(
                stream, layout: layout, packetLimit: packetLimit, limits: configuration.limits,
                tls: try configuration.tls?.accept(),
                webSocket: try configuration.webSocket.map { try WebSocketTransform($0) }, recorder: nil,
                supervision: supervision)
            try connection.start()
            return connection
        }
        let service = Service(make: make) { listener, connection in
            connection.setDeadlines(
                PeerDeadlines.Limits(
                    handshake: configuration.handshakeTimeout, firstPacket: configuration.firstPacketTimeout,
                    silence: configuration.idleTimeout))
            switch handler {
            case .task(let start): return start(listener, connection)
            case .batches(let makeHandler):
                listener.endsByItself(connection)
                connection.receive(inBatches: makeHandler(connection))
                return nil
            }
        }
        return try await start(
            at: host, port: port, on: group,
            Configuration(
                connectionLimit: configuration.connectionLimit,
                connectionLimitPerAddress: configuration.connectionLimitPerAddress, backlog: configuration.backlog,
                connectionEnded: configuration.connectionEnded),
            heldBytes: supervision.heldBytes, service)
    }

    /// Says that the task of a connection has begun, in that task.
    package func taskBegins(_ connection: PacketConnection) {
        connection.ownersTask = .current
    }

    /// Ends a connection whose task ends, in that task.
    package func taskEnds(_ connection: PacketConnection, _ failure: (any Error)?) {
        connection.ownersTask = nil
        handlerEnded(connection, failure)
    }
}

extension PacketConnection: ServedConnection {
    package func dismiss(telling farewell: [UInt8]?) {
        guard let farewell else { return close() }
        sendLast(farewell, .transport(.closed), within: Self.partingTime)
    }

    package func handlerEnded(_ failure: (any Error)?) {
        // Whoever was kicked takes leave already.
        guard failure != nil, !isFinishing else { return finish() }
        webSocketTransform?.closeCode = .internalError
        handlerFailed()
    }
}
