// SPDX-License-Identifier: Apache-2.0

/// The queue of look-ups that wait for a thread.
///
/// Equal questions share one call that has not begun; a running call may still report on a network that is gone. A call
/// is withdrawn when its last waiter leaves. So a resolver that does not answer leaves no calls behind: each waiting
/// call has a waiter, and there are at most ``limit``.
final class LookupQueue: Sendable {
    typealias Outcome = Result<[SocketAddress], TransportError>
    typealias Waiter = @Sendable (Outcome) -> Void

    /// The host and family to look up; nil: addresses of both families.
    struct Question: Hashable, Sendable {
        let host: String
        let family: AddressFamily?
    }

    struct Ticket: Sendable {
        fileprivate let question: Question
        fileprivate let lookup: UInt64
        fileprivate let waiter: UInt64
    }

    private struct Lookup {
        let number: UInt64
        var call: BlockingCalls.CallNumber?
        var waiters: [UInt64: Waiter] = [:]
    }

    private struct State {
        /// The look-ups that have not begun.
        var lookups: [Question: Lookup] = [:]
        var lastNumber: UInt64 = 0

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    /// The largest number of different look-ups that wait (1,000).
    /// With sixteen threads and a slow resolver, more could not be answered within a usual deadline.
    private let limit: Int
    private let calls: BlockingCalls
    private let lookUp: @Sendable (Question) -> Outcome
    private let state = Lock(State())

    /// - Parameter lookUp: Asks the resolver; it may block.
    init(on calls: BlockingCalls, limit: Int = 1_000, lookUp: @escaping @Sendable (Question) -> Outcome) {
        self.calls = calls
        self.limit = limit
        self.lookUp = lookUp
    }

    /// Joins a look-up, or begins one.
    ///
    /// - Parameter waiter: Called on some thread, unless ``leave(_:)`` comes first.
    /// - Throws: ``TransportError/lookupFailed(_:reason:)`` if too many wait; ``TransportError/system(_:)`` if there is
    ///   no thread.
    func join(_ question: Question, _ waiter: @escaping Waiter) throws(TransportError) -> Ticket {
        let joined = state.withLock { state -> (ticket: Ticket, isNew: Bool)? in
            let isNew = state.lookups[question] == nil
            if isNew, state.lookups.count >= limit { return nil }
            var lookup = state.lookups[question] ?? Lookup(number: state.nextNumber())
            let ticket = Ticket(question: question, lookup: lookup.number, waiter: state.nextNumber())
            lookup.waiters[ticket.waiter] = waiter
            state.lookups[question] = lookup
            return (ticket, isNew)
        }
        guard let (ticket, isNew) = joined else {
            throw .lookupFailed(question.host, reason: "\(limit) other look-ups wait for the resolver")
        }
        if isNew { try begin(ticket) }
        return ticket
    }

    private func begin(_ ticket: Ticket) throws(TransportError) {
        do throws(TransportError) {
            let call = try calls.run { self.run(ticket) }
            state.withLock { state in
                // It may have begun already.
                if state.lookups[ticket.question]?.number == ticket.lookup {
                    state.lookups[ticket.question]?.call = call
                }
            }
        } catch {
            // Waiters that have joined meanwhile receive the error, too.
            for waiter in take(ticket, except: ticket.waiter) { waiter(.failure(error)) }
            throw error
        }
    }

    private func run(_ ticket: Ticket) {
        let waiters = take(ticket)
        guard !waiters.isEmpty else { return }
        let outcome = lookUp(ticket.question)
        for waiter in waiters { waiter(outcome) }
    }

    /// Removes a look-up that is about to begin, or cannot, and returns its waiters.
    private func take(_ ticket: Ticket, except leaving: UInt64? = nil) -> [Waiter] {
        state.withLock { state in
            guard let lookup = state.lookups[ticket.question], lookup.number == ticket.lookup else { return [] }
            state.lookups[ticket.question] = nil
            return lookup.waiters.filter { $0.key != leaving }.map(\.value)
        }
    }

    func leave(_ ticket: Ticket) {
        let call = state.withLock { state -> BlockingCalls.CallNumber? in
            guard var lookup = state.lookups[ticket.question], lookup.number == ticket.lookup else { return nil }
            lookup.waiters[ticket.waiter] = nil
            state.lookups[ticket.question] = lookup.waiters.isEmpty ? nil : lookup
            return lookup.waiters.isEmpty ? lookup.call : nil
        }
        if let call { calls.withdraw(call) }
    }
}
