// SPDX-License-Identifier: Apache-2.0

/// A layout reduced to the numbers that splitting and encoding use for every packet.
///
/// The plan alone covers most headers: a length and an ID, each in one piece of at most 8 bytes. Anything else takes
/// the general path over the fields. A plan always follows from its layout (``PacketLayout/plan``). Generated code
/// spells out its numbers only so that the compiler can put them into the instructions.
@frozen
public struct PacketPlan: Equatable, Sendable {
    /// The number of bytes of the header, with varints at their shortest.
    public let headerByteCount: Int
    /// The number of bytes of the trailer.
    public let trailerByteCount: Int
    /// The fewest and the most bytes of a packet that all lengths of a fixed header can express.
    public let leastPacketByteCount: Int
    public let mostPacketByteCount: Int

    /// Whether a packet can be read with one load of 8 bytes.
    ///
    /// That is so if this load contains ``length`` and ``messageID``, and no other field needs to be read or verified.
    public let canReadAtOnce: Bool
    /// The offset of those 8 bytes from the packet's first byte.
    public let windowOffset: Int
    /// The byte order of both numbers.
    public let windowByteOrder: ByteOrder
    /// The first length.
    public let length: NumberPlan
    /// The number to add to the first length to get the packet's byte count, for a fixed header.
    public let lengthToPacket: Int
    /// The message ID; reads as 0 if there is none.
    public let messageID: NumberPlan

    /// Whether a header with default values is ``template`` with lengths and ID inserted.
    public let canWriteAtOnce: Bool
    /// The header's first 16 bytes as a big-endian number, with constants and defaults.
    public let template: UInt128
    /// The position of the first length in ``template``.
    public let firstLength: PatchPlan
    /// The position of the second length in ``template``.
    public let secondLength: PatchPlan
    /// The number of bits by which the message ID is shifted into ``template``.
    public let messageIDShift: Int
    /// The largest message ID that fits.
    public let mostMessageID: UInt64
    /// Whether packets stand between marks (``PacketFraming``); the plan can neither read nor write those at once.
    public let isFramed: Bool

    /// The layout's position among those of a layout that depends on the sender; 0 for every other layout.
    @usableFromInline var variant: UInt16 = 0
    /// Whether the layout has layers, so that a packet must be opened before it is read.
    @usableFromInline var hasLayers = false

    /// Makes a plan of its numbers; numbers that lead outside a packet stop the program.
    @inlinable @inline(__always)
    public init(
        headerByteCount: Int, trailerByteCount: Int, leastPacketByteCount: Int, mostPacketByteCount: Int,
        canReadAtOnce: Bool, windowOffset: Int, windowByteOrder: ByteOrder, length: NumberPlan, lengthToPacket: Int,
        messageID: NumberPlan,
        canWriteAtOnce: Bool, template: UInt128, firstLength: PatchPlan, secondLength: PatchPlan, messageIDShift: Int,
        mostMessageID: UInt64, isFramed: Bool = false
    ) {
        // Unchecked loads and stores rely on this. If the numbers are constants, the compiler does the comparisons.
        precondition(
            headerByteCount >= 0 && headerByteCount <= PacketLayout.maximumHeaderByteCount && trailerByteCount >= 0
                && trailerByteCount <= PacketLayout.maximumHeaderByteCount && windowOffset >= 0
                && windowOffset <= PacketLayout.maximumHeaderByteCount
                && leastPacketByteCount >= headerByteCount + trailerByteCount
                && mostPacketByteCount >= leastPacketByteCount && (!canWriteAtOnce || headerByteCount <= 16)
                && !(isFramed && (canReadAtOnce || canWriteAtOnce)),
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
        self.isFramed = isFramed
    }

    /// The fewest bytes that a packet can have, with an empty payload.
    @inlinable @inline(__always)
    public var minimumPacketByteCount: Int { headerByteCount &+ trailerByteCount }

    /// The number of bytes needed to read ``length`` and ``messageID``; `Int.max` if the plan cannot read them.
    @inlinable @inline(__always)
    public var fastByteCount: Int { canReadAtOnce ? windowOffset &+ 8 : Int.max }

    /// Whether the first length begins the 8 bytes, most significant byte first, as in the seed's layout.
    @inlinable @inline(__always)
    var isLengthInFront: Bool {
        windowByteOrder == .bigEndian && length.mask == UInt64.max &>> UInt64(truncatingIfNeeded: length.shift)
    }

    /// Returns the 8 bytes that contain both numbers of the packet at `start`; the caller checks that they are there.
    @inlinable @inline(__always)
    func window(in bytes: borrowing RawSpan, packetAt start: Int) -> UInt64 {
        let window = bigEndianWindow(in: bytes, packetAt: start)
        return windowByteOrder == .bigEndian ? window : window.byteSwapped
    }

    /// Returns the same 8 bytes if they are known to be big-endian.
    @inlinable @inline(__always)
    func bigEndianWindow(in bytes: borrowing RawSpan, packetAt start: Int) -> UInt64 {
        // SAFETY: callers compare fastByteCount with the bytes available; any bits are an integer.
        let raw = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ windowOffset, as: UInt64.self)
        return UInt64(bigEndian: raw)
    }
}

/// The position of a number of up to 8 bytes in 8 bytes that were loaded at once.
@frozen
public struct NumberPlan: Equatable, Sendable {
    /// The number of bits, 0 to 63, by which the 8 bytes are shifted to the right.
    public let shift: Int
    /// The bits to keep after the shift; 0 for a number that does not exist.
    public let mask: UInt64

    /// Makes a plan of its numbers.
    @inlinable @inline(__always)
    public init(shift: Int, mask: UInt64) {
        self.shift = shift
        self.mask = mask
    }

    @inlinable @inline(__always)
    func value(in window: UInt64) -> UInt64 { (window &>> UInt64(truncatingIfNeeded: shift)) & mask }

    /// Returns the number if it comes first, so that nothing needs to be masked out.
    @inlinable @inline(__always)
    func valueInFront(of window: UInt64) -> UInt64 { window &>> UInt64(truncatingIfNeeded: shift) }
}

/// How a length is inserted into a header that is written as one number.
@frozen
public struct PatchPlan: Equatable, Sendable {
    /// The number of bits by which the length is shifted; negative if there is no length.
    public let shift: Int
    /// The number to add to the packet's byte count to get the length.
    public let packetToLength: Int

    /// Makes a plan of its numbers.
    @inlinable @inline(__always)
    public init(shift: Int, packetToLength: Int) {
        self.shift = shift
        self.packetToLength = packetToLength
    }

    /// Returns the length of a packet, shifted to its position in the header.
    @inlinable @inline(__always)
    func bits(packetByteCount: Int) -> UInt128 {
        guard shift >= 0 else { return 0 }
        let length = UInt64(truncatingIfNeeded: packetByteCount) &+ UInt64(truncatingIfNeeded: packetToLength)
        return UInt128(length) &<< UInt128(truncatingIfNeeded: shift)
    }
}
