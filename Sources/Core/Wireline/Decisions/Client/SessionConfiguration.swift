// SPDX-License-Identifier: Apache-2.0

/// The configuration of a session.
package struct SessionConfiguration: Equatable, Sendable {
    /// The number of endpoints, including the first (default 1).
    public var endpointCount: Int
    /// The largest number of the packets' sequence field; nil (the default): packets have none.
    public var maximumSequence: UInt64?
    /// When the session reconnects.
    public var reconnect: ReconnectPolicy
    /// When the session sends heartbeats; nil (the default): never.
    public var heartbeat: HeartbeatPolicy?
    /// The limits of the outbound queue.
    public var limits: OutboundLimits
    /// Whether each new connection is given the newest message of each key again (default: no).
    /// This concerns ``DeliveryPolicy/latest(_:)``, which nothing confirms. ``limits`` then applies to these messages
    /// and, separately, to all others.
    public var repeatsLatest: Bool
    /// How long making a connection may take (default 10 s): name lookup, all addresses, TLS.
    /// After it the cause is ``DisconnectCause/timedOut``. A driver that knows a better cause ends the attempt earlier.
    public var connectTimeout: Duration
    /// How long the login may take (default 10 s).
    public var loginTimeout: Duration
    /// A connection with this many queued bytes is given no more messages (default 64 KiB).
    /// The last message may exceed it.
    public var pendingByteCount: Int

    /// Makes a configuration; values left out have their default.
    public init(
        endpointCount: Int = 1, maximumSequence: UInt64? = nil, reconnect: ReconnectPolicy = ReconnectPolicy(),
        heartbeat: HeartbeatPolicy? = nil, limits: OutboundLimits = OutboundLimits(), repeatsLatest: Bool = false,
        connectTimeout: Duration = .seconds(10), loginTimeout: Duration = .seconds(10),
        pendingByteCount: Int = 64 << 10
    ) {
        self.endpointCount = endpointCount
        self.maximumSequence = maximumSequence
        self.reconnect = reconnect
        self.heartbeat = heartbeat
        self.limits = limits
        self.repeatsLatest = repeatsLatest
        self.connectTimeout = connectTimeout
        self.loginTimeout = loginTimeout
        self.pendingByteCount = pendingByteCount
    }
}
