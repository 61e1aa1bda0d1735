// SPDX-License-Identifier: Apache-2.0

/// A number in decimal digits, without a sign.
enum WholeNumber {
    /// Larger than any limit needs, and small enough to add up without overflow.
    static let most: UInt64 = 1 << 40

    /// Returns the number in a text; nil if it is not a number or out of range.
    static func value(of text: String, in range: ClosedRange<UInt64>) -> UInt64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), range.contains(number)
        else { return nil }
        return number
    }

    /// Returns the value of an option.
    ///
    /// - Parameters:
    ///   - text: The text as it was entered.
    ///   - range: The allowed numbers.
    ///   - option: The option.
    ///   - other: A word that is allowed instead of a number.
    static func value(
        of text: String, in range: ClosedRange<UInt64>, of option: Option, or other: String? = nil
    ) throws(CommandError) -> UInt64 {
        if let number = value(of: text, in: range) { return number }
        let alternative = other.map { ", or `\($0)`" } ?? ""
        throw .usage(
            "\(option.name) is a number from \(range.lowerBound) to \(range.upperBound)\(alternative); "
                + "`\(text)` is not")
    }
}
