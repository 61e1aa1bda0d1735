// SPDX-License-Identifier: Apache-2.0

import WirelineTLS
public import WirelineTransport
public import WirelineWebSocket

/// The client's side of a WebSocket.
///
///     let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:9002/live")
///     try await client.send("hello")
///     while let message = try await client.receive() { … }
///
/// The connection closes with code 1001 when the program keeps neither the client, nor a copy, nor one of its
/// sequences, unless it is closed earlier.
public struct WebSocketClient: WebSocketEndpoint {
    let owner: WebSocketOwner

    /// The connection that carries the messages.
    public var connection: WebSocketConnection { owner.connection }

    /// The server's messages, until both sides have closed, for code that needs an `AsyncSequence`.
    public var messages: WebSocketConnection.Messages {
        WebSocketConnection.Messages(connection: connection, owner: owner)
    }

    /// The headers of the server's answer.
    public var responseHeaders: WebSocketHeaders { connection.agreement?.headers ?? [:] }

    /// What has happened to the connection so far, and when.
    public var timeline: ConnectionTimeline { connection.recorder?.timeline ?? ConnectionTimeline() }

    /// Connects to a WebSocket server.
    ///
    /// - Parameters:
    ///   - url: The server's URL: `ws://`, `wss://`, `http://` or `https://`.
    ///   - group: One of its loops carries the connection; nil: `EventLoopGroup.shared`.
    ///   - configuration: The request, timeouts and limits.
    /// - Throws: ``ConnectionError/webSocket(_:)`` with `WebSocketError.refused` for a redirect, a 401 or another
    ///   answer. It has the status, the headers, and the beginning of the body, as far as that has arrived at the
    ///   timeout. Other cases say what is wrong with the URL, the configuration or the answer. It also throws what
    ///   ``PacketClient/connect(to:port:protocol:on:configuration:)`` throws.
    public static func connect(
        to url: WebSocketURL, on group: EventLoopGroup? = nil,
        configuration: WebSocketClientConfiguration = WebSocketClientConfiguration()
    ) async throws(ConnectionError) -> WebSocketClient {
        let connection = try await WebSocketConnection.connect(
            configuration.request(url), on: group?.nextLoop(), configuration)
        return WebSocketClient(owner: WebSocketOwner(connection))
    }

    /// Connects to a WebSocket server whose URL is text.
    ///
    /// - Throws: As ``connect(to:on:configuration:)-(WebSocketURL,_,_)``, and `WebSocketError.invalidURL`.
    public static func connect(
        to text: String, on group: EventLoopGroup? = nil,
        configuration: WebSocketClientConfiguration = WebSocketClientConfiguration()
    ) async throws(ConnectionError) -> WebSocketClient {
        let url: WebSocketURL
        do throws(WebSocketError) {
            url = try WebSocketURL(text)
        } catch {
            throw .webSocket(error)
        }
        return try await connect(to: url, on: group, configuration: configuration)
    }

    /// Tries several WebSocket servers, one after another, and connects to the first that accepts.
    ///
    /// Each has the configuration's whole timeout, and a timeline of its own.
    ///
    /// - Parameters:
    ///   - urls: The servers' URLs, the preferred one first; at least one.
    ///   - group: One of its loops carries the connection; nil: `EventLoopGroup.shared`.
    ///   - configuration: The request to each of them, timeouts and limits.
    /// - Throws: The error of the last server; ``ConnectionError/cancelled`` at once.
    public static func connect(
        toFirstOf urls: [WebSocketURL], on group: EventLoopGroup? = nil,
        configuration: WebSocketClientConfiguration = WebSocketClientConfiguration()
    ) async throws(ConnectionError) -> WebSocketClient {
        precondition(!urls.isEmpty, "there is no address")
        var failure = ConnectionError.cancelled
        for url in urls {
            do throws(ConnectionError) {
                return try await connect(to: url, on: group, configuration: configuration)
            } catch .cancelled {
                throw .cancelled
            } catch {
                failure = error
            }
        }
        throw failure
    }
}

extension WebSocketConnection {
    static func connect(
        _ request: WebSocketRequest, on loop: EventLoop?, _ configuration: WebSocketClientConfiguration
    ) async throws(ConnectionError) -> WebSocketConnection {
        let url = request.url
        let dialing = configuration.dialing
        let recorder = TimelineRecorder()
        recorder.begin(url.host, UInt16(url.port), handler: dialing.timelineHandler)
        do throws(ConnectionError) {
            let loop = try await Dialer.loop(loop)
            let deadline = loop.clockTime + dialing.connectTimeout
            let handshake = try handshake(request)
            let tls = url.isSecure ? try secure(url.host, dialing) : nil
            let stream = try await Dialer.dial(url.host, UInt16(url.port), on: loop, dialing, recorder)
            if let tls {
                stream.insert(TLSTransform(tls))
                recorder.note(.handshakeBegan)
            }
            let connection = WebSocketConnection(
                stream, WebSocketHandshake(handshake), limits: configuration.limits, recorder: recorder,
                sharedLimits: configuration.log.map { SharedLimits(log: $0, side: .client) })
            try await ConnectionError.wrapping { () throws(TransportError) in
                try await stream.loop.run { () throws(TransportError) in try connection.start() }
            }
            try await connection.waitUntilOpen(within: loop.timeLeft(until: deadline))
            return connection
        } catch {
            recorder.close(error)
            throw error
        }
    }

    private static func secure(
        _ host: String, _ dialing: DialingOptions
    ) throws(ConnectionError) -> TLSEngine? {
        let context: TLSContext
        if let own = dialing.tls { context = own } else { context = try systemContext.get() }
        return try Dialer.makeTLS(for: dialing.tlsServerName ?? host, context)
    }

    /// The TLS context with the system's roots.
    private static let systemContext = Result<TLSContext, ConnectionError> { () throws(ConnectionError) in
        do throws(TLSError) {
            return try TLSContext(.client())
        } catch {
            throw .tls(error)
        }
    }

    /// - Throws: ``ConnectionError/webSocket(_:)`` if the request is invalid.
    static func handshake(
        _ request: WebSocketRequest
    ) throws(ConnectionError) -> WebSocketClientHandshake {
        do throws(WebSocketError) {
            return try WebSocketClientHandshake(request)
        } catch {
            throw .webSocket(error)
        }
    }

    /// - Throws: The error of a WebSocket that could not be opened; then the connection is closed.
    private func waitUntilOpen(within timeout: Duration) async throws(ConnectionError) {
        do throws(TransportError) {
            try await Attempt<Void>.run(on: loop, timeout: timeout) { attempt in
                self.whenHandshakeEnds { attempt.finish(.success(())) }
            }
        } catch {
            throw await loop.run { self.giveUp(error) }
        }
        // An opened WebSocket is returned, even if it has ended meanwhile.
        guard agreement == nil else { return }
        throw await loop.run { self.sendError }
    }

    /// Closes a connection after its task has stopped waiting, and returns the reason.
    private func giveUp(_ error: TransportError) -> ConnectionError {
        let failure = error == .cancelled ? ConnectionError.cancelled : ending.error ?? refusal ?? .transport(error)
        recorder?.close(failure)
        abort(failure)
        return failure
    }
}
