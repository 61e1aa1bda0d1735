// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

struct TextStyle {
    private let isColoured: Bool

    /// Uses colours if the descriptor is a terminal and neither `NO_COLOR` (no-color.org) nor `TERM=dumb` is set.
    init(of descriptor: Int32) {
        let refusesColour = System.environment("NO_COLOR").map { !$0.isEmpty } ?? false
        isColoured = System.isTerminal(descriptor) && !refusesColour && System.environment("TERM") != "dumb"
    }

    func error(_ text: String) -> String { wrap(text, "1;31") }
    func warning(_ text: String) -> String { wrap(text, "1;35") }
    func help(_ text: String) -> String { wrap(text, "1;36") }
    func mark(_ text: String) -> String { wrap(text, "1;32") }
    func strong(_ text: String) -> String { wrap(text, "1") }
    func faint(_ text: String) -> String { wrap(text, "2") }

    /// ECMA-48 §8.3.117, "select graphic rendition".
    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// Escapes control sequences, and line feeds, which would begin other records.
    ///
    /// Paths, arguments and packets can contain any character.
    static func harmless(_ text: String) -> String { text.escaped() }

    /// Escapes a text of several lines. Parts from elsewhere must be escaped already.
    static func harmless(lines: String) -> String { lines.escaped(keepingLines: true) }
}
