// SPDX-License-Identifier: Apache-2.0

public import WirelineSession
public import WirelineTLS
public import WirelineTransport

/// What a server takes, and for how long it waits.
public struct ServerConfiguration: Sendable {
    /// How many connections there may be at a time (default 65,536). Further ones wait in the system's queue until others
    /// end; so does whoever connects while the process has no descriptors left.
    public var connectionLimit: Int
    /// How many connections there may be at a time from one address, an IPv6 address being its network of 64 bits (default:
    /// any number, for behind a proxy, or a carrier's address translation, all clients have the same few). A further one is
    /// closed at once, before TLS; ``connectionEnded`` gets ``ConnectionError/tooManyConnections(limit:)``.
    public var connectionLimitPerAddress: Int?
    /// How many connections may wait in the system's queue (default 4,096; Linux takes no more than
    /// `net.core.somaxconn`).
    public var backlog: Int32
    /// Within which time a new connection must have sent its first whole packet while the handler waits for it (default
    /// 30 s, with TLS or a WebSocket from the end of the handshakes); nil: ``idleTimeout`` holds from the beginning.
    public var firstPacketTimeout: Duration?
    /// For how long a connection may send nothing afterwards, while the handler waits for it (default: for ever). Any
    /// byte counts.
    public var idleTimeout: Duration?
    /// How slowly the rest of a packet may come that has begun, while the handler waits for it (default: 1,024 bytes in
    /// 30 s, less than the slowest phone networks carry); nil: as slowly as it likes. A slower one ends its connection
    /// with ``ConnectionError/tooSlow(_:)``; a rest that is shorter has the whole time.
    public var minimumRate: MinimumRate?
    /// How many bytes all connections may hold together: of packets that have not been taken, and of what waits to be sent
    /// (default 1 GiB); nil: what ``limits`` lets each of them hold. The first 16 KiB of each connection are not counted, nor
    /// the last 16 KiB and one packet of what it sends.
    ///
    /// At the limit, a connection that needs more is not read from until others hold less, and its senders wait. Where all
    /// that hold something wait for more, the one that holds most is closed with ``ConnectionError/noRoom(limit:)``.
    public var heldByteLimit: Int?
    /// What each connection may cost.
    public var limits: ConnectionLimits
    /// What the connections' TLS is like; nil: there is none (default).
    public var tls: TLSContext?
    /// Who gets a WebSocket that carries the packets, over TLS where ``tls`` is set; nil: TCP or TLS itself carries them
    /// (default).
    public var webSocket: WebSocketServerOptions?
    /// Within which time a new connection's handshakes of TLS and of a WebSocket must be complete, together (default 30 s);
    /// nil: they have no deadline.
    public var handshakeTimeout: Duration?
    /// Is handed every message, and how connections begin and end (default: nothing is).
    public var log: TrafficLog?
    /// Is called when a connection has ended, with what the handler has thrown or what has ended the connection under
    /// it; nil after a clean end. It runs on the connection's loop and must not block.
    public var connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)?

    /// Makes a configuration; what is left out has its default.
    public init(
        connectionLimit: Int = 65_536, connectionLimitPerAddress: Int? = nil, backlog: Int32 = 4_096,
        firstPacketTimeout: Duration? = .seconds(30), idleTimeout: Duration? = nil,
        minimumRate: MinimumRate? = MinimumRate(window: .seconds(30)), heldByteLimit: Int? = 1 << 30,
        limits: ConnectionLimits = ConnectionLimits(), tls: TLSContext? = nil,
        handshakeTimeout: Duration? = .seconds(30),
        connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)? = nil
    ) {
        self.connectionLimit = connectionLimit
        self.connectionLimitPerAddress = connectionLimitPerAddress
        self.backlog = backlog
        self.firstPacketTimeout = firstPacketTimeout
        self.idleTimeout = idleTimeout
        self.minimumRate = minimumRate
        self.heldByteLimit = heldByteLimit
        self.limits = limits
        self.tls = tls
        self.handshakeTimeout = handshakeTimeout
        self.connectionEnded = connectionEnded
    }
}
