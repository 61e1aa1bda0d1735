// SPDX-License-Identifier: Apache-2.0

/// A span of time as people write it: `500ms`, `5s`, `2m`.
struct TimeSpan: Equatable, CustomStringConvertible {
    let duration: Duration
    /// As it was written.
    let description: String

    /// - Parameters:
    ///   - text: What was written.
    ///   - option: Of which option it is the value.
    init(_ text: String, of option: Option) throws(CommandError) {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        // Nobody waits for longer than that.
        guard let number = Int64(digits), (1...1_000_000_000).contains(number) else { throw Self.failure(text, option) }
        switch text.dropFirst(digits.count) {
        case "ms": duration = .milliseconds(number)
        case "s": duration = .seconds(number)
        case "m": duration = .seconds(number * 60)
        default: throw Self.failure(text, option)
        }
        description = text
    }

    private static func failure(_ text: String, _ option: Option) -> CommandError {
        .failure("\(option.name) is a number above 0 with ms, s or m behind it, such as 500ms; `\(text)` is not")
    }
}
