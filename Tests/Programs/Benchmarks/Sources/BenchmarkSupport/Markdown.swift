// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A table whose first column is text and whose others are numbers.
package func markdownTable(_ heads: [String], _ rows: [[String]]) -> String {
    let rule = ["---"] + Array(repeating: "--:", count: heads.count - 1)
    return ([heads, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
}

extension Double {
    package func rounded(places: Int) -> Double {
        let factor = Double(repeatElement(10, count: places).reduce(1, *))
        return (self * factor).rounded() / factor
    }

    package var threeDigits: String {
        String(format: self >= 100 ? "%.0f" : self >= 10 ? "%.1f" : "%.2f", self)
    }

    package var timesText: String {
        String(format: self >= 10 ? "%.0f×" : self >= 3 ? "%.1f×" : "%.2f×", self)
    }
}
