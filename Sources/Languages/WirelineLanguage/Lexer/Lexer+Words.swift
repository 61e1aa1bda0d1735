// SPDX-License-Identifier: Apache-2.0

extension Lexer {
    /// Names become Erlang atoms of at most 255 characters, with text added before or after.
    private static let nameByteLimit = 128

    /// Reads a name that starts at ``offset``. It includes letters beyond ASCII, so that one word is one problem.
    mutating func lexName() {
        let (end, isASCII) = endOfWord(from: offset)
        let isTooLong = end - offset > Self.nameByteLimit
        if !isASCII {
            reportNameBeyondASCII(offset..<end)
        } else if isTooLong {
            reporter.error(
                "this name has \(end - offset) bytes, and a name has at most \(Self.nameByteLimit)",
                at: span(offset..<end), help: "Erlang atoms, which it becomes a part of, are limited to 255 characters")
        }
        append(.name, to: end, isFaulty: !isASCII || isTooLong)
    }

    /// Reads a decimal or hexadecimal number that starts at ``offset``, perhaps with a fraction.
    mutating func lexNumber() {
        let bytes = source.bytes
        var end = offset
        let isHexadecimal =
            bytes[offset] == UInt8(ascii: "0") && byteAfter(offset).map { $0 | 0x20 } == UInt8(ascii: "x")
        end = endOfWord(from: offset).end
        let hasFraction = end + 1 < bytes.count && bytes[end] == UInt8(ascii: ".") && bytes[end + 1].isDigit
        if hasFraction, !isHexadecimal { end = endOfWord(from: end + 1).end }
        // The sign of an exponent: 1e-3.
        if !isHexadecimal, bytes[end - 1] | 0x20 == UInt8(ascii: "e"), end + 1 < bytes.count,
            bytes[end] == UInt8(ascii: "-") || bytes[end] == UInt8(ascii: "+"), bytes[end + 1].isDigit
        {
            end = endOfWord(from: end + 1).end
        }
        let text = source.text(offset..<end)
        let fault = NumberSyntax.fault(in: text)
        if let fault { reporter.error(fault.message, at: span(offset..<end), help: fault.help) }
        append(.number, to: end, isFaulty: fault != nil)
    }

    private func endOfWord(from start: Int) -> (end: Int, isASCII: Bool) {
        var end = start
        var isASCII = true
        while end < source.bytes.count {
            if source.bytes[end].isNameByte {
                end += 1
            } else if source.bytes[end] >= 0x80, let (scalar, byteCount) = source.scalar(at: end), scalar.isWordlike {
                isASCII = false
                end += byteCount
            } else {
                break
            }
        }
        return (end, isASCII)
    }

    // MARK: Characters

    /// Returns the end of a character in single quotes that starts at ``offset``; nil if there is none.
    private func characterEnd() -> (end: Int, isASCII: Bool)? {
        guard offset + 1 < source.bytes.count, let (scalar, byteCount) = source.scalar(at: offset + 1) else {
            return nil
        }
        let end = offset + 1 + byteCount
        guard end < source.bytes.count, source.bytes[end] == UInt8(ascii: "'") else { return nil }
        return (end + 1, scalar.value >= 0x20 && scalar.value < 0x7F)
    }

    /// Reads a character such as `'Q'`, which is a number; text in single quotes is a string with wrong quotes.
    mutating func lexCharacter() {
        if let (end, isASCII) = characterEnd() {
            if !isASCII {
                reporter.error(
                    "\(source.text(offset..<end).quoted) is not a printable ASCII character", at: span(offset..<end),
                    help: "write its number, such as `0x51`")
            }
            append(.number, to: end, isFaulty: !isASCII)
        } else if byteAfter(offset) == UInt8(ascii: "'") {
            reporter.error(
                "a character is missing between the quotes", at: span(offset..<offset + 2),
                help: "as in `'Q'`, which is 0x51")
            append(.number, to: offset + 2, isFaulty: true)
        } else {
            lexString(from: offset, quoteByteCount: 1)
        }
    }

    // MARK: Strings

    /// Reads a string that starts with any kind of quote at `start`. Any quote but `"` is an error, reported once.
    mutating func lexString(from start: Int, quoteByteCount: Int) {
        let bytes = source.bytes
        let isProper = bytes[start] == UInt8(ascii: "\"")
        var end = start + quoteByteCount
        while end < bytes.count, bytes[end] != .lineFeed, bytes[end] != .carriageReturn {
            if bytes[end] == UInt8(ascii: "\\"), end + 1 < bytes.count, bytes[end + 1] >= 0x20 {
                end += 2
            } else if let closing = closingQuoteByteCount(at: end, isProper: isProper, opening: bytes[start]) {
                let fault = isProper ? nil : source.text(start..<start + quoteByteCount)
                if let fault {
                    reporter.error(
                        "`\(fault)` does not start a string", at: span(start..<start + quoteByteCount),
                        help: "write straight double quotes: `\"…\"`"
                            + (fault == "'" ? "; a number can be one character: `'Q'`" : ""))
                }
                return append(.string, to: end + closing, isFaulty: fault != nil)
            } else {
                end += 1
            }
        }
        // The text after the attribute can still be read.
        end = bytes[start..<end].firstIndex(of: UInt8(ascii: ")")) ?? end
        reporter.error(
            "this string is not closed on its line", at: span(start..<end), help: "put `\"` where the string ends")
        append(.string, to: end, isFaulty: true)
    }

    private func closingQuoteByteCount(at offset: Int, isProper: Bool, opening: UInt8) -> Int? {
        if source.bytes[offset] == UInt8(ascii: "\"") { return 1 }
        guard !isProper else { return nil }
        if source.bytes[offset] == UInt8(ascii: "'"), opening == UInt8(ascii: "'") { return 1 }
        guard let (scalar, byteCount) = source.scalar(at: offset), scalar.isCurlyQuote else { return nil }
        return byteCount
    }
}
