// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WirelineSession
import WirelineTransport

/// The bytes that all connections of a server hold together, and who waits to hold more: a `ByteBudget` for the threads
/// of several loops.
final class HeldBytes: Sendable {
    /// What one connection has.
    struct Share {
        var byteCount = 0
        var isWaiting = false
    }

    /// A connection, known by its identity.
    struct Holder: Hashable {
        let connection: any SupervisedConnection

        static func == (left: Holder, right: Holder) -> Bool { left.connection === right.connection }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(connection)) }
    }

    typealias Budget = ByteBudget<Holder>

    let limit: Int
    private let budget: Lock<Budget>
    /// How many bytes have not been granted.
    private let leftByteCount: Atomic<Int>
    /// With less left than this, reads are made small: as much may be read on each of a few loops before it is counted.
    private let reserve: Int

    init(limit: Int) {
        self.limit = limit
        reserve = min(limit / 2, 1 << 20)
        budget = Lock(ByteBudget(limit: limit))
        leftByteCount = Atomic(limit)
    }

    /// Whether so little is left that nobody may read more than has been granted.
    var isTight: Bool { leftByteCount.load(ordering: .relaxed) < reserve }

    /// Whether so little is left that who writes so many bytes before any are sent may find no room for what stays behind.
    func isScarce(for byteCount: Int) -> Bool {
        let left = leftByteCount.load(ordering: .relaxed)
        return left < reserve || left / 2 < byteCount
    }

    /// How many bytes have been granted.
    var byteCount: Int { budget.withLock { $0.byteCount } }

    func share(of connection: some SupervisedConnection) -> Share {
        let holder = Holder(connection: connection)
        return budget.withLock { Share(byteCount: $0.byteCount(of: holder), isWaiting: $0.isWaiting(holder)) }
    }

    private func close(_ connection: some SupervisedConnection) {
        connection.end(.noRoom(limit: limit))
        // What it has asked for in vain it has not to give back.
        _ = change(for: connection) { $0.remove($1, into: &$2) }
    }

    /// Changes something, does what follows from it for others, and says what a connection has then.
    func change(
        for connection: some SupervisedConnection,
        _ body: (inout Budget, _ holder: Holder, inout [Budget.Action]) -> Void
    ) -> Share {
        let holder = Holder(connection: connection)
        var actions: [Budget.Action] = []
        let share = budget.withLock { budget in
            body(&budget, holder, &actions)
            leftByteCount.store(budget.limit - budget.byteCount, ordering: .relaxed)
            return Share(byteCount: budget.byteCount(of: holder), isWaiting: budget.isWaiting(holder))
        }
        guard !actions.isEmpty else { return share }
        for action in actions {
            switch action {
            case .grant(let other):
                if other != holder { other.connection.loop.execute { other.connection.shareChanged() } }
            case .close(let other):
                other.connection.loop.execute { self.close(other.connection) }
            }
        }
        return self.share(of: connection)
    }
}
