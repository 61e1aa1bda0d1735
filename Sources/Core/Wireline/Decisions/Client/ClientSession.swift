// SPDX-License-Identifier: Apache-2.0

/// Decides for a client when to reconnect, what to send, and whether the peer is alive.
///
/// It performs no I/O. Its driver hands in events with the time and randomness, performs the actions, and hands in
/// ``SessionEvent/timerFired`` at ``deadline``. Times are durations since any fixed moment of a monotonic clock.
///
///     session.handle(.connected(connection), at: now, using: &random, into: &actions)
///     for action in actions { … }
///     // A timer that fires early is harmless, so it is set again only if the deadline is earlier.
///     setTimer(at: session.deadline)
///
///                 start                 connected                loggedIn
///     idle ───────────────► connecting ──────────► loggingIn ──────────────► ready
///                            ▲      │                  │                       │
///                            │      ▼   ended, timeout ▼   ended, kicked, dead ▼
///                            └── waiting ◄─────────────┴───────────────────────┘
///                                   │ no retry left, or a final cause
///                                   ▼
///                                 ended
package struct ClientSession<Payload> {
    /// An action for the driver.
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
    /// The monitor of the ready connection; nil in other states.
    private var heartbeat: HeartbeatMonitor?
    private var heartbeatCount: UInt64 = 0
    private var pendingByteCount = 0
    private var drainDeadline: Duration?
    /// If the connection ends before this time, the next attempt starts at once.
    private var hurryEnd: Duration?

    /// Longer than a peer is given to answer in a hurry.
    private static var hurryTime: Duration { .seconds(10) }

    /// The round trips of the current connection's heartbeats, or of the last connection's.
    public private(set) var roundTrips = RoundTrips()

    /// Makes a session that has not started.
    public init(_ configuration: SessionConfiguration = SessionConfiguration()) {
        self.configuration = configuration
        reconnector = Reconnector(policy: configuration.reconnect, endpointCount: configuration.endpointCount)
        queue = OutboundQueue(
            limits: configuration.limits, maximumSequence: configuration.maximumSequence,
            hasHeartbeat: configuration.heartbeat != nil, repeatsLatest: configuration.repeatsLatest)
    }

    // MARK: State

    /// The state of the session; nil before it has started.
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

    /// The number of messages in the queue: ``OutboundCounters/messageCount``.
    public var messageCount: Int { queue.count }

    /// Their length in bytes.
    public var messageByteCount: Int { queue.byteCount }

    /// The size of the outbound queue.
    ///
    /// - Complexity: O(*n*), where *n* is the number of messages.
    public var outboundCounters: OutboundCounters { queue.counters }

    /// Whether an arriving packet may be the reply to a message, even to an abandoned one.
    /// If false, replies need not be handed in.
    public var awaitsReplies: Bool { queue.awaitsReplies }

    /// When to hand in ``SessionEvent/timerFired`` at the latest; nil: never.
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

    /// The current connection, or the one that is being made.
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

    /// Queues a message, and gives it to the connection if possible.
    ///
    /// - Returns: Its number; ``SessionAction/complete(_:_:)`` reports the outcome with it.
    /// - Throws: ``SessionError`` if the message exceeds a limit or cannot be promised. Nothing has changed then.
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

    /// Handles an event, and appends what the driver must do.
    ///
    /// - Parameters:
    ///   - event: The event. Events of one connection are handed in in order.
    ///   - now: The current time, never before that of an earlier call. New deadlines count from it.
    ///   - heard: For ``SessionEvent/timerFired``: the time up to which all events were handed in (default: now). Only
    ///     deadlines up to it count as passed, so a program that blocks its thread is not taken for a silent peer.
    ///   - random: The source of delays.
    ///   - actions: Receives the actions.
    public mutating func handle(
        _ event: SessionEvent, at now: Duration, heard: Duration? = nil,
        using random: inout some RandomNumberGenerator,
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
        case .unencodable(let connection, let message):
            guard connection == self.connection else { return }
            queue.withdraw(message, into: &actions)
            giveMessages(into: &actions)
        case .timerFired:
            timerFired(at: now, heard: min(heard ?? now, now), using: &random, into: &actions)
        case .cancel(let number):
            queue.cancel(number, into: &actions)
            giveMessages(into: &actions)
        case .hurry: hurry(at: now, into: &actions)
        case .drain(let deadline): drain(until: deadline, at: now)
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
        hurryEnd = nil
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

    /// - Parameter heard: The time up to which all events are known. Only deadlines up to it have passed.
    private mutating func timerFired(
        at now: Duration, heard: Duration, using random: inout some RandomNumberGenerator,
        into actions: inout [Action]
    ) {
        queue.expire(at: heard, into: &actions)
        if let drainDeadline, drainDeadline <= heard { return endByUs(into: &actions) }
        switch phase {
        case .idle, .ended: break
        case .connecting(_, let deadline), .loggingIn(_, let deadline):
            if deadline <= heard { lose(.timedOut, at: now, using: &random, into: &actions) }
        case .waiting(let until, _, _): if until <= heard { connect(at: now, into: &actions) }
        case .ready(let connection):
            switch heartbeat?.timerFired(at: now, heard: heard) {
            case nil: break
            case .giveUp: lose(.silent, at: now, using: &random, into: &actions)
            case .beat(let number):
                heartbeatCount = number
                actions.append(.heartbeat(connection, sequence: heartbeat?.sequence(of: number)))
            }
            giveMessages(into: &actions)
        }
    }

    // MARK: Transitions

    private mutating func connect(at now: Duration, into actions: inout [Action]) {
        lastConnection += 1
        let connection = ConnectionNumber(rawValue: lastConnection)
        phase = .connecting(connection, deadline: now + configuration.connectTimeout)
        report(into: &actions)
        actions.append(.connect(connection, endpoint: reconnector.endpoint))
    }

    /// Ends the connection, or the attempt to make one.
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
            // Only once: if that attempt fails, too, the next one waits as usual.
            if let end = hurryEnd.take(), now <= end { connectSooner(at: now, into: &actions) }
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

    /// Connects as soon as the server allows. On a connection, asks whether the peer is alive.
    private mutating func hurry(at now: Duration, into actions: inout [Action]) {
        if case .ready = phase {
            heartbeat?.probe(at: now)
            hurryEnd = now + max(Self.hurryTime, configuration.heartbeat?.probeTimeout ?? .zero)
        }
        connectSooner(at: now, into: &actions)
    }

    /// Connects as soon as the server allows, instead of waiting for the whole delay.
    private mutating func connectSooner(at now: Duration, into actions: inout [Action]) {
        guard case .waiting(_, let earliest, let cause) = phase else { return }
        if earliest <= now { return connect(at: now, into: &actions) }
        phase = .waiting(until: earliest, earliest: earliest, cause: cause)
        report(into: &actions)
    }

    /// Refuses new messages; ``handle(_:at:heard:using:into:)`` ends the session when the queue is empty.
    private mutating func drain(until deadline: Duration, at now: Duration) {
        if case .ended = phase { return }
        drainDeadline = min(deadline, drainDeadline ?? deadline)
        if queue.awaitsHeartbeat { heartbeat?.hurry(at: now) }
    }

    private mutating func endByUs(into actions: inout [Action]) {
        if case .ended = phase { return }
        leaveConnection(.endedByUs, into: &actions)
        end(.byUs, into: &actions)
    }

    private mutating func giveMessages(into actions: inout [Action]) {
        guard case .ready(let connection) = phase else { return }
        while pendingByteCount < max(1, configuration.pendingByteCount),
            let byteCount = queue.giveNext(to: connection, earlierHeartbeats: heartbeatCount, into: &actions)
        {
            pendingByteCount += byteCount
        }
    }

    private func report(into actions: inout [Action]) {
        if let state { actions.append(.report(state)) }
    }
}

extension ClientSession: Sendable where Payload: Sendable {}
