// SPDX-License-Identifier: Apache-2.0

/// Joins the segments of a binary.
struct BitBuilder {
    private var bytes: [UInt8] = []
    /// The number of used bits in the last byte; 0: all.
    private var lastBitCount = 0

    var term: ErlangTerm {
        ErlangBits(bytes, lastBitCount: lastBitCount).map { .bits($0) } ?? .binary(bytes)
    }

    /// Adds an integer of 0 to 64 bits, the most significant bit first.
    ///
    /// - Returns: Whether the value is an integer that fits, with or without a sign. Erlang would truncate it.
    mutating func add(_ value: ErlangTerm, bitCount: Int) -> Bool {
        guard let number = value.integer(as: Int128.self), number < 1 << Int128(bitCount),
            number >= -(1 << Int128(max(bitCount, 1) - 1))
        else { return false }
        for shift in (0..<bitCount).reversed() { add(bit: number >> Int128(shift) & 1 == 1) }
        return true
    }

    /// - Returns: Whether the value is the code point of a character.
    mutating func addUTF8(_ value: ErlangTerm) -> Bool {
        guard let number = value.integer(as: UInt32.self), let scalar = Unicode.Scalar(number) else { return false }
        for byte in String(scalar).utf8 {
            for shift in (0..<8).reversed() { add(bit: byte >> UInt8(shift) & 1 == 1) }
        }
        return true
    }

    private mutating func add(bit: Bool) {
        if lastBitCount == 0 { bytes.append(0) }
        if bit { bytes[bytes.count - 1] |= 0x80 >> UInt8(lastBitCount) }
        lastBitCount = (lastBitCount + 1) % 8
    }
}
