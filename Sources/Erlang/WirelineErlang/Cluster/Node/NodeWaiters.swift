// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The tasks that wait for a node: for replies, for connections, for groups. Only the loop uses it.
///
/// It does not resume the waiters that it returns. A resumed waiter removes itself, and that must not happen while this
/// is in
/// use.
struct NodeWaiters {
    typealias Waiter<Value: Sendable> = Attempt<Result<Value, ErlangNodeError>>

    /// The condition of a task that waits for no value.
    enum Condition: Equatable {
        case connected(ErlangNodeName)
        /// The node accepts messages again.
        case room(ErlangAtom)
        /// All connected nodes have told their members of the scope's groups.
        case settled(ErlangAtom)
    }

    private struct Observer {
        let scope: ErlangAtom
        let group: ErlangTerm
        let stream: AsyncStream<[ErlangPID]>.Continuation
    }

    private var calls: [ErlangReference: Waiter<ErlangTerm>] = [:]
    private var conditions: [Int: (condition: Condition, waiter: Waiter<Void>)] = [:]
    private var observers: [Int: Observer] = [:]
    private var lastNumber = 0

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Calls

    mutating func add(_ waiter: Waiter<ErlangTerm>, _ reference: ErlangReference) { calls[reference] = waiter }

    mutating func remove(_ reference: ErlangReference) { calls[reference] = nil }

    func caller(_ reference: ErlangReference) -> Waiter<ErlangTerm>? { calls[reference] }

    // MARK: Conditions

    mutating func add(_ waiter: Waiter<Void>, until condition: Condition) -> Int {
        let number = nextNumber()
        conditions[number] = (condition, waiter)
        return number
    }

    mutating func removeCondition(_ number: Int) { conditions[number] = nil }

    func waiters(for condition: Condition) -> [Waiter<Void>] {
        conditions.values.compactMap { $0.condition == condition ? $0.waiter : nil }
    }

    // MARK: Groups

    mutating func add(
        _ stream: AsyncStream<[ErlangPID]>.Continuation, of group: ErlangTerm, _ scope: ErlangAtom
    ) -> Int {
        let number = nextNumber()
        observers[number] = Observer(scope: scope, group: group, stream: stream)
        return number
    }

    mutating func removeObserver(_ number: Int) { observers[number] = nil }

    func observers(of group: ErlangTerm, _ scope: ErlangAtom) -> [AsyncStream<[ErlangPID]>.Continuation] {
        observers.values.compactMap { $0.scope == scope && $0.group == group ? $0.stream : nil }
    }

    // MARK: The end

    /// The node has stopped. Returns closures that resume all waiters, and forgets them.
    mutating func takeAll() -> [() -> Void] {
        defer { self = NodeWaiters() }
        return calls.values.map { caller in { caller.finish(.success(.failure(.stopped))) } }
            + conditions.values.map { waiting in { waiting.waiter.finish(.success(.failure(.stopped))) } }
            + observers.values.map { observer in { observer.stream.finish() } }
    }
}
