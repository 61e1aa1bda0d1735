// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
package import WirelineLayers
package import WirelineTransport

/// A server of packets, for any schema.
package typealias PacketListener = ConnectionListener<PacketConnection>

package enum PacketHandler: Sendable {
    /// Starts a task for a connection, on its loop. The task calls `taskBegins(_:)` first and `taskEnds(_:_:)` last.
    ///
    /// The code that knows the handler's type starts the task: one more closure between task and handler would cost a
    /// waiting task another kilobyte.
    case task(@Sendable (PacketListener, PacketConnection) -> Task<Void, Never>)
    /// Makes the closure that takes a connection's packets, on its loop.
    ///
    /// The connection ends when the peer ends its stream.
    case batches(@Sendable (PacketConnection) -> (_ batch: inout PacketBatch) throws -> Void)
    /// Makes the calls that handle a connection's messages, on its loop.
    case messages(@Sendable (PacketListener, PacketConnection) -> MessageCalls)
}

/// The calls that handle the messages of a connection without a task.
package struct MessageCalls {
    /// Called before the first packet. If it throws, the connection ends.
    let open: () throws -> Void
    /// Takes packets, not necessarily all of them. If it takes none, it must pause the input
    /// (``PacketConnection/pauseInput()``).
    let take: (_ batch: inout PacketBatch) throws -> Void
    /// Called after the connection has been closed, with the error that ended it.
    let close: ((any Error)?) -> Void

    package init(
        open: @escaping () throws -> Void, take: @escaping (_ batch: inout PacketBatch) throws -> Void,
        close: @escaping ((any Error)?) -> Void
    ) {
        self.open = open
        self.take = take
        self.close = close
    }
}

extension ConnectionListener where Connection == PacketConnection {
    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - group: The loops that share the connections.
    ///   - packetLimit: The most bytes of a packet, unless the configuration has a limit.
    ///   - states: The first states of each connection (default: all are 0).
    ///   - keys: The first keys of each connection's layers, which replace the configuration's `layers` (default:
    ///     none).
    ///   - gate: The limits on connections that it shares with other servers; nil: those of the configuration
    ///     (default).
    package static func start(
        at addresses: [ListeningAddress], on group: EventLoopGroup? = nil, layout: PacketLayout, packetLimit: Int,
        configuration: ServerConfiguration = ServerConfiguration(), handler: PacketHandler,
        states: PacketStates = PacketStates(), keys: LayerSettings? = nil, gate: ConnectionGate? = nil
    ) async throws(ConnectionError) -> PacketListener {
        let listening = configuration.listening
        let group = try await ConnectionError.wrapping { () throws(TransportError) in
            try EventLoopGroup.sharedByServersUnless(group)
        }
        let handshake = configuration.webSocket?.sharedHandshake(ownNames: addresses.compactMap(\.host))
        let sharedLimits = listening.sharedLimits(
            log: configuration.log, messageTimes: MessageTimes(loops: group.loops), handshake: try? handshake?.get())
        let makeWebSocket = handshake.flatMap { configuration.webSocket?.transforms($0) }
        let make: @Sendable (ByteStream, SocketAddress) throws -> PacketConnection = { stream, address in
            let connection = PacketConnection(
                stream, layout: layout, side: .server, packetLimit: packetLimit, limits: configuration.limits,
                tls: try listening.tls?.accept(),
                webSocket: try makeWebSocket?(address.isLoopback), recorder: nil, sharedLimits: sharedLimits,
                layers: configuration.layers)
            connection.setStates(states)
            if let keys { connection.setKeys(keys) }
            try connection.start()
            return connection
        }
        let service = Service(make: make) { listener, connection in
            connection.setDeadlines(
                PeerDeadlines.Limits(
                    handshake: listening.handshakeTimeout, firstPacket: configuration.firstPacketTimeout,
                    silence: listening.idleTimeout))
            switch handler {
            case .task(let start): return start(listener, connection)
            case .batches(let makeHandler):
                listener.endsByItself(connection)
                connection.receive(inBatches: makeHandler(connection))
                return nil
            case .messages(let makeCalls):
                listener.endsByItself(connection)
                connection.receive(makeCalls(listener, connection))
                return nil
            }
        }
        return try await start(at: addresses, on: group, listening, sharedLimits, service, gate: gate)
    }

    /// Begins to listen at one port.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address; if it has several addresses, the first is used.
    ///   - port: The port; 0 lets the system choose one.
    package static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil, layout: PacketLayout, packetLimit: Int,
        configuration: ServerConfiguration = ServerConfiguration(), handler: PacketHandler
    ) async throws(ConnectionError) -> PacketListener {
        try await start(
            at: [.host(host, port: port)], on: group, layout: layout, packetLimit: packetLimit,
            configuration: configuration, handler: handler)
    }

    /// Records that a connection's task has begun. Call it in that task.
    package func taskBegins(_ connection: PacketConnection) {
        connection.ownersTask = .current
    }

    /// Ends a connection whose task ends. Call it in that task.
    package func taskEnds(_ connection: PacketConnection, _ failure: (any Error)?) {
        connection.ownersTask = nil
        handlerEnded(connection, failure)
    }
}

extension PacketConnection: ServedConnection {
    package func dismiss(telling farewell: SharedPacket?) {
        guard let farewell else { return finish(within: Self.partingTime) }
        sendLast(farewell, .transport(.closed), within: Self.partingTime)
    }

    package func dropInput() {
        input.drop()
        dropSlowPeerState()
    }

    package func handlerEnded(_ failure: (any Error)?) {
        // A connection that was kicked is closing already.
        guard let failure, !ending.isLeaving else { return finish() }
        webSocketTransform?.closeCode = Self.closeCode(of: failure)
        handlerFailed()
    }
}
