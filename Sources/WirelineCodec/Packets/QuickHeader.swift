// SPDX-License-Identifier: Apache-2.0

/// The middle path: headers of fixed width whose numbers and constants a few loads can read, such as goim's.
///
/// It finds a valid packet or returns nil. ``HeaderScan`` handles anything wrong or missing, and makes the error.
struct QuickHeader: Equatable, Sendable {
    private let headerByteCount: Int
    private let trailerByteCount: Int
    /// The number of bytes needed for every load.
    private let byteCount: Int
    private let lengths: (Number, Number?)
    private let lengthsToPacket: (Int, Int)
    private let messageID: Number?
    /// The constants among the first 16 bytes, in memory order, and a mask of their bits.
    private let constantBits: (UInt64, UInt64)
    private let constantMask: (UInt64, UInt64)

    /// Nil for a layout that needs more than this.
    ///
    /// Such are a varint, a checksum, a `bool`, three lengths, a signed length, an ID in several pieces. So are
    /// constants after the 16th byte or in the trailer.
    init?(header: [PacketField], trailer: [PacketField]) {
        let places = PlacedField.place(header: header)
        let lengths = places.filter { $0.field.role.isLength }
        let identifiers = places.filter { $0.field.role == .messageID }
        let constants = places.filter { $0.isConstant }
        guard (1...2).contains(lengths.count), identifiers.count <= 1, constants.allSatisfy({ $0.end <= 16 }),
            places.allSatisfy({ $0.field.format.byteCount != nil && $0.field.format != .boolean }),
            header.allSatisfy({ $0.checksum == nil }), trailer.allSatisfy({ $0.isFree }),
            lengths.allSatisfy({ $0.field.format.range.lowerBound == 0 })
        else { return nil }
        headerByteCount = places.last?.end ?? 0
        trailerByteCount = trailer.reduce(0) { $0 + ($1.format.byteCount ?? 1) }
        byteCount = max(headerByteCount + 8, 16)
        self.lengths = (Number(lengths[0]), lengths.dropFirst().first.map(Number.init))
        let (header, trailer) = (headerByteCount, trailerByteCount)
        let toPacket = lengths.map { $0.lengthToPacket(header: header, trailer: trailer) }
        lengthsToPacket = (toPacket[0], toPacket.last ?? 0)
        messageID = identifiers.first.map(Number.init)
        (constantBits, constantMask) = Self.constants(constants)
    }

    /// Returns the bounds of the packet at `start`; nil if a quick check is not enough.
    func bounds(in bytes: RawSpan, at start: Int, limit: Int) -> PacketBounds? {
        guard bytes.byteCount &- start >= byteCount else { return nil }
        let flaws =
            (bytes.word(at: start) ^ constantBits.0) & constantMask.0
            | (bytes.word(at: start &+ 8) ^ constantBits.1) & constantMask.1
        guard flaws == 0, let packetByteCount = packetByteCount(bytes, start, limit: limit) else { return nil }
        return PacketBounds(
            id: messageID?.value(bytes, start) ?? 0, packetByteCount: packetByteCount,
            PacketFrame(headerByteCount: headerByteCount, trailerByteCount: trailerByteCount))
    }

    private func packetByteCount(_ bytes: RawSpan, _ start: Int, limit: Int) -> Int? {
        let length = lengths.0.value(bytes, start)
        // The sum cannot overflow, not even 32 bits: the number added to a length is less than 1 MiB.
        guard length <= 1 << 30 else { return nil }
        let result = Int(truncatingIfNeeded: length) &+ lengthsToPacket.0
        guard result >= headerByteCount &+ trailerByteCount, result <= limit else { return nil }
        guard let second = lengths.1 else { return result }
        let agreeing = result &- lengthsToPacket.1
        return agreeing >= 0 && second.value(bytes, start) == UInt64(truncatingIfNeeded: agreeing) ? result : nil
    }

    private static func constants(_ places: [PlacedField]) -> (bits: (UInt64, UInt64), mask: (UInt64, UInt64)) {
        var bits = [UInt8](repeating: 0, count: 16)
        var mask = bits
        for place in places {
            guard case .constant(let value) = place.field.role else { continue }
            for index in place.offset..<place.end {
                let shift = place.isBigEndian ? place.end - 1 - index : index - place.offset
                bits[index] = UInt8(truncatingIfNeeded: value >> Int128(8 * shift))
                mask[index] = 0xFF
            }
        }
        return (words(bits), words(mask))
    }

    private static func words(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        let halves = [bytes[..<8], bytes[8...]].map { half in
            half.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }.bigEndian
        }
        return (halves[0], halves[1])
    }

    static func == (left: QuickHeader, right: QuickHeader) -> Bool {
        left.lengths == right.lengths && left.lengthsToPacket == right.lengthsToPacket
            && left.messageID == right.messageID && left.constantBits == right.constantBits
            && left.constantMask == right.constantMask && left.headerByteCount == right.headerByteCount
            && left.trailerByteCount == right.trailerByteCount
    }

    /// An unsigned number of 1 to 8 bytes.
    private struct Number: Equatable, Sendable {
        private let offset: Int
        private let shift: UInt64
        private let mask: UInt64
        private let isBigEndian: Bool

        init(_ place: PlacedField) {
            let unused = UInt64(64 - 8 * (place.end - place.offset))
            offset = place.offset
            isBigEndian = place.isBigEndian
            shift = isBigEndian ? unused : 0
            mask = UInt64.max >> unused
        }

        @inline(__always)
        func value(_ bytes: borrowing RawSpan, _ start: Int) -> UInt64 {
            let word = bytes.word(at: start &+ offset)
            return ((isBigEndian ? UInt64(bigEndian: word) : UInt64(littleEndian: word)) &>> shift) & mask
        }
    }
}

extension PlacedField {
    fileprivate var isConstant: Bool {
        if case .constant = field.role { true } else { false }
    }
}

extension PacketField {
    /// Whether any bits are a valid value of this field, and nothing else depends on them.
    fileprivate var isFree: Bool {
        guard case .integer = format else { return false }
        switch role {
        case .value, .sequence: return true
        case .length, .messageID, .constant, .checksum: return false
        }
    }
}

extension RawSpan {
    /// Returns eight bytes in memory order.
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        // SAFETY: bounds(in:at:limit:) compares with byteCount before the first load; any bits are an integer.
        unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    }
}
