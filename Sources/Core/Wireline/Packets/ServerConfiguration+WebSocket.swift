// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

extension ServerConfiguration {
    /// Which clients get a WebSocket that carries packets (``ServerConfiguration/webSocket``).
    ///
    /// ``ClientConfiguration/WebSocketOptions`` describes what the WebSocket carries and how it ends. The server
    /// refuses requests that RFC 6455 does not allow, with these statuses:
    ///
    /// - 400: any other fault, and bytes that are not HTTP.
    /// - 403: the origin, or the host.
    /// - 426: no upgrade, or another version.
    /// - 431: the head is too long.
    public struct WebSocketOptions: Sendable {
        /// The paths, percent-encoded and without a query, such as `/sub`; empty: any path (default).
        ///
        /// Other paths are answered with 404.
        public var paths: Set<String>
        /// The rules for handshakes.
        ///
        /// - Which pages may connect (default: those of the same origin; programs other than browsers send no origin).
        /// - Under which names of the server (default: on a loopback address, only local names).
        /// - How messages are compressed (default: not at all).
        /// - How long a request's head may be (default 16 KiB).
        public var handshake = WebSocketHandshakePolicy()
        /// The server's subprotocols; the first one that the client asks for is chosen (default: none).
        ///
        /// A client that asks for none of them gets a WebSocket without a subprotocol.
        public var subprotocols: [String]
        /// Decides on each request with one of ``paths``; nil: accepts all, with one of ``subprotocols`` (default).
        ///
        /// It runs on the connection's loop and must not block. An invalid answer, such as a subprotocol that the
        /// client did not ask for, counts as 500.
        public var decide: (@Sendable (WebSocketUpgradeRequest) -> WebSocketAnswer)?
        /// The most bytes of an outgoing message (default 64 KiB, less than 1 counts as 1).
        public var messageByteCount = 64 << 10

        /// Makes options. Parameters that you leave out, and all other properties, have their defaults.
        public init(
            paths: Set<String> = [], origins: WebSocketOriginPolicy = .sameOrigin, subprotocols: [String] = [],
            decide: (@Sendable (WebSocketUpgradeRequest) -> WebSocketAnswer)? = nil
        ) {
            self.paths = paths
            self.subprotocols = subprotocols
            self.decide = decide
            handshake.origins = origins
        }

        /// Makes the handshake that each connection copies. The copies share the memory budget for compression.
        ///
        /// - Parameter ownNames: The names at which the server listens: pages may use them on a loopback address, too.
        func sharedHandshake(ownNames: [String] = []) -> Result<WebSocketServerHandshake, WebSocketError> {
            Result { () throws(WebSocketError) in
                var shared = try WebSocketServerHandshake(handshake)
                shared.ownNames = ownNames
                return shared
            }
        }

        func transforms(
            _ handshake: Result<WebSocketServerHandshake, WebSocketError>
        ) -> @Sendable (_ listensOnLoopback: Bool) throws(WebSocketError) -> WebSocketTransform {
            let decide: WebSocketTransform.Decision = { answer(to: $0) }
            return { listensOnLoopback throws(WebSocketError) in
                var handshake = try handshake.get()
                handshake.listensOnLoopback = listensOnLoopback
                return WebSocketTransform(handshake, messageByteCount: messageByteCount, decide: decide)
            }
        }

        private func answer(to request: WebSocketUpgradeRequest) -> WebSocketAnswer {
            guard paths.isEmpty || paths.contains(request.path) else { return .refuse(status: 404) }
            if let decide { return decide(request) }
            return .accept(subprotocol: subprotocols.first { request.subprotocols.contains($0) })
        }
    }
}
