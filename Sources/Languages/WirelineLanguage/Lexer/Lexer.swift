// SPDX-License-Identifier: Apache-2.0

struct Lexer {
    let source: SourceText
    let file: Int
    let reporter: Reporter
    var offset = 0
    var line = 0
    private var lastTokenLine = -1
    private(set) var tokens: [Token] = []
    private var comments: [Comment] = []
    private var isCut = false

    /// Reads a whole file, and reports problems to `reporter`.
    static func lex(_ source: SourceText, file: Int, reporter: Reporter) -> LexedFile {
        var lexer = Lexer(source: source, file: file, reporter: reporter)
        guard lexer.checkEncoding() else {
            lexer.isCut = true
            return LexedFile(tokens: [lexer.endOfFile], comments: [], isCut: true)
        }
        if source.hasByteOrderMark { lexer.offset = 3 }
        while lexer.offset < source.bytes.count { lexer.lexNext() }
        lexer.tokens.append(lexer.endOfFile)
        return LexedFile(tokens: lexer.tokens, comments: lexer.comments, isCut: lexer.isCut)
    }

    private init(source: SourceText, file: Int, reporter: Reporter) {
        self.source = source
        self.file = file
        self.reporter = reporter
    }

    private var endOfFile: Token {
        let end = source.bytes.count
        return Token(kind: .endOfFile, start: end, end: end, line: source.lineStarts.count - 1, isFaulty: isCut)
    }

    private mutating func lexNext() {
        let byte = source.bytes[offset]
        switch byte {
        case .lineFeed, .carriageReturn, UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0B, 0x0C:
            advance(to: offset + 1)
        case UInt8(ascii: "\""):
            lexString(from: offset, quoteByteCount: 1)
        case UInt8(ascii: "'"):
            lexCharacter()
        case UInt8(ascii: "/") where byteAfter(offset) == UInt8(ascii: "/"):
            lexLineComment()
        case UInt8(ascii: "/") where byteAfter(offset) == UInt8(ascii: "*"):
            lexBlockComment()
        case UInt8(ascii: ".") where byteAfter(offset) == UInt8(ascii: "."):
            append(.dots, to: offset + 2)
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            lexComparison(byte)
        case let byte where byte.isDigit:
            lexNumber()
        case let byte where byte.isNameByte:
            lexName()
        case 0x80...0xFF:
            lexBeyondASCII()
        case 0..<0x20, 0x7F:
            lexControlCharacter()
        default:
            lexMark(byte)
        }
    }

    /// Reads a mark that may be part of a comparison such as `<=`.
    private mutating func lexComparison(_ byte: UInt8) {
        guard byteAfter(offset) == UInt8(ascii: "=") else { return lexMark(byte) }
        append(.comparison, to: offset + 2)
    }

    private mutating func lexMark(_ byte: UInt8) {
        if let kind = Token.Kind(ascii: byte) {
            append(kind, to: offset + 1)
        } else {
            var end = offset + 1
            while end < source.bytes.count, source.bytes[end] == byte { end += 1 }
            append(.unexpected, to: end)
        }
    }

    private mutating func lexControlCharacter() {
        let byte = source.bytes[offset]
        var end = offset + 1
        while end < source.bytes.count, source.bytes[end] == byte { end += 1 }
        let what = byte == 0 ? "NUL byte" : "control character (0x\(String(byte, radix: 16)))"
        reporter.error("\(what) in the text", at: span(offset..<end), help: "remove it")
        advance(to: end)
    }

    // MARK: Comments

    private mutating func lexLineComment() {
        var end = offset + 2
        while end < source.bytes.count, source.bytes[end] != .lineFeed, source.bytes[end] != .carriageReturn {
            end += 1
        }
        appendComment(to: end, isBlock: false)
    }

    private mutating func lexBlockComment() {
        let bytes = source.bytes
        var end = offset + 2
        while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
        if end + 1 < bytes.count {
            appendComment(to: end + 2, isBlock: true)
        } else {
            reporter.error(
                "this comment is not closed", at: span(offset..<offset + 2), help: "put `*/` where the comment ends")
            isCut = true
            advance(to: bytes.count)
        }
    }

    private mutating func appendComment(to end: Int, isBlock: Bool) {
        let start = offset
        let firstLine = line
        let isFirstOnLine = lastTokenLine != line && comments.last?.lastLine != line
        advance(to: end)
        comments.append(
            Comment(
                range: start..<end, isBlock: isBlock, firstLine: firstLine, lastLine: line, nextToken: tokens.count,
                isFirstOnLine: isFirstOnLine))
    }

    // MARK: Steps

    /// Appends a token that starts at ``offset``.
    mutating func append(_ kind: Token.Kind, to end: Int, isFaulty: Bool = false) {
        tokens.append(Token(kind: kind, start: offset, end: end, line: line, isFaulty: isFaulty))
        lastTokenLine = line
        advance(to: end)
    }

    /// Moves to `end`, and counts the lines that start on the way.
    mutating func advance(to end: Int) {
        offset = end
        while line + 1 < source.lineStarts.count, source.lineStarts[line + 1] <= end { line += 1 }
    }

    func byteAfter(_ offset: Int) -> UInt8? {
        offset + 1 < source.bytes.count ? source.bytes[offset + 1] : nil
    }

    func span(_ range: Range<Int>) -> SourceSpan {
        SourceSpan(file: file, start: range.lowerBound, end: range.upperBound)
    }
}
