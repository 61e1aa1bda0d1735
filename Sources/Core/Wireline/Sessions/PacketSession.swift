// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A client that reconnects, logs in again, and sends again the messages that it has promised to deliver.
///
///     let session = try PacketSession.start(
///         to: [ServerEndpoint("game.example.com", port: 9001)], protocol: SceneProtocol.self
///     ) { login in
///         _ = try await login.client.request(Cs_10001(token: token))
///     }
///     let reply = try await session.request(Cs_20001(sceneID: 7, line: 2, message: "hi"))
///     for try await message in session.messages { … }
///
/// Everything about the connection happens on an event loop, so heartbeats are sent and answered even if the main
/// thread blocks for a minute.
///
/// The session ends when the program keeps none of these any more: the session, its sequences of messages, its
/// ``SentMessage`` values. It may end earlier.
public final class PacketSession<Definition: PacketProtocol>: Sendable {
    let driver: SessionDriver<PacketSessionAdapter>

    private init(_ driver: SessionDriver<PacketSessionAdapter>) {
        self.driver = driver
    }

    deinit { driver.tell(.end) }

    /// Begins a session, without waiting for its connection.
    ///
    /// - Parameters:
    ///   - endpoints: The addresses of the service, at least one, the best one first: see `ReconnectPolicy`.
    ///   - protocol: The protocol.
    ///   - group: One of its loops carries the session; nil: `EventLoopGroup.shared`.
    ///   - configuration: How the session connects, and what may wait in it.
    ///   - conventions: Which messages are heartbeats, acknowledgements, and so on.
    ///   - login: Runs on each connection, on its loop, before the session sends any message on it; it must not block.
    ///     If it throws, the connection ends and the session retries, except after ``SessionLoginRefused``. nil: no
    ///     login.
    /// - Throws: ``ConnectionError/codec(_:)`` if the conventions' heartbeat cannot be encoded,
    ///   ``ConnectionError/transport(_:)`` if the system has no thread for a loop.
    public static func start(
        to endpoints: [ServerEndpoint], protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: PacketSessionConfiguration = PacketSessionConfiguration(),
        conventions: SessionConventions<Definition> = SessionConventions(),
        login: (@Sendable (Login) async throws -> Void)? = nil
    ) throws(ConnectionError) -> PacketSession {
        precondition(!endpoints.isEmpty, "a session needs an endpoint")
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        } catch {
            throw .transport(error)
        }
        do throws(CodecError) {
            // A heartbeat that cannot be encoded fails here, not an interval later.
            try conventions.rules.requireHeartbeat()
        } catch {
            throw .codec(error)
        }
        let driver = SessionDriver(
            on: loop,
            PacketSessionAdapter(
                endpoints: endpoints, layout: Definition.layout, packetLimit: Definition.maximumPacketByteCount,
                settings: configuration, rules: conventions.rules, login: login.map(hook)))
        driver.tell(.start)
        return PacketSession(driver)
    }

    /// Wraps the login without the protocol's types.
    private static func hook(
        _ login: @escaping @Sendable (Login) async throws -> Void
    ) -> PacketSessionAdapter.LoginHook {
        { driver, owner, number in
            let client = PacketClient<Definition>(
                owner: owner, requestTimeout: driver.adapter.settings.client.requestTimeout)
            let attempt = Login(
                client, number: Int(clamping: number.rawValue), sessionID: driver.sessionID
            ) { acknowledgement in
                driver.tell(.acknowledged(number, acknowledgement))
            }
            try await login(attempt)
        }
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

    /// The round-trip times of the heartbeats of the current connection, or of the last one.
    public var roundTrips: RoundTrips {
        get async { await driver.loop.run { [driver] in driver.roundTrips } }
    }

    /// The counters of all connections of the session so far.
    ///
    /// The numbers of waiting bytes and senders are those of the current connection, plus the messages that wait to be
    /// read. Packets of logins, heartbeats and replies count. Messages that wait for a connection are in
    /// ``outboundCounters()``.
    public func counters() async -> ConnectionCounters { await driver.counters() }

    /// The messages that the session holds, and how many of them wait for a connection.
    ///
    /// It is counted as by the session's limits (``PacketSessionConfiguration/outbound``).
    public func outboundCounters() async -> OutboundCounters { await driver.outboundCounters() }

    /// What TLS negotiated for the current connection, after its handshake; nil without a connection or without TLS.
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

    /// The server's messages from all connections, except replies to requests and the conventions' messages.
    ///
    /// One task at a time iterates. While no task does, messages wait up to ``ConnectionLimits/unreadByteCount``. At
    /// the limit the session reads nothing, not even replies and heartbeats' answers, and the silence timeout does not
    /// run. ``PacketSessionConfiguration/dropsOldestUnread`` can change that.
    public var messages: Messages { Messages(self) }

    /// The server's messages of one type from all connections, for a part of the program that wants only these.
    ///
    ///     let chats = session.messages(of: ChatPush.self)
    ///     while let chat = try await chats.next() { show(chat) }
    ///
    /// Several tasks can read at once, each from a stream of its own, also of the same type. These messages do not go
    /// to ``messages`` then. A stream ends with the session. See ``MessageStream`` for what a slow reader misses.
    public func messages<Message: ServerMessage>(
        of type: Message.Type
    ) -> MessageStream<Message> where Message.Definition == Definition {
        MessageStream(from: driver, limit: driver.adapter.unreadByteCount, keeping: self)
    }

    // MARK: Ending

    /// Makes the session look at its connection at once.
    ///
    /// Call it when the app comes back to the front, and when the system says that the network has changed.
    ///
    /// - While the session waits to reconnect, it reconnects now. It waits only for what the server asked for.
    /// - While it is connected, it sends a heartbeat now. If no byte arrives within
    ///   `HeartbeatPolicy.probeTimeout` (3 s), the connection counts as dead, and the session reconnects at once.
    ///   A session whose conventions have no heartbeat cannot ask.
    /// - Otherwise an attempt is under way, which has a time limit of its own.
    ///
    /// Calls while an answer is missing change nothing.
    public func hurry() { driver.loop.execute { [driver] in driver.hurry() } }

    /// Ends the session at once. Messages that were given to the connection are still sent; every other message fails.
    public func end() { driver.tell(.end) }

    /// Takes no more messages, and ends the session when each message was delivered or has failed.
    ///
    /// - Parameter timeout: The time limit (default 10 s). After it, or when the task is cancelled, the session ends as
    ///   with ``end()``.
    /// - Returns: Why the session ended.
    @discardableResult
    public func drain(within timeout: Duration = .seconds(10)) async -> SessionEndCause {
        await driver.drain(within: timeout)
    }
}
