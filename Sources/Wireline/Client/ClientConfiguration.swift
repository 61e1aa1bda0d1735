// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS

/// How a client connects, and what its connection may cost.
public struct ClientConfiguration: Equatable, Sendable {
    /// How long looking the name up, connecting and the TLS handshake may take together (default 10 s).
    public var connectTimeout: Duration
    /// How long a request waits for its reply unless it says otherwise (default 10 s).
    public var requestTimeout: Duration
    /// What the connection may cost.
    public var limits: ConnectionLimits

    /// What the connection's TLS is like; nil: there is none (default). Make it once for many connections: it holds what
    /// was read of certificates, and the sessions that can be resumed.
    public var tls: TLSContext?
    /// The name that the server's certificate must be for, and that the server is told of (SNI); nil: the host that was
    /// connected to (default).
    public var tlsServerName: String?

    /// Makes a configuration; what is left out has its default.
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
