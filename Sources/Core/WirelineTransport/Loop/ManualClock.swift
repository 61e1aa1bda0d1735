// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that moves only when a test moves it.
package final class ManualClock: Sendable {
    /// The time at which every clock begins. It is far from zero, so that earlier moments are no negative times.
    package static let start = MonotonicTime(nanoseconds: 1_000_000_000_000_000)

    private let nanoseconds = Atomic<Int64>(ManualClock.start.nanoseconds)
    private let workCount = Atomic<Int>(0)

    package init() {}

    package var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .acquiring)) }

    /// Moves the clock forward. Only its loop's thread calls it.
    func move(to time: MonotonicTime) {
        nanoseconds.store(max(time.nanoseconds, now.nanoseconds), ordering: .releasing)
    }

    /// How often other threads have given the loop work.
    package var outsideWorkCount: Int { workCount.load(ordering: .acquiring) }

    func noteWork() { workCount.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}

/// Replaces the system's network for a loop's sockets.
package class LoopNetwork: @unchecked Sendable {
    // It has no state: the lock for `@unchecked Sendable` belongs to the class that inherits it.
}
