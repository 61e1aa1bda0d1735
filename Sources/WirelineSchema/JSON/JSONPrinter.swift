// SPDX-License-Identifier: Apache-2.0

extension JSONValue: CustomStringConvertible {
    /// The value as one line of JSON, without a space between its parts.
    ///
    /// Characters stand as they are, except those that could break a line or turn a terminal or an editor upside down:
    /// controls (C0, DEL, C1), line and paragraph separators, bidirectional controls and U+FEFF are escapes.
    public var description: String {
        var output = ""
        print(to: &output)
        return output
    }

    private func print(to output: inout String) {
        switch self {
        case .null: output += "null"
        case .boolean(let value): output += value ? "true" : "false"
        case .number(let number): output += number.text
        case .string(let text): printQuoted(text, to: &output)
        case .array(let items):
            output += "["
            for (index, item) in items.enumerated() {
                if index > 0 { output += "," }
                item.print(to: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { output += "," }
                printQuoted(member.name, to: &output)
                output += ":"
                member.value.print(to: &output)
            }
            output += "}"
        }
    }
}

private func printQuoted(_ text: String, to output: inout String) {
    output += "\""
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
        output += text
    } else {
        for scalar in text.unicodeScalars {
            if let escape = escape(of: scalar) { output += escape } else { output.unicodeScalars.append(scalar) }
        }
    }
    output += "\""
}

private func escape(of scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\u{08}": "\\b"
    case "\u{0C}": "\\f"
    case _ where mustBeEscaped(scalar): unicodeEscape(of: scalar)
    default: nil
    }
}

private func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true  // C0, DEL and C1: terminals obey them
    case 0x2028, 0x2029: true  // line and paragraph separator
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // Bidi_Control (UAX #9)
    case 0xFEFF: true  // invisible, and eaten as a byte order mark
    default: false
    }
}

/// `\u` and four digits; all that must be escaped lies in the Basic Multilingual Plane.
private func unicodeEscape(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
}
