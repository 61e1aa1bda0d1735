// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS
public import WirelineTransport
import WirelineWebSocket

/// How a server listens, and which connections it accepts, for packets and for WebSockets.
///
///     var configuration = ServerConfiguration()
///     configuration.listening.tls = try TLSContext(.server(identity: identity))
public struct ListeningOptions: Sendable {
    /// The most connections at a time (default 65,536).
    ///
    /// Further ones wait in the system's queue until others end. So do connections that arrive while the process has no
    /// descriptors left.
    public var connectionLimit: Int
    /// The number of connections beyond which each new one ends the oldest; nil: new ones wait for ``connectionLimit``.
    package var evictionLimit: Int?
    /// The most connections at a time from one address, or one 64-bit network of IPv6 (default: no limit).
    ///
    /// There is no limit by default, because many clients may share one address: behind a proxy, or in a mobile
    /// network. A connection beyond the limit is closed at once, before TLS. ``connectionEnded`` receives
    /// ``ConnectionError/tooManyConnections(limit:)``. Clients of a Unix domain socket have no address, and no such
    /// limit.
    public var connectionLimitPerAddress: Int?
    /// How fast connections may come, all together (default: no limit).
    ///
    ///     configuration.listening.connectionRate = MaximumRate(500)  // 500 a second
    ///
    /// A connection beyond it is closed at once, before TLS: so this also limits how many TLS handshakes, which cost
    /// most of the time, a server does in a second. ``connectionEnded`` receives
    /// ``ConnectionError/tooManyNewConnections(_:)``, and ``ServerCounters/refusedConnectionCounts`` counts it.
    public var connectionRate: MaximumRate?
    /// How fast connections may come from one address, or one 64-bit network of IPv6 (default: no limit).
    ///
    /// See ``connectionRate`` for what happens to others, and ``connectionLimitPerAddress`` for why there is no limit
    /// by default. Connections that this limit refuses do not count for ``connectionRate``.
    public var connectionRatePerAddress: MaximumRate?
    /// The proxies that tell the addresses of their clients (PROXY protocol); nil: none (default).
    public var proxyProtocol: ProxyProtocol?
    /// The length of the system's queue of new connections (default 4,096; Linux allows at most `net.core.somaxconn`).
    ///
    /// Each address that the server listens at has a queue of its own.
    public var backlog: Int32 = 4_096
    /// Whether other processes of the same user may listen at the same ports (`SO_REUSEPORT`, default false).
    ///
    /// All of them must set it. Linux then distributes new connections among them. So a new version of a program can
    /// start before the old one stops listening. Limits count the connections of one process.
    public var sharesPorts = false

    /// The TLS of the connections; nil: no TLS (default).
    ///
    /// Several servers may have the same context. `TLSContext.replace(with:)` replaces its certificates while they run.
    public var tls: TLSContext?
    /// The timeout for a new connection's TLS and WebSocket handshakes together (default 30 s); nil: no timeout.
    ///
    /// The time that the program takes to decide on a request for a WebSocket does not count.
    public var handshakeTimeout: Duration?
    /// How long a client may then send nothing; nil: no limit (default).
    ///
    /// Any byte counts, also of a pong. After that the connection ends with `TransportError.timedOut`. A server of
    /// packets counts the time only while the handler waits for a packet.
    public var idleTimeout: Duration?
    /// The least speed of a packet or message that has begun to arrive (default: 1,024 bytes in 30 s); nil: no limit.
    ///
    /// It also applies to the request for a WebSocket. A server of packets applies it while the handler waits for the
    /// packet, a server of WebSockets while it reads. The slowest phone networks are faster than the default. If less
    /// than that is missing, the packet or message has the whole time.
    ///
    /// A slower client's connection ends with ``ConnectionError/tooSlow(_:)``. A ``WebSocketServer`` closes it with
    /// code 1013. In a WebSocket any byte counts, also of pings. A message in fragments with long pauses is slow: if
    /// your clients send such messages, set nil.
    public var minimumRate: MinimumRate?
    /// The least speed at which a client takes output that waits for it (default: 2,048 bytes in 60 s); nil: no limit.
    ///
    /// The time runs while output waits here because the client's system takes no more. The bytes that this system
    /// acknowledges count. If less than that waits, the client has the whole time for it. A client that takes nothing
    /// at all times out before (``ConnectionLimits/writeTimeout``, 30 s).
    ///
    /// A slower client's connection ends with ``ConnectionError/readTooSlowly(_:)``, at once and without a closing
    /// message, which the client would not read.
    public var minimumReadingRate: MinimumRate?
    /// The memory that all connections together may hold, in bytes (default 1 GiB); nil: only their own limits apply.
    ///
    /// It limits packets and messages that were not taken or have not arrived whole, also their inflated content, and
    /// output that waits to be sent. It counts the memory, not the bytes in it. For each connection, these are not
    /// counted: the first 16 KiB of its input, the last 16 KiB and one packet or message of its output. zlib's memory
    /// has a limit of its own (`WebSocketHandshakePolicy.compressionByteLimit`).
    ///
    /// At the limit, a connection that needs more is not read until others hold less, and its senders wait. If every
    /// connection that holds something waits for more, the one that holds most ends with
    /// ``ConnectionError/noRoom(limit:)``. When a connection has waited for 5 s, connections that hold bytes and move
    /// too few end with the same error: the slowest first, until there is enough. Too few means: at that speed, the
    /// connection would need more than a minute for the bytes that it holds.
    ///
    /// A ``WebSocketServer`` closes such a connection with code 1013, or at once if its client reads none of the
    /// output; messages that were not taken are lost.
    public var heldByteLimit: Int?
    /// How long a client may be silent before the system probes it (TCP keepalive, default 60 s); nil: never.
    ///
    /// A phone that has vanished ends its connection after twice this time; see ``DialingOptions/keepAliveTime``.
    public var keepAliveTime: Duration? = .seconds(60)

    /// Called when a connection has ended, with the error of the handler or of the connection.
    ///
    /// nil: a clean end, or a refused request for a WebSocket. It runs on the connection's loop and must not block.
    public var connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)?
    /// Called when the system cannot give the server another connection.
    ///
    /// Usually the process has no descriptors left (`EMFILE`; `DescriptorLimit.raise()` helps). It is called once, and
    /// again only after another connection was accepted. The server tries again every 100 ms
    /// (``ServerCounters/failedAcceptCount``); meanwhile clients wait in the system's queue. It runs on an event loop
    /// and must not block.
    public var acceptFailed: (@Sendable (TransportError) -> Void)?
    /// Called after a turn of an event loop that took ``slowTurnTime`` or longer.
    ///
    /// Then a handler has blocked the loop, or has computed for long, and every connection of the loop had to wait.
    ///
    ///     configuration.listening.slowTurn = { duration in logger.warning("a handler blocked a loop for \(duration)") }
    ///
    /// It gets the duration, runs on that loop, and must not block. Each loop calls it at most once
    /// a second, with the longest turn since the last call. Loops that several servers share call it for all of them.
    /// nil: not called (default).
    public var slowTurn: (@Sendable (Duration) -> Void)?
    /// How long a turn must take for ``slowTurn`` (default 100 ms).
    public var slowTurnTime = Duration.milliseconds(100)

    /// Makes options. Parameters that you leave out, and all other properties, have their defaults.
    public init(
        connectionLimit: Int = 65_536, connectionLimitPerAddress: Int? = nil, tls: TLSContext? = nil,
        handshakeTimeout: Duration? = .seconds(30), idleTimeout: Duration? = nil,
        minimumRate: MinimumRate? = MinimumRate(window: .seconds(30)),
        minimumReadingRate: MinimumRate? = MinimumRate(byteCount: 2_048, window: .seconds(60)),
        heldByteLimit: Int? = 1 << 30,
        connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)? = nil
    ) {
        self.connectionLimit = connectionLimit
        self.connectionLimitPerAddress = connectionLimitPerAddress
        self.tls = tls
        self.handshakeTimeout = handshakeTimeout
        self.idleTimeout = idleTimeout
        self.minimumRate = minimumRate
        self.minimumReadingRate = minimumReadingRate
        self.heldByteLimit = heldByteLimit
        self.connectionEnded = connectionEnded
    }
}

extension ListeningOptions {
    /// - Parameter handshake: The handshake of all WebSockets; nil: there are none.
    func sharedLimits(
        log: TrafficLog?, messageTimes: MessageTimes? = nil, handshake: WebSocketServerHandshake? = nil
    ) -> SharedLimits {
        SharedLimits(
            minimumRate: minimumRate, minimumReadingRate: minimumReadingRate, heldByteLimit: heldByteLimit,
            compressionBudget: handshake?.compressionBudget, log: log, side: .server, messageTimes: messageTimes)
    }
}
