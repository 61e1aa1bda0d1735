// SPDX-License-Identifier: Apache-2.0

public import WirelineSession

/// How a session connects, comes back, and what may wait in it.
public struct PacketSessionConfiguration: Sendable {
    /// How each of its connections is made, and what it may cost. ``ConnectionLimits/unreadByteCount`` holds for the
    /// session: when so much waits to be read, nothing more is read from the connection.
    public var client: ClientConfiguration
    /// When it connects again.
    public var reconnect: ReconnectPolicy
    /// How long the login may take (default 10 s).
    public var loginTimeout: Duration
    /// How much may wait to be sent or confirmed.
    public var outbound: OutboundLimits

    /// Makes a configuration; what is left out has its default.
    public init(
        client: ClientConfiguration = ClientConfiguration(), reconnect: ReconnectPolicy = ReconnectPolicy(),
        loginTimeout: Duration = .seconds(10), outbound: OutboundLimits = OutboundLimits()
    ) {
        self.client = client
        self.reconnect = reconnect
        self.loginTimeout = loginTimeout
        self.outbound = outbound
    }
}
