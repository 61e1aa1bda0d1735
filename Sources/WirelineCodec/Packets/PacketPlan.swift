// SPDX-License-Identifier: Apache-2.0

/// A layout boiled down to the numbers that splitting and encoding use for every packet.
///
/// Most headers are covered by it alone: a length and an ID that are each at most 8 bytes in one piece. What it cannot
/// express takes the general path over the fields. A plan always follows from its layout (``PacketLayout/plan``);
/// generated code spells it out in numbers only so that the compiler can put them into the instructions.
@frozen
public struct PacketPlan: Equatable, Sendable {
    /// The bytes of the header, with a varint at its shortest.
    public let headerByteCount: Int
    /// The bytes of the trailer.
    public let trailerByteCount: Int
    /// The fewest and the most bytes of a packet that all lengths of a fixed header can say.
    public let leastPacketByteCount: Int
    public let mostPacketByteCount: Int

    /// Whether ``length`` and ``messageID`` are all there is to read and to verify in a packet, and one load of 8 bytes
    /// reads both.
    public let canReadAtOnce: Bool
    /// Where those 8 bytes begin, from the packet's first byte.
    public let windowOffset: Int
    /// The byte order of both numbers.
    public let windowByteOrder: ByteOrder
    /// The first length.
    public let length: NumberPlan
    /// What the first length must be increased by to give the byte count of the packet, in a header that is fixed.
    public let lengthToPacket: Int
    /// The message ID; reads as 0 where there is none.
    public let messageID: NumberPlan

    /// Whether a header that sets nothing is ``template`` with lengths and ID put in.
    public let canWriteAtOnce: Bool
    /// The header's first 16 bytes as a big-endian number, with constants and defaults.
    public let template: UInt128
    /// Where the first length goes into ``template``.
    public let firstLength: PatchPlan
    /// Where the second length goes into ``template``.
    public let secondLength: PatchPlan
    /// How far the message ID is shifted into ``template``.
    public let messageIDShift: Int
    /// The largest message ID that fits.
    public let mostMessageID: UInt64

    /// Puts a plan together from its numbers; those that lead outside a packet stop the program.
    @inlinable @inline(__always)
    public init(
        headerByteCount: Int, trailerByteCount: Int, leastPacketByteCount: Int, mostPacketByteCount: Int,
        canReadAtOnce: Bool, windowOffset: Int, windowByteOrder: ByteOrder, length: NumberPlan, lengthToPacket: Int,
        messageID: NumberPlan,
        canWriteAtOnce: Bool, template: UInt128, firstLength: PatchPlan, secondLength: PatchPlan, messageIDShift: Int,
        mostMessageID: UInt64
    ) {
        // What unchecked loads and stores rely on. Where the numbers are constants, the compiler compares them.
        precondition(
            headerByteCount >= 0 && headerByteCount <= PacketLayout.maximumHeaderByteCount && trailerByteCount >= 0
                && trailerByteCount <= PacketLayout.maximumHeaderByteCount && windowOffset >= 0
                && windowOffset <= PacketLayout.maximumHeaderByteCount
                && leastPacketByteCount >= headerByteCount + trailerByteCount
                && mostPacketByteCount >= leastPacketByteCount && (!canWriteAtOnce || headerByteCount <= 16),
            "a plan that follows from no layout")
        self.headerByteCount = headerByteCount
        self.trailerByteCount = trailerByteCount
        self.leastPacketByteCount = leastPacketByteCount
        self.mostPacketByteCount = mostPacketByteCount
        self.canReadAtOnce = canReadAtOnce
        self.windowOffset = windowOffset
        self.windowByteOrder = windowByteOrder
        self.length = length
        self.lengthToPacket = lengthToPacket
        self.messageID = messageID
        self.canWriteAtOnce = canWriteAtOnce
        self.template = template
        self.firstLength = firstLength
        self.secondLength = secondLength
        self.messageIDShift = messageIDShift
        self.mostMessageID = mostMessageID
    }

    /// The fewest bytes that a packet can have: an empty payload's.
    @inlinable @inline(__always)
    public var minimumPacketByteCount: Int { headerByteCount &+ trailerByteCount }

    /// How many bytes must be at hand for ``length`` and ``messageID`` to be read; `Int.max` where they cannot be.
    @inlinable @inline(__always)
    public var fastByteCount: Int { canReadAtOnce ? windowOffset &+ 8 : Int.max }

    /// Whether the first length begins the 8 bytes, most significant byte first, as in the seed's layout.
    @inlinable @inline(__always)
    var isLengthInFront: Bool {
        windowByteOrder == .bigEndian && length.mask == UInt64.max &>> UInt64(truncatingIfNeeded: length.shift)
    }

    /// The 8 bytes that hold both numbers of a packet that begins at `start`; they must be at hand.
    @inlinable @inline(__always)
    func window(in bytes: borrowing RawSpan, packetAt start: Int) -> UInt64 {
        let window = bigEndianWindow(in: bytes, packetAt: start)
        return windowByteOrder == .bigEndian ? window : window.byteSwapped
    }

    /// The same where it is known that they are big-endian.
    @inlinable @inline(__always)
    func bigEndianWindow(in bytes: borrowing RawSpan, packetAt start: Int) -> UInt64 {
        // SAFETY: callers compare fastByteCount with the bytes at hand; any bits are an integer.
        let raw = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ windowOffset, as: UInt64.self)
        return UInt64(bigEndian: raw)
    }
}

/// Where a number of up to 8 bytes stands in 8 bytes that were loaded at once.
@frozen
public struct NumberPlan: Equatable, Sendable {
    /// How far the 8 bytes are shifted to the right, 0 to 63.
    public let shift: Int
    /// What is then kept; 0 for a number that is not there.
    public let mask: UInt64

    /// Puts a plan together from its numbers.
    @inlinable @inline(__always)
    public init(shift: Int, mask: UInt64) {
        self.shift = shift
        self.mask = mask
    }

    @inlinable @inline(__always)
    func value(in window: UInt64) -> UInt64 { (window &>> UInt64(truncatingIfNeeded: shift)) & mask }

    /// The same for a number that has nothing in front of it to be masked out.
    @inlinable @inline(__always)
    func valueInFront(of window: UInt64) -> UInt64 { window &>> UInt64(truncatingIfNeeded: shift) }
}

/// How a length becomes part of a header that is written as one number.
@frozen
public struct PatchPlan: Equatable, Sendable {
    /// How far the length is shifted; negative where there is none.
    public let shift: Int
    /// What the packet's byte count must be increased by to give the length.
    public let packetToLength: Int

    /// Puts a plan together from its numbers.
    @inlinable @inline(__always)
    public init(shift: Int, packetToLength: Int) {
        self.shift = shift
        self.packetToLength = packetToLength
    }

    /// The length of a packet, where it stands in the header.
    @inlinable @inline(__always)
    func bits(packetByteCount: Int) -> UInt128 {
        guard shift >= 0 else { return 0 }
        let length = UInt64(truncatingIfNeeded: packetByteCount &+ packetToLength)
        return UInt128(length) &<< UInt128(truncatingIfNeeded: shift)
    }
}
