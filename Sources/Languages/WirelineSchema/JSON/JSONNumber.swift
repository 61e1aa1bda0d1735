// SPDX-License-Identifier: Apache-2.0

/// A JSON number as written, so that no digit is lost between a text and a field.
public struct JSONNumber: Equatable, Sendable {
    /// The number in the notation of RFC 8259 §6: `-12`, `0.5`, `1e3`.
    public let text: String

    /// Makes a number from an integer.
    public init(_ value: Int128) {
        text = String(value)
    }

    /// Makes a number from a float: the shortest digits that give the same `Double` back.
    ///
    /// - Returns: nil for infinities and NaN, which JSON numbers cannot express.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// Makes a number from a float: the shortest digits that give the same `Float` back.
    ///
    /// - Returns: nil for infinities and NaN, which JSON numbers cannot express.
    public init?(_ value: Float) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// Makes a number of text that is known to follow the grammar.
    init(uncheckedText text: String) {
        self.text = text
    }

    /// Whether the text has neither a fraction nor an exponent.
    public var isInteger: Bool {
        text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-") }
    }

    /// The exact integer (0 for `-0`); nil with a fraction or an exponent, and beyond 128 bits.
    public var integer: Int128? { isInteger ? Int128(text) : nil }

    /// The nearest `Double`; infinity if the number is out of its range.
    public var double: Double { Double(text) ?? .nan }

    /// The nearest `Float`, rounded once; infinity if the number is out of its range.
    public var float: Float { Float(text) ?? .nan }
}
