// SPDX-License-Identifier: Apache-2.0

/// Base64 with the standard alphabet and padding (RFC 4648 §4).
///
/// Reading is strict: it accepts exactly one text for each sequence of bytes.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let byteCount = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < byteCount ? UInt32(bytes[start + index]) : 0) }
            for index in 0..<4 {
                let digit = Int(group >> UInt32(18 - 6 * index) & 0x3F)
                text.append(index <= byteCount ? alphabet[digit] : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func decode(_ text: String) throws(Base64Error) -> [UInt8] {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { throw .invalidLength(byteCount: digits.count) }
        let paddingCount = digits.suffix(2).reversed().prefix { $0 == padding }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var group: UInt32 = 0
        for (offset, digit) in digits.dropLast(paddingCount).enumerated() {
            guard let value = value(of: digit) else { throw .invalidCharacter(offset: offset) }
            group = group << 6 | value
            if offset % 4 == 3 {
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
        }
        try appendRest(of: group, paddingCount: paddingCount, to: &bytes)
        return bytes
    }

    /// Appends the last one or two bytes, from a group of two or three digits.
    private static func appendRest(of group: UInt32, paddingCount: Int, to bytes: inout [UInt8]) throws(Base64Error) {
        switch paddingCount {
        case 1:
            guard group & 0b11 == 0 else { throw .trailingBits }
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        case 2:
            guard group & 0b1111 == 0 else { throw .trailingBits }
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        default:
            break
        }
    }

    private static let padding = UInt8(ascii: "=")

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
