// SPDX-License-Identifier: Apache-2.0

/// Numbers with their digits in groups of three: `1_000_000`.
package enum GroupedDigits {
    /// The digits of a number; those of up to four digits are not grouped.
    package static func text(of value: some BinaryInteger, separator: Character) -> String {
        let digits = String(value.magnitude)
        guard digits.count > 4 else { return value < 0 ? "-" + digits : digits }
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped.append(separator) }
            grouped.append(digit)
        }
        return value < 0 ? "-" + grouped : grouped
    }
}
