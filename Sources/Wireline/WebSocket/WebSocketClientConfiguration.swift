// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// How a client asks for a WebSocket, and what that may cost.
public struct WebSocketClientConfiguration: Sendable {
    /// How the connection is made: the deadline for all of it, the handshake included (10 s); TLS, resolver, interface and
    /// timeline. What it says of requests, packets and their log is not used;
    /// ``limits`` and ``log`` stand in place of its own.
    ///
    /// TLS is used where the address says so (`wss`), and there it needs no context: without one, the system's roots decide
    /// about the server's certificate.
    public var connecting = ClientConfiguration()
    /// What the WebSocket may cost, and how it is kept alive.
    public var limits = WebSocketLimits()

    /// Is handed every message, and how the connection begins and ends (default: nothing is).
    public var log: TrafficLog?

    /// Headers of the caller's; they replace those that would be written otherwise (`Host`, `Origin`, `Cookie`,
    /// `Authorization`).
    public var headers: WebSocketHeaders = [:]
    /// What stands in `Cookie`.
    public var cookies: [WebSocketRequest.Cookie] = []
    /// What stands in `Authorization`; nil (default): what the address has.
    public var credentials: WebSocketCredentials?
    /// The page for which a browser asks, such as `https://example.com`; other programs need none.
    public var origin: String?
    /// Of these the server may choose one; the preferred one first.
    public var subprotocols: [String] = []
    /// How messages are compressed if the server can; nil (default): not at all.
    public var deflate: WebSocketDeflate?

    /// The defaults.
    public init() {}

    /// What a server is asked for.
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
