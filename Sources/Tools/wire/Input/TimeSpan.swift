// SPDX-License-Identifier: Apache-2.0

/// A duration as an option has it: `500ms`, `5s`, `2m`.
struct TimeSpan: Equatable, CustomStringConvertible {
    let duration: Duration
    let description: String

    /// - Parameters:
    ///   - text: The text as the user has entered it.
    ///   - option: The option that has this value.
    ///   - other: A word that is allowed in place of a duration.
    init(_ text: String, of option: Option, or other: String? = nil) throws(CommandError) {
        guard let duration = Duration(text: text) else { throw Self.failure(text, option, or: other) }
        self.duration = duration
        description = text
    }

    private static func failure(_ text: String, _ option: Option, or other: String?) -> CommandError {
        let alternative = other.map { ", or `\($0)`" } ?? ""
        return .usage(
            "\(option.name) is a number above 0 with ms, s or m after it, such as 500ms\(alternative); "
                + "`\(text)` is not")
    }
}
