// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS
public import WirelineTransport
public import WirelineWebSocket

/// What a server of WebSockets takes, and for how long it waits.
public struct WebSocketServerConfiguration: Sendable {
    /// How many connections there may be at a time (default 65,536); as ``ServerConfiguration/connectionLimit``.
    public var connectionLimit = 65_536
    /// How many there may be from one address (default: any number); as
    /// ``ServerConfiguration/connectionLimitPerAddress``.
    public var connectionLimitPerAddress: Int?
    /// How many connections may wait in the system's queue (default 4,096).
    public var backlog: Int32 = 4_096
    /// Within which time a client's request must be there, from the connection on, TLS included (default 30 s); nil: it has no
    /// deadline. What the program takes to decide about it is not the client's time.
    public var handshakeTimeout: Duration? = .seconds(30)
    /// For how long a client may send nothing, no pong either (default: for ever). Then the connection ends with
    /// `TransportError.timedOut`.
    public var idleTimeout: Duration?
    /// Which pages may connect, how messages are compressed, and how long a request's head may be.
    public var handshake = WebSocketHandshakePolicy()
    /// What each WebSocket may cost, and how it is kept alive.
    public var limits = WebSocketLimits()
    /// What the connections' TLS is like; nil: there is none (default).
    public var tls: TLSContext?
    /// Is called when a connection has ended, with what the handler has thrown or what has ended the connection under it;
    /// nil after a clean end, or a request that was refused. It runs on the connection's loop and must not block.
    public var connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)?

    /// The defaults.
    public init() {}
}
