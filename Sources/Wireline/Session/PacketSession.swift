// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineSession
public import WirelineTransport

/// A client whose connection comes back: it connects again when the connection ends, logs in, and sends again what was
/// promised to arrive.
///
///     let session = try PacketSession.start(
///         to: [ServerEndpoint("game.example.com", port: 9001)], protocol: SceneProtocol.self
///     ) { login in
///         _ = try await login.client.request(Cs_10001(token: token))
///     }
///     let reply = try await session.request(Cs_20001(sceneID: 7, line: 2, message: "hi"))
///     for try await message in session.messages { … }
///
/// Everything about the connection happens on an event loop: a main thread that is blocked for a minute keeps no
/// heartbeat from being sent or answered.
///
/// The session lasts for as long as it, one of its sequences of messages, or a ``SentMessage`` is held, unless it ends
/// earlier.
public final class PacketSession<Definition: PacketProtocol>: Sendable {
    let driver: SessionDriver<PacketCarrier>

    private init(_ driver: SessionDriver<PacketCarrier>) {
        self.driver = driver
    }

    deinit { driver.tell(.end) }

    /// Begins a session, without waiting for its connection.
    ///
    /// - Parameters:
    ///   - endpoints: Where the service can be reached, at least one, the best one first: see `ReconnectPolicy`.
    ///   - protocol: What is spoken, such as `SceneProtocol.self`.
    ///   - group: The loops of which one carries the session; nil: `EventLoopGroup.shared`.
    ///   - configuration: How it connects, and what may wait.
    ///   - conventions: Which messages are heartbeats, acknowledgements, and so on.
    ///   - login: Runs on each connection, on its loop, before any message of the session's is sent on it; it must not
    ///     block. What it throws ends the connection: the session tries again, but for ``SessionLoginRefused``. nil: there
    ///     is no login.
    /// - Throws: ``ConnectionError/codec(_:)`` when the conventions' heartbeat cannot be encoded,
    ///   ``ConnectionError/transport(_:)`` when the system has no thread for a loop.
    public static func start(
        to endpoints: [ServerEndpoint], protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: PacketSessionConfiguration = PacketSessionConfiguration(),
        conventions: SessionConventions<Definition> = SessionConventions(),
        login: (@Sendable (SessionLogin<Definition>) async throws -> Void)? = nil
    ) throws(ConnectionError) -> PacketSession {
        precondition(!endpoints.isEmpty, "a session needs an endpoint")
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        } catch {
            throw .transport(error)
        }
        do throws(CodecError) {
            // Found out here rather than an interval later.
            _ = try conventions.rules.heartbeat?.encode(nil)
        } catch {
            throw .codec(error)
        }
        let driver = SessionDriver(
            on: loop,
            PacketCarrier(
                endpoints: endpoints, layout: Definition.layout, packetLimit: Definition.maximumPacketByteCount,
                settings: configuration, rules: conventions.rules, login: login.map(hook)))
        driver.tell(.start)
        return PacketSession(driver)
    }

    /// The login without the protocol's types.
    private static func hook(
        _ login: @escaping @Sendable (SessionLogin<Definition>) async throws -> Void
    ) -> PacketCarrier.LoginHook {
        { driver, owner, number in
            let client = PacketClient<Definition>(
                owner: owner, requestTimeout: driver.carrier.settings.client.requestTimeout)
            let attempt = SessionLogin<Definition>(
                client, number: Int(clamping: number.rawValue), sessionID: driver.sessionID
            ) { acknowledgement in
                driver.tell(.acknowledged(number, acknowledgement))
            }
            try await login(attempt)
        }
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

    /// How long the heartbeats of the present connection, or of the last one, took to be answered.
    public var roundTrips: RoundTrips {
        get async { await driver.loop.run { [driver] in driver.roundTrips } }
    }

    /// What has passed through the session's connections so far, and what waits in the present one and to be read; packets
    /// of logins, heartbeats and replies are packets, too. What waits for a connection is in ``outboundCounters()``.
    public func counters() async -> ConnectionCounters { await driver.counters() }

    /// What the session holds of what it was given to send, as its limits count it
    /// (``PacketSessionConfiguration/outbound``), and how much of that waits for a connection.
    public func outboundCounters() async -> OutboundCounters { await driver.outboundCounters() }

    /// What TLS has agreed on for the present connection, once its handshake is complete; nil where there is no connection,
    /// or none with TLS.
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

    /// What the server sends, on one connection after another, but for replies to requests and what the conventions say
    /// of the connection.
    ///
    /// One task at a time iterates. While nobody does, messages wait up to ``ConnectionLimits/unreadByteCount``; then
    /// nothing more is read, replies and heartbeats' answers included, and no silence is held against the server, unless
    /// ``PacketSessionConfiguration/dropsOldestUnread`` says otherwise.
    public var messages: SessionMessages<Definition> { SessionMessages(self) }

    // MARK: Its end

    /// Tries to connect at once, where the session waits for no other reason than its own policy: there may be a network
    /// again, or somebody looks at the screen.
    public func hurry() { driver.tell(.hurry) }

    /// Ends the session at once. What was given to the connection still leaves; every other message fails.
    public func end() { driver.tell(.end) }

    /// Takes no more messages, and ends the session when each of those that it has was delivered or has failed.
    ///
    /// - Parameter timeout: How long that may take (default 10 s). Then, or when the task is cancelled, the session ends
    ///   as with ``end()``.
    /// - Returns: Why it has ended.
    @discardableResult
    public func drain(within timeout: Duration = .seconds(10)) async -> SessionEndCause {
        await driver.drain(within: timeout)
    }
}
