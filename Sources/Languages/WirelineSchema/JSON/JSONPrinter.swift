// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension JSONValue: CustomStringConvertible {
    /// The value as one line of JSON, without spaces between its parts.
    ///
    /// Characters that could break a line or confuse a terminal or an editor are escaped: controls (C0, DEL, C1), line
    /// and paragraph separators, directional controls and invisible characters such as U+FEFF. All others are
    /// unchanged.
    public var description: String {
        var output = ""
        print(to: &output, limit: .max)
        return output
    }

    /// Returns the start of ``description``: at least `byteCount` bytes if there are as many, and not many more.
    package func description(upTo byteCount: Int) -> String {
        var output = ""
        print(to: &output, limit: byteCount)
        return output
    }

    /// - Parameter limit: The number of bytes after which to stop.
    private func print(to output: inout String, limit: Int) {
        guard output.utf8.count < limit else { return }
        switch self {
        case .null: output += "null"
        case .boolean(let value): output += value ? "true" : "false"
        case .number(let number): output += number.text
        case .string(let text): printQuoted(text, to: &output)
        case .array(let items):
            output += "["
            for (index, item) in items.enumerated() where output.utf8.count < limit {
                if index > 0 { output += "," }
                item.print(to: &output, limit: limit)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, member) in members.enumerated() where output.utf8.count < limit {
                if index > 0 { output += "," }
                printQuoted(member.name, to: &output)
                output += ":"
                member.value.print(to: &output, limit: limit)
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
    case _ where scalar.isUnsafeToShow: unicodeEscape(of: scalar)
    default: nil
    }
}

/// Returns `\u` and four digits, for each half of a surrogate pair if there is one (RFC 8259 §7).
private func unicodeEscape(of scalar: Unicode.Scalar) -> String {
    UTF16.encode(scalar).map { units in
        units.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }.joined()
    } ?? ""
}
