// SPDX-License-Identifier: Apache-2.0

extension ByteReader {
    /// Reads an unsigned integer of variable length (LEB128).
    ///
    ///     byte 0           byte 1 …
    ///     +-+-------------+-+-------------+
    ///     |1|  bits 0–6   |0|  bits 7–13  |
    ///     +-+-------------+-+-------------+
    ///
    /// - Parameters:
    ///   - maximumByteCount: The longest accepted form (default 10, enough for 64 bits).
    ///   - forms: The accepted forms; by default only the shortest.
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``,
    ///   ``CodecError/Reason/varintTooLong(maximumByteCount:)``, ``CodecError/Reason/varintNotShortest``.
    public mutating func readVarint(
        maximumByteCount: Int = 10, _ forms: VarintForms = .shortest
    ) throws(CodecError) -> UInt64 {
        try readLEB128(bitWidth: 64, maximumByteCount, forms)
    }

    /// Reads a `zigzag`: a signed integer of 64 bits whose numbers near 0 are short.
    ///
    /// - Parameters:
    ///   - maximumByteCount: The longest accepted form (default 10).
    ///   - forms: The accepted forms; by default only the shortest.
    /// - Throws: What ``readVarint(maximumByteCount:_:)`` throws.
    public mutating func readZigzag(
        maximumByteCount: Int = 10, _ forms: VarintForms = .shortest
    ) throws(CodecError) -> Int64 {
        Int64(zigzag: try readLEB128(bitWidth: 64, maximumByteCount, forms))
    }

    /// Reads a `varint32`: LEB128 of the two's complement in 32 bits.
    ///
    /// - Parameters:
    ///   - maximumByteCount: The longest accepted form (default 5); negative numbers take 5 bytes.
    ///   - forms: The accepted forms; by default only the shortest.
    /// - Throws: What ``readVarint(maximumByteCount:_:)`` throws.
    public mutating func readVarint32(
        maximumByteCount: Int = 5, _ forms: VarintForms = .shortest
    ) throws(CodecError) -> Int32 {
        let bits = try readLEB128(bitWidth: 32, maximumByteCount, forms)
        return Int32(bitPattern: UInt32(truncatingIfNeeded: bits))
    }

    /// Reads a `varint64`: LEB128 of the two's complement in 64 bits.
    ///
    /// - Parameters:
    ///   - maximumByteCount: The longest accepted form (default 10); negative numbers take 10 bytes.
    ///   - forms: The accepted forms; by default only the shortest.
    /// - Throws: What ``readVarint(maximumByteCount:_:)`` throws.
    public mutating func readVarint64(
        maximumByteCount: Int = 10, _ forms: VarintForms = .shortest
    ) throws(CodecError) -> Int64 {
        Int64(bitPattern: try readLEB128(bitWidth: 64, maximumByteCount, forms))
    }

    package mutating func readNumber(_ format: VarintFormat) throws(CodecError) -> Int128 {
        let (most, forms) = (format.maximumByteCount, format.forms)
        return switch format.encoding {
        case .unsigned: Int128(try readVarint(maximumByteCount: most, forms))
        case .zigzag: Int128(try readZigzag(maximumByteCount: most, forms))
        case .signed32: Int128(try readVarint32(maximumByteCount: most, forms))
        case .signed64: Int128(try readVarint64(maximumByteCount: most, forms))
        }
    }

    private mutating func readLEB128(
        bitWidth: Int, _ maximumByteCount: Int, _ forms: VarintForms
    ) throws(CodecError) -> UInt64 {
        // The last byte of the width has fewer than seven bits.
        let lastIndex = (bitWidth - 1) / 7
        let lastMaximum = UInt8(1) << (bitWidth - 7 * lastIndex) - 1
        var value: UInt64 = 0
        var index = 0
        while true {
            guard index < maximumByteCount else { throw error(.varintTooLong(maximumByteCount: maximumByteCount)) }
            guard position + index < end else { throw truncated(index + 1) }
            // SAFETY: position + index < end, by the guard above.
            let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position + index, as: UInt8.self)
            guard index < lastIndex || byte <= lastMaximum else {
                throw error(.varintTooLong(maximumByteCount: maximumByteCount))
            }
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            index += 1
            guard byte >= 0x80 else {
                guard byte != 0 || index == 1 || forms == .any else { throw error(.varintNotShortest) }
                position += index
                return value
            }
        }
    }

    @usableFromInline
    mutating func readVarintCount(_ forms: VarintForms) throws(CodecError) -> Int {
        Int(clampingCount: try readCountBits(forms))
    }

    /// Reads a count with a sign; it takes the same bytes as one without.
    mutating func readZigzagCount(_ forms: VarintForms) throws(CodecError) -> Int32 {
        Int32(truncatingIfNeeded: Int64(zigzag: UInt64(try readCountBits(forms))))
    }

    private mutating func readCountBits(_ forms: VarintForms) throws(CodecError) -> UInt32 {
        let start = position
        let count = try readVarint(maximumByteCount: 5, forms)
        guard let count = UInt32(exactly: count) else {
            position = start
            throw error(.varintTooLong(maximumByteCount: 5))
        }
        return count
    }
}
