// SPDX-License-Identifier: Apache-2.0

public import WirelineLayers

/// How a server of packets listens, and the limits of its connections.
public struct ServerConfiguration: Sendable {
    /// How the server listens: TLS, the most connections, their memory, timeouts.
    public var listening: ListeningOptions
    /// The timeout for a new connection's first whole packet, while the handler waits for it (default 30 s).
    ///
    /// With TLS or a WebSocket it starts at the end of the handshakes. nil: ``ListeningOptions/idleTimeout`` applies
    /// from the beginning.
    public var firstPacketTimeout: Duration?
    /// The limits of each connection.
    public var limits: ConnectionLimits
    /// The WebSocket that carries the packets; nil: TCP or TLS carries them (default).
    ///
    /// It runs over TLS if ``ListeningOptions/tls`` is set.
    public var webSocket: WebSocketOptions?
    /// Levels of compression, thresholds and the program's own transforms, for packets with layers.
    public var layers = LayerOptions()
    /// Receives every message, and how connections begin and end; nil: no log (default).
    public var log: TrafficLog?

    /// Makes a configuration. Parameters that you leave out, and all other properties, have their defaults.
    public init(
        listening: ListeningOptions = ListeningOptions(), firstPacketTimeout: Duration? = .seconds(30),
        limits: ConnectionLimits = ConnectionLimits()
    ) {
        self.listening = listening
        self.firstPacketTimeout = firstPacketTimeout
        self.limits = limits
    }
}
