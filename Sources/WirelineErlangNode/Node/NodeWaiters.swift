// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineTransport

/// The tasks that wait for a node: for replies, for connections, for groups. Only the loop uses it.
///
/// It only says who waits: a waiter that is resumed leaves by itself, and that must not happen while this is in use.
struct NodeWaiters {
    typealias Waiter<Value: Sendable> = Attempt<Result<Value, ErlangNodeError>>

    private struct Observer {
        let scope: ErlangAtom
        let group: ErlangTerm
        let stream: AsyncStream<[ErlangPID]>.Continuation
    }

    private var calls: [ErlangReference: Waiter<ErlangTerm>] = [:]
    private var connecting: [Int: (node: ErlangNodeName, waiter: Waiter<Void>)] = [:]
    private var settling: [Int: (scope: ErlangAtom, waiter: Waiter<Void>)] = [:]
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

    // MARK: Connections

    mutating func add(_ waiter: Waiter<Void>, for node: ErlangNodeName) -> Int {
        let number = nextNumber()
        connecting[number] = (node, waiter)
        return number
    }

    mutating func removeConnecting(_ number: Int) { connecting[number] = nil }

    func connecting(to node: ErlangNodeName) -> [Waiter<Void>] {
        connecting.values.compactMap { $0.node == node ? $0.waiter : nil }
    }

    // MARK: Groups

    mutating func add(_ waiter: Waiter<Void>, settling scope: ErlangAtom) -> Int {
        let number = nextNumber()
        settling[number] = (scope, waiter)
        return number
    }

    mutating func removeSettling(_ number: Int) { settling[number] = nil }

    func settling(_ scope: ErlangAtom) -> [Waiter<Void>] {
        settling.values.compactMap { $0.scope == scope ? $0.waiter : nil }
    }

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

    /// Returns what resumes all, and forgets them: the node has stopped.
    mutating func takeAll() -> [() -> Void] {
        defer { self = NodeWaiters() }
        let waiters = connecting.values.map(\.waiter) + settling.values.map(\.waiter)
        return calls.values.map { caller in { caller.finish(.success(.failure(.stopped))) } }
            + waiters.map { waiter in { waiter.finish(.success(.failure(.stopped))) } }
            + observers.values.map { observer in { observer.stream.finish() } }
    }
}
