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
        guard let duration = Self.duration(text) else { throw Self.failure(text, option) }
        self.duration = duration
        description = text
    }

    /// The time that a text says; nil where it says none.
    static func duration(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        // Nobody waits for longer than that.
        guard let number = Int64(digits), (1...1_000_000_000).contains(number) else { return nil }
        return switch text.dropFirst(digits.count) {
        case "ms": .milliseconds(number)
        case "s": .seconds(number)
        case "m": .seconds(number * 60)
        default: nil
        }
    }

    private static func failure(_ text: String, _ option: Option) -> CommandError {
        .failure("\(option.name) is a number above 0 with ms, s or m behind it, such as 500ms; `\(text)` is not")
    }
}
