// SPDX-License-Identifier: Apache-2.0

extension ErlangUnwrapping {
    /// A number of bytes: a constant, plus the sizes of earlier varints and fields with a condition.
    struct Count {
        var constant: Int
        var widths: [String] = []

        var text: String {
            let constants = constant == 0 && !widths.isEmpty ? [] : [String(constant)]
            return (constants + widths).joined(separator: " + ")
        }

        var parenthesized: String { widths.isEmpty ? text : "(\(text))" }

        static func + (left: Count, right: Int) -> Count {
            Count(constant: left.constant + right, widths: left.widths)
        }
        static func - (left: Count, right: Int) -> Count { left + -right }
        static func + (left: Count, right: Count) -> Count {
            Count(constant: left.constant + right.constant, widths: left.widths + right.widths)
        }
    }
}
