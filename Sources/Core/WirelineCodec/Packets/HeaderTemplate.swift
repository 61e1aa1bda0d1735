// SPDX-License-Identifier: Apache-2.0

/// A header as bytes, in which only the length and the message's ID are missing.
///
/// It serves the layouts whose header a ``PacketPlan`` cannot write, such as those with varints, conditions and fields
/// that share bytes, and messages that fix values of their header. The general path has written the bytes, once for
/// each layout or message.
///
/// It is an object that is read in place, and that callers borrow as they borrow a ``HeaderProgram``.
final class HeaderTemplate: Sendable {
    /// The bytes before a varint length, or all bytes if the length is no varint: a big-endian number of 16 bytes.
    private let before: UInt128
    /// The bytes after a varint length of one byte, as such a number.
    private let behind: UInt128
    /// The number of bytes of the header; a length that is a varint counts as one.
    private let byteCount: Int
    /// Whether the length is a varint; otherwise it has a place in ``before``.
    private let hasVarint: Bool
    /// The largest length that keeps the header in 8 bytes, with one byte for a varint; -1 if there is none.
    private let mostShortLength: Int
    /// The header of such a length, without it and the ID: a big-endian number of 8 bytes.
    private let shortBits: UInt64
    /// The number of bits after the length, of one byte if it is a varint.
    private let lengthShift: Int
    /// The length minus the payload's byte count, without the bytes of a varint that counts itself.
    private let payloadToLength: Int
    private let countsItself: Bool
    private let mostLength: Int
    /// The number of bits after the ID.
    private let messageIDShift: Int
    /// 8 if the ID moves with each further byte of the length, otherwise 0.
    private let messageIDMove: Int
    private let mostMessageID: UInt64

    private init?(
        _ layout: PacketLayout, _ packet: [UInt8], _ ranges: [Range<Int>], _ lengthIndex: Int, _ idPlace: FieldPlace,
        mostMessageID: UInt64
    ) {
        let field = layout.header[lengthIndex]
        let range = ranges[lengthIndex]
        guard case .length(let base, let constant) = field.role, field.format.range.lowerBound == 0 else { return nil }
        var bytes = packet
        hasVarint = if case .varint = field.format { true } else { false }
        if hasVarint {
            // One byte stays.
            bytes.replaceSubrange(range, with: [0])
            lengthShift = 120 - 8 * range.lowerBound
        } else {
            guard let place = FieldPlace(layout, lengthIndex, range) else { return nil }
            lengthShift = place.shift
        }
        let isAfterLength = hasVarint && idPlace.offset > range.lowerBound
        let removed = packet.count - bytes.count
        messageIDShift = idPlace.shift + (isAfterLength ? 8 * removed : 0)
        messageIDMove = isAfterLength ? 8 : 0
        let bitsBehind = hasVarint ? UInt128.max >> UInt128(8 * range.lowerBound) : 0
        let width = UInt128(128 - (hasVarint ? 0 : field.format.bitWidth))
        let lengthBits = hasVarint ? 0 : (UInt128.max >> width) << UInt128(lengthShift)
        before = bytes.bigEndianBits & ~bitsBehind & ~lengthBits
        behind = bytes.bigEndianBits & bitsBehind
        byteCount = bytes.count
        countsItself = hasVarint && base == .packet
        shortBits = UInt64(truncatingIfNeeded: (before | behind) >> 64)
        switch base {
        case .packet: payloadToLength = constant + bytes.count - (hasVarint ? 1 : 0)
        case .payload: payloadToLength = constant
        case .rest: payloadToLength = constant + packet.count - range.upperBound
        }
        mostLength = min(Int(clamping: field.range.upperBound), (1 << 28) - 1)
        let canBeShort = bytes.count <= 8 && !countsItself
        mostShortLength = canBeShort ? min(mostLength, hasVarint ? (1 << 7) - 1 : .max) : -1
        self.mostMessageID = mostMessageID
    }

    /// Returns a packet's header; ``WrittenHeader/none`` if something is wrong or too long.
    @inline(__always)
    func header(id: UInt64, payloadByteCount: Int, limit: Int) -> WrittenHeader {
        // No sum below can overflow, not even in 32 bits. The general path handles longer packets.
        guard id <= mostMessageID, payloadByteCount <= 1 << 27 else { return .none }
        let number = payloadByteCount &+ payloadToLength
        if number >= 0, number <= mostShortLength {
            let packetByteCount = byteCount &+ payloadByteCount
            guard packetByteCount <= limit else { return .none }
            let bits =
                shortBits | UInt64(truncatingIfNeeded: number) &<< UInt64(truncatingIfNeeded: lengthShift &- 64)
                | id &<< UInt64(truncatingIfNeeded: messageIDShift &- 64)
            return WrittenHeader(bits: UInt128(bits) &<< 64, byteCount: byteCount, packetByteCount: packetByteCount)
        }
        let length =
            hasVarint
            ? Self.varint(number, countsItself: countsItself)
            : (value: number, bits: UInt64(truncatingIfNeeded: number), addedByteCount: 0)
        let headerByteCount = byteCount &+ length.addedByteCount
        let packetByteCount = headerByteCount &+ payloadByteCount
        guard length.value >= 0, length.value <= mostLength, packetByteCount <= limit, headerByteCount <= 16 else {
            return .none
        }
        let moved = 8 &* length.addedByteCount
        let shift = messageIDShift &- messageIDMove &* length.addedByteCount
        let bits =
            before | behind &>> UInt128(truncatingIfNeeded: moved)
            | UInt128(length.bits) &<< UInt128(truncatingIfNeeded: lengthShift &- moved)
            | UInt128(id) &<< UInt128(truncatingIfNeeded: shift)
        return WrittenHeader(bits: bits, byteCount: headerByteCount, packetByteCount: packetByteCount)
    }

    /// Returns a length with its bytes as a big-endian number, and how many there are after the first.
    ///
    /// It is static because a method would need the whole template in memory.
    @inline(never)
    private static func varint(
        _ length: Int, countsItself: Bool
    ) -> (value: Int, bits: UInt64, addedByteCount: Int) {
        var width = width(length)
        var length = length
        if countsItself {
            // One byte more can make the length longer once more.
            let grown = Self.width(length &+ width)
            length &+= grown
            width = grown
        }
        guard width > 1 else { return (length, UInt64(truncatingIfNeeded: length), 0) }
        var bits = UInt64(truncatingIfNeeded: length) & 0x7F
        for index in 1..<width {
            bits = (bits | 0x80) &<< 8 | UInt64(truncatingIfNeeded: length &>> (7 &* index)) & 0x7F
        }
        return (length, bits, width &- 1)
    }

    /// The number of bytes of a varint of at most 28 bits.
    @inline(__always)
    private static func width(_ value: Int) -> Int {
        value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4
    }
}

/// The header of a packet as a number.
///
/// Functions return it in registers, which they could not do with an optional one.
@frozen
@usableFromInline
package struct WrittenHeader: Sendable {
    /// The first 16 bytes, big-endian.
    @usableFromInline let bits: UInt128
    /// The number of bytes, at most 16.
    @usableFromInline let byteCount: Int
    @usableFromInline package let packetByteCount: Int

    /// No header: only the general path can make it, or its error.
    static let none = WrittenHeader(bits: 0, byteCount: 0, packetByteCount: 0)

    @inlinable @inline(__always)
    package var isNone: Bool { byteCount == 0 }

    @inlinable @inline(__always)
    init(bits: UInt128, byteCount: Int, packetByteCount: Int) {
        self.bits = bits
        self.byteCount = byteCount
        self.packetByteCount = packetByteCount
    }
}

extension PacketLayout {
    fileprivate func fieldRanges(of packet: [UInt8]) throws(CodecError) -> [Range<Int>] {
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        try fieldRanges(of: unsafe Packet(packet.span.bytes, layout: self))
    }

    /// Returns the header of a packet without set values.
    @usableFromInline @inline(never)
    package func headerFromTemplate(id: UInt64, payloadByteCount: Int, limit: Int) -> WrittenHeader {
        guard let template = unsafe storage.borrowedTemplate else {
            return storage.plan.header(id: id, payloadByteCount: payloadByteCount, limit: limit)
        }
        // SAFETY: the layout keeps the object alive.
        return unsafe template._withUnsafeGuaranteedRef {
            $0.header(id: id, payloadByteCount: payloadByteCount, limit: limit)
        }
    }
}

extension PacketPlan {
    /// Returns the header of a packet that the plan can write; only a layout for one sender has such a plan here.
    fileprivate func header(id: UInt64, payloadByteCount: Int, limit: Int) -> WrittenHeader {
        guard let byteCount = byteCountAtOnce(id: id, payloadByteCount: payloadByteCount, limit: limit) else {
            return .none
        }
        let header = headerAtOnce(id: id, packetByteCount: byteCount)
        return WrittenHeader(bits: header.bits, byteCount: header.byteCount, packetByteCount: byteCount)
    }
}

// MARK: - Making

extension HeaderTemplate {
    /// Makes the template of headers without set values; nil for a layout that has a plan for them, or needs more.
    ///
    /// A layout needs more if the ID decides which fields are there, or if ``init(_:id:header:)`` is nil for it.
    convenience init?(_ layout: PacketLayout) {
        let depends = layout.header.indices.contains { index in
            layout.header[index].role == .messageID
                && (layout.header[index].condition != nil || layout.operands.contains(index))
        }
        guard !layout.plan.canWriteAtOnce, !layout.isFramed, !depends else { return nil }
        self.init(layout, 0, [:], isOfAnyID: true)
    }

    /// Makes the template of a message's headers with some values; nil for a layout that needs more.
    ///
    /// It cannot cover a trailer, a checksum, `@fit`, several lengths, an ID in several pieces, or a header of more
    /// than 16 bytes. Fields and lengths do not count if they are absent with these values.
    convenience init?(_ layout: PacketLayout, id: UInt64, header: PacketHeader) {
        guard !layout.isFramed else { return nil }
        self.init(layout, id, header, isOfAnyID: false)
    }

    private convenience init?(_ layout: PacketLayout, _ id: UInt64, _ header: PacketHeader, isOfAnyID: Bool) {
        guard layout.trailer.isEmpty, layout.checksums.isEmpty,
            layout.fitting.map({ header[value: $0.name] != nil }) ?? true,
            let presence = try? layout.presence(id: id, header: header)
        else { return nil }
        let lengths = layout.header.indices.filter { index in
            layout.header[index].role.isLength && (presence.isEmpty || presence[index])
        }
        guard lengths.count == 1,
            let packet = try? layout.encode(id: id, header: header, payloadByteCount: 0, writingPayload: { _ in }),
            packet.count <= 16, let ranges = try? layout.fieldRanges(of: packet),
            let idPlace = isOfAnyID ? FieldPlace.ofID(in: layout, ranges) : FieldPlace()
        else { return nil }
        self.init(layout, packet, ranges, lengths[0], idPlace, mostMessageID: isOfAnyID ? layout.maximumMessageID : 0)
    }
}

/// The place of a big-endian number in the first 16 bytes of a header.
private struct FieldPlace {
    var offset = 0
    /// The number of bits after the number.
    var shift = 120

    /// Nil for a number in another byte order, and for one that is not only bits.
    init?(_ layout: PacketLayout, _ index: Int, _ range: Range<Int>) {
        guard case .integer(_, let byteOrder) = layout.header[index].format else { return nil }
        let place = layout.packedPlace(ofField: index)
        guard byteOrder == .bigEndian || range.count == 1 else { return nil }
        offset = range.lowerBound
        shift = 128 - 8 * range.upperBound + (place?.shift ?? 0)
    }

    /// The place of no bits.
    init() {}

    /// Returns the place of the message's ID, or of no bits if the layout has none; nil if it is in several pieces.
    static func ofID(in layout: PacketLayout, _ ranges: [Range<Int>]) -> FieldPlace? {
        let indices = layout.header.indices.filter { layout.header[$0].role == .messageID }
        guard indices.count <= 1 else { return nil }
        return indices.first.map { FieldPlace(layout, $0, ranges[$0]) } ?? FieldPlace()
    }
}

extension [UInt8] {
    /// The first 16 bytes as a big-endian number, with zeros for bytes that are not there.
    fileprivate var bigEndianBits: UInt128 {
        enumerated().reduce(0) { $1.offset < 16 ? $0 | UInt128($1.element) << UInt128(120 - 8 * $1.offset) : $0 }
    }
}
