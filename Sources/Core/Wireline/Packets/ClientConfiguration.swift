// SPDX-License-Identifier: Apache-2.0

public import WirelineLayers

/// How a client of packets connects, and the limits of its connection.
public struct ClientConfiguration: Sendable {
    /// How the connection is made: TLS, proxy, resolver, and the timeout for all of it.
    public var dialing: DialingOptions
    /// The timeout for a reply, unless the request has its own (default 10 s).
    public var requestTimeout: Duration
    /// How long the server may be silent while the program waits for packets or a reply (default: no limit).
    ///
    /// After that the connection ends with ``ConnectionError/transport(_:)`` and `timedOut`. Any byte counts. The
    /// default is no limit because many protocols are silent until something happens. With heartbeats, make it longer
    /// than the time between them.
    public var idleTimeout: Duration?
    /// The limits of the connection.
    public var limits: ConnectionLimits
    /// The WebSocket that carries the packets; nil: TCP or TLS carries them (default).
    ///
    /// It runs over TLS if ``DialingOptions/tls`` is set.
    public var webSocket: WebSocketOptions?
    /// Levels of compression, thresholds and the program's own transforms, for packets with layers.
    public var layers = LayerOptions()
    /// Receives every message, and how the connection begins and ends; nil: no log (default).
    public var log: TrafficLog?

    /// Makes a configuration. Parameters that you leave out, and all other properties, have their defaults.
    public init(
        dialing: DialingOptions = DialingOptions(), requestTimeout: Duration = .seconds(10),
        limits: ConnectionLimits = ConnectionLimits()
    ) {
        self.dialing = dialing
        self.requestTimeout = requestTimeout
        self.limits = limits
    }
}
