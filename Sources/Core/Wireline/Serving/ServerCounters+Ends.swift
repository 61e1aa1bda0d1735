// SPDX-License-Identifier: Apache-2.0

extension ServerCounters {
    /// Why a connection was refused, in classes that a dashboard can count.
    @nonexhaustive
    public enum RefusalReason: String, CaseIterable, Sendable {
        /// Its address had as many connections as it may have (``ListeningOptions/connectionLimitPerAddress``).
        case addressLimit = "address_limit"
        /// Too many connections came from its address at once (``ListeningOptions/connectionRatePerAddress``).
        case addressRate = "address_rate"
        /// Too many connections came at once (``ListeningOptions/connectionRate``).
        case rate
        /// As many connections were open as the servers that share the limit may have together.
        case limit
        /// A proxy sent no valid header, or none was there although one is needed
        /// (``ConnectionError/proxyHeader(_:)``).
        case proxyHeader = "proxy_header"
    }

    /// Why a connection has ended, in classes that a dashboard can count.
    @nonexhaustive
    public enum EndReason: String, CaseIterable, Sendable {
        /// Without a fault: the handler has returned, the peer has ended its stream, or this side has closed or
        /// refused.
        case clean
        /// The peer sent nothing, or read nothing, for too long.
        case timedOut = "timed_out"
        /// A packet or message arrived too slowly (``ConnectionError/tooSlow(_:)``).
        case tooSlow = "too_slow"
        /// The client took output too slowly (``ConnectionError/readTooSlowly(_:)``).
        case readTooSlowly = "read_too_slowly"
        /// A room closed the connection, because its peer read too slowly
        /// (``ConnectionError/slowReader(pendingByteCount:)``).
        case slowReader = "slow_reader"
        /// The byte budget was used up (``ConnectionError/noRoom(limit:)``).
        case noRoom = "no_room"
        /// The server sent a last message and ended the connection (``ConnectionError/kicked``).
        case kicked
        /// TLS failed (``ConnectionError/tls(_:)``).
        case tls
        /// The peer broke the protocol: a malformed packet, message, frame or handshake.
        case brokenProtocol = "broken_protocol"
        /// The client sent an HTTP request to a server of packets (``ConnectionError/httpRequest``).
        case httpRequest = "http_request"
        /// The network or the peer's system ended the connection, for example with a reset.
        case lost
        /// The handler threw an error of its own.
        case handlerError = "handler_error"

        /// - Parameters:
        ///   - connection: The error that ended the connection; nil if there is none.
        ///   - handler: The error that the handler threw; nil if it returned.
        init(connection: ConnectionError?, handler: (any Error)?) {
            if let reason = connection.flatMap(Self.init(_:)) {
                self = reason
            } else if let error = handler as? ConnectionError {
                self = Self(error) ?? .clean
            } else {
                self = handler == nil || handler is CancellationError ? .clean : .handlerError
            }
        }

        /// The reason for an error; nil if this side has closed the connection.
        private init?(_ error: ConnectionError) {
            switch error {
            // A request for a page, such as a health check, is refused a WebSocket, too.
            case .transport(.closed), .cancelled, .webSocket(.requestRefused): return nil
            case .transport(.timedOut): self = .timedOut
            case .tooSlow: self = .tooSlow
            case .readTooSlowly: self = .readTooSlowly
            case .slowReader: self = .slowReader
            case .noRoom: self = .noRoom
            case .kicked: self = .kicked
            case .tls: self = .tls
            case .codec, .webSocket: self = .brokenProtocol
            case .httpRequest: self = .httpRequest
            case .transport, .webSocketEnded: self = .lost
            // Errors of the handler's own use of this or another connection.
            default: self = .handlerError
            }
        }
    }
}
