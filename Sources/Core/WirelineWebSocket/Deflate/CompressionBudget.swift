// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The memory that zlib may keep for all connections of a server together.
///
/// A connection takes its share when compression is agreed on, as much as it can need: the peer cannot make it grow
/// later.
package final class CompressionBudget: Sendable {
    private let limit: Int
    private let takenByteCount = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that connections have taken.
    package var byteCount: Int { takenByteCount.load(ordering: .relaxed) }

    /// The connections that got no share, because not enough was left.
    package var refusedCount: Int { refused.load(ordering: .relaxed) }

    /// Nil if not enough is left.
    func take(_ byteCount: Int) -> Share? {
        guard takenByteCount.add(byteCount, ordering: .relaxed).newValue <= limit else {
            takenByteCount.subtract(byteCount, ordering: .relaxed)
            refused.add(1, ordering: .relaxed)
            return nil
        }
        return Share(byteCount, of: self)
    }

    final class Share: Equatable, Sendable {
        private let budget: CompressionBudget
        private let byteCount: Atomic<Int>

        fileprivate init(_ byteCount: Int, of budget: CompressionBudget) {
            self.budget = budget
            self.byteCount = Atomic(byteCount)
        }

        deinit { giveBack() }

        /// The connection compresses no more.
        func giveBack() {
            budget.takenByteCount.subtract(byteCount.exchange(0, ordering: .relaxed), ordering: .relaxed)
        }

        /// Equal shares come from equal agreements.
        static func == (left: Share, right: Share) -> Bool {
            left.byteCount.load(ordering: .relaxed) == right.byteCount.load(ordering: .relaxed)
        }
    }
}
