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

    let limit: Int
    private let budget: Lock<ByteBudget<PacketConnection>>
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

    func share(of connection: PacketConnection) -> Share {
        budget.withLock { Share(byteCount: $0.byteCount(of: connection), isWaiting: $0.isWaiting(connection)) }
    }

    /// Changes something, does what follows from it for others, and says what a connection has then.
    func change(
        for connection: PacketConnection,
        _ body: (inout ByteBudget<PacketConnection>, inout [ByteBudget<PacketConnection>.Action]) -> Void
    ) -> Share {
        var actions: [ByteBudget<PacketConnection>.Action] = []
        let share = budget.withLock { budget in
            body(&budget, &actions)
            leftByteCount.store(budget.limit - budget.byteCount, ordering: .relaxed)
            return Share(byteCount: budget.byteCount(of: connection), isWaiting: budget.isWaiting(connection))
        }
        for action in actions {
            switch action {
            case .grant(let other): if other != connection { other.loop.execute { other.shareChanged() } }
            case .close(let other): other.loop.execute { other.end(.noRoom(limit: self.limit)) }
            }
        }
        return share
    }
}
