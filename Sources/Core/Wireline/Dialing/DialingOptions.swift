// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS
public import WirelineTransport

/// How a client gets a connection to a host, for packets and for WebSockets.
///
///     var configuration = ClientConfiguration()
///     configuration.dialing.tls = try TLSContext(.client())
public struct DialingOptions: Sendable {
    /// The timeout for name lookup, connecting, and the TLS and WebSocket handshakes together (default 10 s).
    public var connectTimeout: Duration

    /// The TLS of the connection; nil (default): no TLS for packets, the system's roots for `wss` URLs.
    ///
    /// A client of WebSockets uses it if the URL's scheme is `wss`. Make it once for many connections: it holds the
    /// certificates, and the sessions that can be resumed.
    public var tls: TLSContext?
    /// The name that the client sends (SNI) and that the server's certificate must match; nil: the host (default).
    public var tlsServerName: String?

    /// The proxy that connects to the host; nil: none (default).
    ///
    /// ``connectTimeout`` limits both connections together, and ``resolver`` looks up only the proxy's name.
    /// Environment variables are not read.
    public var proxy: Proxy?

    /// The path of the Unix domain socket to connect to, instead of the host and port; nil: none (default).
    ///
    ///     configuration.dialing.unixPath = "/run/game.sock"
    ///
    /// The host is not looked up then, and the port is not used. ``tls`` still verifies the host's name, and a
    /// WebSocket's request still names it. ``proxy``, ``resolver``, ``interface`` and ``localAddress`` are not used. On
    /// Linux, a path that begins with `@` is an abstract name. A path that cannot be one fails with
    /// `TransportError.invalidPath`.
    public var unixPath: String?

    /// The resolver that finds the host's addresses (default: the system).
    ///
    /// Whatever it returns, ``tls`` verifies the host's name. The text of an IP address is used as it is; in networks
    /// that have only IPv6 (NAT64), the text of an IPv4 address cannot be reached.
    public var resolver: any HostResolver = SystemResolver()
    /// The time after which the next address is tried, while the attempt before continues (default 250 ms).
    ///
    /// RFC 8305 recommends 250 ms. Values below 100 ms count as 100 ms, values above 2 s as 2 s. The client takes the
    /// first connection that succeeds; TLS follows only on that one.
    public var attemptDelay = Duration.milliseconds(250)
    /// The network interface for the connection, such as `eth0` or `en0`; nil: the system chooses (default).
    ///
    /// If there is no interface of this name, connecting fails with `noSuchInterface`.
    public var interface: String?
    /// The local address of the connection, such as `10.0.0.5:0`; nil: the system chooses (default).
    ///
    /// With port 0 the system chooses the port. Only the host's addresses of the same family are tried.
    public var localAddress: SocketAddress?
    /// How long the server may be silent before the system probes it (TCP keepalive, default 60 s); nil: never.
    ///
    /// The system repeats the probe each quarter of this time, and gives up after four unanswered probes. So a server
    /// that has vanished ends the connection with `TransportError.timedOut` after twice this time. Rounded up to
    /// seconds.
    public var keepAliveTime: Duration? = .seconds(60)

    /// Receives the timeline of each connection when it ends, or when it could not be made.
    ///
    /// It is called on any thread, and must not block.
    public var timelineHandler: (@Sendable (ConnectionTimeline) -> Void)?

    /// Makes options. Parameters that you leave out, and all other properties, have their defaults.
    public init(
        connectTimeout: Duration = .seconds(10), tls: TLSContext? = nil, tlsServerName: String? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.tls = tls
        self.tlsServerName = tlsServerName
    }
}

extension DialingOptions {
    /// Expires the addresses of the host, or of the proxy, so that the next connection looks them up again.
    func expireAddresses(of host: String) {
        resolver.expire(proxy?.address.host ?? host)
    }
}
