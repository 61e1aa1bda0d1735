// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport
import WirelineWebSocket

/// A small HTTP listener beside a server, for Prometheus and load balancers.
///
///     let operations = try await OperationsListener.start(at: "127.0.0.1", port: 9100, watching: server)
///     try await server.runUntilSignal()
///     await operations.shutDown()
///
/// | request | answer |
/// |---|---|
/// | `GET /metrics` | 200, metrics in Prometheus's text format 0.0.4 |
/// | `GET /health` | 200 and `ready`; 503 and `draining` as soon as the server shuts down |
/// | `GET /ready` | the same form, if the program says what it is; else 404 |
/// | `HEAD` of both | the same, without the content |
/// | another path | 404 |
/// | another method | 405 |
///
/// Each connection ends after one answer. Beyond 64 connections, each new one ends the oldest that has not asked
/// yet: idle clients cannot keep a load balancer out. A request must arrive within 10 s, and its head may have 8 KiB. On a loopback address, only
/// local names, IP addresses and `host` may stand in `Host`; others get 403, so that no web page reads the metrics
/// under a name of its own. An answer that takes longer than 10 s is 503. So metrics are 503 while a handler blocks a
/// loop of the server; give the listener a group of its own, so that it still answers then. Everybody who can connect
/// can read the metrics: listen at an address that only your tools reach.
public struct OperationsListener: Sendable {
    /// The answer of `/health` to a load balancer.
    public enum Health: Equatable, Sendable {
        /// The server takes clients: 200.
        case ready
        /// The server shuts down, and clients should go elsewhere: 503.
        case draining
        /// The server cannot work, for this reason: 503.
        case failing(String)
    }

    private let server: WebSocketServer

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address.
    ///   - port: The port; 0 lets the system choose one, which ``address`` returns.
    ///   - group: The loops that carry the connections; nil: `EventLoopGroup.shared`, one loop.
    ///   - health: Returns the answer of `/health`. It must not block.
    ///   - ready: Returns the answer of `/ready`, for programs that tell "restart me" from "send me no clients"; nil
    ///     (default): there is no such path. It must not block.
    ///   - metrics: Makes the text of `/metrics` (``ServerMetrics/PrometheusText``). It must not block. If it throws,
    ///     the answer is 500.
    /// - Throws: ``ConnectionError/transport(_:)`` if it cannot listen at the address, ``ConnectionError/cancelled``.
    public static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil,
        health: @escaping @concurrent @Sendable () async -> Health,
        ready: (@concurrent @Sendable () async -> Health)? = nil,
        metrics: @escaping @concurrent @Sendable () async throws -> String
    ) async throws(ConnectionError) -> OperationsListener {
        var configuration = WebSocketServerConfiguration()
        configuration.listening.evictionLimit = 64
        // Connections that are ending count, too.
        configuration.listening.connectionLimit = 128
        configuration.listening.handshakeTimeout = .seconds(10)
        configuration.listening.idleTimeout = .seconds(30)
        configuration.listening.heldByteLimit = 16 << 20
        configuration.limits.writeTimeout = .seconds(10)
        configuration.handshake.headLimit = 8 << 10
        configuration.handshake.servesOnlyPages = true
        configuration.handshake.pages["/health"] = WebSocketPage { page(of: await health()) }
        if let ready { configuration.handshake.pages["/ready"] = WebSocketPage { page(of: await ready()) } }
        configuration.handshake.pages["/metrics"] = WebSocketPage {
            WebSocketPage(
                try await metrics(), contentType: ServerMetrics.PrometheusText.contentType,
                headers: ["Cache-Control": "no-store"])
        }
        // All paths are pages, so the handler never runs.
        let group = try await ConnectionError.wrapping { () throws(TransportError) in
            try EventLoopGroup.sharedUnless(group)
        }
        let server = try await WebSocketServer.start(
            at: host, port: port, on: group, configuration: configuration, handler: { _ in })
        return OperationsListener(server: server)
    }

    /// Begins to listen for one server of packets; the parameters are those of
    /// ``start(at:port:on:health:ready:metrics:)``.
    public static func start<Definition>(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil, watching server: PacketServer<Definition>
    ) async throws(ConnectionError) -> OperationsListener {
        try await start(
            at: host, port: port, on: group, health: { server.isDraining ? .draining : .ready },
            metrics: { await server.metrics().prometheusText() })
    }

    /// Begins to listen for one server of WebSockets; the parameters are those of
    /// ``start(at:port:on:health:ready:metrics:)``.
    public static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil, watching server: WebSocketServer
    ) async throws(ConnectionError) -> OperationsListener {
        try await start(
            at: host, port: port, on: group, health: { server.isDraining ? .draining : .ready },
            metrics: { await server.metrics().prometheusText() })
    }

    /// Begins to listen for one server of packets of any schema.
    package static func start(
        at host: String, port: UInt16, watching server: PacketListener, on group: EventLoopGroup? = nil
    ) async throws(ConnectionError) -> OperationsListener {
        try await start(
            at: host, port: port, on: group, health: { server.isShuttingDown ? .draining : .ready },
            metrics: { await server.metrics().prometheusText() })
    }

    private static func page(of health: Health) -> WebSocketPage {
        let (status, text) =
            switch health {
            case .ready: (200, "ready")
            case .draining: (503, "draining")
            case .failing(let reason): (503, reason)
            }
        return WebSocketPage(text + "\n", headers: ["Cache-Control": "no-store"], status: status)
    }

    /// The listener's address; if the port was 0, with the port that the system chose.
    public var address: SocketAddress { server.address }

    /// Stops listening, and waits until the requests that have arrived are answered.
    ///
    /// - Parameter timeout: The time limit (default 1 s).
    public func shutDown(within timeout: Duration = .seconds(1)) async { await server.shutDown(within: timeout) }
}
