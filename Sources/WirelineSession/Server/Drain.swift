// SPDX-License-Identifier: Apache-2.0

/// How a server takes leave of its clients.
public struct DrainPolicy: Equatable, Sendable {
    /// Over which time clients are told to go (default: all at once). Those that are told together come back together:
    /// what they come back to may be smaller than what they leave.
    public var spread: Duration
    /// How long after the beginning the last connection is closed (default 30 s).
    public var timeout: Duration

    /// Makes a policy; what is left out has its default.
    public init(spread: Duration = .zero, timeout: Duration = .seconds(30)) {
        self.spread = spread
        self.timeout = timeout
    }
}

/// The end of a server: it takes no more connections, tells those it has, one after another in a random order, and closes
/// at last those that have not gone.
public struct Drain<Connection: Hashable> {
    /// What is to be done.
    @nonexhaustive
    public enum Action {
        /// Take no more connections.
        case stopAccepting
        /// Tell a client to go; nothing more is asked of it, and what is on its way to it still leaves.
        case tell(Connection)
        /// Close a connection at once.
        case close(Connection)
        /// The last connection has ended.
        case finished
    }

    private let policy: DrainPolicy
    private let start: Duration
    private var end: Duration
    private let toldAtLast: Int
    /// The last one is told first.
    private var untold: [Connection]
    private var open: Set<Connection>
    private var isClosing = false

    /// Begins.
    ///
    /// - Parameters:
    ///   - connections: Those that there are.
    ///   - policy: How long it takes.
    ///   - now: The time.
    ///   - random: Where the order comes from.
    ///   - actions: What is to be done is appended to it.
    public init(
        of connections: [Connection], _ policy: DrainPolicy = DrainPolicy(), at now: Duration,
        using random: inout some RandomNumberGenerator, into actions: inout [Action]
    ) {
        self.policy = policy
        start = now
        end = now + policy.timeout
        untold = connections.shuffled(using: &random)
        toldAtLast = connections.count
        open = Set(connections)
        actions.append(.stopAccepting)
        timerFired(at: now, into: &actions)
        if open.isEmpty { actions.append(.finished) }
    }

    /// How many connections have not ended.
    public var connectionCount: Int { open.count }

    /// When ``timerFired(at:into:)`` is to be called; nil: never.
    public var deadline: Duration? {
        guard !open.isEmpty, !isClosing else { return nil }
        return untold.isEmpty ? end : min(end, nextTelling)
    }

    private var nextTelling: Duration {
        start + min(policy.spread, .nanoseconds(Int64.max)) * (toldAtLast - untold.count) / max(1, toldAtLast)
    }

    /// A connection has come that was on its way when no more were taken: whoever took it sends it away, and its end is
    /// waited for like that of the others.
    public mutating func came(_ connection: Connection) {
        if !open.isEmpty, !isClosing { open.insert(connection) }
    }

    /// All must have gone by a time, if they need not have before.
    public mutating func mustEnd(by time: Duration) {
        end = min(end, time)
    }

    /// A connection has ended.
    public mutating func ended(_ connection: Connection, into actions: inout [Action]) {
        guard open.remove(connection) != nil else { return }
        if open.isEmpty { actions.append(.finished) }
    }

    /// Time has passed.
    public mutating func timerFired(at now: Duration, into actions: inout [Action]) {
        guard !isClosing else { return }
        while !untold.isEmpty, nextTelling <= now {
            let connection = untold.removeLast()
            if open.contains(connection) { actions.append(.tell(connection)) }
        }
        guard now >= end else { return }
        isClosing = true
        for connection in open { actions.append(.close(connection)) }
    }
}

extension Drain: Sendable where Connection: Sendable {}
extension Drain.Action: Sendable where Connection: Sendable {}
extension Drain.Action: Equatable where Connection: Equatable {}
