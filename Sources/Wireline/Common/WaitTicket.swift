// SPDX-License-Identifier: Apache-2.0

/// Identifies one waiting task.
///
/// Its properties are touched only on the connection's loop, which is the lock behind `@unchecked Sendable`.
final class WaitTicket: @unchecked Sendable {
    var isCancelled = false
    /// Its number in the queue; nil before it waits.
    var place: UInt64?
}
