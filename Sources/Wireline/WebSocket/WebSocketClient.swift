// SPDX-License-Identifier: Apache-2.0

import WirelineTLS
public import WirelineTransport
public import WirelineWebSocket

/// The client's end of a WebSocket.
///
///     let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:9002/live")
///     try await client.send("hello")
///     for try await message in client.messages { … }
///
/// The connection is open for as long as the client, one of its copies or one of its sequences is held, unless it is closed
/// earlier; then it is closed with code 1001.
public struct WebSocketClient: WebSocketEndpoint {
    let owner: WebSocketOwner

    /// What carries the messages.
    public var connection: WebSocketConnection { owner.connection }

    /// The messages that the server sends, until both sides have closed.
    public var messages: WebSocketMessages { WebSocketMessages(connection: connection, owner: owner) }

    /// The headers of the server's answer.
    public var responseHeaders: WebSocketHeaders { connection.agreement?.headers ?? [:] }

    /// What has happened to the connection so far, and when.
    public var timeline: ConnectionTimeline { connection.recorder?.timeline ?? ConnectionTimeline() }

    /// Asks a server for a WebSocket.
    ///
    /// - Parameters:
    ///   - url: Where it is: `ws://`, `wss://`, `http://` or `https://`.
    ///   - group: The loops of which one carries the connection; nil: `EventLoopGroup.shared`.
    ///   - configuration: What is asked for, deadlines and limits.
    /// - Throws: ``ConnectionError/webSocket(_:)``: with `WebSocketError.refused` for a redirect, a 401 or another
    ///   answer, which has its status, its headers and the beginning of its body, as far as that has come when the deadline
    ///   is over; with what is wrong with the address, the configuration or the answer. What
    ///   ``PacketClient/connect(to:port:protocol:on:configuration:)`` throws, too.
    public static func connect(
        to url: WebSocketURL, on group: EventLoopGroup? = nil,
        configuration: WebSocketClientConfiguration = WebSocketClientConfiguration()
    ) async throws(ConnectionError) -> WebSocketClient {
        let connection = try await WebSocketConnection.connect(
            configuration.request(url), on: group?.nextLoop(), configuration)
        return WebSocketClient(owner: WebSocketOwner(connection))
    }

    /// Asks a server for a WebSocket; the address is text.
    ///
    /// - Throws: As ``connect(to:on:configuration:)-(WebSocketURL,_,_)``; `WebSocketError.invalidURL`, too.
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

    /// Asks several servers for a WebSocket, one after another, and takes the first that there is.
    ///
    /// Each has the whole deadline of the configuration, and a timeline of its own.
    ///
    /// - Parameters:
    ///   - urls: Where they are, the preferred one first; at least one.
    ///   - group: The loops of which one carries the connection; nil: `EventLoopGroup.shared`.
    ///   - configuration: What each of them is asked for, deadlines and limits.
    /// - Throws: What the last one has failed with; ``ConnectionError/cancelled`` at once.
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
    /// Makes a connection, and asks for a WebSocket.
    static func connect(
        _ request: WebSocketRequest, on loop: EventLoop?, _ configuration: WebSocketClientConfiguration
    ) async throws(ConnectionError) -> WebSocketConnection {
        let url = request.url
        let connecting = configuration.connecting
        let recorder = TimelineRecorder()
        recorder.begin(url.host, UInt16(url.port), handler: connecting.timelineHandler)
        let deadline = MonotonicTime.now + connecting.connectTimeout
        do throws(ConnectionError) {
            let handshake = try handshake(request)
            let tls = url.isSecure ? try secure(url.host, connecting) : nil
            let stream = try await PacketConnection.stream(
                to: url.host, port: UInt16(url.port), on: loop, connecting, recorder)
            if let tls {
                stream.insert(TLSTransform(tls))
                recorder.note(.handshakeBegan)
            }
            let connection = WebSocketConnection(
                stream, .asking(handshake), limits: configuration.limits, recorder: recorder,
                supervision: configuration.log.map { Supervision(log: $0, side: .client) })
            try await PacketConnection.transport { () throws(TransportError) in
                try await stream.loop.run { () throws(TransportError) in try connection.start() }
            }
            try await connection.waitUntilOpen(within: deadline.timeLeft)
            return connection
        } catch {
            recorder.close(error)
            throw error
        }
    }

    private static func secure(
        _ host: String, _ configuration: ClientConfiguration
    ) throws(ConnectionError) -> TLSEngine? {
        let context: TLSContext
        if let own = configuration.tls { context = own } else { context = try systemContext.get() }
        return try PacketConnection.engine(for: configuration.tlsServerName ?? host, context)
    }

    /// What trusts those whom the system trusts; made once.
    private static let systemContext = Result<TLSContext, ConnectionError> { () throws(ConnectionError) in
        do throws(TLSError) {
            return try TLSContext(.client())
        } catch {
            throw .tls(error)
        }
    }

    /// What a server is asked with.
    ///
    /// - Throws: ``ConnectionError/webSocket(_:)`` for a request that is none.
    static func handshake(
        _ request: WebSocketRequest
    ) throws(ConnectionError) -> WebSocketClientHandshake {
        do throws(WebSocketError) {
            return try WebSocketClientHandshake(request)
        } catch {
            throw .webSocket(error)
        }
    }

    /// Waits until there is a WebSocket.
    ///
    /// - Throws: Why there is none; the connection is closed then.
    private func waitUntilOpen(within timeout: Duration) async throws(ConnectionError) {
        do throws(TransportError) {
            try await Attempt<Void>.run(on: loop, timeout: timeout) { attempt in
                guard self.stream.isOpen, case .asking = self.phase else { return attempt.finish(.success(())) }
                self.onOpen = { attempt.finish(.success(())) }
            }
        } catch {
            throw await loop.run { self.giveUp(error) }
        }
        // What was refused once is open no more, even if it has ended meanwhile.
        guard agreement == nil else { return }
        throw await loop.run { self.sendError }
    }

    /// Closes a connection for which nobody waits any more.
    ///
    /// - Returns: Why there is no WebSocket.
    private func giveUp(_ error: TransportError) -> ConnectionError {
        let failure = error == .cancelled ? ConnectionError.cancelled : ownFailure ?? refusal ?? .transport(error)
        recorder?.close(failure)
        abort(failure)
        return failure
    }
}
