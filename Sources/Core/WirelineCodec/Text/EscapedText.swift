// SPDX-License-Identifier: Apache-2.0

/// Escapes for text from a peer, a file or a schema that goes to logs, errors and terminals.
///
/// All modules escape the same characters in the same way; JSON has its own escapes.
extension Unicode.Scalar {
    /// Whether the character must be escaped when it is shown.
    ///
    /// Terminals obey control characters. U+0080 to U+009F are one-character forms of ESC sequences (ECMA-48 §5.3).
    /// Some separators end a line, so that one line could look like two. Directional controls show a line in a
    /// different order than it is read. Invisible characters make two texts look the same. U+200C and U+200D are
    /// allowed: text needs them to join letters and emoji.
    package var isUnsafeToShow: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0: true  // C0, DEL and C1
        case 0x2028, 0x2029: true  // line and paragraph separator
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // Bidi_Control (UAX #9)
        case 0xAD, 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0xFFF0...0xFFFB: true  // invisible
        case 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true  // invisible: musical controls, tags
        default: false
        }
    }
}

extension StringProtocol {
    /// Returns the text with escapes such as `\u{9B}` for the characters that must not be shown.
    ///
    /// - Parameter keepsLines: Whether line feeds stay (default: no).
    package func escaped(keepingLines keepsLines: Bool = false) -> String {
        if utf8.allSatisfy({ 0x20..<0x7F ~= $0 || keepsLines && $0 == 0x0A }) { return String(self) }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isUnsafeToShow, !keepsLines || scalar != "\n" {
                result += Self.escape(of: scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the text in quotes, escaped like a Swift string literal.
    ///
    /// - Parameter limit: The most Unicode scalars that are shown (default 64). A longer text ends with `…` after the
    ///   quotes.
    package func inQuotes(limit: Int = 64) -> String {
        let shown = unicodeScalars.prefix(limit)
        var result = "\""
        for scalar in shown {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isUnsafeToShow: result += Self.escape(of: scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + (shown.endIndex < unicodeScalars.endIndex ? "\"…" : "\"")
    }

    private static func escape(of scalar: Unicode.Scalar) -> String {
        "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
}
