// SPDX-License-Identifier: Apache-2.0

/// Bytes as hexadecimal text, and text as bytes.
public enum Hexadecimal {
    /// Two lower-case digits for each byte, nothing between them: `0000000f4e21`.
    public static func text(of bytes: RawSpan) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.byteCount)
        for offset in 0..<bytes.byteCount { append(bytes[offset], to: &digits) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Two lower-case digits for each byte, nothing between them.
    public static func text(of bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        for byte in bytes { append(byte, to: &digits) }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to digits: inout [UInt8]) {
        digits.append(digit(byte >> 4))
        digits.append(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// The bytes that hexadecimal text stands for, the way people paste it.
    ///
    /// Upper and lower case; between bytes white space, `:`, `-`, `,`, `0x` and `\x` are passed over, and `#` starts a
    /// comment that goes to the end of its line. The two digits of a byte stand together.
    ///
    /// - Throws: ``CodecError/Reason/invalidHex``, with the offset in the text's UTF-8 of what does not belong there.
    public static func bytes(of text: String) throws(CodecError) -> [UInt8] {
        try bytes(of: Array(text.utf8))
    }

    /// The bytes that hexadecimal ASCII stands for; see ``bytes(of:)-(String)``.
    ///
    /// - Throws: ``CodecError/Reason/invalidHex``.
    public static func bytes(of text: [UInt8]) throws(CodecError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 2)
        var offset = 0
        while offset < text.count {
            if text[offset] == UInt8(ascii: "#") {
                while offset < text.count, text[offset] != UInt8(ascii: "\n") { offset += 1 }
            } else if isSeparator(text[offset]) {
                offset += 1
            } else if isPrefix(text, at: offset) {
                offset += 2
            } else {
                guard offset + 1 < text.count, let high = value(text[offset]), let low = value(text[offset + 1]) else {
                    throw CodecError(.invalidHex, offset: firstFlaw(text, at: offset))
                }
                result.append(high << 4 | low)
                offset += 2
            }
        }
        return result
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: ","): true
        default: false
        }
    }

    /// `0x`, `0X` or `\x` with a digit behind it.
    private static func isPrefix(_ text: [UInt8], at offset: Int) -> Bool {
        guard offset + 2 < text.count, value(text[offset + 2]) != nil else { return false }
        switch (text[offset], text[offset + 1]) {
        case (UInt8(ascii: "0"), UInt8(ascii: "x")), (UInt8(ascii: "0"), UInt8(ascii: "X")): return true
        case (UInt8(ascii: "\\"), UInt8(ascii: "x")): return true
        default: return false
        }
    }

    private static func firstFlaw(_ text: [UInt8], at offset: Int) -> Int {
        value(text[offset]) == nil ? offset : offset + 1
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
