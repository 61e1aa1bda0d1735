// SPDX-License-Identifier: Apache-2.0

public import WirelineSession
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
    /// How slowly the rest of a message may come that has begun, or of the request, while there is room for it (default: 1,024
    /// bytes in 30 s, less than the slowest phone networks carry); nil: as slowly as it likes. A slower client is closed with
    /// code 1013, and its connection ends with ``ConnectionError/tooSlow(_:)``; a rest that is shorter has the whole time.
    /// Any byte counts, those of pings too. A message that is sent in fragments with long pauses between them is a slow one:
    /// servers whose clients send such ones need nil.
    public var minimumRate: MinimumRate? = MinimumRate(window: .seconds(30))
    /// How many bytes all connections may hold together (default 1 GiB): of messages that have not been taken or have not come
    /// whole, with what they have become where they were compressed, and of what waits to be sent; nil: what ``limits`` lets
    /// each of them hold. The first 16 KiB of each connection are not counted, nor the last 16 KiB and one message of what it
    /// sends, nor what zlib keeps.
    ///
    /// At the limit, a connection that needs more is not read from until others hold less, and its senders wait. Where all
    /// that hold something wait for more, the one that holds most ends with ``ConnectionError/noRoom(limit:)``: it is closed with
    /// code 1013, or at once where it takes nothing of what is sent to it; what it has received and nobody has taken is lost.
    public var heldByteLimit: Int? = 1 << 30
    /// Which pages may connect, how messages are compressed, and how long a request's head may be.
    public var handshake = WebSocketHandshakePolicy()
    /// What each WebSocket may cost, and how it is kept alive.
    public var limits = WebSocketLimits()
    /// What the connections' TLS is like; nil: there is none (default).
    public var tls: TLSContext?
    /// Is handed every message, and how connections begin and end (default: nothing is).
    public var log: TrafficLog?
    /// Is called when a connection has ended, with what the handler has thrown or what has ended the connection under it;
    /// nil after a clean end, or a request that was refused. It runs on the connection's loop and must not block.
    public var connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)?

    /// The defaults.
    public init() {}
}
