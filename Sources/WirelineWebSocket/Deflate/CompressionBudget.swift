// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The memory that zlib may keep for all connections of a server together.
///
/// A connection's share is taken when compression is agreed on, as much as it can need: what a peer sends later cannot
/// make it grow.
final class CompressionBudget: Sendable {
    private let limit: Int
    private let takenByteCount = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a share; nil if not enough is left.
    func take(_ byteCount: Int) -> Share? {
        guard takenByteCount.add(byteCount, ordering: .relaxed).newValue <= limit else {
            takenByteCount.subtract(byteCount, ordering: .relaxed)
            return nil
        }
        return Share(byteCount, of: self)
    }

    /// The share of a connection.
    final class Share: Equatable, Sendable {
        private let budget: CompressionBudget
        private let byteCount: Atomic<Int>

        fileprivate init(_ byteCount: Int, of budget: CompressionBudget) {
            self.budget = budget
            self.byteCount = Atomic(byteCount)
        }

        deinit { giveBack() }

        /// Gives the share back, because the connection compresses no more.
        func giveBack() {
            budget.takenByteCount.subtract(byteCount.exchange(0, ordering: .relaxed), ordering: .relaxed)
        }

        /// Two connections that may take as much have agreed on the same.
        static func == (left: Share, right: Share) -> Bool {
            left.byteCount.load(ordering: .relaxed) == right.byteCount.load(ordering: .relaxed)
        }
    }
}
