// SPDX-License-Identifier: Apache-2.0

extension PacketPlan {
    /// Computes a plan from the fields of a layout.
    ///
    /// - Parameters:
    ///   - isBounded: Whether something else than a length can tell where packets end.
    ///   - variant: The layout's position among the variants of a layout.
    ///   - isWhole: Whether the fields are all that is around a payload; with layers it is not.
    init(
        header: [PacketField], trailer: [PacketField], isFramed: Bool, isBounded: Bool, variant: UInt16, isWhole: Bool
    ) {
        self.init(header: header, trailer: trailer, isFramed: isFramed, isBounded: isBounded || !isWhole)
        self.variant = variant
        hasLayers = !isWhole
    }

    private init(header: [PacketField], trailer: [PacketField], isFramed: Bool, isBounded: Bool) {
        guard !isBounded, (header + trailer).allSatisfy({ $0.condition == nil }) else {
            self.init(generalHeader: header, trailer: trailer, isFramed: isFramed, isBounded: isBounded)
            return
        }
        let places = PlacedField.place(header: header)
        let headerByteCount = places.last?.end ?? 0
        let trailerByteCount = trailer.leastByteCount
        let isFixed = header.allSatisfy { $0.format.byteCount != nil }
        let isPacked = [header, trailer].contains { PackedRuns($0).places.contains { $0 != nil } }
        let hasTexts = (header + trailer).contains { !$0.format.isNumber }
        let lengths = places.filter { $0.field.role.isLength }
        let identifiers = places.filter { $0.field.role == .messageID }
        let counts = Self.packetByteCounts(header: header, trailer: trailer, isFramed: false)

        let window = NumberWindow(length: lengths.prefix(1), messageID: identifiers[...])
        let canRead =
            isFixed && !lengths.isEmpty && !isPacked && !hasTexts && window != nil
            && !trailer.contains { $0.role == .messageID }
            && !Self.needsVerification(header: header, trailer: trailer)
        let idShift = PatchPlan.shift(of: identifiers)
        let canWrite =
            isFixed && !lengths.isEmpty && !isPacked && !hasTexts && trailer.isEmpty && headerByteCount <= 16
            && lengths.count <= 2
            && idShift != nil
            && lengths.allSatisfy { place in
                // A negative length would not stay inside its field.
                place.isBigEndian && counts.least >= place.lengthToPacket(header: headerByteCount, trailer: 0)
            }
            && header.allSatisfy { $0.checksum == nil && !$0.role.isFitting }
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

    /// Makes a plan that leaves everything to the general path, for fields that may be absent and for frames.
    private init(generalHeader header: [PacketField], trailer: [PacketField], isFramed: Bool, isBounded: Bool) {
        let counts = Self.packetByteCounts(header: header, trailer: trailer, isFramed: isBounded)
        let none = PatchPlan(nil, headerByteCount: 0)
        self.init(
            headerByteCount: header.leastByteCount, trailerByteCount: trailer.leastByteCount,
            leastPacketByteCount: counts.least, mostPacketByteCount: max(counts.least, counts.most),
            canReadAtOnce: false, windowOffset: 0, windowByteOrder: .bigEndian, length: .none, lengthToPacket: 0,
            messageID: .none, canWriteAtOnce: false, template: 0, firstLength: none, secondLength: none,
            messageIDShift: 0, mostMessageID: PacketField.maximumMessageID(header + trailer), isFramed: isFramed)
    }

    /// Returns the fewest and the most bytes of a packet that all lengths of the header can express.
    ///
    /// If the most is below the fewest, no packet is possible. Without a length, the payload is empty. Varints count as
    /// their shortest. If fields can be absent, these are bounds: no packet has fewer bytes or more.
    ///
    /// - Parameter isFramed: Whether a frame tells the byte count if no length does.
    static func packetByteCounts(
        header: [PacketField], trailer: [PacketField], isFramed: Bool
    ) -> (least: Int, most: Int) {
        guard (header + trailer).allSatisfy({ $0.condition == nil }) else {
            return conditionalPacketByteCounts(header: header, trailer: trailer, isFramed: isFramed)
        }
        let places = PlacedField.place(header: header)
        let headerByteCount = places.last?.end ?? 0
        let trailerByteCount = trailer.leastByteCount
        var (least, most) = (headerByteCount + trailerByteCount, Int.max)
        for place in places where place.field.role.isLength {
            let toPacket = Int128(place.lengthToPacket(header: headerByteCount, trailer: trailerByteCount))
            let range = place.field.range
            least = max(least, Int(clamping: range.lowerBound + toPacket))
            most = min(most, Int(clamping: range.upperBound + toPacket))
        }
        let isOpen = isFramed || header.contains { $0.role.isLength }
        return (least, isOpen ? most : mostWithoutLength(header, trailer))
    }

    private static func mostWithoutLength(_ header: [PacketField], _ trailer: [PacketField]) -> Int {
        (header + trailer).byteCounts.reduce(0) { $0 + ($1 ?? 10) }
    }

    private static func conditionalPacketByteCounts(
        header: [PacketField], trailer: [PacketField], isFramed: Bool
    ) -> (least: Int, most: Int) {
        let least = header.leastByteCount + trailer.leastByteCount
        let mostHeader = header.byteCounts.reduce(0) { $0 + ($1 ?? 10) }
        let mostTrailer = trailer.byteCounts.reduce(0) { $0 + ($1 ?? 0) }
        var end = 0
        var always: Int?
        var sometimes = isFramed ? Int.max : mostHeader + mostTrailer
        for (field, byteCount) in zip(header, header.byteCounts) {
            end += byteCount ?? 10
            guard field.role.isLength else { continue }
            let place = PlacedField(field: field, offset: 0, end: end)
            let toPacket = place.lengthToPacket(header: mostHeader, trailer: mostTrailer)
            let most = Int(clamping: field.range.upperBound + Int128(toPacket))
            if field.condition == nil { always = min(always ?? most, most) } else { sometimes = max(sometimes, most) }
        }
        return (least, always ?? sometimes)
    }

    private static func needsVerification(header: [PacketField], trailer: [PacketField]) -> Bool {
        let fields = header + trailer
        return fields.count { $0.role.isLength } > 1
            || fields.contains { field in
                switch field.role {
                case .constant, .checksum: true
                default: field.format.isBoolean
                }
            }
    }
}

extension NumberPlan {
    /// A number that does not exist: it reads as 0.
    static let none = NumberPlan(shift: 0, mask: 0)
}

/// The 8 bytes of a header that contain its first length and its message ID.
private struct NumberWindow {
    let offset: Int
    let byteOrder: ByteOrder
    let length: NumberPlan
    let messageID: NumberPlan

    /// Nil if no 8 bytes contain both, or if their byte orders differ.
    init?(length: ArraySlice<PlacedField>, messageID: ArraySlice<PlacedField>) {
        guard let length = PlacedNumber(length), let messageID = PlacedNumber(messageID) else { return nil }
        let present = [length, messageID].filter { $0.end > $0.offset }
        guard let first = present.map({ $0.offset }).min(), let last = present.map({ $0.end }).max(), last - first <= 8
        else { return nil }
        let orders = Set(present.compactMap { $0.byteOrder })
        guard orders.count <= 1 else { return nil }
        offset = first
        byteOrder = orders.first ?? .bigEndian
        self.length = length.plan(from: offset, byteOrder)
        self.messageID = messageID.plan(from: offset, byteOrder)
    }
}

/// A number made of adjacent fields.
private struct PlacedNumber {
    let offset: Int
    let end: Int
    /// Nil if the byte order makes no difference.
    let byteOrder: ByteOrder?

    /// Nil if the fields do not make one number of at most 8 bytes; no fields make a number that is 0.
    init?(_ places: ArraySlice<PlacedField>) {
        offset = places.first?.offset ?? 0
        end = places.last?.end ?? 0
        let byteCount = places.reduce(0) { $0 + ($1.end - $1.offset) }
        guard byteCount == end - offset, byteCount <= 8 else { return nil }
        let isBigEndian = places.allSatisfy { $0.isBigEndian }
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

    /// Returns the shift of a big-endian number of adjacent fields; 0 for no fields, nil if shifting is not enough.
    static func shift(of places: [PlacedField]) -> Int? {
        guard let last = places.last else { return 0 }
        // A `bool` is one bit of a number, but one byte of the header.
        guard PlacedNumber(places[...]) != nil, last.end <= 16,
            places.allSatisfy({ $0.isBigEndian && $0.field.format != .boolean })
        else { return nil }
        return 8 * (16 - last.end)
    }

    static func template(of places: [PlacedField]) -> UInt128 {
        places.reduce(0) { template, place in
            let value: Int128 =
                switch place.field.role {
                case .value(let value), .constant(let value): value.number
                default: 0
                }
            let bitWidth = 8 * (place.end - place.offset)
            var bits = UInt64(truncatingIfNeeded: value) & (UInt64.max >> UInt64(64 - bitWidth))
            if !place.isBigEndian { bits = bits.byteSwapped >> UInt64(64 - bitWidth) }
            return template | UInt128(bits) << UInt128(8 * (16 - place.end))
        }
    }
}

/// A header field and its position; the first of the fields that share bytes has all of these bytes.
struct PlacedField {
    let field: PacketField
    let offset: Int
    let end: Int

    var isBigEndian: Bool {
        switch field.format {
        case .integer(let format, let byteOrder): byteOrder == .bigEndian || format.byteCount == 1
        case .boolean, .bit, .text, .digits, .bytes: true
        case .varint: false
        }
    }

    /// Returns the number to add to this length's value to get the byte count of the packet.
    func lengthToPacket(header: Int, trailer: Int) -> Int {
        guard case .length(let base, let constant) = field.role else { return 0 }
        switch base {
        case .packet: return -constant
        case .payload: return header + trailer - constant
        case .rest: return end - constant
        }
    }

    /// Returns the fields of a header with their positions; varints count as their shortest.
    static func place(header: [PacketField]) -> [PlacedField] {
        var offset = 0
        return zip(header, header.byteCounts).map { field, byteCount in
            let start = offset
            offset += byteCount ?? 1
            return PlacedField(field: field, offset: start, end: offset)
        }
    }
}
