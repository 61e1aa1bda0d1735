// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// What a client asks for when a WebSocket is to carry its packets (``ClientConfiguration/webSocket``).
///
/// The content of binary messages, one after another, is what TCP would carry: a message may hold one packet, several, or
/// part of one. Text messages are refused (`WebSocketError.unexpectedText`, close code 1003). Messages and
/// frames may have any length, for nobody gathers them: packets have their limit. Pings are answered while packets are waited
/// for; a connection that is to be kept alive needs a session with heartbeats.
///
/// An end of output is a close frame with code 1000, and the peer may go on to send until it answers; a connection that
/// is given up says 1007 for bytes that are no packet, 1008 where a limit or a deadline was met, and 1011 where a
/// server's handler has failed.
public struct WebSocketOptions: Sendable {
    /// What is asked for: path and query, percent-encoded, such as `/live/room?line=2` (default `/`).
    public var path: String
    /// Of these the server may choose one; the preferred one first (default: none).
    public var subprotocols: [String]
    /// Headers of the caller's; see `WebSocketRequest.headers`.
    public var headers: WebSocketHeaders
    /// The page for which a browser asks, such as `https://example.com`; other programs need none.
    public var origin: String?
    /// What stands in `Cookie`.
    public var cookies: [WebSocketRequest.Cookie] = []
    /// What stands in `Authorization` (RFC 7617).
    public var credentials: WebSocketCredentials?
    /// How messages are compressed if the server can; nil: not at all (default).
    public var deflate: WebSocketDeflate?
    /// The most bytes of a message that is sent (default 64 KiB, less than 1 counts as 1). What is sent in one turn of the
    /// loop is one message, or several where there is more.
    public var messageByteCount = 64 << 10

    /// Makes options; what is left out has its default, and so has what stands in properties alone.
    public init(
        path: String = "/", subprotocols: [String] = [], headers: WebSocketHeaders = [:], origin: String? = nil
    ) {
        self.path = path
        self.subprotocols = subprotocols
        self.headers = headers
        self.origin = origin
    }

    /// The request for a host.
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
