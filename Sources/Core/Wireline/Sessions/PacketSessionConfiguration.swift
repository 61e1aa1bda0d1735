// SPDX-License-Identifier: Apache-2.0

/// How a session connects and reconnects, and what may wait in it.
public struct PacketSessionConfiguration: Sendable {
    /// How each connection is made, and its limits.
    ///
    /// ``ConnectionLimits/unreadByteCount`` applies to the session: when so much waits to be read, it reads nothing
    /// from the connection. If that connection then ends, its remaining input may exceed the limit. The remaining input
    /// of further connections is dropped until less waits.
    public var client: ClientConfiguration
    /// When it reconnects.
    public var reconnect: ReconnectPolicy
    /// The timeout for a login (default 10 s).
    public var loginTimeout: Duration
    /// How much may wait to be sent or confirmed.
    public var outbound: OutboundLimits
    /// Whether the oldest unread messages are dropped for new ones (default: no, back-pressure slows the server down).
    ///
    /// Use it in programs that make requests and care little for other messages.
    public var dropsOldestUnread: Bool

    /// Makes a configuration; parameters that you leave out have their defaults.
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
