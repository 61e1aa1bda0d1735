// SPDX-License-Identifier: Apache-2.0

/// What another node may cost us.
package struct DistributionLimits: Equatable, Sendable {
    /// The limits of a message's term. A message above ``ErlangTermLimits/byteCount`` is skipped; the connection stays.
    package var terms = ErlangTermLimits()
    /// The most bytes of all messages together of which fragments are missing: four of the longest messages. Above it, the
    /// connection ends.
    var fragmentByteCount: Int { 4 * terms.byteCount }
    /// The most messages of which fragments are missing (default 64). Each belongs to one sender, which sends no other
    /// message before that one is whole.
    package var fragmentedMessageCount = 64

    package init() {}

    /// A control message is a tuple of a few names.
    static let control: ErlangTermLimits = {
        var limits = ErlangTermLimits()
        limits.depth = 32
        limits.termCount = 4_096
        limits.byteCount = 64 << 10
        return limits
    }()

    /// The most bytes of a packet: a whole message, its control message and the header.
    var packetByteCount: Int { terms.byteCount + Self.control.byteCount + 64 }
}
