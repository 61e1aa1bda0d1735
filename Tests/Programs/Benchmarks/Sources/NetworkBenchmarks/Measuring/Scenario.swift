// SPDX-License-Identifier: Apache-2.0

/// What is measured.
enum Scenario: String, CaseIterable {
    /// One connection that never waits for a reply.
    case pipelined
    /// Many connections with a few packets each on their way.
    case connections
    /// One connection, one packet.
    case pingPong = "ping-pong"
    /// Packets without replies.
    case ingest
    /// Connections that were used once.
    case idle
    /// The same with TLS.
    case sealedPipelined = "tls-pipelined"
    case sealedConnections = "tls-connections"
    /// Packets that fill a record and begin another.
    case sealedLong = "tls-long"
    /// New connections that are used once, with everything that belongs to their beginning.
    case sealedHandshakes = "tls-handshakes"
    /// New connections that continue a session.
    case sealedResumptions = "tls-resumptions"
    case sealedIdle = "tls-idle"
    /// Messages of 64 bytes, 1 KiB and 64 KiB through a WebSocket, and through many.
    case webSocketShort = "websocket-64"
    case webSocketMedium = "websocket-1k"
    case webSocketLong = "websocket-64k"
    case webSocketsShort = "websocket-64-connections"
    case webSocketsMedium = "websocket-1k-connections"
    case webSocketsLong = "websocket-64k-connections"

    var usesTLS: Bool { rawValue.hasPrefix("tls-") }
    var usesWebSocket: Bool { rawValue.hasPrefix("websocket-") }
    var isIdle: Bool { self == .idle || self == .sealedIdle }

    /// The server to which all ratios are.
    var limit: OwnServer { usesWebSocket ? .webSocketEpoll : .epoll }
}
