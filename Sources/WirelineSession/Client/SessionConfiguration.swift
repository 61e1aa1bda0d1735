// SPDX-License-Identifier: Apache-2.0

/// How a session connects, stays and sends.
public struct SessionConfiguration: Equatable, Sendable {
    /// How many endpoints there are to fall back on, the first included (default 1).
    public var endpointCount: Int
    /// The largest number of the packets' sequence field; nil (the default): there is none.
    public var maximumSequence: UInt64?
    /// When it connects again.
    public var reconnect: ReconnectPolicy
    /// When it sends heartbeats; nil (the default): never.
    public var heartbeat: HeartbeatPolicy?
    /// How much may wait.
    public var limits: OutboundLimits
    /// How long making a connection may take (default 10 s): looking the name up, every address, TLS. When it is over, the
    /// cause is ``DisconnectCause/timedOut``; who can say more of an attempt that takes long ends it earlier.
    public var connectTimeout: Duration
    /// How long the login may take (default 10 s).
    public var loginTimeout: Duration
    /// With how many bytes that wait in a connection it is given no more messages (default 64 KiB). One message may go
    /// beyond it.
    public var pendingByteCount: Int

    /// Makes a configuration; what is left out has its default.
    public init(
        endpointCount: Int = 1, maximumSequence: UInt64? = nil, reconnect: ReconnectPolicy = ReconnectPolicy(),
        heartbeat: HeartbeatPolicy? = nil, limits: OutboundLimits = OutboundLimits(),
        connectTimeout: Duration = .seconds(10), loginTimeout: Duration = .seconds(10),
        pendingByteCount: Int = 64 << 10
    ) {
        self.endpointCount = endpointCount
        self.maximumSequence = maximumSequence
        self.reconnect = reconnect
        self.heartbeat = heartbeat
        self.limits = limits
        self.connectTimeout = connectTimeout
        self.loginTimeout = loginTimeout
        self.pendingByteCount = pendingByteCount
    }
}
