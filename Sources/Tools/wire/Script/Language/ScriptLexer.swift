// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

struct ScriptToken {
    enum Kind: Equatable {
        case word
        /// Digits and the letters that follow without a space: `12`, `0.5`, `0xFF`, `500ms`.
        case number
        /// A JSON string.
        case string
        case mark
        case endOfFile
    }

    let kind: Kind
    let text: String
    let span: SourceSpan
    /// Whether only spaces come before it on its line.
    let isFirstOnLine: Bool
}

struct ScriptLexer {
    private let source: SourceText
    private let reporter: Reporter
    private var offset: Int
    private var tokens: [ScriptToken] = []
    private var isFirstOnLine = true

    /// The lexer takes the first mark that fits, so longer ones come first.
    private static let marks = [
        "==", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", ";", ",", ":", ".", "=", "<", ">", "+", "-", "*", "/",
        "%",
    ].map { Array($0.utf8) }

    /// - Returns: The tokens; the last one is the end of the file.
    static func tokens(of source: SourceText, reporter: Reporter) -> [ScriptToken] {
        var lexer = ScriptLexer(source: source, reporter: reporter)
        while lexer.lexNext() {}
        return lexer.tokens
    }

    private init(source: SourceText, reporter: Reporter) {
        self.source = source
        self.reporter = reporter
        offset = source.hasByteOrderMark ? 3 : 0
    }

    private var bytes: [UInt8] { source.bytes }

    private func byte(at offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// - Returns: Whether there are more tokens.
    private mutating func lexNext() -> Bool {
        guard let byte = byte(at: offset) else {
            append(.endOfFile, to: offset)
            return false
        }
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            isFirstOnLine = true
            offset += 1
        case UInt8(ascii: " "), UInt8(ascii: "\t"): offset += 1
        case UInt8(ascii: "/") where self.byte(at: offset + 1) == UInt8(ascii: "/"): skipLine()
        case UInt8(ascii: "/") where self.byte(at: offset + 1) == UInt8(ascii: "*"): skipComment()
        case UInt8(ascii: "\""): lexString()
        case _ where byte.isScriptDigit: append(.number, to: endOfNumber())
        case _ where byte.isScriptLetter: append(.word, to: endOfWord(from: offset))
        default: lexMark()
        }
        return true
    }

    private mutating func append(_ kind: ScriptToken.Kind, to end: Int) {
        let text = source.text(offset..<end)
        let span = SourceSpan(file: 0, start: offset, end: end)
        tokens.append(ScriptToken(kind: kind, text: text, span: span, isFirstOnLine: isFirstOnLine))
        isFirstOnLine = false
        offset = end
    }

    private mutating func skipLine() {
        while let byte = byte(at: offset), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { offset += 1 }
    }

    private mutating func skipComment() {
        let start = offset
        offset += 2
        while byte(at: offset) != UInt8(ascii: "*") || byte(at: offset + 1) != UInt8(ascii: "/") {
            guard offset < bytes.count else {
                let span = SourceSpan(file: 0, start: start, end: start + 2)
                return reporter.error("this comment does not end", at: span, help: "write `*/` after it")
            }
            offset += 1
        }
        offset += 2
    }

    private mutating func lexString() {
        var end = offset + 1
        while let byte = byte(at: end), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\n") {
            end += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard byte(at: end) == UInt8(ascii: "\"") else {
            let span = SourceSpan(file: 0, start: offset, end: offset + 1)
            reporter.error("this text does not end", at: span, help: "write `\"` after it, on the same line")
            skipLine()
            return
        }
        append(.string, to: end + 1)
    }

    private func endOfWord(from start: Int) -> Int {
        var end = start
        while let byte = byte(at: end), byte.isScriptLetter || byte.isScriptDigit { end += 1 }
        return end
    }

    private func endOfNumber() -> Int {
        var end = endOfWord(from: offset)
        // A word has only letters and digits. The fraction and the sign of an exponent are added here.
        if byte(at: end) == UInt8(ascii: "."), byte(at: end + 1)?.isScriptDigit == true {
            end = endOfWord(from: end + 1)
        }
        let isExponent = byte(at: end - 1) == UInt8(ascii: "e") || byte(at: end - 1) == UInt8(ascii: "E")
        let isHexadecimal = byte(at: offset + 1) == UInt8(ascii: "x")
        let sign = byte(at: end)
        if isExponent, !isHexadecimal, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            end = endOfWord(from: end + 1)
        }
        return end
    }

    private mutating func lexMark() {
        let rest = bytes[offset...]
        if let mark = Self.marks.first(where: { rest.starts(with: $0) }) {
            return append(.mark, to: offset + mark.count)
        }
        let byteCount = source.scalar(at: offset)?.byteCount ?? 1
        let span = SourceSpan(file: 0, start: offset, end: offset + byteCount)
        let words = ["&": "and", "|": "or", "!": "not", "'": "\""]
        let text = source.text(offset..<offset + byteCount)
        reporter.error("\(text.quoted) means nothing in a script", at: span, help: words[text].map { "write `\($0)`" })
        // Lexing continues as if the right word were written. The second `&` of `&&` is skipped.
        if let word = words[text], word != "\"" {
            tokens.append(ScriptToken(kind: .word, text: word, span: span, isFirstOnLine: isFirstOnLine))
            isFirstOnLine = false
            while self.byte(at: offset + 1) == bytes[span.start] { offset += 1 }
        }
        offset += byteCount
    }
}

extension UInt8 {
    fileprivate var isScriptDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isScriptLetter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
