// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport
public import WirelineWebSocket

/// A WebSocket client that reconnects, logs in again, and sends the messages that wait.
///
///     let session = try WebSocketSession.start(to: [
///         WebSocketURL("wss://eu.example.com/live"), WebSocketURL("wss://us.example.com/live"),
///     ]) { login in
///         try await login.client.send(token)
///         guard try await login.client.receive() == .text("welcome") else { throw SessionLoginRefused() }
///     }
///     try await session.send("listen to 7", delivery: .latest(of: "room"))
///     for try await message in session.messages { … }
///
/// Everything about the connection happens on an event loop, so pings are sent and answered even if the main thread
/// blocks for a minute. For packets in a WebSocket use a ``PacketSession`` with ``ClientConfiguration/webSocket``.
///
/// The session ends when the program keeps neither the session, nor one of its sequences of messages, nor a
/// ``SentMessage``, unless it ends earlier.
public final class WebSocketSession: Sendable {
    let driver: SessionDriver<WebSocketSessionAdapter>

    private init(_ driver: SessionDriver<WebSocketSessionAdapter>) {
        self.driver = driver
    }

    deinit { driver.tell(.end) }

    /// Begins a session, without waiting for its connection.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the service, at least one, the best one first: see `ReconnectPolicy`.
    ///   - group: One of its loops carries the session; nil: `EventLoopGroup.shared`.
    ///   - configuration: How the session connects, and what may wait in it.
    ///   - login: Runs on each connection, on its loop, before the session sends any message on it; it must not block.
    ///     If it throws, the connection ends and the session retries, except after ``SessionLoginRefused``. nil: no
    ///     login.
    /// - Throws: ``ConnectionError/webSocket(_:)`` for a header, a subprotocol and so on that cannot be sent to any
    ///   server, ``ConnectionError/transport(_:)`` if the system has no thread for a loop.
    public static func start(
        to urls: [WebSocketURL], on group: EventLoopGroup? = nil,
        configuration: WebSocketSessionConfiguration = WebSocketSessionConfiguration(),
        login: (@Sendable (Login) async throws -> Void)? = nil
    ) throws(ConnectionError) -> WebSocketSession {
        precondition(!urls.isEmpty, "a session needs an address")
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        } catch {
            throw .transport(error)
        }
        let adapter = WebSocketSessionAdapter(urls: urls, settings: configuration, login: login)
        // A wrong request fails here, not in the first attempt.
        try adapter.check()
        let driver = SessionDriver(on: loop, adapter)
        driver.tell(.start)
        return WebSocketSession(driver)
    }

    // MARK: State

    /// The session's state now, and after each change; ends after `SessionState.ended(_:)`.
    ///
    /// It does not keep the session. Any number of tasks may iterate, each over a sequence of its own. If a task is
    /// more than 64 states late, the oldest ones are dropped. Times are counted from the session's beginning, like
    /// ``elapsed``.
    public var states: AsyncStream<SessionState> { driver.states }

    /// The time since the session began.
    public var elapsed: Duration { driver.elapsed }

    /// The round-trip times of the current connection's pings, or of the last one's (``WebSocketLimits/heartbeat``).
    public var roundTrips: RoundTrips {
        get async {
            let driver = driver
            return await driver.loop.run { driver.adapter.roundTrips(of: driver.link?.connection) }
        }
    }

    /// The counters of all connections of the session so far; messages count as packets.
    ///
    /// The numbers of waiting bytes and senders are those of the current connection, plus the messages that wait to be
    /// read. Messages of logins count. Messages that wait for a connection are in ``outboundCounters()``.
    public func counters() async -> ConnectionCounters { await driver.counters() }

    /// The messages that the session holds, and how many of them wait for a connection.
    ///
    /// It is counted as by the session's limits (``WebSocketSessionConfiguration/outbound``).
    public func outboundCounters() async -> OutboundCounters { await driver.outboundCounters() }

    /// What TLS negotiated for the current connection; nil without a connection or without TLS.
    ///
    /// A pin mismatch that is only reported (`TLSPins.reportOnly`) is in ``TLSDetails/pinOutcome``. For each connection
    /// so far, ``ConnectionTimeline/Event/pinsChecked(_:)`` reports it.
    public func tlsDetails() async -> TLSDetails? { await driver.tlsDetails() }

    /// The session's loop.
    public var loop: EventLoop { driver.loop }

    /// Waits until the session sends messages.
    ///
    /// - Throws: ``ConnectionError/sessionEnded(_:)`` if the session ends first, ``ConnectionError/cancelled``.
    public func waitUntilReady() async throws(ConnectionError) { try await driver.waitUntilReady() }

    // MARK: Receiving

    /// The server's messages from all connections, each after it has arrived whole.
    ///
    /// One task at a time iterates. While no task does, messages wait up to ``WebSocketLimits/unreadByteCount``. At the
    /// limit the session reads nothing, not even answers to pings, and the silence timeout does not run.
    /// ``WebSocketSessionConfiguration/dropsOldestUnread`` can change that.
    public var messages: Messages { Messages(session: self) }

    // MARK: Ending

    /// Makes the session look at its connection at once.
    ///
    /// Call it when the app comes back to the front, and when the system says that the network has changed.
    ///
    /// - While the session waits to reconnect, it reconnects now. It waits only for what the server asked for.
    /// - While it is connected, it sends a ping now. If no byte arrives within
    ///   `HeartbeatPolicy.probeTimeout` (3 s), the connection counts as dead, and the session reconnects at once.
    ///   A session without pings cannot ask.
    /// - Otherwise an attempt is under way, which has a time limit of its own.
    ///
    /// Calls while an answer is missing change nothing.
    public func hurry() { driver.loop.execute { [driver] in driver.hurry() } }

    /// Ends the session at once, and closes its connection with code 1000.
    ///
    /// Messages that were given to the connection are still sent; every other message fails.
    public func end() { driver.tell(.end) }

    /// Takes no more messages, and ends the session when each was given to a connection or has failed.
    ///
    /// - Parameter timeout: The time limit (default 10 s). After it, or when the task is cancelled, the session ends as
    ///   with ``end()``.
    /// - Returns: Why the session ended.
    @discardableResult
    public func drain(within timeout: Duration = .seconds(10)) async -> SessionEndCause {
        await driver.drain(within: timeout)
    }
}

extension WebSocketSession {
    /// A ``WebSocketSession``'s connection before the session sends any message on it.
    ///
    /// It is valid until the hook returns. Messages that arrive meanwhile go to the session's messages, unless the hook
    /// receives them itself. If the hook has taken the beginning of a message with
    /// ``WebSocketEndpoint/receivePiece()``, its remaining part is dropped.
    public struct Login: Sendable {
        /// The connection.
        public let client: WebSocketClient
        /// The number of this connection or attempt in the session; the first is 1.
        public let number: Int
        /// A random number, the same for all connections of a session, by which a server can recognize it.
        public let sessionID: UInt64
    }
}

extension WebSocketSession {
    /// The messages that arrive in a session, one after another.
    ///
    /// The sequence ends if the session is ended on this side, and throws ``ConnectionError/sessionEnded(_:)`` if the
    /// session gave up.
    public struct Messages: AsyncSequence, Sendable {
        fileprivate let session: WebSocketSession

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session: session) }

        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let session: WebSocketSession

            /// Returns the next message; nil at the end.
            ///
            /// - Throws: ``ConnectionError``, after every earlier message was returned.
            public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> WebSocketMessage? {
                try await session.driver.next()
            }

            /// Returns the next message; nil at the end.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ConnectionError) -> WebSocketMessage? {
                try await session.driver.next()
            }
        }
    }
}
