// SPDX-License-Identifier: Apache-2.0

extension PacketLayout {
    /// Returns the bounds of bytes that must be exactly one packet, on the general path.
    @usableFromInline @inline(never)
    func boundsOfOnlyPacket(in bytes: RawSpan, limit: Int) throws(CodecError) -> PacketBounds {
        if let bounds = quickHeader?.bounds(in: bytes, at: 0, limit: limit),
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

    /// Checks what only a whole packet shows: its trailer and its checksum. Header and lengths have been checked.
    func verify(_ bytes: RawSpan, _ bounds: inout PacketBounds) throws(CodecError) {
        guard !plan.canReadAtOnce else { return }
        var reader = ByteReader(bytes)
        for (part, field) in header.enumerated() { try verify(field, part, &reader, bytes, &bounds) }
        reader = ByteReader(bytes, range: bounds.payloadEnd..<bytes.byteCount)
        for (index, field) in trailer.enumerated() {
            try verify(field, header.count + 1 + index, &reader, bytes, &bounds)
        }
    }

    /// - Parameter part: The field's position among the parts of a packet.
    private func verify(
        _ field: PacketField, _ part: Int, _ reader: inout ByteReader, _ bytes: RawSpan, _ bounds: inout PacketBounds
    ) throws(CodecError) {
        let offset = reader.offset
        do throws(CodecError) {
            let value = try reader.readHeaderField(field.format)
            switch field.role {
            case .constant(let constant) where value != constant:
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

    /// Returns what a checksum field of a packet must contain.
    private func computedChecksum(
        _ part: Int, _ bytes: RawSpan, _ bounds: PacketBounds
    ) throws(CodecError) -> UInt32 {
        guard let planned = checksums.first(where: { $0.part == part }) else { return 0 }
        guard planned.parts != payloadParts else {
            return planned.kind.checksum(of: bytes.extracting(bounds.payloadStart..<bounds.payloadEnd))
        }
        return planned.value(in: bytes, try partEnds(in: bytes, bounds))
    }

    /// The positions of the payload among the parts of a packet.
    var payloadParts: Range<Int> { header.count..<header.count + 1 }

    /// Returns the end of each part of a packet whose header has been checked, in bytes from its first.
    private func partEnds(in bytes: RawSpan, _ bounds: PacketBounds) throws(CodecError) -> [Int] {
        var ends: [Int] = []
        var reader = ByteReader(bytes)
        for field in header {
            _ = try reader.readHeaderField(field.format)
            ends.append(reader.offset)
        }
        ends.append(bounds.payloadEnd)
        for field in trailer { ends.append((ends.last ?? 0) + (field.format.byteCount ?? 0)) }
        return ends
    }

    /// Returns the bytes of each header and trailer field of a packet, in wire order.
    package func fieldRanges(of packet: borrowing Packet) throws(CodecError) -> [Range<Int>] {
        let ends = try partEnds(in: packet.bytes, packet.bounds)
        let parts = ends.indices.map { ($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0] }
        return Array(parts[..<header.count] + parts[(header.count + 1)...])
    }

    /// Returns the sequence number, which pairs a reply with its request; nil if the layout has none.
    ///
    /// A negative number is returned as its bit pattern.
    package func sequence(of packet: borrowing Packet) throws(CodecError) -> UInt64? {
        var sequence: UInt64?
        try forEachField(of: packet) { field, value in
            if field.role == .sequence { sequence = UInt64(truncatingIfNeeded: value) }
        }
        return sequence
    }

    /// Returns the values of all header and trailer fields of a packet, in wire order.
    public func header(of packet: borrowing Packet) throws(CodecError) -> PacketHeader {
        var result = PacketHeader()
        try forEachField(of: packet) { field, value in result[field.name] = value }
        return result
    }

    private func forEachField(
        of packet: borrowing Packet, _ body: (PacketField, Int128) -> Void
    ) throws(CodecError) {
        var reader = ByteReader(packet.bytes)
        for field in header { body(field, try reader.readHeaderField(field.format)) }
        reader = ByteReader(packet.bytes, range: packet.payloadRange.upperBound..<packet.bytes.byteCount)
        for field in trailer { body(field, try reader.readHeaderField(field.format)) }
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
