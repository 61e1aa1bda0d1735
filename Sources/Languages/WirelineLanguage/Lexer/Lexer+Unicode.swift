// SPDX-License-Identifier: Apache-2.0

extension Lexer {
    /// Reports a file that is not UTF-8.
    ///
    /// - Returns: Whether the file can still be read; UTF-16 and UTF-32 cannot.
    func checkEncoding() -> Bool {
        let help = "save the file as UTF-8"
        switch source.encodingFault() {
        case nil: return true
        case .utf16(let isBigEndian):
            let name = isBigEndian ? "UTF-16BE" : "UTF-16LE"
            reporter.error(
                "the file is not UTF-8; it looks like \(name)", at: span(0..<0),
                help: "convert it: `iconv -f \(name) -t UTF-8`")
            return false
        case .utf32:
            reporter.error("the file is not UTF-8; it looks like UTF-32", at: span(0..<0), help: help)
            return false
        case .notUTF8(let offset, true):
            reporter.error(
                "the file is not UTF-8 at byte \(offset); it looks like GBK", at: span(offset..<offset + 1),
                help: "convert it: `iconv -f GBK -t UTF-8`")
        case .notUTF8(let offset, false):
            reporter.error("the file is not UTF-8 at byte \(offset)", at: span(offset..<offset + 1), help: help)
        }
        return true
    }

    /// Reads a character beyond ASCII where a token could start.
    mutating func lexBeyondASCII() {
        guard let (scalar, byteCount) = source.scalar(at: offset) else {
            // checkEncoding has reported the file; most likely the bytes were meant as a name.
            var end = offset + 1
            while end < source.bytes.count, source.bytes[end].isNameByte || source.scalar(at: end) == nil { end += 1 }
            return append(.name, to: end, isFaulty: true)
        }
        let range = offset..<offset + byteCount
        if scalar.isCurlyQuote {
            lexString(from: offset, quoteByteCount: byteCount)
        } else if let ascii = scalar.fullWidthOriginal {
            reporter.error(
                "full-width `\(scalar)` (\(scalar.codePoint)) where `\(Character(ascii))` is expected", at: span(range),
                help: "write `\(Character(ascii))`")
            if let kind = Token.Kind(ascii: UInt8(ascii: ascii)) {
                append(kind, to: range.upperBound, isFaulty: true)
            } else {
                append(.unexpected, to: range.upperBound, isFaulty: true)
            }
        } else if scalar.isWordlike {
            lexWordBeyondASCII()
        } else {
            reportInvisible(scalar, range)
            advance(to: range.upperBound)
        }
    }

    func reportNameBeyondASCII(_ range: Range<Int>) {
        let text = source.text(range)
        reporter.error(
            "\(text.quoted) is not a name: names are ASCII letters, digits and `_`", at: span(range),
            help: "use an ASCII name, and say `\(text.prefix(20))` in a comment after it")
    }

    private mutating func lexWordBeyondASCII() {
        let isNumber = source.scalar(at: offset).map { (0xFF10...0xFF19).contains($0.scalar.value) } ?? false
        guard isNumber else { return lexName() }
        var end = offset
        while let (scalar, byteCount) = source.scalar(at: end),
            (0xFF10...0xFF19).contains(scalar.value) || (scalar.isASCII && UInt8(ascii: scalar).isDigit)
        {
            end += byteCount
        }
        reporter.error(
            "full-width digits where a number is expected", at: span(offset..<end),
            help: "write ASCII digits: `0` to `9`")
        append(.number, to: end, isFaulty: true)
    }

    private func reportInvisible(_ scalar: Unicode.Scalar, _ range: Range<Int>) {
        switch scalar.value {
        case 0xFEFF:
            reporter.error(
                "a byte order mark (U+FEFF) inside the file", at: span(range),
                help: "remove it; files joined with `cat` have one in the middle")
        case 0x3000:
            reporter.error("full-width space (U+3000)", at: span(range), help: "write an ordinary space")
        default:
            let isVisible = !scalar.properties.isWhitespace && scalar.properties.generalCategory != .format
            reporter.error(
                "\(isVisible ? "`\(scalar)`" : "invisible character") (\(scalar.codePoint)) outside of a comment",
                at: span(range), help: isVisible ? "remove it" : "remove it, or write an ordinary space")
        }
    }
}

extension Unicode.Scalar {
    /// The code point, such as `U+FF1B`.
    var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The ASCII mark that an East Asian keyboard's mark replaces; nil for letters and digits.
    var fullWidthOriginal: Unicode.Scalar? {
        switch self {
        case "、": return ","
        case "。": return ";"
        case "【", "〔", "「": return "["
        case "】", "〕", "」": return "]"
        default: break
        }
        guard (0xFF01...0xFF5E).contains(value), let ascii = Unicode.Scalar(UInt32(value - 0xFEE0)) else { return nil }
        return UInt8(ascii: ascii).isNameByte && ascii != "_" ? nil : ascii
    }

    /// Whether the character usually is part of a word.
    var isWordlike: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    var isCurlyQuote: Bool { ["“", "”", "„", "‘", "’", "＂"].contains(self) }
}
