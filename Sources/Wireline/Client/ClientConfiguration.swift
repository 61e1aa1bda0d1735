// SPDX-License-Identifier: Apache-2.0

/// How a client connects, and what its connection may cost.
public struct ClientConfiguration: Equatable, Sendable {
    /// How long looking the name up and connecting may take together (default 10 s).
    public var connectTimeout: Duration
    /// How long a request waits for its reply unless it says otherwise (default 10 s).
    public var requestTimeout: Duration
    /// What the connection may cost.
    public var limits: ConnectionLimits

    /// Makes a configuration; what is left out has its default.
    public init(
        connectTimeout: Duration = .seconds(10), requestTimeout: Duration = .seconds(10),
        limits: ConnectionLimits = ConnectionLimits()
    ) {
        self.connectTimeout = connectTimeout
        self.requestTimeout = requestTimeout
        self.limits = limits
    }
}
