// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A process of a node: it has a pid, perhaps a name, and events that the program takes.
///
///     let scores = try node.mailbox(named: "scores")
///     for try await event in scores.events {
///         switch event {
///         case .call(let call): try scores.reply(.tuple("score", 7), to: call)
///         case .message(let term, from: let sender): print(term, sender as Any)
///         default: break
///         }
///     }
///
/// Processes of any node send to it, call, monitor and link it like any other. It ends with ``end(reason:)``, when a
/// linked process ends (unless it traps exits), when it is killed, or when the program keeps it no longer.
public final class ErlangMailbox: Sendable {
    /// The process.
    public let pid: ErlangPID
    /// The name that it has registered on its node.
    public let name: ErlangAtom?
    let driver: NodeDriver
    private let state = Lock(State())

    @safe
    private struct State {
        /// Events that were taken from the node but not by the program, the next one last.
        var events: [ErlangEvent] = []
        /// Whether the node may have further events.
        var hasNews = true
        var waiter: CheckedContinuation<Void, Never>?
        /// Nil: the process lives.
        var end: End?
    }

    private enum End {
        /// The program has ended it, or its node has stopped.
        case finished
        /// Another process has ended it.
        case ended(ErlangTerm)
    }

    init(_ pid: ErlangPID, name: ErlangAtom?, _ driver: NodeDriver) {
        self.pid = pid
        self.name = name
        self.driver = driver
        driver.add(self)
    }

    deinit {
        driver.remove(pid)
        // The process or its node may have ended before.
        try? driver.withCore { [pid] core, now throws(NodeFault) in try core.end(pid, reason: "normal", at: now) }
    }

    // MARK: Events

    /// The events of a mailbox, in order. One task at a time iterates.
    public struct Events: AsyncSequence, Sendable {
        public typealias Element = ErlangEvent
        public typealias Failure = ErlangNodeError

        let mailbox: ErlangMailbox

        /// Takes the events of a mailbox.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let mailbox: ErlangMailbox

            /// Returns the next event when it comes; nil after the program has ended the process.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(ErlangNodeError) -> ErlangEvent? { try await mailbox.next() }
        }

        /// Makes an iterator.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }
    }

    /// The events, in order.
    public var events: Events { Events(mailbox: self) }

    /// Returns the next event when it comes; nil after the program has ended the process, or stopped the node.
    ///
    /// - Throws: ``ErlangNodeError/ended(reason:)`` if others have ended it; ``ErlangNodeError/alreadyReceiving``;
    ///   ``ErlangNodeError/cancelled``.
    public nonisolated(nonsending) func next() async throws(ErlangNodeError) -> ErlangEvent? {
        while true {
            if Task.isCancelled { throw .cancelled }
            if let event = take() { return event }
            switch state.withLock({ $0.end }) {
            case .finished: return nil
            case .ended(let reason): throw .ended(reason: reason)
            case nil: try await waitForNews()
            }
        }
    }

    /// Takes an event without waiting; nil if there is none.
    private func take() -> ErlangEvent? {
        if let event = state.withLock({ $0.events.popLast() }) { return event }
        // This comes first, so that an event that comes from now on wakes us.
        state.withLock { $0.hasNews = false }
        let events = (try? driver.withCore { core, _ in core.takeEvents(of: pid) }) ?? []
        guard !events.isEmpty else { return nil }
        return state.withLock { state in
            state.events.insert(contentsOf: events.reversed(), at: 0)
            return state.events.popLast()
        }
    }

    private nonisolated(nonsending) func waitForNews() async throws(ErlangNodeError) {
        let isClaimed = state.withLock { $0.waiter != nil }
        guard !isClaimed else { throw .alreadyReceiving }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.hasNews, state.end == nil, state.waiter == nil else { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver || Task.isCancelled { resume(continuation, isOver) }
            }
        } onCancel: {
            wake()
        }
    }

    /// Resumes a task that was cancelled, or that need not wait.
    private func resume(_ continuation: CheckedContinuation<Void, Never>, _ isOver: Bool) {
        if isOver { continuation.resume() } else { wake() }
    }

    /// The node has events for this mailbox.
    func wake() {
        let waiter = state.withLock { state in
            state.hasNews = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// - Parameter reason: The reason if another process has ended it; nil: the program has, or its node has stopped.
    func end(_ reason: ErlangTerm?) {
        let waiter = state.withLock { state in
            if state.end == nil { state.end = reason.map { .ended($0) } ?? .finished }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Ends the process. It leaves its groups, and processes that are linked to it or monitor it get the reason.
    ///
    /// - Parameter reason: The reason (default `normal`, which ends no linked process).
    /// - Throws: ``ErlangNodeError/erlang(_:)`` for a reason that cannot be written.
    public func end(reason: ErlangTerm = "normal") throws(ErlangNodeError) {
        try driver.withCore { core, now throws(NodeFault) in try core.end(pid, reason: reason, at: now) }
        end(nil)
    }

    // MARK: Messages

    /// Sends a message from this process. If the node is not connected, this connects to it first.
    ///
    /// - Throws: ``ErlangNodeError/busy(limit:)`` if too much waits for the node; ``ErlangNodeError/erlang(_:)`` for a
    ///   term that Erlang would refuse. As in Erlang, it is no error if the receiver is not there.
    public func send(_ term: ErlangTerm, to destination: ErlangDestination) throws(ErlangNodeError) {
        try driver.withCore { core, now throws(NodeFault) in
            try core.send(term, to: destination, from: pid, at: now)
        }
    }

    /// Sends a message from this process, and waits for room if too much waits for the node already.
    ///
    /// This slows down a sender that is faster than the network or the other node, as Erlang does with its own
    /// processes.
    /// `send(_:to:)` does not wait, and throws ``ErlangNodeError/busy(limit:)``.
    ///
    /// - Parameters:
    ///   - term: The message.
    ///   - destination: The receiver.
    ///   - timeout: How long to wait.
    /// - Throws: ``ErlangNodeError/timedOut``; ``ErlangNodeError/cancelled``; else as `send(_:to:)`.
    public func send(
        _ term: ErlangTerm, to destination: ErlangDestination, timeout: Duration
    ) async throws(ErlangNodeError) {
        try await driver.send(to: destination, timeout: timeout) { core, now throws(NodeFault) in
            try core.send(term, to: destination, from: pid, at: now)
        }
    }

    /// Replies to a call.
    ///
    /// - Throws: ``ErlangNodeError/erlang(_:)`` for a term that Erlang would refuse.
    public func reply(_ term: ErlangTerm, to call: ErlangCall) throws(ErlangNodeError) {
        try driver.withCore { core, now throws(NodeFault) in try core.reply(term, to: call, from: pid, at: now) }
    }

    // MARK: Monitors and links

    /// Monitors a process or a name: its end comes as `ErlangEvent.down(_:reason:)`, once.
    ///
    /// - Throws: ``ErlangNodeError/tooManyLinks(limit:)``, ``ErlangNodeError/busy(limit:)``.
    public func monitor(_ target: ErlangDestination) throws(ErlangNodeError) -> ErlangMonitor {
        try driver.withCore { core, now throws(NodeFault) in try core.monitor(target, by: pid, at: now) }
    }

    /// Ends a monitor. An event of it that is on its way to the program may still come.
    public func demonitor(_ monitor: ErlangMonitor) {
        try? driver.withCore { core, now in core.demonitor(monitor, by: pid, at: now) }
    }

    /// Links this process with another one: if one of them ends for another reason than `normal`, so does the other.
    ///
    /// If the other process does not exist, this one ends with `noproc`, or gets that as an event if it traps exits.
    public func link(to other: ErlangPID) throws(ErlangNodeError) {
        try driver.withCore { core, now throws(NodeFault) in try core.link(pid, to: other, at: now) }
    }

    /// Ends a link.
    public func unlink(from other: ErlangPID) {
        try? driver.withCore { core, now in core.unlink(pid, from: other, at: now) }
    }

    /// Asks another process to end, as `exit(Pid, Reason)` does. The reason `kill` always ends it.
    public func exit(_ other: ErlangPID, reason: ErlangTerm) throws(ErlangNodeError) {
        try driver.withCore { core, now throws(NodeFault) in try core.exit(other, reason: reason, from: pid, at: now) }
    }

    /// Asks for `ErlangEvent.nodeUp(_:)` and `ErlangEvent.nodeDown(_:)`. Nodes that are connected now are reported at
    /// once.
    public func watchNodes() throws(ErlangNodeError) {
        try driver.withCore { core, _ throws(NodeFault) in try core.watchNodes(pid) }
    }
}
