// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The number of a client's process on the gateway's node. No number is used again.
package struct ClientNumber: Hashable, Comparable, Sendable {
    private let value: UInt64

    /// - Parameter pid: A process of the gateway's node, in its present life.
    package init(_ pid: ErlangPID) { value = UInt64(pid.serial) << 32 | UInt64(pid.id) }

    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
