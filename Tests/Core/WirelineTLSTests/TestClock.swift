// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A clock for certificates that starts at the present, and moves when a test says so.
final class TestClock: Sendable {
    private let seconds = Mutex(Int(Date().timeIntervalSince1970))

    /// The time, for a ``TLSContext``.
    var now: @Sendable () -> Int { { self.seconds.withLock { $0 } } }

    func advance(byHours hours: Int) {
        seconds.withLock { $0 += hours * 3600 }
    }
}
