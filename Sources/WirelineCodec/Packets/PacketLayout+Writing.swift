// SPDX-License-Identifier: Apache-2.0

/// The sizes of a packet that is about to be written.
@usableFromInline
struct PacketMeasure: Sendable {
    @usableFromInline var headerByteCount: Int
    @usableFromInline var packetByteCount: Int
}

extension PacketPlan {
    /// Measures a packet whose header can be written as one number.
    ///
    /// Nil where it cannot, or where something is wrong: the general path knows how to say it.
    @inlinable @inline(__always)
    package func byteCountAtOnce(id: UInt64, payloadByteCount: Int, limit: Int) -> Int? {
        let (byteCount, overflow) = payloadByteCount.addingReportingOverflow(minimumPacketByteCount)
        guard canWriteAtOnce, id <= mostMessageID, !overflow, byteCount <= limit, byteCount <= mostPacketByteCount,
            byteCount >= leastPacketByteCount
        else { return nil }
        return byteCount
    }

    /// The header of a packet as one number, where ``byteCountAtOnce(id:payloadByteCount:limit:)`` has measured it.
    ///
    /// It is made apart from where it is written, so that the compiler need not carry the whole plan there.
    @inlinable @inline(__always)
    func headerAtOnce(id: UInt64, packetByteCount: Int) -> (bits: UInt128, byteCount: Int) {
        var bits = template
        bits |= firstLength.bits(packetByteCount: packetByteCount)
        bits |= secondLength.bits(packetByteCount: packetByteCount)
        bits |= UInt128(id) &<< UInt128(truncatingIfNeeded: messageIDShift)
        return (bits, headerByteCount)
    }

    /// Writes the packet of a payload into memory of just the bytes that ``byteCountAtOnce(id:payloadByteCount:limit:)`` has
    /// counted.
    @inlinable @inline(__always)
    @unsafe
    package func encodeAtOnce(id: UInt64, payload: RawSpan, into buffer: UnsafeMutableRawBufferPointer) {
        let header = headerAtOnce(id: id, packetByteCount: buffer.count)
        var byteCount = 0
        unsafe ByteWriter.fill(buffer, &byteCount, byteCount: buffer.count) { writer in
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writer.writeBytes(payload)
        }
    }
}

extension PacketLayout {
    /// Measures a packet of any layout.
    func measure(
        payloadByteCount: Int, id: UInt64, header values: PacketHeader, limit: Int
    ) throws(CodecError) -> PacketMeasure {
        precondition(payloadByteCount >= 0, "a payload has no fewer than 0 bytes")
        try checkSettable(values)
        var measure = PacketMeasure(headerByteCount: 0, packetByteCount: 0)
        var varintByteCount = 1
        while true {
            measure.headerByteCount = plan.headerByteCount + (isFixed ? 0 : varintByteCount - 1)
            let total = Int128(payloadByteCount) + Int128(measure.headerByteCount + plan.trailerByteCount)
            guard total <= Int128(limit) else {
                throw CodecError(.packetTooLong(length: total, packetByteCount: total, limit: limit))
            }
            measure.packetByteCount = Int(total)
            let actual = try check(HeaderValues(layout: self, measure: measure, id: id, set: values))
            // A length that counts its own varint: the first width that holds the length it causes is the shortest.
            if isFixed || actual == varintByteCount { return measure }
            varintByteCount = max(varintByteCount + 1, actual)
        }
    }

    private func checkSettable(_ values: PacketHeader) throws(CodecError) {
        for (name, _) in values.fields {
            switch fields.first(where: { $0.name == name })?.role {
            case .value, .sequence: break
            default: throw CodecError(.invalidHeaderField(name))
            }
        }
    }

    /// Checks that every value fits its field; returns how many bytes the varint takes.
    private func check(_ values: HeaderValues) throws(CodecError) -> Int {
        var offset = 0
        var varintByteCount = 0
        for (index, field) in fields.enumerated() {
            if index == header.count { offset = values.measure.packetByteCount - plan.trailerByteCount }
            var width = field.format.byteCount ?? 0
            if field.format.byteCount == nil {
                width = values.measure.headerByteCount - (plan.headerByteCount - 1)
                let value = values.value(of: field, endingAt: offset + width)
                varintByteCount = UInt64(clamping: value).varintByteCount
            }
            offset += width
            let value = values.value(of: field, endingAt: offset)
            guard field.format.range.contains(value) else {
                throw values.fault(of: field, value).prefixed(by: field.path)
            }
        }
        guard hasMessageID ? values.id <= maximumMessageID : values.id == 0 else {
            throw CodecError(.invalidMessageID(values.id))
        }
        return varintByteCount
    }

    /// Writes the header; checksums are written as 0 and put in by ``writeChecksums(to:payload:)``.
    func writeHeader(_ measure: PacketMeasure, id: UInt64, values: PacketHeader, to writer: inout ByteWriter) {
        let values = HeaderValues(layout: self, measure: measure, id: id, set: values)
        for field in header { values.write(field, to: &writer) }
    }

    /// Writes the trailer, with the same rule for checksums.
    func writeTrailer(_ measure: PacketMeasure, id: UInt64, values: PacketHeader, to writer: inout ByteWriter) {
        let values = HeaderValues(layout: self, measure: measure, id: id, set: values)
        for field in trailer { values.write(field, to: &writer) }
    }

    /// Where the checksum stands in a packet, and its byte order.
    func checksumPlace(_ measure: PacketMeasure) -> (offset: Int, byteOrder: ByteOrder)? {
        var offset = 0
        for (index, field) in fields.enumerated() {
            if index == header.count { offset = measure.packetByteCount - plan.trailerByteCount }
            if field.role == .checksum, case .integer(_, let byteOrder) = field.format { return (offset, byteOrder) }
            offset += field.format.byteCount ?? measure.headerByteCount - (plan.headerByteCount - 1)
        }
        return nil
    }
}

extension UInt64 {
    /// How many bytes the number takes as LEB128 in its shortest form: 1 to 10.
    @inlinable
    public var varintByteCount: Int { self == 0 ? 1 : (70 - leadingZeroBitCount) / 7 }
}

/// What every field of one packet's header and trailer is set to.
private struct HeaderValues {
    let layout: PacketLayout
    let measure: PacketMeasure
    let id: UInt64
    let set: PacketHeader

    /// - Parameter end: Where the field ends, in bytes from the packet's first.
    func value(of field: PacketField, endingAt end: Int) -> Int128 {
        switch field.role {
        case .value(let value): set[field.name] ?? value
        case .sequence: set[field.name] ?? 0
        case .constant(let value): value
        case .checksum: 0
        case .messageID: part(of: id, for: field)
        case .length(let base, let constant): Int128(constant) + Int128(byteCount(of: base, behind: end))
        }
    }

    private func byteCount(of base: PacketField.LengthBase, behind end: Int) -> Int {
        switch base {
        case .packet: measure.packetByteCount
        case .payload: measure.packetByteCount - measure.headerByteCount - layout.plan.trailerByteCount
        case .rest: measure.packetByteCount - end
        }
    }

    /// The bits of an ID that belong into one of its fields, as a number of that field.
    private func part(of id: UInt64, for field: PacketField) -> Int128 {
        var rest = id
        for candidate in layout.fields.reversed() where candidate.role == .messageID {
            let width = candidate.format.bitWidth
            let bits = rest & (UInt64.max >> UInt64(64 - width))
            if candidate.name == field.name {
                guard case .integer(let format, _) = field.format, format.isSigned else { return Int128(bits) }
                return Int128(Int64(truncatingIfNeeded: bits << UInt64(64 - width)) >> Int64(64 - width))
            }
            rest = width == 64 ? 0 : rest >> UInt64(width)
        }
        return 0
    }

    func fault(of field: PacketField, _ value: Int128) -> CodecError {
        let range = field.format.range
        guard field.role.isLength else {
            return CodecError(.outOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound))
        }
        guard value > range.upperBound else {
            return CodecError(.lengthTooSmall(length: value, minimum: range.lowerBound))
        }
        let most = Int(clamping: range.upperBound - value + Int128(measure.packetByteCount))
        let total = Int128(measure.packetByteCount)
        return CodecError(.packetTooLong(length: value, packetByteCount: total, limit: most))
    }

    func write(_ field: PacketField, to writer: inout ByteWriter) {
        let start = writer.offset
        switch field.format {
        case .integer(let format, let byteOrder):
            writer.writeNumber(value(of: field, endingAt: start + format.byteCount), format, byteOrder)
        case .boolean:
            writer.writeNumber(value(of: field, endingAt: start + 1), .uint8, .bigEndian)
        case .varint:
            let width = measure.headerByteCount - (layout.plan.headerByteCount - 1)
            writer.writeVarint(UInt64(truncatingIfNeeded: value(of: field, endingAt: start + width)))
        }
    }
}

extension ByteWriter {
    /// Writes the low bits of an integer whose format is known at run time only.
    package mutating func writeNumber(_ value: Int128, _ format: IntegerFormat, _ byteOrder: ByteOrder) {
        switch format {
        case .uint8, .int8: writeInteger(UInt8(truncatingIfNeeded: value), byteOrder)
        case .uint16, .int16: writeInteger(UInt16(truncatingIfNeeded: value), byteOrder)
        case .uint24, .int24: writeUnsigned24(UInt32(truncatingIfNeeded: value), byteOrder)
        case .uint32, .int32: writeInteger(UInt32(truncatingIfNeeded: value), byteOrder)
        case .uint64, .int64: writeInteger(UInt64(truncatingIfNeeded: value), byteOrder)
        }
    }

    /// Writes the first `byteCount` bytes, at most 16, of a big-endian number.
    @inlinable @inline(__always)
    mutating func writeStart(of bits: UInt128, byteCount: Int) {
        let room = capacity &- position
        let start = unsafe advance(by: byteCount)
        if room >= 16 {
            // SAFETY: 16 bytes of room; what the header does not need of them is written over by what follows it.
            unsafe start.storeBytes(of: bits.bigEndian, as: UInt128.self)
        } else {
            var rest = bits
            for index in 0..<byteCount {
                // SAFETY: index < byteCount, which advance(by:) has checked.
                unsafe start.storeBytes(of: UInt8(truncatingIfNeeded: rest >> 120), toByteOffset: index, as: UInt8.self)
                rest <<= 8
            }
        }
    }

    /// Puts a number over four bytes that have been written.
    mutating func overwrite(_ value: UInt32, at offset: Int, _ byteOrder: ByteOrder) {
        precondition(offset >= 0 && offset + 4 <= position, "only what has been written is written over")
        // SAFETY: the four bytes lie before position, by the precondition.
        unsafe base.storeBytes(
            of: byteOrder == .bigEndian ? value.bigEndian : value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// The CRC-32 of bytes that have been written.
    func checksum(of range: Range<Int>) -> UInt32 {
        precondition(range.lowerBound >= 0 && range.upperBound <= position, "only what has been written has a checksum")
        // SAFETY: the range lies before position, by the precondition, and those bytes are initialised.
        let bytes = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return unsafe CRC32.checksum(of: bytes.bytes)
    }
}
