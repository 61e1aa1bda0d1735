// SPDX-License-Identifier: Apache-2.0

/// Says when the opening of a long packet stops, to go on in a later turn of its thread.
package protocol OpeningPace: AnyObject {
    /// Whether the turn has no more time for the packet.
    var mustStop: Bool { get }

    /// Asks whether what was made of the packet so far may be kept until a later turn; if not, it is made anew.
    func mayKeepUnfinished() -> Bool
}
