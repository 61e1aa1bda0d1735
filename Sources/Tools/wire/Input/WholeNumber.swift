// SPDX-License-Identifier: Apache-2.0

/// A number in decimal digits, without a sign.
enum WholeNumber {
    /// The limit is above any useful value. Sums of such numbers do not overflow.
    static let most: UInt64 = 1 << 40

    /// Returns the number; nil if the text is not a number or out of range.
    static func value(of text: String, in range: ClosedRange<UInt64>) -> UInt64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), range.contains(number)
        else { return nil }
        return number
    }

    /// Returns the value of an option, or throws if it is out of range.
    ///
    /// - Parameters:
    ///   - text: The text as the user has entered it.
    ///   - range: The allowed numbers.
    ///   - option: The option that has this value.
    ///   - other: A word that is allowed in place of a number.
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
