// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
public import WirelineTransport

extension PacketServer {
    /// Begins to listen, with a handler for each type of message.
    ///
    /// - Parameters:
    ///   - addresses: Where it listens, such as `[.host("0.0.0.0", port: 9001), .unix("/run/game.sock")]`; at least one
    ///     address.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`, one loop for each core.
    ///   - configuration: Limits and timeouts.
    ///   - handlers: The handlers of all types of messages.
    ///   - makeState: Makes the program's own value for a new connection, on its loop.
    /// - Throws: ``HandlerError/handledTwice(_:)``; ``HandlerError/unhandled(_:)`` with the messages that have no
    ///   handler; ``ConnectionError/transport(_:)`` if the server cannot listen at an address;
    ///   ``ConnectionError/cancelled``.
    public static func start<State>(
        at addresses: [ListeningAddress], on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(), handlers: MessageHandlers<Definition, State>,
        state makeState: @escaping @Sendable (ServerConnection<Definition>) -> State
    ) async throws -> PacketServer {
        let table = try HandlerTable(handlers.list, of: Definition.messageTypes(from: .client))
        let makeRun: @Sendable (PacketListener, PacketConnection) -> MessageDispatcher = {
            let connection = ServerConnection<Definition>($1)
            return MessageDispatcher(
                table,
                ClientContext(connection, of: PacketServer(listener: $0), state: makeState(connection)))
        }
        return try await start(at: addresses, group, configuration, handler(table, makeRun))
    }

    /// Begins to listen, with a handler for each type of message, and without a value for each connection.
    ///
    /// See ``start(at:on:configuration:handlers:state:)``.
    public static func start(
        at addresses: [ListeningAddress], on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(), handlers: MessageHandlers<Definition, Void>
    ) async throws -> PacketServer {
        try await start(at: addresses, on: group, configuration: configuration, handlers: handlers) { _ in }
    }

    /// Begins to listen at one port, with a handler for each type of message.
    ///
    /// See ``start(at:on:configuration:handlers:state:)``.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address: `127.0.0.1` for this machine only, `0.0.0.0` or `::` for all its
    ///     addresses.
    ///   - port: The port; 0 lets the system choose one, which ``address`` returns.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`, one loop for each core.
    ///   - configuration: Limits and timeouts.
    ///   - handlers: The handlers of all types of messages.
    ///   - makeState: Makes the program's own value for a new connection, on its loop.
    public static func start<State>(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(), handlers: MessageHandlers<Definition, State>,
        state makeState: @escaping @Sendable (ServerConnection<Definition>) -> State
    ) async throws -> PacketServer {
        try await start(
            at: [.host(host, port: port)], on: group, configuration: configuration, handlers: handlers,
            state: makeState)
    }

    /// Begins to listen at one port, with a handler for each type of message, and without a value for each connection.
    ///
    /// See ``start(at:on:configuration:handlers:state:)``.
    public static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(), handlers: MessageHandlers<Definition, Void>
    ) async throws -> PacketServer {
        try await start(at: host, port: port, on: group, configuration: configuration, handlers: handlers) { _ in }
    }

    private static func handler(
        _ table: HandlerTable,
        _ makeRun: @escaping @Sendable (PacketListener, PacketConnection) -> MessageDispatcher
    ) -> PacketHandler {
        guard table.needsTask else {
            return .messages { listener, connection in
                let run = makeRun(listener, connection)
                return MessageCalls(open: run.open, take: run.take, close: run.close)
            }
        }
        return .task { listener, connection in
            Task(executorPreference: connection.loop) {
                listener.taskBegins(connection)
                let run = makeRun(listener, connection)
                var failure: (any Error)?
                do {
                    try run.open()
                    try await run.run()
                } catch {
                    failure = error
                }
                run.close(failure)
                listener.taskEnds(connection, failure)
            }
        }
    }
}
