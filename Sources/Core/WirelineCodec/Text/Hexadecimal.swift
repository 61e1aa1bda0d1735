// SPDX-License-Identifier: Apache-2.0

/// Conversion of bytes to hexadecimal text and back.
public enum Hexadecimal {
    /// Returns two lower-case digits for each byte, without separators: `0000000f4e21`.
    public static func text(of bytes: RawSpan) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.byteCount)
        for offset in 0..<bytes.byteCount { append(bytes[offset], to: &digits) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns two lower-case digits for each byte, without separators.
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

    /// Returns the bytes of hexadecimal text, in the forms that people paste.
    ///
    /// Digits may be in upper and lower case. Between bytes, white space, `:`, `-`, `,`, `0x` and `\x` are skipped, and
    /// `#` starts a comment up to the end of its line. The two digits of a byte must be adjacent.
    ///
    /// Dumps are read too: those of `hexdump -C`, `xxd`, `tcpdump -X` and `od -t x1` (with addresses in any radix),
    /// with an address before each line and perhaps the bytes as text after them. A line `*` stands for lines that
    /// repeat the one before it, at most 64 MiB in a dump; no other line may be missing. A dump extends to the end of
    /// the text.
    ///
    /// - Throws: ``CodecError/Reason/invalidHex``, with the offset of the first invalid byte in the text's UTF-8;
    ///   ``CodecError/Reason/missingDumpLine``.
    public static func bytes(of text: String) throws(CodecError) -> [UInt8] {
        try bytes(of: Array(text.utf8))
    }

    /// Returns the bytes of hexadecimal ASCII; see ``bytes(of:)-(String)``.
    ///
    /// ``HexadecimalReader`` takes text that arrives in pieces.
    ///
    /// - Throws: As ``bytes(of:)-(String)``.
    public static func bytes(of text: [UInt8]) throws(CodecError) -> [UInt8] {
        var reader = HexadecimalReader()
        return try reader.receive(text) + reader.finish()
    }

    /// Reads pairs of digits and skips separators, prefixes and comments.
    static func append(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) throws(HexadecimalFlaw) {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "#") {
                while index < text.endIndex, text[index] != UInt8(ascii: "\n") { index += 1 }
            } else if isSeparator(text[index]) {
                index += 1
            } else if isPrefix(text, at: index) {
                index += 2
            } else {
                guard let high = value(text[index]) else { throw HexadecimalFlaw(index: index) }
                guard index + 1 < text.endIndex, let low = value(text[index + 1]) else {
                    throw HexadecimalFlaw(index: index + 1)
                }
                bytes.append(high << 4 | low)
                index += 2
            }
        }
    }

    /// Returns how many bytes of an unfinished line can be read before more arrive.
    static func safeByteCount(_ text: ArraySlice<UInt8>) -> Int {
        if let comment = text.firstIndex(of: UInt8(ascii: "#")) { return comment - text.startIndex }
        if let separator = text.lastIndex(where: isSeparator) { return separator + 1 - text.startIndex }
        // Digits without separators come in pairs, and so do `0x` and `\x`, which need the digit after them.
        let count = max(0, text.count - 4) / 2 * 2
        return count > 0 && text[text.startIndex + count - 1] | 0x20 == UInt8(ascii: "x") ? count - 2 : count
    }

    /// Nil if the digits are none of the radix, or more than 16.
    static func number(_ digits: ArraySlice<UInt8>, _ radix: UInt64) -> UInt64? {
        guard !digits.isEmpty, digits.count <= 16 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard let value = value(digit), value < radix else { return nil }
            // At most 16 digits of at most 4 bits.
            number = number * radix + UInt64(value)
        }
        return number
    }

    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: ","): true
        default: isWhiteSpace(byte)
        }
    }

    /// Whether a prefix with a digit after it begins here.
    private static func isPrefix(_ text: ArraySlice<UInt8>, at index: Int) -> Bool {
        guard index + 2 < text.endIndex, value(text[index + 2]) != nil else { return false }
        switch (text[index], text[index + 1]) {
        case (UInt8(ascii: "0"), UInt8(ascii: "x")), (UInt8(ascii: "0"), UInt8(ascii: "X")): return true
        case (UInt8(ascii: "\\"), UInt8(ascii: "x")): return true
        default: return false
        }
    }

    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The place where a pair of digits was expected.
struct HexadecimalFlaw: Error {
    let index: Int
}
