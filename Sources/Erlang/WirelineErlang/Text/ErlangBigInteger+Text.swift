// SPDX-License-Identifier: Apache-2.0

extension ErlangBigInteger: CustomStringConvertible {
    /// Longer numbers are written in hexadecimal: its time grows with the bytes, the time of decimal with their square.
    private static let decimalByteCount = 512

    /// The number in decimal; a number of more than 512 bytes in hexadecimal: `16#1F…`, which Erlang reads too.
    public var description: String {
        (isNegative ? "-" : "") + (magnitude.count > Self.decimalByteCount ? hexadecimal : decimal)
    }

    private var hexadecimal: String {
        let digits = magnitude.reversed().map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        return "16#" + digits.drop { $0 == "0" }
    }

    /// Divides by 10^9 until nothing is left.
    private var decimal: String {
        var limbs = Limbs(magnitude)
        var parts: [String] = []
        while !limbs.isZero { parts.append(String(limbs.divide(by: 1_000_000_000))) }
        let last = parts.removeLast()
        return last + parts.reversed().map { String(repeating: "0", count: 9 - $0.utf8.count) + $0 }.joined()
    }
}

/// A number without a sign, in parts of 32 bits, the least significant part first.
struct Limbs {
    private var limbs: [UInt32]

    init(_ magnitude: [UInt8] = []) {
        limbs = stride(from: 0, to: magnitude.count, by: 4).map { start in
            magnitude[start..<min(start + 4, magnitude.count)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        removeZeros()
    }

    var isZero: Bool { limbs.isEmpty }

    /// Up to three more than needed.
    var byteCount: Int { 4 * limbs.count }

    var magnitude: [UInt8] {
        limbs.flatMap { limb in stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: limb >> $0) } }
    }

    /// Returns the remainder.
    mutating func divide(by divisor: UInt32) -> UInt32 {
        var remainder: UInt64 = 0
        for index in limbs.indices.reversed() {
            let part = remainder << 32 | UInt64(limbs[index])
            limbs[index] = UInt32(part / UInt64(divisor))
            remainder = part % UInt64(divisor)
        }
        removeZeros()
        return UInt32(remainder)
    }

    mutating func multiply(by factor: UInt32, adding summand: UInt32) {
        var carry = UInt64(summand)
        for index in limbs.indices {
            let part = UInt64(limbs[index]) * UInt64(factor) + carry
            limbs[index] = UInt32(truncatingIfNeeded: part)
            carry = part >> 32
        }
        if carry > 0 { limbs.append(UInt32(carry)) }
    }

    private mutating func removeZeros() {
        while limbs.last == 0 { limbs.removeLast() }
    }
}
