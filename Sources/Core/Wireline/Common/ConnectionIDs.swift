// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Numbers the connections of the process, in the order of their making.
package enum ConnectionIDs {
    private static let last = Atomic<UInt64>(0)

    /// The first number is 1.
    package static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
