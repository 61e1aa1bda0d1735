// SPDX-License-Identifier: Apache-2.0

/// What a client decides whose connection should last: when to connect again, what to send on it, whether the peer lives.
///
/// It does nothing itself. Whoever drives it hands in events with the time and randomness, carries out the actions, and
/// hands in ``SessionEvent/timerFired`` at ``deadline``. Times are durations since any fixed moment of a monotonic clock.
///
///     session.handle(.connected(connection), at: now, using: &random, into: &actions)
///     for action in actions { … }
///     // A timer that fires early is harmless, so it is only set anew where the deadline has come nearer.
///     setTimer(at: session.deadline)
///
///                 start                 connected                loggedIn
///     idle ───────────────► connecting ──────────► loggingIn ──────────────► ready
///                            ▲      │                  │                       │
///                            │      ▼   ended, timeout ▼   ended, kicked, dead ▼
///                            └── waiting ◄─────────────┴───────────────────────┘
///                                   │ no retry left, or no use
///                                   ▼
///                                 ended
public struct ClientSession<Payload> {
    /// What the session wants done.
    public typealias Action = SessionAction<Payload>

    private enum Phase {
        case idle
        case connecting(ConnectionNumber, deadline: Duration)
        case loggingIn(ConnectionNumber, deadline: Duration)
        case ready(ConnectionNumber)
        case waiting(until: Duration, earliest: Duration, cause: DisconnectCause)
        case ended(SessionEndCause)
    }

    private let configuration: SessionConfiguration
    private var phase = Phase.idle
    private var lastConnection: UInt64 = 0
    private var reconnector: Reconnector
    private var queue: OutboundQueue<Payload>
    /// Of the connection that is ready.
    private var heartbeat: HeartbeatMonitor?
    private var heartbeatCount: UInt64 = 0
    private var pendingByteCount = 0
    private var drainDeadline: Duration?

    /// How long the heartbeats of the connection were answered in, the last one when there is none.
    public private(set) var roundTrips = RoundTrips()

    /// Makes a session that has not begun.
    public init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        self.configuration = configuration
        reconnector = Reconnector(policy: configuration.reconnect, endpointCount: configuration.endpointCount)
        queue = OutboundQueue(
            limits: configuration.limits, maximumSequence: configuration.maximumSequence,
            hasHeartbeat: configuration.heartbeat != nil)
    }

    // MARK: What is to be seen

    /// Where the session stands; nil before it has begun.
    public var state: SessionState? {
        switch phase {
        case .idle: nil
        case .connecting: .connecting(endpoint: reconnector.endpoint, attempt: reconnector.retryCount + 1)
        case .loggingIn: .loggingIn
        case .ready: .ready
        case .waiting(let until, _, let cause): .waiting(until: until, cause: cause)
        case .ended(let cause): .ended(cause)
        }
    }

    /// How many messages the session holds: ``OutboundCounters/messageCount``.
    public var messageCount: Int { queue.count }

    /// How many bytes they are.
    public var messageByteCount: Int { queue.byteCount }

    /// What the session holds of what it was given to send.
    ///
    /// - Complexity: O(*n*), where *n* is the number of messages.
    public var outboundCounters: OutboundCounters { queue.counters }

    /// Whether something that arrives may be the reply to a message, one that was given up included. Otherwise no replies
    /// need be handed in.
    public var awaitsReplies: Bool { queue.awaitsReplies }

    /// When ``SessionEvent/timerFired`` is to be handed in at the latest; nil: never.
    public var deadline: Duration? {
        var earliest: Duration?
        switch phase {
        case .idle: break
        case .connecting(_, let deadline), .loggingIn(_, let deadline): earliest = deadline
        case .ready: earliest = heartbeat?.deadline
        case .waiting(let until, _, _): earliest = until
        case .ended: return nil
        }
        if let other = queue.deadline { earliest = min(earliest ?? other, other) }
        if let other = drainDeadline { earliest = min(earliest ?? other, other) }
        return earliest
    }

    /// The connection that there is, or that is being made.
    private var connection: ConnectionNumber? {
        switch phase {
        case .connecting(let connection, _), .loggingIn(let connection, _), .ready(let connection): connection
        case .idle, .waiting, .ended: nil
        }
    }

    private var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    // MARK: Messages

    /// Takes a message.
    ///
    /// - Returns: Its number, with which ``SessionAction/complete(_:_:)`` tells how it has ended.
    /// - Throws: ``SessionError``, where it is over a limit or cannot be promised; nothing has changed then.
    public mutating func send(
        _ message: OutboundMessage<Payload>, at now: Duration, into actions: inout [Action]
    ) throws(SessionError) -> MessageNumber {
        if case .ended = phase { throw .ended(mayHaveArrived: false) }
        if drainDeadline != nil { throw .ended(mayHaveArrived: false) }
        if let expiry = message.expiry, expiry <= now { throw .expired(mayHaveArrived: false) }
        let number = try queue.append(message, isConnected: isReady, into: &actions)
        giveMessages(into: &actions)
        return number
    }

    // MARK: Events

    /// Takes note of what has happened, and appends what is to be done.
    ///
    /// - Parameters:
    ///   - event: What has happened. Each connection's come in order.
    ///   - now: The time, never before that of an earlier call.
    ///   - random: Where delays come from.
    ///   - actions: What is to be done is appended to it.
    public mutating func handle(
        _ event: SessionEvent, at now: Duration, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        switch event {
        case .start: if case .idle = phase { connect(at: now, into: &actions) }
        case .connected(let connection): connected(connection, at: now, into: &actions)
        case .loggedIn(let connection): loggedIn(connection, at: now, into: &actions)
        case .ended(let connection, let cause):
            if connection == self.connection { lose(cause, at: now, using: &random, into: &actions) }
        case .received(let connection):
            if connection == self.connection {
                heartbeat?.received(at: now, isEnough: !queue.awaitsHeartbeat)
            }
        case .sent(let connection, let byteCount, let pendingByteCount):
            guard connection == self.connection else { return }
            if byteCount > 0, self.pendingByteCount > 0 { heartbeat?.progressed(at: now) }
            self.pendingByteCount = pendingByteCount
            giveMessages(into: &actions)
        case .progressed(let connection): if connection == self.connection { heartbeat?.progressed(at: now) }
        case .heartbeatAnswered(let connection, let sequence):
            guard connection == self.connection else { return }
            heartbeatAnswered(sequence, at: now, into: &actions)
        case .acknowledged(let connection, let acknowledgement):
            guard connection == self.connection else { return }
            queue.acknowledge(acknowledgement, into: &actions)
            // A number may have become free.
            giveMessages(into: &actions)
        case .timerFired: timerFired(at: now, using: &random, into: &actions)
        case .cancel(let number):
            queue.cancel(number, into: &actions)
            giveMessages(into: &actions)
        case .hurry:
            guard case .waiting(_, let earliest, let cause) = phase else { return }
            if earliest <= now { return connect(at: now, into: &actions) }
            phase = .waiting(until: earliest, earliest: earliest, cause: cause)
            report(into: &actions)
        case .drain(let deadline):
            if case .ended = phase { return }
            drainDeadline = min(deadline, drainDeadline ?? deadline)
            if queue.awaitsHeartbeat { heartbeat?.hurry(at: now) }
        case .end: endByUs(into: &actions)
        }
        if drainDeadline != nil, queue.openCount == 0 { endByUs(into: &actions) }
    }

    private mutating func connected(
        _ connection: ConnectionNumber, at now: Duration, into actions: inout [Action]
    ) {
        guard case .connecting(connection, _) = phase else { return }
        phase = .loggingIn(connection, deadline: now + configuration.loginTimeout)
        report(into: &actions)
        actions.append(.beginLogin(connection))
    }

    private mutating func loggedIn(_ connection: ConnectionNumber, at now: Duration, into actions: inout [Action]) {
        guard case .loggingIn(connection, _) = phase else { return }
        phase = .ready(connection)
        reconnector.ready(at: now)
        heartbeatCount = 0
        heartbeat = configuration.heartbeat.map {
            HeartbeatMonitor(policy: $0, maximumSequence: configuration.maximumSequence, at: now)
        }
        roundTrips = RoundTrips()
        report(into: &actions)
        giveMessages(into: &actions)
    }

    private mutating func heartbeatAnswered(_ sequence: UInt64?, at now: Duration, into actions: inout [Action]) {
        guard var heartbeat else { return }
        let number = heartbeat.answered(sequence: sequence, at: now)
        self.heartbeat = heartbeat
        roundTrips = heartbeat.roundTrips
        guard let number else { return }
        queue.heartbeatAnswered(number, into: &actions)
        giveMessages(into: &actions)
    }

    private mutating func timerFired(
        at now: Duration, using random: inout some RandomNumberGenerator, into actions: inout [Action]
    ) {
        queue.expire(at: now, into: &actions)
        if let drainDeadline, drainDeadline <= now { return endByUs(into: &actions) }
        switch phase {
        case .idle, .ended: break
        case .connecting(_, let deadline), .loggingIn(_, let deadline):
            if deadline <= now { lose(.timedOut, at: now, using: &random, into: &actions) }
        case .waiting(let until, _, _): if until <= now { connect(at: now, into: &actions) }
        case .ready(let connection):
            switch heartbeat?.timerFired(at: now) {
            case nil: break
            case .giveUp: lose(.silent, at: now, using: &random, into: &actions)
            case .beat(let number):
                heartbeatCount = number
                actions.append(.heartbeat(connection, sequence: heartbeat?.sequence(of: number)))
            }
            giveMessages(into: &actions)
        }
    }

    // MARK: Moving on

    private mutating func connect(at now: Duration, into actions: inout [Action]) {
        lastConnection += 1
        let connection = ConnectionNumber(rawValue: lastConnection)
        phase = .connecting(connection, deadline: now + configuration.connectTimeout)
        report(into: &actions)
        actions.append(.connect(connection, endpoint: reconnector.endpoint))
    }

    /// The connection, or the attempt to make one, is over.
    private mutating func lose(
        _ cause: DisconnectCause, at now: Duration, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        leaveConnection(cause, into: &actions)
        queue.connectionEnded(into: &actions)
        if cause.makesAddressesDoubtful { actions.append(.expireAddresses) }
        switch reconnector.lost(cause, at: now, using: &random) {
        case .connect: connect(at: now, into: &actions)
        case .wait(let until, let earliest):
            phase = .waiting(until: until, earliest: earliest, cause: cause)
            report(into: &actions)
        case .stop(outOfRetries: true): end(.outOfRetries(last: cause), into: &actions)
        case .stop(outOfRetries: false): end(cause == .endedByUs ? .byUs : .stopped(cause), into: &actions)
        }
    }

    private mutating func leaveConnection(_ cause: DisconnectCause, into actions: inout [Action]) {
        guard let connection else { return }
        actions.append(.close(connection, cause))
        heartbeat = nil
        pendingByteCount = 0
    }

    private mutating func end(_ cause: SessionEndCause, into actions: inout [Action]) {
        phase = .ended(cause)
        queue.endAll(into: &actions)
        report(into: &actions)
    }

    private mutating func endByUs(into actions: inout [Action]) {
        if case .ended = phase { return }
        leaveConnection(.endedByUs, into: &actions)
        end(.byUs, into: &actions)
    }

    private mutating func giveMessages(into actions: inout [Action]) {
        guard case .ready(let connection) = phase else { return }
        while pendingByteCount < max(1, configuration.pendingByteCount),
            let message = queue.next(earlierHeartbeats: heartbeatCount, into: &actions)
        {
            pendingByteCount += message.byteCount
            actions.append(.give(connection, message))
        }
    }

    private func report(into actions: inout [Action]) {
        if let state { actions.append(.report(state)) }
    }
}

extension ClientSession: Sendable where Payload: Sendable {}
