// SPDX-License-Identifier: Apache-2.0

/// How a floating-point number stands in bytes: a binary format of IEEE 754.
public enum FloatFormat: Int, CaseIterable, Sendable {
    /// 4 bytes.
    case binary32 = 4
    /// 8 bytes.
    case binary64 = 8

    /// The number of bytes.
    public var byteCount: Int { rawValue }

    /// The name of the type in the schema language: `float32`.
    public var name: String { "float\(8 * byteCount)" }

    /// The format of its bits as an integer.
    package var bitFormat: IntegerFormat { IntegerFormat(bitWidth: 8 * byteCount, isSigned: false) }

    /// Whether languages have a type with exactly its numbers: they have none of fewer than 4 bytes.
    package var hasHostType: Bool { byteCount >= 4 }

    /// Returns the number that bits stand for. A NaN that signals becomes quiet.
    package func value(ofBits bits: UInt64) -> Double {
        switch self {
        case .binary32: Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case .binary64: Double(bitPattern: bits)
        }
    }

    /// Returns the bits of the nearest number; those of an infinity if the value is out of range.
    package func bits(of value: Double) -> UInt64 {
        switch self {
        case .binary32: UInt64(Float(value).bitPattern)
        case .binary64: value.bitPattern
        }
    }

    /// Returns the nearest number; an infinity if the value is out of range.
    package func nearest(to value: Double) -> Double { self.value(ofBits: bits(of: value)) }

    /// The greatest finite number.
    package var greatest: Double { value(ofBits: bits(of: .infinity) - 1) }

    /// The least number above 0.
    package var least: Double { value(ofBits: 1) }

    /// Returns the shortest digits that the nearest number has and no other one.
    package func digits(of value: Double) -> String { self == .binary64 ? "\(value)" : "\(Float(value))" }
}
