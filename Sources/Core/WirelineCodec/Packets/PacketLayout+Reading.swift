// SPDX-License-Identifier: Apache-2.0

extension PacketLayout {
    /// Returns the bounds of bytes that must be exactly one packet, on the general path.
    @usableFromInline @inline(never)
    func boundsOfOnlyPacket(in bytes: RawSpan, limit: Int) throws(CodecError) -> PacketBounds {
        if let bounds = quickBounds(in: bytes, at: 0, limit: limit),
            bounds.packetByteCount == bytes.byteCount
        {
            return bounds
        }
        let needed: Int
        switch try scan(bytes, limit: limit) {
        case .needs(let byteCount): needed = byteCount
        case .packet(let bounds) where bounds.packetByteCount == bytes.byteCount: return bounds
        case .packet(let bounds): needed = bounds.packetByteCount
        }
        guard needed > bytes.byteCount else {
            throw CodecError(.trailingBytes(count: bytes.byteCount - needed), offset: needed)
        }
        throw CodecError(.truncated(needed: needed - bytes.byteCount, available: 0), offset: bytes.byteCount)
    }

    /// Checks the trailer and the checksums of a whole packet. The caller has checked header and lengths.
    func verify(_ bytes: RawSpan, _ bounds: inout PacketBounds) throws(CodecError) {
        guard !plan.canReadAtOnce else { return }
        var reader = ByteReader(bytes)
        var walk = FieldWalk(self)
        for (part, field) in header.enumerated() { try verify(field, part, &reader, &walk, bytes, &bounds) }
        reader = ByteReader(bytes, range: bounds.payloadEnd..<bytes.byteCount)
        for (index, field) in trailer.enumerated() {
            try verify(field, header.count + 1 + index, &reader, &walk, bytes, &bounds)
        }
    }

    /// - Parameter part: The field's position among the parts of a packet.
    private func verify(
        _ field: PacketField, _ part: Int, _ reader: inout ByteReader, _ walk: inout FieldWalk, _ bytes: RawSpan,
        _ bounds: inout PacketBounds
    ) throws(CodecError) {
        var offset = reader.offset
        do throws(CodecError) {
            let index = part < header.count ? part : part - 1
            guard let value = try walk.value(of: field, index, &reader) else { return }
            if hasRuns, let place = packedPlace(ofField: index), !place.isFirst { offset -= place.runByteCount }
            switch field.role {
            case .constant(.integer(let constant)) where value != constant:
                throw CodecError(.wrongConstant(value: value, expected: constant), offset: offset)
            case .length(let base, let constant):
                let expected = Int128(bounds.byteCount(of: base, behind: reader.offset)) + Int128(constant)
                guard value == expected else {
                    throw CodecError(.lengthMismatch(length: value, expected: expected), offset: offset)
                }
            case .checksum(let checksum):
                let computed = try computedChecksum(part, bytes, bounds)
                guard value == Int128(computed) else {
                    let value = UInt64(truncatingIfNeeded: value)
                    throw CodecError(.wrongChecksum(value: value, computed: computed, of: checksum), offset: offset)
                }
            case .messageID where part > header.count:
                bounds.id = field.appended(to: bounds.id, value)
            default: break
            }
        } catch {
            throw error.prefixed(by: field.path)
        }
    }

    private func computedChecksum(
        _ part: Int, _ bytes: RawSpan, _ bounds: PacketBounds
    ) throws(CodecError) -> UInt32 {
        guard let planned = checksums.first(where: { $0.part == part }) else { return 0 }
        guard planned.parts != payloadParts else {
            return planned.kind.checksum(of: bytes.extracting(bounds.payloadStart..<bounds.payloadEnd))
        }
        return planned.value(in: bytes, try partEnds(in: bytes, bounds))
    }

    var payloadParts: Range<Int> { header.count..<header.count + 1 }

    /// Returns the end of each part of a packet whose header has been checked, in bytes from its first.
    private func partEnds(in bytes: RawSpan, _ bounds: PacketBounds) throws(CodecError) -> [Int] {
        var ends: [Int] = []
        var reader = ByteReader(bytes)
        var walk = FieldWalk(self)
        for (index, field) in header.enumerated() {
            _ = try walk.value(of: field, index, &reader)
            ends.append(reader.offset)
        }
        // The trailer is not read: a fault in it belongs to its own field, and its fields have fixed widths.
        var end = bounds.payloadEnd
        ends.append(end)
        for index in trailer.indices.map({ header.count + $0 }) {
            if walk.isPresent(index) { end += byteCounts[index] ?? 0 }
            ends.append(end)
        }
        return ends
    }

    /// Returns the bytes of each header and trailer field of a packet, in wire order; an absent one has none.
    ///
    /// Fields that share bytes have the same ones.
    ///
    /// The fields are those of ``layout(of:)``.
    package func fieldRanges(of packet: borrowing Packet) throws(CodecError) -> [Range<Int>] {
        guard !dependsOnContext else { return try layout(of: packet).fieldRanges(of: packet) }
        let ends = try partEnds(in: packet.bytes, packet.bounds)
        let parts = ends.indices.map { ($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0] }
        let ranges = Array(parts[..<header.count] + parts[(header.count + 1)...])
        guard !packedPlaces.isEmpty else { return ranges }
        return ranges.indices.map { ranges[$0 - (packedPlaces[$0]?.position ?? 0)] }
    }

    /// Returns the sequence number, which pairs a reply with its request; nil if the layout has none.
    ///
    /// A negative number is returned as its bit pattern.
    package func sequence(of packet: borrowing Packet) throws(CodecError) -> UInt64? {
        var sequence: UInt64?
        try forEachField(of: packet) { (field, value, _) throws(CodecError) in
            if field.role == .sequence { sequence = UInt64(truncatingIfNeeded: value) }
        }
        return sequence
    }

    /// Returns the values of the header and trailer fields of a packet that are there, in wire order.
    public func header(of packet: borrowing Packet) throws(CodecError) -> PacketHeader {
        var result = PacketHeader(capacity: header.count + trailer.count)
        try forEachField(of: packet) { (field, value, range) throws(CodecError) in
            guard field.role != .padding else { return }
            if field.format.isNumber {
                result.append(field.name, .integer(value))
            } else {
                var reader = ByteReader(packet.bytes, range: range)
                result.append(field.name, try reader.readHeaderText(field.format))
            }
        }
        return result
    }

    /// Reads the present fields in wire order; `body` gets the number of each, or 0, and the range of its bytes.
    func forEachField(
        of packet: borrowing Packet, _ body: (PacketField, Int128, Range<Int>) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard !dependsOnContext else { return try layout(of: packet).forEachField(of: packet, body) }
        var reader = ByteReader(packet.bytes)
        var walk = FieldWalk(self)
        for (index, field) in header.enumerated() {
            let start = reader.offset
            guard let value = try walk.value(of: field, index, &reader) else { continue }
            try body(field, value, start..<reader.offset)
        }
        reader = ByteReader(packet.bytes, range: packet.payloadRange.upperBound..<packet.bytes.byteCount)
        for (index, field) in trailer.enumerated() {
            let start = reader.offset
            guard let value = try walk.value(of: field, header.count + index, &reader) else { continue }
            try body(field, value, start..<reader.offset)
        }
    }
}

/// Reads the fields of a packet in wire order. The caller has checked the header.
private struct FieldWalk {
    private let layout: PacketLayout
    /// The bits of the run of packed fields that was read last.
    private var run = PackedBits()
    private var presence: FieldPresence

    init(_ layout: PacketLayout) {
        self.layout = layout
        presence = FieldPresence(layout)
    }

    /// The fields before it must have been read.
    func isPresent(_ index: Int) -> Bool { presence.contains(index) }

    /// Reads one of the layout's fields; nil if it is absent.
    mutating func value(
        of field: PacketField, _ index: Int, _ reader: inout ByteReader
    ) throws(CodecError) -> Int128? {
        guard presence.contains(index) else { return nil }
        let value: Int128
        if layout.hasRuns, let place = layout.packedPlace(ofField: index) {
            if place.isFirst { run = try reader.readRun(of: place) }
            value = place.value(in: run)
        } else {
            value = try reader.readHeaderField(field)
        }
        presence.note(value, of: index)
        return value
    }
}

extension PacketBounds {
    /// Returns the number that a length field ending at `offset` must contain, without its constant.
    func byteCount(of base: PacketField.LengthBase, behind offset: Int) -> Int {
        switch base {
        case .packet: packetByteCount
        case .payload: payloadEnd - payloadStart
        case .rest: packetByteCount - offset
        }
    }
}
