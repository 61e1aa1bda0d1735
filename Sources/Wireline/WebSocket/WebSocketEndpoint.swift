// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport
public import WirelineWebSocket

/// One end of a WebSocket: a ``WebSocketClient``, or a server's ``WebSocketServerConnection``.
///
/// Any task may use it. On the connection's own ``loop`` nothing takes a lock or wakes a thread. Pings of the peer's are
/// answered by the loop, whatever the program does.
public protocol WebSocketEndpoint: Sendable {
    /// What carries the messages.
    var connection: WebSocketConnection { get }

    /// The messages that arrive, one after another, until both sides have closed.
    var messages: WebSocketMessages { get }
}

extension WebSocketEndpoint {
    /// Where the connection leads.
    public var peerAddress: SocketAddress { connection.peerAddress }

    /// The loop that the connection lives on: a task that prefers it (`Task(executorPreference: client.loop)`) sends and
    /// receives without changing threads.
    public var loop: EventLoop { connection.loop }

    /// The subprotocol that both sides have settled on; nil if none.
    public var subprotocol: String? { connection.agreement?.subprotocol }

    /// Whether messages may be compressed.
    public var compresses: Bool { connection.agreement?.compresses ?? false }

    /// What both sides have agreed on, where the connection is one with TLS.
    public func tlsDetails() async -> TLSDetails? {
        let connection = connection
        return await connection.loop.run { connection.stream.tlsTransform?.details }
    }

    // MARK: Receiving

    /// The next message; nil when both sides have said that they close.
    ///
    /// It is what ``messages`` gives, at less cost. One task at a time receives. A message is handed over when it is whole;
    /// one that is too long for that is taken with ``receivePiece()``. What is left of a message whose beginning was taken so
    /// is passed over.
    ///
    /// - Throws: Once every message before it has been handed over: ``ConnectionError/webSocket(_:)`` where the peer's frames
    ///   are at fault, ``ConnectionError/webSocketEnded(_:)`` where it has gone without closing,
    ///   ``ConnectionError/transport(_:)`` and ``ConnectionError/tls(_:)`` where the connection has failed;
    ///   ``ConnectionError/cancelled`` when the task was cancelled while it waited, and then nothing is lost.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func receive() async throws(ConnectionError) -> WebSocketMessage? {
        if let message = connection.messageAtHand() { return message }
        return try await connection.nextMessage()
    }

    /// What comes next of a message, as soon as there is something; nil when both sides have said that they close.
    ///
    /// For messages that are too long to be held: raise `messageLimit` and `frameLimit` of `limits.frames` for those. While
    /// nobody asks for more, no more than ``WebSocketLimits/unreadByteCount`` is read. Whoever wants all of a message takes
    /// pieces up to the one that is its last: ``receive()`` goes on with the next message. How many pieces a message comes in
    /// is up to the network.
    ///
    /// - Throws: As ``receive()``; what has come before a fault is handed over first.
    public nonisolated(nonsending) func receivePiece() async throws(ConnectionError) -> WebSocketPiece? {
        try await connection.nextPiece()
    }

    // MARK: Sending

    /// Sends a text; it leaves with whatever else is sent in the same turn of the loop.
    ///
    /// While more than `limits.frames.outputLimit` bytes wait to be sent, so does the sender; those who wait send in the order
    /// in which they came.
    ///
    /// - Throws: ``ConnectionError/webSocket(_:)`` with `WebSocketError.closed` behind ``close(code:reason:)``; what has ended
    ///   the connection; ``ConnectionError/cancelled`` when the task was cancelled while it waited. Nothing was sent then.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(_ text: String) async throws(ConnectionError) {
        try await send(.text(text))
    }

    /// Sends a binary message; see ``send(_:)-(String)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(_ content: [UInt8]) async throws(ConnectionError) {
        try await send(.binary(content))
    }

    /// Sends a message of bytes that are lent, and copies them only where it has to wait; see ``send(_:)-(String)``.
    ///
    /// - Throws: `WebSocketError.invalidText` too, for a text that is not UTF-8.
    public nonisolated(nonsending) func send(
        _ content: RawSpan, as kind: WebSocketMessageKind
    ) async throws(ConnectionError) {
        if try connection.sendAtOnce(content, as: kind) { return }
        let bytes = unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }
        try await connection.send(.content(bytes, kind))
    }

    /// Sends a message; see ``send(_:)-(String)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send(_ message: WebSocketMessage) async throws(ConnectionError) {
        if try connection.sendAtOnce(message) { return }
        try await connection.send(message)
    }

    /// Sends a message in parts, each a frame of its own: for one that is not at hand whole.
    ///
    ///     try await client.sendMessage(as: .binary) { message in
    ///         while let part = try await file.read() { try await message.send(part) }
    ///     }
    ///
    /// The message ends where the closure does. Other messages that are sent meanwhile wait for that; pings do not. A closure
    /// that throws ends the WebSocket with code 1011, for the peer cannot be told otherwise that the rest does not come. A
    /// long pause between parts is slowness to a server with a ``WebSocketServerConfiguration/minimumRate``.
    ///
    /// - Throws: As ``send(_:)-(String)``; what the closure throws.
    public nonisolated(nonsending) func sendMessage(
        as kind: WebSocketMessageKind,
        _ body: nonisolated(nonsending) (WebSocketOutgoingMessage) async throws -> Void
    ) async throws {
        let writer = WebSocketWriter(kind)
        let connection = connection
        try await connection.send(.beginning(writer))
        do {
            try await body(WebSocketOutgoingMessage(connection: connection, writer: writer))
            try await connection.send(.part([], writer, isLast: true))
        } catch {
            connection.loop.execute { connection.abandon(writer) }
            throw error
        }
    }

    // MARK: Liveness

    /// Asks the peer whether it is there.
    ///
    /// - Parameter timeout: How long to wait for the answer (default 10 s); nothing else happens when it is over.
    /// - Returns: How long the answer took, the time included in which this side read nothing because nobody received.
    /// - Throws: ``ConnectionError/transport(_:)`` with `timedOut`; what has ended the connection;
    ///   ``ConnectionError/cancelled``.
    @discardableResult
    public nonisolated(nonsending) func ping(
        timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> Duration {
        try await connection.ping(within: timeout)
    }

    /// How long heartbeats took to be answered; without ``WebSocketLimits/heartbeat`` there are none.
    public func roundTrips() async -> RoundTrips {
        let connection = connection
        return await connection.loop.run { connection.heartbeat?.roundTrips ?? RoundTrips() }
    }

    // MARK: The end

    /// Closes: what was sent before leaves first, the peer is told, and has `limits.frames.closeTimeout` (10 s) to answer.
    ///
    /// What it sends in between is still received; of what nobody receives, more than ``WebSocketLimits/unreadByteCount`` is
    /// dropped. A WebSocket that is closing already, or has ended, is left to that.
    ///
    /// - Parameters:
    ///   - code: Why (default 1000); nil to say nothing.
    ///   - reason: Why, for people: at most 123 bytes of UTF-8, and none without a code.
    /// - Returns: How it has ended.
    /// - Throws: ``ConnectionError/webSocket(_:)`` for a code or a reason that cannot be sent; ``ConnectionError/cancelled``,
    ///   and closing goes on.
    @discardableResult
    public nonisolated(nonsending) func close(
        code: WebSocketCloseCode? = .normal, reason: String = ""
    ) async throws(ConnectionError) -> WebSocketEnd {
        try await connection.close(code: code, reason: reason)
    }

    /// Waits until the WebSocket has ended, whoever ends it.
    ///
    /// - Throws: ``ConnectionError/cancelled``.
    public nonisolated(nonsending) func waitUntilEnd() async throws(ConnectionError) -> WebSocketEnd {
        try await connection.waitForEnd()
    }

    /// How the WebSocket has ended; nil before it has.
    public var end: WebSocketEnd? {
        get async {
            let connection = connection
            return await connection.loop.run { connection.hasToldEnd ? connection.finalEnd : nil }
        }
    }

    /// Ends the connection at once: the peer is told nothing, and what was sent and has not left is lost. Who waits gets
    /// ``ConnectionError/transport(_:)`` with `closed`.
    public func abort() { connection.close() }

    /// What has passed through the connection so far, and what waits in it; its packets are the messages.
    public func counters() async -> ConnectionCounters {
        let connection = connection
        return await connection.loop.run { connection.currentCounters }
    }
}

/// A message that is being sent in parts; see ``WebSocketEndpoint/sendMessage(as:_:)``.
public struct WebSocketOutgoingMessage: Sendable {
    let connection: WebSocketConnection
    let writer: WebSocketWriter

    /// Sends what comes next; text may be cut inside a character.
    ///
    /// - Throws: As ``WebSocketEndpoint/send(_:)-(String)``; `WebSocketError.invalidText`, with the offset in the
    ///   message.
    public nonisolated(nonsending) func send(_ part: [UInt8]) async throws(ConnectionError) {
        try await connection.send(.part(part, writer, isLast: false))
    }

    /// Sends what comes next of a text.
    public nonisolated(nonsending) func send(_ part: String) async throws(ConnectionError) {
        try await send(Array(part.utf8))
    }
}

/// The messages that arrive, one after another.
///
/// The sequence ends where both sides have said that they close, and throws as ``WebSocketEndpoint/receive()`` does. One task
/// at a time iterates.
public struct WebSocketMessages: AsyncSequence, Sendable {
    let connection: WebSocketConnection
    /// Keeps a client's connection open for as long as somebody reads from it.
    let owner: WebSocketOwner?

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection, owner: owner) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let connection: WebSocketConnection
        fileprivate let owner: WebSocketOwner?

        /// The next message; nil at the end.
        @inlinable @inline(__always)
        public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> WebSocketMessage? {
            if let message = connection.messageAtHand() { return message }
            return try await connection.nextMessage()
        }

        /// The next message; nil at the end.
        @inlinable @inline(__always)
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ConnectionError) -> WebSocketMessage? {
            if let message = connection.messageAtHand() { return message }
            return try await connection.nextMessage()
        }
    }
}

/// Ends a WebSocket when nobody holds it any more.
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
