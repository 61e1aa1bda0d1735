// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// Whom a server gives a WebSocket that carries packets (``ServerConfiguration/webSocket``).
///
/// What the WebSocket carries, and how it ends, is as ``WebSocketOptions`` says. A request that RFC 6455 does not allow is
/// answered 400, 403 (the origin), 426 (no upgrade, or another version) or 431 (the head is too long), and bytes that are
/// no HTTP are answered 400, too.
public struct WebSocketServerOptions: Sendable {
    /// Which paths there are, percent-encoded and without a query, such as `/sub`; others are answered 404. Empty: any
    /// (default).
    public var paths: Set<String>
    /// Which pages may connect (default: those of the same origin; programs that are no browsers send none), how messages
    /// are compressed (default: not), and how long a request's head may be (default 16 KiB).
    public var policy = WebSocketHandshakePolicy()
    /// Of these the first is chosen that the client asks for (default: none). A client that asks for none of them gets a
    /// WebSocket without.
    public var subprotocols: [String]
    /// Decides on each request with one of ``paths``; nil: all are accepted, with a subprotocol as ``subprotocols`` says
    /// (default). It runs on the connection's loop and must not block. An answer that is none, such as a subprotocol that
    /// was not asked for, counts as 500.
    public var decide: (@Sendable (WebSocketUpgradeRequest) -> WebSocketAnswer)?
    /// The most bytes of a message that is sent (default 64 KiB, less than 1 counts as 1).
    public var messageByteCount = 64 << 10

    /// Makes options; what is left out has its default, and so has what stands in properties alone.
    public init(
        paths: Set<String> = [], origins: WebSocketOriginPolicy = .sameOrigin, subprotocols: [String] = [],
        decide: (@Sendable (WebSocketUpgradeRequest) -> WebSocketAnswer)? = nil
    ) {
        self.paths = paths
        self.subprotocols = subprotocols
        self.decide = decide
        policy.origins = origins
    }

    func answer(to request: WebSocketUpgradeRequest) -> WebSocketAnswer {
        guard paths.isEmpty || paths.contains(request.path) else { return .refuse(status: 404) }
        if let decide { return decide(request) }
        return .accept(subprotocol: subprotocols.first { request.subprotocols.contains($0) })
    }
}
