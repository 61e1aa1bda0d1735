// SPDX-License-Identifier: Apache-2.0

/// A layout boiled down to the numbers that splitting and encoding use for every packet.
///
/// Most headers are covered by it alone: a length and an ID that are each at most 8 bytes in one piece. What it cannot
/// express (``isFixed``, ``needsVerification``, ``canWriteAtOnce``) takes the general path over the fields.
@usableFromInline
struct PacketPlan: Equatable, Sendable {
    /// The bytes of the header, with a varint at its shortest.
    @usableFromInline let headerByteCount: Int
    @usableFromInline let trailerByteCount: Int
    /// Whether no header field varies in width.
    @usableFromInline let isFixed: Bool
    /// Whether a packet has more to verify than its first length.
    @usableFromInline let needsVerification: Bool

    /// The first length.
    @usableFromInline let length: NumberPlan
    /// What the first length must be increased by to give the byte count of the packet, in a header that is fixed.
    @usableFromInline let lengthToPacket: Int
    /// The packets whose byte count all lengths of a fixed header can say.
    @usableFromInline let packetByteCounts: ClosedRange<Int>
    /// The message ID; reads as 0 where there is none.
    @usableFromInline let messageID: NumberPlan
    /// How many bytes must be at hand for ``length`` and ``messageID`` to be read at once.
    @usableFromInline let fastByteCount: Int

    /// Whether a header that sets nothing is ``template`` with lengths and ID put in.
    @usableFromInline let canWriteAtOnce: Bool
    /// The header's first 16 bytes as a big-endian number, with constants and defaults.
    @usableFromInline let template: UInt128
    /// Where the first and the second length go into ``template``.
    @usableFromInline let firstLength: PatchPlan
    @usableFromInline let secondLength: PatchPlan
    /// How far the message ID is shifted into ``template``.
    @usableFromInline let messageIDShift: UInt8

    @usableFromInline var minimumPacketByteCount: Int { headerByteCount + trailerByteCount }

    init(header: [PacketField], trailer: [PacketField]) {
        let places = PlacedField.place(header: header)
        headerByteCount = header.reduce(0) { $0 + ($1.format.byteCount ?? 1) }
        trailerByteCount = trailer.reduce(0) { $0 + ($1.format.byteCount ?? 1) }
        isFixed = header.allSatisfy { $0.format.byteCount != nil }
        needsVerification = Self.needsVerification(header: header, trailer: trailer)

        let lengths = places.filter(\.field.role.isLength)
        let first = lengths.first
        length = isFixed ? NumberPlan(lengths.prefix(1)) ?? .none : .none
        lengthToPacket = first?.lengthToPacket(header: headerByteCount, trailer: trailerByteCount) ?? 0
        packetByteCounts = Self.packetByteCounts(
            lengths, header: headerByteCount, trailer: trailerByteCount)
        let identifiers = places.filter { $0.field.role == .messageID }
        let isIDInTrailer = trailer.contains { $0.role == .messageID }
        let idPlan = isFixed && !isIDInTrailer ? NumberPlan(identifiers[...]) : nil
        messageID = idPlan ?? .none
        fastByteCount =
            !isFixed || needsVerification || isIDInTrailer || (idPlan == nil && !identifiers.isEmpty)
            ? Int.max : max(length.offset, messageID.offset) + 8

        let idShift = PatchPlan.shift(of: identifiers)
        canWriteAtOnce =
            isFixed && trailer.isEmpty && headerByteCount <= 16 && lengths.count <= 2 && idShift != nil
            && lengths.allSatisfy(\.isBigEndian) && header.allSatisfy { $0.role != .checksum }
        template = canWriteAtOnce ? PatchPlan.template(of: places) : 0
        firstLength = PatchPlan(lengths.first, headerByteCount: headerByteCount)
        secondLength = PatchPlan(lengths.dropFirst().first, headerByteCount: headerByteCount)
        messageIDShift = idShift ?? 0
    }

    private static func packetByteCounts(
        _ lengths: [PlacedField], header: Int, trailer: Int
    ) -> ClosedRange<Int> {
        let minimum = header + trailer
        var counts = minimum...Int.max
        for place in lengths {
            let offset = Int128(place.lengthToPacket(header: header, trailer: trailer))
            let fitting = place.field.format.range
            let lowest = Int(clamping: fitting.lowerBound + offset)
            let highest = Int(clamping: fitting.upperBound + offset)
            counts = counts.clamped(to: min(lowest, highest)...highest)
        }
        return counts
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

/// Where a number of up to 8 bytes stands, so that one load of 8 bytes, a byte swap and a shift read it.
@usableFromInline
struct NumberPlan: Equatable, Sendable {
    @usableFromInline let offset: Int
    @usableFromInline let shift: UInt64
    @usableFromInline let mask: UInt64
    @usableFromInline let isBigEndian: Bool

    /// A number that is not there: it reads as 0.
    static let none = NumberPlan(offset: 0, byteCount: 0, isBigEndian: true)

    private init(offset: Int, byteCount: Int, isBigEndian: Bool) {
        self.offset = offset
        self.isBigEndian = isBigEndian
        shift = isBigEndian && byteCount > 0 ? UInt64(64 - 8 * byteCount) : 0
        mask = byteCount == 0 ? 0 : UInt64.max >> UInt64(64 - 8 * byteCount)
    }

    /// One number made of fields that follow one another; nil when one load cannot read them.
    init?(_ places: ArraySlice<PlacedField>) {
        guard let first = places.first, let last = places.last else { return nil }
        let byteCount = last.end - first.offset
        let isContiguous = byteCount == places.reduce(0) { $0 + ($1.end - $1.offset) }
        guard isContiguous, byteCount <= 8 else { return nil }
        let isBigEndian = places.allSatisfy(\.isBigEndian)
        guard isBigEndian || places.count == 1 else { return nil }
        self.init(offset: first.offset, byteCount: byteCount, isBigEndian: isBigEndian)
    }

    /// Reads the number of a packet that begins at `start`; 8 bytes from its offset must be at hand.
    @inlinable @inline(__always)
    func value(in bytes: borrowing RawSpan, packetAt start: Int) -> UInt64 {
        // SAFETY: callers compare fastByteCount with the bytes at hand; any bits are an integer.
        let raw = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ offset, as: UInt64.self)
        return ((isBigEndian ? UInt64(bigEndian: raw) : UInt64(littleEndian: raw)) &>> shift) & mask
    }
}

/// How a length becomes part of a header that is written as one number.
@usableFromInline
struct PatchPlan: Equatable, Sendable {
    @usableFromInline let shift: UInt8
    /// What the packet's byte count must be increased by to give the length.
    @usableFromInline let packetToLength: Int
    @usableFromInline let isPresent: Bool

    init(_ place: PlacedField?, headerByteCount: Int) {
        isPresent = place != nil
        shift = place.flatMap { Self.shift(of: [$0]) } ?? 0
        packetToLength = place.map { -$0.lengthToPacket(header: headerByteCount, trailer: 0) } ?? 0
    }

    /// How far a big-endian number of contiguous fields is shifted; 0 for none, nil where shifting does not do.
    static func shift(of places: [PlacedField]) -> UInt8? {
        guard let last = places.last else { return 0 }
        guard NumberPlan(places[...]) != nil, places.allSatisfy(\.isBigEndian), last.end <= 16 else { return nil }
        return UInt8(8 * (16 - last.end))
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
