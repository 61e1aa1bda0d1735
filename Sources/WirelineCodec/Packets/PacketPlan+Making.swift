// SPDX-License-Identifier: Apache-2.0

extension PacketPlan {
    /// Works a plan out from the fields of a layout.
    init(header: [PacketField], trailer: [PacketField]) {
        let places = PlacedField.place(header: header)
        let headerByteCount = places.last?.end ?? 0
        let trailerByteCount = trailer.reduce(0) { $0 + ($1.format.byteCount ?? 1) }
        let isFixed = header.allSatisfy { $0.format.byteCount != nil }
        let lengths = places.filter(\.field.role.isLength)
        let identifiers = places.filter { $0.field.role == .messageID }
        let counts = Self.packetByteCounts(header: header, trailer: trailer)

        let window = NumberWindow(length: lengths.prefix(1), messageID: identifiers[...])
        let canRead =
            isFixed && window != nil && !trailer.contains { $0.role == .messageID }
            && !Self.needsVerification(header: header, trailer: trailer)
        let idShift = PatchPlan.shift(of: identifiers)
        let canWrite =
            isFixed && trailer.isEmpty && headerByteCount <= 16 && lengths.count <= 2 && idShift != nil
            && lengths.allSatisfy { place in
                // A negative length would not stay inside its field.
                place.isBigEndian && counts.least >= place.lengthToPacket(header: headerByteCount, trailer: 0)
            }
            && header.allSatisfy { $0.role != .checksum }
        self.init(
            headerByteCount: headerByteCount, trailerByteCount: trailerByteCount,
            leastPacketByteCount: counts.least, mostPacketByteCount: max(counts.least, counts.most),
            canReadAtOnce: canRead, windowOffset: canRead ? window?.offset ?? 0 : 0,
            windowByteOrder: canRead ? window?.byteOrder ?? .bigEndian : .bigEndian,
            length: canRead ? window?.length ?? .none : .none,
            lengthToPacket: lengths.first?.lengthToPacket(header: headerByteCount, trailer: trailerByteCount) ?? 0,
            messageID: canRead ? window?.messageID ?? .none : .none,
            canWriteAtOnce: canWrite, template: canWrite ? PatchPlan.template(of: places) : 0,
            firstLength: PatchPlan(canWrite ? lengths.first : nil, headerByteCount: headerByteCount),
            secondLength: PatchPlan(canWrite ? lengths.dropFirst().first : nil, headerByteCount: headerByteCount),
            messageIDShift: canWrite ? idShift ?? 0 : 0,
            mostMessageID: PacketField.maximumMessageID(header + trailer))
    }

    /// The fewest and the most bytes of a packet that all lengths of the header can say; where the most are fewer than
    /// the fewest, no packet is possible. A varint is taken at its shortest.
    static func packetByteCounts(header: [PacketField], trailer: [PacketField]) -> (least: Int, most: Int) {
        let places = PlacedField.place(header: header)
        let headerByteCount = places.last?.end ?? 0
        let trailerByteCount = trailer.reduce(0) { $0 + ($1.format.byteCount ?? 1) }
        var (least, most) = (headerByteCount + trailerByteCount, Int.max)
        for place in places where place.field.role.isLength {
            let toPacket = Int128(place.lengthToPacket(header: headerByteCount, trailer: trailerByteCount))
            let range = place.field.format.range
            least = max(least, Int(clamping: range.lowerBound + toPacket))
            most = min(most, Int(clamping: range.upperBound + toPacket))
        }
        return (least, most)
    }

    private static func needsVerification(header: [PacketField], trailer: [PacketField]) -> Bool {
        let fields = header + trailer
        return fields.filter(\.role.isLength).count > 1
            || fields.contains { field in
                switch field.role {
                case .constant, .checksum: true
                default: field.format == .boolean
                }
            }
    }
}

extension NumberPlan {
    /// A number that is not there: it reads as 0.
    static let none = NumberPlan(shift: 0, mask: 0)
}

/// The 8 bytes of a header that hold its first length and its message ID.
private struct NumberWindow {
    let offset: Int
    let byteOrder: ByteOrder
    let length: NumberPlan
    let messageID: NumberPlan

    /// Nil when no 8 bytes hold both, or not in one byte order.
    init?(length: ArraySlice<PlacedField>, messageID: ArraySlice<PlacedField>) {
        guard let places = [length, messageID].map(PlacedNumber.init) as? [PlacedNumber] else { return nil }
        let present = places.filter { $0.end > $0.offset }
        guard let first = present.map(\.offset).min(), let last = present.map(\.end).max(), last - first <= 8 else {
            return nil
        }
        let orders = Set(present.compactMap(\.byteOrder))
        guard orders.count <= 1 else { return nil }
        offset = first
        byteOrder = orders.first ?? .bigEndian
        self.length = places[0].plan(from: offset, byteOrder)
        self.messageID = places[1].plan(from: offset, byteOrder)
    }
}

/// A number made of fields that follow one another.
private struct PlacedNumber {
    let offset: Int
    let end: Int
    /// Nil where it makes no difference.
    let byteOrder: ByteOrder?

    /// Nil when the fields do not make one number of at most 8 bytes; no fields make a number that is 0.
    init?(_ places: ArraySlice<PlacedField>) {
        offset = places.first?.offset ?? 0
        end = places.last?.end ?? 0
        let byteCount = places.reduce(0) { $0 + ($1.end - $1.offset) }
        guard byteCount == end - offset, byteCount <= 8 else { return nil }
        let isBigEndian = places.allSatisfy(\.isBigEndian)
        guard isBigEndian || places.count == 1 else { return nil }
        byteOrder = byteCount <= 1 ? nil : isBigEndian ? .bigEndian : .littleEndian
    }

    func plan(from window: Int, _ byteOrder: ByteOrder) -> NumberPlan {
        guard end > offset else { return .none }
        let shift = byteOrder == .bigEndian ? 8 * (8 - (end - window)) : 8 * (offset - window)
        return NumberPlan(shift: shift, mask: UInt64.max >> UInt64(64 - 8 * (end - offset)))
    }
}

extension PatchPlan {
    init(_ place: PlacedField?, headerByteCount: Int) {
        guard let place, let shift = Self.shift(of: [place]) else {
            self.init(shift: -1, packetToLength: 0)
            return
        }
        self.init(shift: shift, packetToLength: -place.lengthToPacket(header: headerByteCount, trailer: 0))
    }

    /// How far a big-endian number of contiguous fields is shifted; 0 for none, nil where shifting does not do.
    static func shift(of places: [PlacedField]) -> Int? {
        guard let last = places.last else { return 0 }
        // A `bool` is one bit of a number, but a byte of the header.
        guard PlacedNumber(places[...]) != nil, last.end <= 16,
            places.allSatisfy({ $0.isBigEndian && $0.field.format != .boolean })
        else { return nil }
        return 8 * (16 - last.end)
    }

    static func template(of places: [PlacedField]) -> UInt128 {
        places.reduce(0) { template, place in
            let value: Int128 =
                switch place.field.role {
                case .value(let value), .constant(let value): value
                default: 0
                }
            let bitWidth = 8 * (place.end - place.offset)
            var bits = UInt64(truncatingIfNeeded: value) & (UInt64.max >> UInt64(64 - bitWidth))
            if !place.isBigEndian { bits = bits.byteSwapped >> UInt64(64 - bitWidth) }
            return template | UInt128(bits) << UInt128(8 * (16 - place.end))
        }
    }
}

/// A header field and where it stands.
struct PlacedField {
    let field: PacketField
    let offset: Int
    let end: Int

    var isBigEndian: Bool {
        switch field.format {
        case .integer(let format, let byteOrder): byteOrder == .bigEndian || format.byteCount == 1
        case .boolean: true
        case .varint: false
        }
    }

    /// What the value of this length must be increased by to give the byte count of the packet.
    func lengthToPacket(header: Int, trailer: Int) -> Int {
        guard case .length(let base, let constant) = field.role else { return 0 }
        switch base {
        case .packet: return -constant
        case .payload: return header + trailer - constant
        case .rest: return end - constant
        }
    }

    /// The fields of a header whose varint, if any, is taken at its shortest.
    static func place(header: [PacketField]) -> [PlacedField] {
        var offset = 0
        return header.map { field in
            let start = offset
            offset += field.format.byteCount ?? 1
            return PlacedField(field: field, offset: start, end: offset)
        }
    }
}
