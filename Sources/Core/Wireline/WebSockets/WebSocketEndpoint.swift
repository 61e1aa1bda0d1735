// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport
public import WirelineWebSocket

/// One side of a WebSocket: a ``WebSocketClient``, or a server's ``WebSocketServerConnection``.
///
/// Any task may use it. On the connection's own ``loop`` nothing takes a lock or wakes a thread. The loop answers the
/// peer's pings without the program, as long as fewer bytes than ``WebSocketLimits/unreadByteCount`` wait to be read.
public protocol WebSocketEndpoint: Sendable {
    /// The connection that carries the messages.
    var connection: WebSocketConnection { get }

    /// The messages that arrive, one after another, until both sides have closed, for code that needs an
    /// `AsyncSequence`.
    var messages: WebSocketConnection.Messages { get }
}

extension WebSocketEndpoint {
    /// The peer's address.
    public var peerAddress: SocketAddress { connection.peerAddress }

    /// The connection's loop.
    ///
    /// A task that prefers it (`Task(executorPreference: client.loop)`) sends and receives without thread switches.
    public var loop: EventLoop { connection.loop }

    /// The subprotocol that both sides agreed on; nil if none.
    public var subprotocol: String? { connection.agreement?.subprotocol }

    /// Whether messages may be compressed.
    public var compresses: Bool { connection.agreement?.compresses ?? false }

    /// What TLS negotiated; nil without TLS.
    public func tlsDetails() async -> TLSDetails? {
        let connection = connection
        return await connection.loop.run { connection.stream.tlsTransform?.details }
    }

    // MARK: Receiving

    /// Returns the next message; nil when both sides have closed.
    ///
    ///     while let message = try await client.receive() { … }
    ///
    /// One task at a time receives. It returns a message when the whole message has arrived; take messages that are too
    /// long for that with ``receivePiece()``. If ``receivePiece()`` has taken the beginning of a message, this skips
    /// the remaining part.
    ///
    /// - Throws: After every earlier message was returned: ``ConnectionError/webSocket(_:)`` if the peer's frames are
    ///   wrong; ``ConnectionError/webSocketEnded(_:)`` if the peer left without a close;
    ///   ``ConnectionError/transport(_:)`` and ``ConnectionError/tls(_:)`` if the connection failed.
    ///   ``ConnectionError/cancelled`` if the task was cancelled while it waited, and then nothing is lost.
    ///   ``ConnectionError/alreadyReceiving`` while another task waits, which continues.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func receive() async throws(ConnectionError) -> WebSocketMessage? {
        if let message = connection.takeBufferedMessage() { return message }
        return try await connection.nextMessage()
    }

    /// Returns the next piece of a message as soon as there is one; nil when both sides have closed.
    ///
    /// Use it for messages that are too long to hold in memory, and raise `messageLimit` and `frameLimit` of
    /// `limits.frames` for them. While no task asks for more, at most ``WebSocketLimits/unreadByteCount`` is read. To
    /// take a whole message, take pieces up to its last one; ``receive()`` continues with the next message. The network
    /// decides how many pieces a message has.
    ///
    /// - Throws: As ``receive()``, after everything that arrived before the fault was returned.
    public nonisolated(nonsending) func receivePiece() async throws(ConnectionError) -> WebSocketPiece? {
        try await connection.nextPiece()
    }

    // MARK: Sending

    /// Sends a text, together with everything else that is sent in the same turn of the loop.
    ///
    /// While more than `limits.frames.outputLimit` bytes wait to be sent, the call waits. Waiting tasks send in the
    /// order of their calls.
    ///
    /// - Throws: ``ConnectionError/webSocket(_:)`` with `WebSocketError.closed` after ``close(code:reason:)``; the
    ///   error that ended the connection; ``ConnectionError/cancelled`` if the task was cancelled while it waited. Then
    ///   nothing was sent.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(_ text: String) async throws(ConnectionError) {
        try await send(.text(text))
    }

    /// Sends a binary message; see ``send(_:)-(String)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(_ content: [UInt8]) async throws(ConnectionError) {
        try await send(.binary(content))
    }

    /// Sends a message of lent bytes, which it copies only if it must wait; see ``send(_:)-(String)``.
    ///
    /// - Throws: Also `WebSocketError.invalidText`, for a text that is not UTF-8.
    public nonisolated(nonsending) func send(
        _ content: RawSpan, as kind: WebSocketMessageKind
    ) async throws(ConnectionError) {
        if try connection.sendAtOnce(content, as: kind) { return }
        // SAFETY: the closure copies the bytes and keeps none of them.
        let bytes = unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }
        try await connection.send(.content(bytes, kind))
    }

    /// Sends a message; see ``send(_:)-(String)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws(ConnectionError) {
        if try connection.sendAtOnce(message) { return }
        try await connection.send(message)
    }

    /// Sends a message in parts, each in its own frame, for a message that is not in memory as a whole.
    ///
    ///     try await client.sendMessage(as: .binary) { message in
    ///         while let part = try await file.read() { try await message.send(part) }
    ///     }
    ///
    /// The message ends when the closure returns. Other messages wait until then; pings do not. If the closure throws,
    /// the WebSocket ends with code 1011, because there is no other way to tell the peer that the message is
    /// incomplete. To a server with a ``ListeningOptions/minimumRate``, a long pause between parts is too
    /// slow.
    ///
    /// - Throws: As ``send(_:)-(String)``; the closure's error.
    public nonisolated(nonsending) func sendMessage(
        as kind: WebSocketMessageKind,
        _ body: nonisolated(nonsending) (WebSocketConnection.OutgoingMessage) async throws -> Void
    ) async throws {
        let writer = WebSocketWriter(kind)
        let connection = connection
        try await connection.send(.beginning(writer))
        do {
            try await body(WebSocketConnection.OutgoingMessage(connection: connection, writer: writer))
            try await connection.send(.part([], writer, isLast: true))
        } catch {
            connection.loop.execute { connection.abandon(writer) }
            throw error
        }
    }

    // MARK: Liveness

    /// Sends a ping, waits for the pong, and returns how long it took.
    ///
    /// - Parameter timeout: How long to wait for the pong (default 10 s); after it the connection continues.
    /// - Returns: The time until the pong, including time in which this side read nothing because the program did not
    ///   receive.
    /// - Throws: ``ConnectionError/transport(_:)`` with `timedOut`; the error that ended the connection;
    ///   ``ConnectionError/cancelled``.
    @discardableResult
    public nonisolated(nonsending) func ping(
        timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> Duration {
        try await connection.ping(within: timeout)
    }

    /// The round-trip times of heartbeats; without ``WebSocketLimits/heartbeat`` there are none.
    public func roundTrips() async -> RoundTrips {
        let connection = connection
        return await connection.loop.run { connection.heartbeat.roundTrips ?? RoundTrips() }
    }

    // MARK: Ending

    /// Closes the WebSocket after everything was sent; the peer has `limits.frames.closeTimeout` (10 s) to answer.
    ///
    /// Messages that the peer sends in between are still received. If the program does not receive them, everything
    /// beyond ``WebSocketLimits/unreadByteCount`` is dropped. A WebSocket that is closing or has ended is not changed.
    ///
    /// - Parameters:
    ///   - code: The close code (default 1000); nil: none.
    ///   - reason: The reason as text: at most 123 bytes of UTF-8, and empty without a code.
    /// - Returns: How it has ended.
    /// - Throws: ``ConnectionError/webSocket(_:)`` for a code or a reason that cannot be sent;
    ///   ``ConnectionError/cancelled``, and closing continues.
    @discardableResult
    public nonisolated(nonsending) func close(
        code: WebSocketCloseCode? = .normal, reason: String = ""
    ) async throws(ConnectionError) -> WebSocketEnd {
        try await connection.close(code: code, reason: reason)
    }

    /// Waits until the WebSocket has ended, and returns how; either side may end it.
    ///
    /// - Throws: ``ConnectionError/cancelled``.
    public nonisolated(nonsending) func waitUntilEnd() async throws(ConnectionError) -> WebSocketEnd {
        try await connection.waitForEnd()
    }

    /// How the WebSocket has ended; nil before that.
    public var end: WebSocketEnd? {
        get async {
            let connection = connection
            return await connection.loop.run { connection.announcedEnd }
        }
    }

    /// Ends the connection at once: the peer is not told, and output that waits is lost.
    ///
    /// Waiting tasks throw ``ConnectionError/transport(_:)`` with `closed`.
    public func abort() { connection.close() }

    /// The connection's counters up to now; messages count as packets.
    public func counters() async -> ConnectionCounters {
        let connection = connection
        return await connection.loop.run { connection.currentCounters }
    }
}

extension WebSocketConnection {
    /// A message that is being sent in parts; see ``WebSocketEndpoint/sendMessage(as:_:)``.
    public struct OutgoingMessage: Sendable {
        let connection: WebSocketConnection
        let writer: WebSocketWriter

        /// Sends the next part; text may be cut inside a character.
        ///
        /// - Throws: As ``WebSocketEndpoint/send(_:)-(String)``; `WebSocketError.invalidText`, with the offset in the
        ///   message.
        public nonisolated(nonsending) func send(_ part: [UInt8]) async throws(ConnectionError) {
            try await connection.send(.part(part, writer, isLast: false))
        }

        /// Sends the next part of a text.
        public nonisolated(nonsending) func send(_ part: String) async throws(ConnectionError) {
            try await send(Array(part.utf8))
        }
    }
}

extension WebSocketConnection {
    /// The messages that arrive, one after another, for code that needs an `AsyncSequence`.
    ///
    /// ``WebSocketEndpoint/receive()`` returns the same messages in less time: `for await` changes executors and back
    /// for every element, even if both are the same.
    ///
    /// The sequence ends when both sides have closed, and throws as ``WebSocketEndpoint/receive()`` does. One task at a
    /// time iterates: a second one throws ``ConnectionError/alreadyReceiving``, and the first one continues.
    public struct Messages: AsyncSequence, Sendable {
        let connection: WebSocketConnection
        /// Keeps a client's connection open while a task reads from it.
        let owner: WebSocketOwner?

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection, owner: owner) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            @usableFromInline let connection: WebSocketConnection
            fileprivate let owner: WebSocketOwner?

            /// Returns the next message; nil at the end.
            @inlinable @inline(__always)
            public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> WebSocketMessage? {
                if let message = connection.takeBufferedMessage() { return message }
                return try await connection.nextMessage()
            }

            /// Returns the next message; nil at the end.
            @inlinable @inline(__always)
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ConnectionError) -> WebSocketMessage? {
                if let message = connection.takeBufferedMessage() { return message }
                return try await connection.nextMessage()
            }
        }
    }
}

/// Closes a WebSocket when nothing keeps it any more.
final class WebSocketOwner: Sendable {
    let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) {
        self.connection = connection
    }

    deinit {
        let connection = connection
        connection.loop.execute { connection.leave(code: .goingAway) }
    }
}
