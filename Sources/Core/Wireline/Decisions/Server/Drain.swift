// SPDX-License-Identifier: Apache-2.0

/// How a server drains its connections.
package struct DrainPolicy: Equatable, Sendable {
    /// The time over which clients are told to go (default: all at once).
    /// Clients that are told together reconnect together, maybe to fewer servers than before.
    public var spread: Duration
    /// When the last connections are closed, counted from the start of the drain (default 30 s).
    public var timeout: Duration

    /// Makes a policy; values left out have their default.
    public init(spread: Duration = .zero, timeout: Duration = .seconds(30)) {
        self.spread = spread
        self.timeout = timeout
    }
}

/// The drain of a server.
///
/// It stops accepting, tells the clients one by one in random order, and finally closes the connections that remain.
package struct Drain<Connection: Hashable> {
    /// What the caller must do.
    @nonexhaustive
    public enum Action {
        /// Accept no more connections.
        case stopAccepting
        /// Tell a client to go. Expect nothing more from it; queued output is still sent.
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
    /// Connections to tell, the last one first.
    private var untold: [Connection]
    private var open: Set<Connection>
    private var isClosing = false

    /// Starts the drain.
    ///
    /// - Parameters:
    ///   - connections: The open connections.
    ///   - policy: The times of the drain.
    ///   - now: The current time.
    ///   - random: The source of the order.
    ///   - actions: Receives what the caller must do.
    public init(
        of connections: [Connection], _ policy: DrainPolicy = DrainPolicy(), at now: Duration,
        using random: inout some RandomNumberGenerator, into actions: inout [Action]
    ) {
        self.policy = policy
        start = now
        end = now + policy.timeout
        // Shuffling 100,000 takes 62 ms. Without a spread all are told at once, so the order does not matter.
        untold = policy.spread > .zero ? connections.shuffled(using: &random) : connections
        toldAtLast = connections.count
        open = Set(connections)
        actions.append(.stopAccepting)
        timerFired(at: now, into: &actions)
        if open.isEmpty { actions.append(.finished) }
    }

    /// The number of connections that are still open.
    public var connectionCount: Int { open.count }

    /// When to call ``timerFired(at:into:)``; nil: never.
    public var deadline: Duration? {
        guard !open.isEmpty, !isClosing else { return nil }
        return untold.isEmpty ? end : min(end, nextTelling)
    }

    private var nextTelling: Duration {
        start + min(policy.spread, .nanoseconds(Int64.max)) * (toldAtLast - untold.count) / max(1, toldAtLast)
    }

    /// Adds a connection that was being accepted when the drain began.
    /// The caller sends it away; the drain waits for its end like for the others.
    public mutating func came(_ connection: Connection) {
        if !open.isEmpty, !isClosing { open.insert(connection) }
    }

    /// Sets a time by which all connections must have ended, if it is earlier than the current one.
    public mutating func mustEnd(by time: Duration) {
        end = min(end, time)
    }

    /// Notes that a connection has ended.
    public mutating func ended(_ connection: Connection, into actions: inout [Action]) {
        guard open.remove(connection) != nil else { return }
        if open.isEmpty { actions.append(.finished) }
    }

    /// Tells or closes the connections that are due.
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
