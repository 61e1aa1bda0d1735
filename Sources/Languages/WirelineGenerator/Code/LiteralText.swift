// SPDX-License-Identifier: Apache-2.0

enum LiteralText {
    /// Returns a literal; quotes and backslashes get a backslash.
    ///
    /// - Parameters:
    ///   - units: The text, as the language counts its characters.
    ///   - escape: Returns the escape of a character outside printable ASCII.
    static func quoted<Unit: BinaryInteger>(_ units: some Sequence<Unit>, escape: (Unit) -> String) -> String {
        var result = "\""
        for unit in units {
            switch unit {
            case 0x20...0x7E:
                if unit == 0x22 || unit == 0x5C { result += "\\" }
                result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default: result += escape(unit)
            }
        }
        return result + "\""
    }

    /// Returns a literal of a text, by Unicode scalars.
    static func quoted(_ text: String, escape: (UInt32) -> String) -> String {
        quoted(text.unicodeScalars.lazy.map(\.value), escape: escape)
    }

    /// Returns bytes as escapes of two hexadecimal digits: `\x00`.
    static func escapes(_ bytes: [UInt8]) -> String { bytes.map { "\\x" + digits($0, 2) }.joined() }

    static func digits(_ value: some BinaryInteger, _ count: Int, radix: Int = 16) -> String {
        let digits = String(value, radix: radix)
        return String(repeating: "0", count: count - digits.count) + digits
    }
}
