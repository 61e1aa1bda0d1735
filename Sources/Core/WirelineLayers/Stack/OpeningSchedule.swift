// SPDX-License-Identifier: Apache-2.0

/// Decides when the opening of a long packet stops, to continue in a later turn of its thread.
package protocol OpeningSchedule: AnyObject {
    /// Whether the turn has no more time for the packet.
    var mustStop: Bool { get }

    /// Returns whether the partial content may be kept until a later turn; if not, opening starts anew.
    func mayKeepUnfinished() -> Bool
}
