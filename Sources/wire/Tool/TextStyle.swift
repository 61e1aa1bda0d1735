// SPDX-License-Identifier: Apache-2.0

/// Colours, where somebody sees them.
struct TextStyle {
    private let isColoured: Bool

    /// Colours on a terminal, unless `NO_COLOR` (no-color.org) or `TERM=dumb` is set.
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

    /// Text with escapes in place of what a terminal would obey: paths, arguments and packets can hold anything.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isObeyed) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isObeyed(scalar) {
                result += escape(of: scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// As in JSON; all that is obeyed lies in the Basic Multilingual Plane.
    private static func escape(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F..<0xA0: true  // C0, DEL and C1
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true  // direction, invisible
        default: false
        }
    }
}
