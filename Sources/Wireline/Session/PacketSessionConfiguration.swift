// SPDX-License-Identifier: Apache-2.0

public import WirelineSession

/// How a session connects, comes back, and what may wait in it.
public struct PacketSessionConfiguration: Sendable {
    /// How each of its connections is made, and what it may cost. ``ConnectionLimits/unreadByteCount`` holds for the
    /// session: when so much waits to be read, nothing more is read from the connection. What is left of a connection that
    /// has ended meanwhile is kept beyond it, that of further ones is dropped until there is room again.
    public var client: ClientConfiguration
    /// When it connects again.
    public var reconnect: ReconnectPolicy
    /// How long the login may take (default 10 s).
    public var loginTimeout: Duration
    /// How much may wait to be sent or confirmed.
    public var outbound: OutboundLimits
    /// Whether the oldest messages that nobody has read make room for new ones (default: no, the server has to wait): for
    /// programs that make requests and care little for the rest.
    public var dropsOldestUnread: Bool

    /// Makes a configuration; what is left out has its default.
    public init(
        client: ClientConfiguration = ClientConfiguration(), reconnect: ReconnectPolicy = ReconnectPolicy(),
        loginTimeout: Duration = .seconds(10), outbound: OutboundLimits = OutboundLimits(),
        dropsOldestUnread: Bool = false
    ) {
        self.client = client
        self.reconnect = reconnect
        self.loginTimeout = loginTimeout
        self.outbound = outbound
        self.dropsOldestUnread = dropsOldestUnread
    }
}
