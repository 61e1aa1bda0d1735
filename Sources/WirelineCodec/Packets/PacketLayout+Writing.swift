// SPDX-License-Identifier: Apache-2.0

/// The sizes of a packet that is about to be written.
@usableFromInline
struct PacketMeasure: Sendable {
    @usableFromInline var headerByteCount: Int
    @usableFromInline var packetByteCount: Int
}

extension PacketPlan {
    /// Returns the byte count of a packet whose header can be written as one number.
    ///
    /// Nil if it cannot, or if something is wrong: the general path then makes the error.
    @inlinable @inline(__always)
    package func byteCountAtOnce(id: UInt64, payloadByteCount: Int, limit: Int) -> Int? {
        let (byteCount, overflow) = payloadByteCount.addingReportingOverflow(minimumPacketByteCount)
        guard canWriteAtOnce, id <= mostMessageID, !overflow, byteCount <= limit, byteCount <= mostPacketByteCount,
            byteCount >= leastPacketByteCount
        else { return nil }
        return byteCount
    }

    /// Returns the header of a packet as one number.
    ///
    /// ``byteCountAtOnce(id:payloadByteCount:limit:)`` has measured the packet before. The header is computed apart
    /// from writing it, so that the compiler need not pass the whole plan there.
    @inlinable @inline(__always)
    func headerAtOnce(id: UInt64, packetByteCount: Int) -> (bits: UInt128, byteCount: Int) {
        var bits = template
        bits |= firstLength.bits(packetByteCount: packetByteCount)
        bits |= secondLength.bits(packetByteCount: packetByteCount)
        bits |= UInt128(id) &<< UInt128(truncatingIfNeeded: messageIDShift)
        return (bits, headerByteCount)
    }

    /// Writes the packet of a payload into a buffer.
    ///
    /// The buffer has exactly as many bytes as ``byteCountAtOnce(id:payloadByteCount:limit:)`` returned.
    @inlinable @inline(__always)
    @unsafe
    package func encodeAtOnce(id: UInt64, payload: RawSpan, into buffer: UnsafeMutableRawBufferPointer) {
        let header = headerAtOnce(id: id, packetByteCount: buffer.count)
        var byteCount = 0
        // SAFETY: the caller lends the buffer for the call, and `fill` compares the count with the buffer's.
        unsafe ByteWriter.fill(buffer, &byteCount, byteCount: buffer.count) { writer in
            writer.writeStart(of: header.bits, byteCount: header.byteCount)
            writer.writeShortBytes(payload)
        }
    }
}

extension PacketLayout {
    /// Returns the sizes of a packet, for any layout.
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
            let fields = HeaderValues(layout: self, measure: measure, id: id, set: values)
            // A length can count its own varint: the first width that holds the resulting value is the shortest.
            let needed = fields.varintByteCount ?? varintByteCount
            if needed <= varintByteCount {
                // Other lengths count the varint too: before its width is known, they can seem out of range.
                try check(fields)
                return measure
            }
            varintByteCount = needed
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

    /// Checks that every value fits its field.
    private func check(_ values: HeaderValues) throws(CodecError) {
        var end = 0
        for (index, field) in fields.enumerated() {
            if index == header.count { end = values.measure.packetByteCount - plan.trailerByteCount }
            end += values.byteCount(of: field)
            let value = values.value(of: field, endingAt: end)
            guard field.range.contains(value) else {
                throw values.fault(of: field, value).prefixed(by: field.path)
            }
        }
        guard hasMessageID ? values.id <= maximumMessageID : values.id == 0 else {
            throw CodecError(.invalidMessageID(values.id))
        }
    }

    /// Writes the header, with 0 for checksums, which are set after the payload is written.
    func writeHeader(_ measure: PacketMeasure, id: UInt64, values: PacketHeader, to writer: inout ByteWriter) {
        let values = HeaderValues(layout: self, measure: measure, id: id, set: values)
        for field in header { values.write(field, to: &writer) }
    }

    /// Writes the trailer, with 0 for checksums as well.
    func writeTrailer(_ measure: PacketMeasure, id: UInt64, values: PacketHeader, to writer: inout ByteWriter) {
        let values = HeaderValues(layout: self, measure: measure, id: id, set: values)
        for field in trailer { values.write(field, to: &writer) }
    }

    /// Computes the checksums of a packet that has been written with 0 for them, in wire order.
    func fillChecksums(_ measure: PacketMeasure, _ writer: inout ByteWriter) {
        guard !checksums.isEmpty else { return }
        let ends = partEnds(measure)
        for checksum in checksums {
            let field = fields[fieldIndex(of: checksum)]
            guard case .integer(let format, let byteOrder) = field.format else { continue }
            // This checksum and the later ones are still zeros, as they must be.
            let value = writer.checksum(checksum.kind, of: checksum.range(ends))
            let bytes = format.byteCount
            writer.overwrite(UInt64(value), byteCount: bytes, at: ends[checksum.part] - bytes, byteOrder)
        }
    }

    /// Returns the end of each part of a packet, in bytes from its first.
    private func partEnds(_ measure: PacketMeasure) -> [Int] {
        var ends: [Int] = []
        var end = 0
        for field in header {
            end += field.format.byteCount ?? measure.headerByteCount - (plan.headerByteCount - 1)
            ends.append(end)
        }
        end = measure.packetByteCount - plan.trailerByteCount
        ends.append(end)
        for field in trailer {
            end += field.format.byteCount ?? 0
            ends.append(end)
        }
        return ends
    }
}

/// The values of all fields of one packet's header and trailer.
private struct HeaderValues {
    let layout: PacketLayout
    let measure: PacketMeasure
    let id: UInt64
    let set: PacketHeader

    /// - Parameter end: The end of the field, in bytes from the packet's first.
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

    /// The number of bytes that the header's varint needs; nil if it has none.
    var varintByteCount: Int? {
        var end = 0
        for field in layout.header {
            end += byteCount(of: field)
            guard case .varint(let format) = field.format else { continue }
            let value = value(of: field, endingAt: end)
            return format.bits(of: field.role.isLength ? max(0, value) : value).varintByteCount
        }
        return nil
    }

    /// Returns the number of bytes of a field; for a varint, the width in the measure.
    func byteCount(of field: PacketField) -> Int {
        field.format.byteCount ?? measure.headerByteCount - (layout.plan.headerByteCount - 1)
    }

    private func byteCount(of base: PacketField.LengthBase, behind end: Int) -> Int {
        switch base {
        case .packet: measure.packetByteCount
        case .payload: measure.packetByteCount - measure.headerByteCount - layout.plan.trailerByteCount
        case .rest: measure.packetByteCount - end
        }
    }

    /// Returns the bits of an ID that belong to one of its fields, as a number of that field.
    private func part(of id: UInt64, for field: PacketField) -> Int128 {
        var rest = id
        for candidate in layout.fields.reversed() where candidate.role == .messageID {
            let width = candidate.format.bitWidth
            let bits = rest & (UInt64.max >> UInt64(64 - width))
            if candidate.name == field.name {
                guard field.format.isSigned else { return Int128(bits) }
                return Int128(Int64(truncatingIfNeeded: bits << UInt64(64 - width)) >> Int64(64 - width))
            }
            rest = width == 64 ? 0 : rest >> UInt64(width)
        }
        return 0
    }

    func fault(of field: PacketField, _ value: Int128) -> CodecError {
        let range = field.range
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
        let value = value(of: field, endingAt: writer.offset + byteCount(of: field))
        switch field.format {
        case .integer(let format, let byteOrder): writer.writeNumber(value, format, byteOrder)
        case .boolean: writer.writeNumber(value, .uint8, .bigEndian)
        case .varint(let format): writer.writeVarint(format.bits(of: value))
        }
    }
}

extension ByteWriter {
    /// Writes the low bits of an integer whose format is known only at run time.
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
        if byteCount <= 8, room >= 8 {
            // SAFETY: 8 bytes are free; the fields after the header overwrite those that the header does not need.
            unsafe start.storeBytes(of: UInt64(truncatingIfNeeded: bits >> 64).bigEndian, as: UInt64.self)
        } else if room >= 16 {
            // SAFETY: 16 bytes are free; the fields after the header overwrite those that the header does not need.
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

    /// Writes borrowed bytes, of which there are usually few: 8 to 32 are written with two stores, which may overlap,
    /// because a call of `memcpy` takes longer.
    @inlinable @inline(__always)
    mutating func writeShortBytes(_ bytes: RawSpan) {
        if bytes.byteCount >= 16, bytes.byteCount <= 32 {
            writeEnds(of: bytes, as: UInt128.self)
        } else if bytes.byteCount >= 8, bytes.byteCount < 16 {
            writeEnds(of: bytes, as: UInt64.self)
        } else {
            writeBytes(bytes)
        }
    }

    /// Writes bytes as two numbers. There are as many as one number has, or more, and at most as many as two have.
    @inlinable @inline(__always)
    mutating func writeEnds<T: FixedWidthInteger & BitwiseCopyable>(of bytes: RawSpan, as type: T.Type) {
        let start = unsafe advance(by: bytes.byteCount)
        let end = bytes.byteCount &- MemoryLayout<T>.size
        // SAFETY: both numbers lie inside the bytes, and advance(by:) has checked the capacity for as many; any bits are
        // an integer.
        let last = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: T.self)
        unsafe start.storeBytes(of: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: T.self), as: T.self)
        unsafe start.storeBytes(of: last, toByteOffset: end, as: T.self)
    }

    /// Overwrites the bytes of a number, at most 8, that have been written.
    mutating func overwrite(_ value: UInt64, byteCount: Int, at offset: Int, _ byteOrder: ByteOrder) {
        precondition(
            offset >= 0 && byteCount <= 8 && offset + byteCount <= position, "only what has been written is overwritten"
        )
        for index in 0..<byteCount {
            let shift = 8 * (byteOrder == .bigEndian ? byteCount - 1 - index : index)
            // SAFETY: offset + index lies before position, by the precondition.
            unsafe base.storeBytes(
                of: UInt8(truncatingIfNeeded: value >> UInt64(shift)), toByteOffset: offset + index, as: UInt8.self)
        }
    }

    /// Returns the checksum of bytes that have been written.
    func checksum(_ kind: ChecksumKind, of range: Range<Int>) -> UInt32 {
        precondition(range.lowerBound >= 0 && range.upperBound <= position, "only what has been written has a checksum")
        // SAFETY: the range lies before position, by the precondition, and those bytes are initialised.
        let bytes = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return unsafe kind.checksum(of: bytes.bytes)
    }
}
