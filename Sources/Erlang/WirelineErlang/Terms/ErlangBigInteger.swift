// SPDX-License-Identifier: Apache-2.0

/// An integer that needs more than 64 bits.
///
/// It is kept as it came, in bytes: a hostile peer may send integers of many kilobytes, and computing with them is slow.
/// There is only one way to say each integer: one that an `Int64` can hold is always ``ErlangTerm/integer(_:)``.
public struct ErlangBigInteger: Hashable, Sendable {
    /// Whether the number is below 0.
    public let isNegative: Bool
    /// The number without its sign, the least significant byte first and the most significant one not 0.
    public let magnitude: [UInt8]

    /// Makes an integer; nil for a number that an `Int64` can hold.
    ///
    /// - Parameters:
    ///   - isNegative: Whether the number is below 0.
    ///   - magnitude: The number without its sign, the least significant byte first; zeros at the end do not count.
    public init?(isNegative: Bool, magnitude: [UInt8]) {
        let byteCount = (magnitude.lastIndex { $0 != 0 } ?? -1) + 1
        guard byteCount >= 8 else { return nil }
        var low: UInt64 = 0
        for byte in magnitude[..<8].reversed() { low = low << 8 | UInt64(byte) }
        guard byteCount > 8 || low > (isNegative ? 1 << 63 : UInt64(Int64.max)) else { return nil }
        self.isNegative = isNegative
        self.magnitude = byteCount == magnitude.count ? magnitude : Array(magnitude[..<byteCount])
    }
}

extension ErlangTerm {
    /// Makes a term of any integer.
    public init(_ value: some BinaryInteger) {
        if let small = Int64(exactly: value) {
            self = .integer(small)
            return
        }
        var magnitude: [UInt8] = []
        for word in value.magnitude.words {
            for shift in stride(from: 0, to: UInt.bitWidth, by: 8) {
                magnitude.append(UInt8(truncatingIfNeeded: word >> UInt(shift)))
            }
        }
        self.init(isNegative: value < 0, magnitude: magnitude)
    }

    /// Makes an integer of its bytes, the least significant one first.
    public init(isNegative: Bool, magnitude: [UInt8]) {
        if let big = ErlangBigInteger(isNegative: isNegative, magnitude: magnitude) {
            self = .bigInteger(big)
            return
        }
        var value: UInt64 = 0
        for byte in magnitude.prefix(8).reversed() { value = value << 8 | UInt64(byte) }
        self = .integer(Int64(bitPattern: isNegative ? 0 &- value : value))
    }

    /// Returns the integer that this term is; nil if it is another term, or does not fit the type.
    public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        switch self {
        case .integer(let value): return Integer(exactly: value)
        case .bigInteger(let big):
            var value: Integer = 0
            for byte in big.magnitude.reversed() {
                let (product, isTooLarge) = value.multipliedReportingOverflow(by: 256)
                let digit = Integer(truncatingIfNeeded: byte)
                let (sum, isBeyond) =
                    big.isNegative
                    ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
                guard !isTooLarge, !isBeyond else { return nil }
                value = sum
            }
            return value
        default: return nil
        }
    }
}
