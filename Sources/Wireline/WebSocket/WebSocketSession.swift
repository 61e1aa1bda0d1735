// SPDX-License-Identifier: Apache-2.0

public import WirelineSession
public import WirelineTransport
public import WirelineWebSocket

/// A WebSocket client whose connection comes back: it asks again when the connection ends, logs in, and sends what has
/// waited meanwhile.
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
/// Everything about the connection happens on an event loop: a main thread that is blocked for a minute keeps no ping from
/// being sent or answered. Packets in a WebSocket are a ``PacketSession``'s, with ``ClientConfiguration/webSocket``.
///
/// The session lasts for as long as it, one of its sequences of messages, or a ``SentMessage`` is held, unless it ends
/// earlier.
public final class WebSocketSession: Sendable {
    let driver: SessionDriver<WebSocketCarrier>

    private init(_ driver: SessionDriver<WebSocketCarrier>) {
        self.driver = driver
    }

    deinit { driver.tell(.end) }

    /// Begins a session, without waiting for its connection.
    ///
    /// - Parameters:
    ///   - urls: Where the service can be reached, at least one, the best one first: see `ReconnectPolicy`.
    ///   - group: The loops of which one carries the session; nil: `EventLoopGroup.shared`.
    ///   - configuration: How it connects, and what may wait.
    ///   - login: Runs on each connection, on its loop, before any message of the session's is sent on it; it must not
    ///     block. What it throws ends the connection: the session tries again, but for ``SessionLoginRefused``. nil: there
    ///     is no login.
    /// - Throws: ``ConnectionError/webSocket(_:)`` for a header, a subprotocol and so on that no server can be asked for,
    ///   ``ConnectionError/transport(_:)`` when the system has no thread for a loop.
    public static func start(
        to urls: [WebSocketURL], on group: EventLoopGroup? = nil,
        configuration: WebSocketSessionConfiguration = WebSocketSessionConfiguration(),
        login: (@Sendable (WebSocketSessionLogin) async throws -> Void)? = nil
    ) throws(ConnectionError) -> WebSocketSession {
        precondition(!urls.isEmpty, "a session needs an address")
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        } catch {
            throw .transport(error)
        }
        let carrier = WebSocketCarrier(urls: urls, settings: configuration, login: login)
        // Found out here rather than by the first attempt.
        try carrier.check()
        let driver = SessionDriver(on: loop, carrier)
        driver.tell(.start)
        return WebSocketSession(driver)
    }

    // MARK: Where it stands

    /// Where the session stands: now, and then whenever that changes. The sequence ends behind
    /// `SessionState.ended(_:)`. It does not keep the session.
    ///
    /// Any number of tasks may iterate, each over a sequence of its own. Of one that falls behind by more than 64 states
    /// the oldest are dropped. Moments are counted from the session's beginning, as ``elapsed`` is.
    public var states: AsyncStream<SessionState> { driver.states }

    /// How long ago the session was begun.
    public var elapsed: Duration { driver.elapsed }

    /// How long the pings of the present connection, or of the last one, took to be answered
    /// (``WebSocketLimits/heartbeat``).
    public var roundTrips: RoundTrips {
        get async {
            let driver = driver
            return await driver.loop.run { driver.carrier.roundTrips(of: driver.link?.connection) }
        }
    }

    /// What has passed through the session's connections so far, and what waits in the present one and to be read; its
    /// packets are the messages, those of logins included. What waits for a connection is in ``outboundCounters()``.
    public func counters() async -> ConnectionCounters { await driver.counters() }

    /// What the session holds of what it was given to send, as its limits count it
    /// (``WebSocketSessionConfiguration/outbound``), and how much of that waits for a connection.
    public func outboundCounters() async -> OutboundCounters { await driver.outboundCounters() }

    /// What TLS has agreed on for the present connection; nil where there is no connection, or none with TLS.
    ///
    /// What pins would have refused (`TLSPins.reportOnly`) stands in ``TLSDetails/pinOutcome``; for each connection that there
    /// was, ``ConnectionTimeline/Event/pinsChecked(_:)`` tells of it.
    public func tlsDetails() async -> TLSDetails? { await driver.tlsDetails() }

    /// The loop that the session lives on.
    public var loop: EventLoop { driver.loop }

    /// Waits until messages go out.
    ///
    /// - Throws: ``ConnectionError/sessionEnded(_:)`` when the session ends before, ``ConnectionError/cancelled``.
    public func waitUntilReady() async throws(ConnectionError) { try await driver.waitUntilReady() }

    // MARK: What arrives

    /// What the server sends, on one connection after another: each message that has come whole.
    ///
    /// One task at a time iterates. While nobody does, messages wait up to ``WebSocketLimits/unreadByteCount``; then
    /// nothing more is read, answers to pings included, and no silence is held against the server, unless
    /// ``WebSocketSessionConfiguration/dropsOldestUnread`` says otherwise.
    public var messages: WebSocketSessionMessages { WebSocketSessionMessages(session: self) }

    // MARK: Its end

    /// Tries to connect at once, where the session waits for no other reason than its own policy: there may be a network
    /// again, or somebody looks at the screen.
    public func hurry() { driver.tell(.hurry) }

    /// Ends the session at once: closes its connection with code 1000. What was given to that still leaves; every other
    /// message fails.
    public func end() { driver.tell(.end) }

    /// Takes no more messages, and ends the session when each of those that it has was given to a connection or has failed.
    ///
    /// - Parameter timeout: How long that may take (default 10 s). Then, or when the task is cancelled, the session ends
    ///   as with ``end()``.
    /// - Returns: Why it has ended.
    @discardableResult
    public func drain(within timeout: Duration = .seconds(10)) async -> SessionEndCause {
        await driver.drain(within: timeout)
    }
}

/// A connection of a ``WebSocketSession``'s before any message of the session's is sent on it.
///
/// It is good until the hook returns. What arrives meanwhile, and the hook has not received itself, reaches whoever iterates
/// over the session's messages, without the rest of a message whose beginning the hook has taken with
/// ``WebSocketEndpoint/receivePiece()``.
public struct WebSocketSessionLogin: Sendable {
    /// The connection.
    public let client: WebSocketClient
    /// Which of the session's connections and attempts to make one it is; the first is 1.
    public let number: Int
    /// A random number, the same for all connections of a session: by it a server knows those that come back.
    public let sessionID: UInt64
}

/// The messages that arrive in a session, one after another.
///
/// The sequence ends where the session is ended on this side, and throws ``ConnectionError/sessionEnded(_:)`` where it
/// has given up.
public struct WebSocketSessionMessages: AsyncSequence, Sendable {
    fileprivate let session: WebSocketSession

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(session: session) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let session: WebSocketSession

        /// The next message; nil at the end.
        ///
        /// - Throws: ``ConnectionError``, once every message before it has been handed over.
        public nonisolated(nonsending) mutating func next() async throws(ConnectionError) -> WebSocketMessage? {
            try await session.driver.next()
        }

        /// The next message; nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ConnectionError) -> WebSocketMessage? {
            try await session.driver.next()
        }
    }
}
