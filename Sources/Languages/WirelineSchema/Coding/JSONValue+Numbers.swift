// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Reads numbers of a field's type.
extension JSONValue {
    /// Returns the exact integer, which must be in a range.
    ///
    /// If the range has numbers beyond ±(2^53 − 1), an integer in a string is accepted, too.
    ///
    /// - Parameters:
    ///   - range: The range of the integer's type.
    ///   - limit: The allowed part of the range; nil for all of it.
    ///   - expectation: The kind that the error names as expected if the value has another one.
    func integer(
        in range: ClosedRange<Int128>, limit: ClosedRange<Int128>? = nil,
        orElse expectation: TranslationError.Expectation? = nil
    ) throws(TranslationError) -> Int128 {
        let isWide = range.upperBound >= 1 << 53 || range.lowerBound <= -(1 << 53)
        let number: JSONNumber
        switch self {
        case .number(let value):
            number = value
        case .string(let text) where isWide:
            guard let value = JSONNumber(integerText: text) else {
                throw TranslationError(.notIntegerText(text))
            }
            number = value
        default:
            let expected = expectation ?? (isWide ? .wideInteger : .integer)
            throw TranslationError(.wrongKind(expected: expected, found: kind))
        }
        guard number.isInteger else { throw TranslationError(.notAnInteger(number.text)) }
        guard let value = number.integer else { throw TranslationError(.numberTooLarge(number.text)) }
        let allowed = limit ?? range
        guard allowed.contains(value) else {
            throw TranslationError(.outOfRange(value: value, minimum: allowed.lowerBound, maximum: allowed.upperBound))
        }
        return value
    }

    /// Returns the nearest number of a format; `"NaN"`, `"Infinity"` and `"-Infinity"` are accepted, too.
    func float(_ format: FloatFormat) throws(TranslationError) -> Double {
        guard case .number(let number) = self else { return try nonfinite() }
        let value = number.nearest(of: format)
        guard value.isFinite else { throw TranslationError(.numberTooLarge(number.text)) }
        return value
    }

    private func nonfinite() throws(TranslationError) -> Double {
        switch self {
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        default: throw TranslationError(.wrongKind(expected: .float, found: kind))
        }
    }
}

extension JSONValue {
    /// Makes an integer that every JSON reader keeps exact: a string beyond ±(2^53 − 1).
    ///
    /// Readers with only 64-bit floats would change such a number.
    package static func exactInteger(_ value: Int128) -> JSONValue {
        value.magnitude <= (1 << 53) - 1 ? .integer(value) : .string(String(value))
    }

    /// Makes a float: its shortest digits in a format, or its name if it is not finite there.
    static func float(_ value: Double, _ format: FloatFormat = .binary64) -> JSONValue {
        let nearest = format.nearest(to: value)
        guard nearest.isFinite else { return .string(nonfiniteName(of: nearest)) }
        return .number(JSONNumber(uncheckedText: format.digits(of: nearest)))
    }

    private static func nonfiniteName(of value: Double) -> String {
        value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
    }
}

extension JSONNumber {
    /// The number of a format that is nearest to the nearest `Double`; infinity if that is out of range. Programs in
    /// all languages round in these two steps.
    func nearest(of format: FloatFormat) -> Double { format.nearest(to: double) }

    /// Makes the integer in a string, in JSON notation: no plus, no leading zeros, no spaces.
    init?(integerText text: String) {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        self.init(uncheckedText: text)
    }
}
