// SPDX-License-Identifier: Apache-2.0

/// The result of reading a packet's header.
package enum ScannedPacket: Equatable {
    /// At least this many bytes, counted from the packet's first, are needed to go on.
    case needs(byteCount: Int)
    /// The header is complete.
    case packet(PacketBounds)
}

extension PacketLayout {
    /// Reads the packet that begins with `bytes`, always on the general path.
    ///
    /// - Returns: The number of bytes needed, or the packet's bounds. A packet that is whole has been verified.
    package func scan(_ bytes: RawSpan, limit: Int) throws(CodecError) -> ScannedPacket {
        var scan = HeaderScan(self, bytes, limit: limit)
        let result = try scan.run()
        guard case .packet(var bounds) = result, bounds.packetByteCount <= bytes.byteCount else { return result }
        try verify(bytes.extracting(0..<bounds.packetByteCount), &bounds)
        return .packet(bounds)
    }
}

/// Reads the header of a packet that may be incomplete.
///
/// This is the general path. It serves every layout and the bytes near the end of a read, and it makes the errors. It
/// checks a length as soon as the length is complete, so a wrong one is an error and never a wait.
struct HeaderScan: ~Escapable {
    private let layout: PacketLayout
    private let bytes: RawSpan
    private let limit: Int
    private var cursor = 0
    /// The offset of the field that was read last.
    private var fieldStart = 0
    /// The number of bytes of the header; a varint counts as 1 byte until it has been read.
    private var headerByteCount: Int
    private var messageID: UInt64 = 0
    private var packetByteCount: Int?
    /// An upper bound for the header's end, taken from lengths, so that no field is awaited past the packet's end.
    private var headerLimit = Int.max
    /// Whether ``headerByteCount`` is exact, not only a lower bound.
    private var isExact: Bool

    /// - Parameter bytes: All bytes available, from the packet's first on.
    @_lifetime(copy bytes)
    init(_ layout: PacketLayout, _ bytes: RawSpan, limit: Int) {
        self.layout = layout
        self.bytes = bytes
        self.limit = max(0, limit)
        headerByteCount = layout.plan.headerByteCount
        isExact = layout.isFixed
    }

    /// Reads the header; the payload may be incomplete.
    mutating func run() throws(CodecError) -> ScannedPacket {
        for field in layout.header {
            guard let value = try value(of: field) else { return .needs(byteCount: needed(for: field)) }
            try take(value, of: field)
        }
        if !isExact { try takeLengthsAgain() }
        let total = packetByteCount ?? headerByteCount + layout.plan.trailerByteCount
        return .packet(
            PacketBounds(
                id: messageID, packetByteCount: total,
                PacketFrame(headerByteCount: headerByteCount, trailerByteCount: layout.plan.trailerByteCount)))
    }

    /// Checks the lengths again once the varint's width is known, because that width can change what they mean.
    private mutating func takeLengthsAgain() throws(CodecError) {
        isExact = true
        cursor = 0
        packetByteCount = nil
        for field in layout.header {
            guard let value = try value(of: field) else { return }
            if field.role.isLength { try takeLength(value, of: field) }
        }
    }

    /// Returns how many bytes the next step needs.
    ///
    /// If only the length can be wrong, this is the whole packet, as on the fast path.
    private func needed(for field: PacketField) -> Int {
        guard let byteCount = field.format.byteCount else { return bytes.byteCount + 1 }
        let step = cursor + byteCount
        return layout.plan.canReadAtOnce ? max(step, packetByteCount ?? 0) : step
    }

    /// Reads a field and moves past it; returns nil if the field is incomplete.
    private mutating func value(of field: PacketField) throws(CodecError) -> Int128? {
        let end = min(bytes.byteCount, headerLimit)
        fieldStart = cursor
        var reader = ByteReader(bytes, range: min(cursor, end)..<end)
        do throws(CodecError) {
            let value = try reader.readHeaderField(field.format)
            if case .varint = field.format {
                headerByteCount = layout.plan.headerByteCount - 1 + (reader.offset - cursor)
            }
            cursor = reader.offset
            return value
        } catch {
            if case .truncated = error.reason, bytes.byteCount < headerLimit { return nil }
            throw error.prefixed(by: field.path)
        }
    }

    private mutating func take(_ value: Int128, of field: PacketField) throws(CodecError) {
        switch field.role {
        case .value, .sequence, .checksum: break
        case .messageID: messageID = field.appended(to: messageID, value)
        case .constant(let constant):
            guard value == constant else {
                throw error(.wrongConstant(value: value, expected: constant), in: field).prefixed(by: field.path)
            }
        case .length: try takeLength(value, of: field)
        }
    }

    /// Compares a length with the layout, the limit and the lengths before it.
    private mutating func takeLength(_ length: Int128, of field: PacketField) throws(CodecError) {
        guard case .length(let base, let constant) = field.role else { return }
        let trailerByteCount = layout.plan.trailerByteCount
        let minimum = headerByteCount + trailerByteCount
        let toPacket: Int =
            switch base {
            case .packet: -constant
            case .payload: minimum - constant
            case .rest: cursor - constant
            }
        let total = length + Int128(toPacket)
        let least = max(Int128(minimum - toPacket), field.range.lowerBound)
        guard length >= least else {
            throw error(.lengthTooSmall(length: length, minimum: least), in: field, length)
        }
        guard total <= Int128(limit) else {
            throw error(.packetTooLong(length: length, packetByteCount: total, limit: limit), in: field, length)
        }
        if isExact, let packetByteCount, packetByteCount != Int(total) {
            let expected = Int128(packetByteCount) - Int128(toPacket)
            throw error(.lengthMismatch(length: length, expected: expected), in: field).prefixed(by: field.path)
        }
        packetByteCount = Int(total)
        if base != .payload { headerLimit = min(headerLimit, Int(total)) }
    }

    private func error(_ reason: CodecError.Reason, in field: PacketField, _ length: Int128? = nil) -> CodecError {
        let start = [UInt8](copying: bytes.extracting(first: 16))
        var lookalike = CodecError.Lookalike(recognising: bytes)
        if lookalike == nil, let length {
            lookalike = .init(length, field, minimum: layout.minimumPacketByteCount, limit)
        }
        return CodecError(reason, offset: fieldStart, bytes: start, lookalike: lookalike)
    }
}

extension PacketField {
    /// The field's name in the path of an error.
    var path: String { "packet." + name }

    /// Returns a message ID with the bits of one more ID field appended.
    func appended(to id: UInt64, _ value: Int128) -> UInt64 {
        let width = UInt64(format.bitWidth)
        let bits = UInt64(truncatingIfNeeded: value)
        return width == 64 ? bits : id << width | bits & (UInt64.max >> (64 - width))
    }
}

extension ByteReader {
    /// Reads a field of a header or trailer.
    mutating func readHeaderField(_ format: PacketField.Format) throws(CodecError) -> Int128 {
        switch format {
        case .integer(let integer, let byteOrder): return try readNumber(integer, byteOrder)
        case .boolean: return try readBoolean() ? 1 : 0
        case .varint(let varint): return try readNumber(varint)
        }
    }

    /// Reads an integer whose format is known only at run time.
    package mutating func readNumber(_ format: IntegerFormat, _ byteOrder: ByteOrder) throws(CodecError) -> Int128 {
        switch format {
        case .uint8: Int128(try readInteger(as: UInt8.self, byteOrder))
        case .uint16: Int128(try readInteger(as: UInt16.self, byteOrder))
        case .uint24: Int128(try readUnsigned24(byteOrder))
        case .uint32: Int128(try readInteger(as: UInt32.self, byteOrder))
        case .uint64: Int128(try readInteger(as: UInt64.self, byteOrder))
        case .int8: Int128(try readInteger(as: Int8.self, byteOrder))
        case .int16: Int128(try readInteger(as: Int16.self, byteOrder))
        case .int24: Int128(try readSigned24(byteOrder))
        case .int32: Int128(try readInteger(as: Int32.self, byteOrder))
        case .int64: Int128(try readInteger(as: Int64.self, byteOrder))
        }
    }
}
