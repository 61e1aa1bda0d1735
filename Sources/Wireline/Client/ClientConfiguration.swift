// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS
public import WirelineTransport

/// How a client connects, and what its connection may cost.
public struct ClientConfiguration: Sendable {
    /// How long looking the name up, connecting and the handshakes of TLS and of a WebSocket may take together (default
    /// 10 s).
    public var connectTimeout: Duration
    /// How long a request waits for its reply unless it says otherwise (default 10 s).
    public var requestTimeout: Duration
    /// For how long the server may send nothing while somebody waits for packets or a reply (default: for ever, for many
    /// protocols are silent until something happens); then the connection ends with ``ConnectionError/transport(_:)`` and
    /// `timedOut`. Any byte counts. Where there are heartbeats it is longer than the time between them.
    public var idleTimeout: Duration?
    /// What the connection may cost.
    public var limits: ConnectionLimits

    /// What the connection's TLS is like; nil: there is none (default). Make it once for many connections: it holds what
    /// was read of certificates, and the sessions that can be resumed.
    public var tls: TLSContext?
    /// The name that the server's certificate must be for, and that the server is told of (SNI); nil: the host that was
    /// connected to (default).
    public var tlsServerName: String?
    /// What is asked for where a WebSocket is to carry the packets, over TLS where ``tls`` is set; nil: TCP or TLS itself
    /// carries them (default).
    public var webSocket: WebSocketOptions?

    /// What connects to the host for this side, which connects to the proxy; nil: nothing does (default). ``connectTimeout``
    /// holds for both together, and ``resolver`` looks up the proxy's name alone. Environment variables are not read.
    public var proxy: Proxy?

    /// What finds the host's addresses (default: the system). Whatever it says, ``tls`` holds the server to the host's
    /// name. The text of an IP address is connected to as it is, which in networks of IPv6 alone (NAT64) leads nowhere for
    /// one of IPv4.
    public var resolver: any HostResolver = SystemResolver()
    /// How long an attempt to connect goes on alone before the host's next address is tried beside it (default 250 ms, as
    /// RFC 8305 recommends; less than 100 ms counts as that, more than 2 s as that). The first connection that comes about
    /// is taken; TLS follows on that one alone.
    public var attemptDelay = Duration.milliseconds(250)
    /// The network interface that the connection goes over, such as `eth0` or `en0`; nil: the system chooses (default).
    /// Where there is none of this name, connecting fails with `noSuchInterface`.
    public var interface: String?
    /// The address of this machine that the connection begins at, such as `10.0.0.5:0`: with port 0 the system chooses one;
    /// nil: the system chooses (default). Only the host's addresses of the same family are tried.
    public var localAddress: SocketAddress?
    /// Is handed every message, and how the connection begins and ends (default: nothing is).
    public var log: TrafficLog?
    /// Is handed the timeline of each connection that was asked for: when the connection has ended, or when it has not
    /// come about. It is called on any thread, and must not block.
    public var timelineHandler: (@Sendable (ConnectionTimeline) -> Void)?

    /// Makes a configuration; what is left out has its default, and so has what stands in properties alone.
    public init(
        connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(10),
        limits: ConnectionLimits = ConnectionLimits(), tls: TLSContext? = nil, tlsServerName: String? = nil
    ) {
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.limits = limits
        self.tls = tls
        self.tlsServerName = tlsServerName
    }
}

extension ClientConfiguration {
    /// Has a host looked up anew when a connection to it is next made, or the proxy that makes it.
    func expireAddresses(of host: String) {
        resolver.expire(proxy?.address.host ?? host)
    }
}
