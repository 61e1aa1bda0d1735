// SPDX-License-Identifier: Apache-2.0

/// The bytes of a floating-point number: a binary format of IEEE 754.
public enum FloatFormat: Int, CaseIterable, Sendable {
    /// 2 bytes.
    case binary16 = 2
    /// 4 bytes.
    case binary32 = 4
    /// 8 bytes.
    case binary64 = 8

    /// The number of bytes.
    public var byteCount: Int { rawValue }

    /// The name of the type in the schema language: `float32`.
    public var name: String { "float\(8 * byteCount)" }

    package var bitFormat: IntegerFormat { IntegerFormat(bitWidth: 8 * byteCount, isSigned: false) }

    /// Whether every language has a type with exactly these numbers: many have none of 2 bytes.
    package var hasHostType: Bool { byteCount >= 4 }

    /// A NaN that signals becomes quiet.
    package func value(ofBits bits: UInt64) -> Double {
        switch self {
        case .binary16: Double(Float(halfPrecision: UInt16(truncatingIfNeeded: bits)))
        case .binary32: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case .binary64: Double(bitPattern: bits)
        }
    }

    /// An infinity's bits if the value is out of range.
    package func bits(of value: Double) -> UInt64 {
        switch self {
        case .binary16: UInt64(UInt16(halfPrecision: value))
        case .binary32: UInt64(Float(value).bitPattern)
        case .binary64: value.bitPattern
        }
    }

    /// An infinity if the value is out of range.
    package func nearest(to value: Double) -> Double { self.value(ofBits: bits(of: value)) }

    package var greatest: Double { value(ofBits: bits(of: .infinity) - 1) }

    package var range: ClosedRange<Double> { -greatest...greatest }

    /// The least number above 0.
    package var least: Double { value(ofBits: 1) }

    /// Returns the shortest digits whose nearest number of this format is the value's. Whole numbers of 16 bits have
    /// all their digits, like Swift's `Float16`.
    package func digits(of value: Double) -> String {
        switch self {
        case .binary16: "\(shortened(nearest(to: value)))"
        case .binary32: "\(Float(value))"
        case .binary64: "\(value)"
        }
    }

    /// Returns the number with the fewest digits whose nearest number of 16 bits is the value.
    private func shortened(_ value: Double) -> Float {
        // Numbers from 2^11 on are whole, and five digits are enough for those below.
        guard value != 0, value.magnitude < 2048 else { return Float(value) }
        let magnitude = value.magnitude
        let exponent = (-8...3).last { magnitude * 1e8 >= Self.powers[$0 + 8] } ?? -8
        for digitCount in 1...5 {
            let place = digitCount - 1 - exponent
            let scaled = place < 0 ? magnitude / Self.powers[-place] : magnitude * Self.powers[place]
            let below = Int(scaled)
            let part = scaled - Double(below)
            let isCloser = part < 0.5 || part == 0.5 && below.isMultiple(of: 2)
            for digits in (isCloser ? [below, below + 1] : [below + 1, below]).map(Double.init) {
                // Both numbers are exact, so this rounds once.
                let short = place < 0 ? digits * Self.powers[-place] : digits / Self.powers[place]
                if nearest(to: short) == magnitude { return Float(value < 0 ? -short : short) }
            }
        }
        return Float(value)
    }

    private static let powers = (0...12).reduce(into: [1.0]) { powers, _ in powers.append(10 * (powers.last ?? 1)) }
}
