// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

extension ClientConfiguration {
    /// The request of a client whose packets travel in a WebSocket (``ClientConfiguration/webSocket``).
    ///
    /// The contents of binary messages, one after another, are what TCP would carry: a message may hold one packet,
    /// several, or part of one. Text messages are refused (`WebSocketError.unexpectedText`, close code 1003). Messages
    /// and frames may have any length, because they are not collected; the limit is that of packets. Pings are answered
    /// while the program waits for packets. To keep a connection alive, use a session with heartbeats.
    ///
    /// A half-close is a close frame with code 1000; the peer may send until it answers. If the connection is given up,
    /// the code is one of these:
    ///
    /// - 1007: bytes that are not packets, or a message that its handler could not read.
    /// - 1008: a limit or a timeout.
    /// - 1011: a server's handler failed otherwise.
    public struct WebSocketOptions: Sendable {
        /// The path and query, percent-encoded, such as `/live/room?line=2` (default `/`).
        public var path: String
        /// The subprotocols from which the server may choose one, the preferred one first (default: none).
        public var subprotocols: [String]
        /// Additional headers; see `WebSocketRequest.headers`.
        public var headers: WebSocketHeaders
        /// The page for which a browser connects, such as `https://example.com`; other programs need none.
        public var origin: String?
        /// The content of the header `Cookie`.
        public var cookies: [WebSocketRequest.Cookie] = []
        /// The content of the header `Authorization` (RFC 7617).
        public var credentials: WebSocketCredentials?
        /// How messages are compressed if the server supports it; nil: not at all (default).
        public var deflate: WebSocketDeflate?
        /// The most bytes of an outgoing message (default 64 KiB, less than 1 counts as 1).
        ///
        /// The packets of one turn of the loop become one message, or several if they are longer.
        public var messageByteCount = 64 << 10

        /// Makes options. Parameters that you leave out, and all other properties, have their defaults.
        public init(
            path: String = "/", subprotocols: [String] = [], headers: WebSocketHeaders = [:], origin: String? = nil
        ) {
            self.path = path
            self.subprotocols = subprotocols
            self.headers = headers
            self.origin = origin
        }

        func request(host: String, port: UInt16, isSecure: Bool) throws(WebSocketError) -> WebSocketRequest {
            // The zone of an IPv6 address means nothing to the server (RFC 6874 §4).
            let name = host.prefix { $0 != "%" }
            let authority = name.contains(":") ? "[\(name)]" : String(name)
            guard path.hasPrefix("/") else { throw .invalidURL(.character, offset: 0) }
            var request = WebSocketRequest(
                try WebSocketURL((isSecure ? "wss://" : "ws://") + "\(authority):\(port)\(path)"))
            request.headers = headers
            request.cookies = cookies
            request.credentials = credentials
            request.origin = origin
            request.subprotocols = subprotocols
            request.deflate = deflate
            return request
        }
    }
}
