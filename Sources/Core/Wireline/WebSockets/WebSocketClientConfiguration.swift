// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// How a client connects to a WebSocket server, and the limits of the connection.
public struct WebSocketClientConfiguration: Sendable {
    /// How the connection is made: TLS, proxy, resolver, and the timeout for all of it, handshake included.
    ///
    /// TLS is used if the URL's scheme is `wss`. It needs no context: without one, the system's roots verify the
    /// server's certificate.
    public var dialing: DialingOptions
    /// The limits of the WebSocket, and its heartbeat.
    public var limits = WebSocketLimits()

    /// Receives every message, and how the connection begins and ends; nil: no log (default).
    public var log: TrafficLog?

    /// Additional headers; they replace the usual `Host`, `Origin`, `Cookie` and `Authorization`.
    public var headers: WebSocketHeaders = [:]
    /// The content of the header `Cookie`.
    public var cookies: [WebSocketRequest.Cookie] = []
    /// The content of the header `Authorization`; nil (default): the credentials in the URL.
    public var credentials: WebSocketCredentials?
    /// The page for which a browser connects, such as `https://example.com`; other programs need none.
    public var origin: String?
    /// The subprotocols from which the server may choose one, the preferred one first.
    public var subprotocols: [String] = []
    /// How messages are compressed if the server supports it; nil (default): not at all.
    public var deflate: WebSocketDeflate?

    /// Makes a configuration. All other properties have their defaults.
    public init(dialing: DialingOptions = DialingOptions()) {
        self.dialing = dialing
    }

    func request(_ url: WebSocketURL) -> WebSocketRequest {
        var request = WebSocketRequest(url)
        request.headers = headers
        request.cookies = cookies
        if let credentials { request.credentials = credentials }
        request.origin = origin
        request.subprotocols = subprotocols
        request.deflate = deflate
        return request
    }
}
