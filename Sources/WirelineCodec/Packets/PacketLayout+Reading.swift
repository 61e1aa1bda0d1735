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
        for field in header { try verify(field, &reader, bytes, &bounds, isInTrailer: false) }
        reader = ByteReader(bytes, range: bounds.payloadEnd..<bytes.byteCount)
        for field in trailer { try verify(field, &reader, bytes, &bounds, isInTrailer: true) }
    }

    private func verify(
        _ field: PacketField, _ reader: inout ByteReader, _ bytes: RawSpan, _ bounds: inout PacketBounds,
        isInTrailer: Bool
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
            case .checksum:
                let payload = bytes.extracting(bounds.payloadStart..<bounds.payloadEnd)
                let computed = CRC32.checksum(of: payload)
                guard value == Int128(computed) else {
                    let value = UInt32(truncatingIfNeeded: value)
                    throw CodecError(.wrongChecksum(value: value, computed: computed), offset: offset)
                }
            case .messageID where isInTrailer:
                bounds.id = field.appended(to: bounds.id, value)
            default: break
            }
        } catch {
            throw error.prefixed(by: field.path)
        }
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
