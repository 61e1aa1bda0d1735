// SPDX-License-Identifier: Apache-2.0

/// Limits for the resources that another node may take.
package struct DistributionLimits: Equatable, Sendable {
    /// The limits of a message's term. A longer one than ``ErlangTermLimits/byteCount`` is skipped; the connection
    /// stays.
    package var terms = ErlangTermLimits()
    /// The most bytes of all incomplete messages: four of the longest messages. Above it, the connection ends.
    var fragmentByteCount: Int { 4 * terms.byteCount }
    /// The most incomplete messages (default 64). Each has its own sender, which finishes one message before the next.
    package var fragmentedMessageCount = 64

    package init() {}

    /// For control messages: tuples of a few names.
    static let control: ErlangTermLimits = {
        var limits = ErlangTermLimits()
        limits.depth = 32
        limits.termCount = 4_096
        limits.byteCount = 64 << 10
        return limits
    }()

    /// The most bytes of a packet: its header, its control message and its term.
    var packetByteCount: Int { terms.byteCount + Self.control.byteCount + 64 }
}
