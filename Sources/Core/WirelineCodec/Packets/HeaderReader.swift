// SPDX-License-Identifier: Apache-2.0

package enum ScannedPacket: Equatable {
    /// The reader needs at least this many bytes, counted from the packet's first, to continue.
    case needs(byteCount: Int)
    /// The header is complete.
    case packet(PacketBounds)
}

extension PacketLayout {
    /// Reads the packet that begins with `bytes`, always on the general path.
    ///
    /// - Returns: The number of bytes needed, or the packet's bounds. A packet that is whole has been verified.
    package func scan(_ bytes: RawSpan, limit: Int) throws(CodecError) -> ScannedPacket {
        try requireContext()
        var scan = HeaderReader(self, bytes, limit: limit)
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
struct HeaderReader: ~Escapable {
    private let layout: PacketLayout
    private let bytes: RawSpan
    private let limit: Int
    private var cursor = 0
    /// The bits of the run of packed fields that was read last.
    private var packed = PackedBits()
    /// The offset of the field that was read last.
    private var fieldStart = 0
    /// The number of bytes of the header; each varint counts as 1 byte until it has been read.
    ///
    /// A field with a condition, also of the trailer, counts only once it is known to be present.
    private var headerByteCount: Int
    private var trailerByteCount: Int
    private var presence: FieldPresence
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
        let plan = layout.plan
        headerByteCount = plan.headerByteCount
        trailerByteCount = plan.trailerByteCount
        presence = FieldPresence(layout)
        isExact = layout.isFixed
    }

    /// Reads the header; the payload may be incomplete.
    mutating func run() throws(CodecError) -> ScannedPacket {
        for (index, field) in layout.header.enumerated() {
            if layout.hasConditions {
                guard try find(field, index) else { continue }
            }
            guard let value = try value(of: field, index) else { return .needs(byteCount: needed(for: index)) }
            presence.note(value, of: index)
            try take(value, of: field)
        }
        if !isExact {
            measureTrailer()
            isExact = true
            try takeLengthsAgain(before: layout.header.count)
        }
        let total: Int
        if let packetByteCount { total = packetByteCount } else { total = try byteCountWithoutLength() }
        return .packet(
            PacketBounds(
                id: messageID, packetByteCount: total,
                PacketFrame(
                    headerByteCount: headerByteCount, trailerByteCount: trailerByteCount,
                    variant: layout.plan.variant)))
    }

    /// Returns whether a field of the header is there.
    ///
    /// If it is one with a condition, the lengths before it must have room for it, too.
    private mutating func find(_ field: PacketField, _ index: Int) throws(CodecError) -> Bool {
        guard presence.contains(index) else { return false }
        guard field.condition != nil else { return true }
        headerByteCount += layout.byteCounts[index] ?? 1
        let end = cursor
        try takeLengthsAgain(before: index)
        cursor = end
        return true
    }

    private mutating func measureTrailer() {
        for (index, field) in layout.trailer.enumerated() where field.condition != nil {
            let index = layout.header.count + index
            if presence.contains(index) { trailerByteCount += layout.byteCounts[index] ?? 0 }
        }
    }

    /// Checks the lengths of the first fields again, because the widths of other fields can change what they mean.
    private mutating func takeLengthsAgain(before end: Int) throws(CodecError) {
        cursor = 0
        packetByteCount = nil
        for (index, field) in layout.header[..<end].enumerated() where presence.contains(index) {
            guard let value = try value(of: field, index, isAgain: true) else { return }
            if field.role.isLength { try takeLength(value, of: field) }
        }
    }

    /// Returns the byte count of a packet without a length: its payload is empty, or a frame ends it.
    private func byteCountWithoutLength() throws(CodecError) -> Int {
        let around = headerByteCount + trailerByteCount
        let total = layout.isBounded ? max(around, bytes.byteCount) : around
        guard total <= limit else {
            throw CodecError(
                .packetTooLong(length: Int128(total), packetByteCount: Int128(total), limit: limit), offset: 0,
                bytes: [UInt8](copying: bytes.extracting(first: 16)), misdirectedProtocol: .init(recognising: bytes))
        }
        return total
    }

    /// Returns how many bytes the next step needs.
    ///
    /// If only the length can be wrong, this is the whole packet, as on the fast path. It never exceeds the packet: a
    /// packet that is too short for a field is refused when it is whole.
    private func needed(for index: Int) -> Int {
        guard let byteCount = layout.byteCounts[index] else { return bytes.byteCount + 1 }
        let step = min(cursor + byteCount, headerLimit)
        return layout.plan.canReadAtOnce ? max(step, packetByteCount ?? 0) : step
    }

    /// Reads a field and moves past it; returns nil if the field is incomplete.
    ///
    /// - Parameter isAgain: Whether the field was read before, so that a varint is counted already.
    private mutating func value(
        of field: PacketField, _ index: Int, isAgain: Bool = false
    ) throws(CodecError) -> Int128? {
        if layout.hasRuns, let place = layout.packedPlace(ofField: index) { return try value(of: field, place) }
        let end = min(bytes.byteCount, headerLimit)
        fieldStart = cursor
        var reader = ByteReader(bytes, range: min(cursor, end)..<end)
        do throws(CodecError) {
            let value = try reader.readHeaderField(field)
            if !isAgain, case .varint = field.format { headerByteCount += reader.offset - cursor - 1 }
            cursor = reader.offset
            return value
        } catch {
            if case .truncated = error.reason, bytes.byteCount < headerLimit { return nil }
            if case .wrongConstant = error.reason { throw wrongText(error).prefixed(by: field.path) }
            throw error.prefixed(by: field.path)
        }
    }

    /// Adds the first bytes to the error: they may tell which other protocol the peer speaks.
    private func wrongText(_ error: CodecError) -> CodecError {
        CodecError(
            error.reason, offset: error.offset, bytes: [UInt8](copying: bytes.extracting(first: 16)),
            misdirectedProtocol: .init(recognising: bytes))
    }

    /// Reads a field that shares bytes with others, and moves past all of them; nil if they are incomplete.
    private mutating func value(of field: PacketField, _ place: PackedPlace) throws(CodecError) -> Int128? {
        guard place.isFirst else { return place.value(in: packed) }
        let end = min(bytes.byteCount, headerLimit)
        fieldStart = cursor
        var reader = ByteReader(bytes, range: min(cursor, end)..<end)
        do throws(CodecError) {
            packed = try reader.readRun(of: place)
            cursor = reader.offset
            return place.value(in: packed)
        } catch {
            if case .truncated = error.reason, bytes.byteCount < headerLimit { return nil }
            throw error.prefixed(by: field.path)
        }
    }

    private mutating func take(_ value: Int128, of field: PacketField) throws(CodecError) {
        switch field.role {
        case .value, .fitting, .sequence, .checksum, .padding, .contentLength: break
        case .messageID: messageID = field.appended(to: messageID, value)
        case .constant(.integer(let constant)):
            guard value == constant else {
                throw error(.wrongConstant(value: value, expected: constant), in: field).prefixed(by: field.path)
            }
        // `readHeaderField` has compared it.
        case .constant: break
        case .length: try takeLength(value, of: field)
        }
    }

    /// Compares a length with the layout, the limit and the lengths before it.
    private mutating func takeLength(_ length: Int128, of field: PacketField) throws(CodecError) {
        guard case .length(let base, let constant) = field.role else { return }
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
        var misdirectedProtocol = CodecError.MisdirectedProtocol(recognising: bytes)
        if misdirectedProtocol == nil, let length {
            misdirectedProtocol = .init(length, field, minimum: layout.minimumPacketByteCount, limit)
        }
        return CodecError(reason, offset: fieldStart, bytes: start, misdirectedProtocol: misdirectedProtocol)
    }
}

extension PacketField {
    var path: String { "packet." + name }

    /// Returns a message ID with the bits of one more ID field appended.
    func appended(to id: UInt64, _ value: Int128) -> UInt64 {
        let width = UInt64(format.bitWidth)
        let bits = UInt64(truncatingIfNeeded: value)
        return width == 64 ? bits : id << width | bits & (UInt64.max >> (64 - width))
    }
}

extension ByteReader {
    mutating func readRun(of place: PackedPlace) throws(CodecError) -> PackedBits {
        PackedBits(try readUnsigned(byteCount: place.runByteCount, place.byteOrder))
    }

    /// Reads a field of a header or trailer that shares no bytes, and compares text with the constant that it must be.
    mutating func readHeaderField(_ field: PacketField) throws(CodecError) -> Int128 {
        guard case .constant(.text(let text)) = field.role else { return try readHeaderField(field.format) }
        try requireHeaderText(text, field.format)
        return 0
    }

    /// Reads a field of text or digits whose value must be this one.
    ///
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)`` with the first byte that differs.
    mutating func requireHeaderText(_ text: String, _ format: PacketField.Format) throws(CodecError) {
        switch format {
        case .text(let byteCount, let padding):
            try readRun(byteCount: byteCount).requireText(text, at: 0, byteCount: byteCount, padding: padding)
        case .digits(let format): try format.require(text, in: readRun(byteCount: format.byteCount))
        case .integer, .boolean, .bit, .varint, .bytes: _ = try readHeaderField(format)
        }
    }

    /// Reads a field of a header or trailer that shares no bytes.
    mutating func readHeaderField(_ format: PacketField.Format) throws(CodecError) -> Int128 {
        switch format {
        case .integer(let integer, let byteOrder): return try readNumber(integer, byteOrder)
        case .boolean, .bit: return try readBoolean() ? 1 : 0
        case .varint(let varint): return try readNumber(varint)
        case .text, .digits:
            _ = try readHeaderText(format)
            return 0
        case .bytes(let byteCount):
            _ = try readSlice(byteCount: byteCount)
            return 0
        }
    }

    mutating func readHeaderText(_ format: PacketField.Format) throws(CodecError) -> PacketHeader.FieldValue {
        switch format {
        case .text(let byteCount, let padding):
            return .text(try readFixedText(byteCount: byteCount, padding: padding))
        case .digits(let format): return .text(try format.read(from: &self))
        case .bytes(let byteCount): return .bytes([UInt8](copying: try readSlice(byteCount: byteCount)))
        case .integer, .boolean, .bit, .varint: return .integer(0)
        }
    }

    package mutating func readNumber(_ format: IntegerFormat, _ byteOrder: ByteOrder) throws(CodecError) -> Int128 {
        let run = try readRun(byteCount: format.byteCount)
        return format.isSigned
            ? Int128(run.signed(at: 0, byteCount: format.byteCount, byteOrder))
            : Int128(run.unsigned(at: 0, byteCount: format.byteCount, byteOrder))
    }
}
