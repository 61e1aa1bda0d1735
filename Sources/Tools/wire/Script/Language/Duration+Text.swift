// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Makes a duration from a whole number and a unit, such as `500ms`, `5s` or `2m`; nil for any other text.
    package init?(text: some StringProtocol) {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        // The bound rules out overflow of `number * 60`. No script needs a longer wait.
        guard let number = Int64(digits), (1...1_000_000_000).contains(number) else { return nil }
        switch text.dropFirst(digits.count) {
        case "ms": self = .milliseconds(number)
        case "s": self = .seconds(number)
        case "m": self = .seconds(number * 60)
        default: return nil
        }
    }
}
