// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// How a WebSocket server listens, and the limits of its connections.
public struct WebSocketServerConfiguration: Sendable {
    /// How the server listens: TLS, the most connections, their memory, timeouts.
    public var listening: ListeningOptions
    /// The rules for handshakes: pages that may connect, names of the server, compression, length of a request's head.
    public var handshake = WebSocketHandshakePolicy()
    /// The limits of each WebSocket, and its heartbeat.
    public var limits = WebSocketLimits()
    /// Receives every message, and how connections begin and end; nil: no log (default).
    public var log: TrafficLog?

    /// Makes a configuration. All other properties have their defaults.
    public init(listening: ListeningOptions = ListeningOptions()) {
        self.listening = listening
    }
}
