// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WirelineTransport

/// The byte budget of all connections of a server: a `ByteBudget` that several loops use.
final class SharedByteBudget: Sendable {
    struct Share {
        var byteCount = 0
        var isWaiting = false
    }

    /// A connection, compared by identity.
    ///
    /// Any loop's thread may compare holders, but only the connection's own loop may touch the connection. The thread
    /// sanitizer takes even a comparison of two objects for a read of both.
    struct Holder: Hashable {
        let connection: any LimitedConnection
        let loop: EventLoop
        private let identity: ObjectIdentifier

        init(_ connection: some LimitedConnection) {
            self.connection = connection
            loop = connection.loop
            identity = ObjectIdentifier(connection)
        }

        static func == (left: Holder, right: Holder) -> Bool { left.identity == right.identity }

        func hash(into hasher: inout Hasher) { hasher.combine(identity) }
    }

    typealias Budget = ByteBudget<Holder>

    private struct State {
        var budget: Budget
        var awaitsRound = false
    }

    let limit: Int
    private let state: Lock<State>
    /// The bytes that are not granted.
    private let leftByteCount: Atomic<Int>
    private let hasWaiting = Atomic(false)
    /// Below this rest, reads are small: a few loops may each read this much before it is counted.
    private let reserve: Int

    init(limit: Int) {
        self.limit = limit
        reserve = min(limit / 2, 1 << 20)
        state = Lock(State(budget: ByteBudget(limit: limit)))
        leftByteCount = Atomic(limit)
    }

    /// Whether the rest is so small that connections may read only granted bytes.
    var isTight: Bool { leftByteCount.load(ordering: .relaxed) < reserve }

    /// Whether `byteCount` bytes may not fit: the rest is small, or other connections wait for it.
    func isScarce(for byteCount: Int) -> Bool {
        let left = leftByteCount.load(ordering: .relaxed)
        return left < reserve || left / 2 < byteCount || hasWaiting.load(ordering: .relaxed)
    }

    /// The granted bytes.
    var byteCount: Int { state.withLock { $0.budget.byteCount } }

    func share(of connection: some LimitedConnection) -> Share {
        let holder = Holder(connection)
        return state.withLock { Self.share(of: holder, in: $0.budget) }
    }

    private static func share(of holder: Holder, in budget: Budget) -> Share {
        Share(byteCount: budget.byteCount(of: holder), isWaiting: budget.isWaiting(holder))
    }

    private func close(_ connection: some LimitedConnection) {
        connection.end(.noRoom(limit: limit))
        // Removes both the granted memory and a request.
        _ = change(for: connection) { $0.remove($1, into: &$2) }
    }

    /// Changes the budget, carries out the actions for other connections, and returns the connection's share.
    func change(
        for connection: some LimitedConnection,
        _ body: (inout Budget, _ holder: Holder, inout [Budget.Action]) -> Void
    ) -> Share {
        let holder = Holder(connection)
        var actions: [Budget.Action] = []
        let (share, beginsRounds) = state.withLock { state in
            body(&state.budget, holder, &actions)
            note(state.budget)
            let share = Self.share(of: holder, in: state.budget)
            let beginsRounds = share.isWaiting && !state.awaitsRound
            if beginsRounds { state.awaitsRound = true }
            return (share, beginsRounds)
        }
        if beginsRounds { scheduleRound(on: connection.loop) }
        guard !actions.isEmpty else { return share }
        carryOut(actions, but: holder)
        return self.share(of: connection)
    }

    private func note(_ budget: Budget) {
        leftByteCount.store(budget.limit - budget.byteCount, ordering: .relaxed)
        hasWaiting.store(budget.hasWaiting, ordering: .relaxed)
    }

    /// Carries out each action in a turn of its own: the memory of one connection may move thousands of others.
    ///
    /// - Parameter holder: The connection that learns its share from the current call.
    private func carryOut(_ actions: [Budget.Action], but holder: Holder? = nil) {
        for action in actions {
            switch action {
            case .grant(let other):
                if other != holder { inTurn(other) { $0.memoryGranted() } }
            case .close(let other): inTurn(other) { self.close($0) }
            case .measure(let other): inTurn(other) { self.measure($0) }
            }
        }
    }

    private func inTurn(_ holder: Holder, _ action: @escaping @Sendable (any LimitedConnection) -> Void) {
        holder.loop.executeInTurn { action(holder.connection) }
    }

    // MARK: Rounds

    /// Schedules the budget's next round, on the loop of the waiting connection.
    private func scheduleRound(on loop: EventLoop) {
        loop.schedule(at: loop.now + Budget.roundTime) {
            var actions: [Budget.Action] = []
            let isWanted = self.state.withLock { state in
                state.awaitsRound = state.budget.beginRound(into: &actions)
                return state.awaitsRound
            }
            if isWanted { self.scheduleRound(on: loop) }
            self.carryOut(actions)
        }
    }

    /// Reports the bytes that a connection has moved. Runs on the connection's loop.
    private func measure(_ connection: some LimitedConnection) {
        let movedByteCount = connection.stream.receivedByteCount &+ connection.stream.sentByteCount
        _ = change(for: connection) { $0.measured(movedByteCount, for: $1, into: &$2) }
    }
}
