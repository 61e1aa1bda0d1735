// SPDX-License-Identifier: Apache-2.0

/// Identifies one waiting task.
///
/// Only the connection's loop uses its properties, so `@unchecked Sendable` needs no lock.
final class WaitTicket: @unchecked Sendable {
    var isCancelled = false
    /// The place in the queue; nil before the task waits.
    var place: UInt64?
}
