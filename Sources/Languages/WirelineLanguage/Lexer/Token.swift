// SPDX-License-Identifier: Apache-2.0

struct Token {
    var kind: Kind
    var start: Int
    var end: Int
    /// The line, from 0.
    var line: Int
    /// Whether the lexer has reported it; a parser that cannot use it reports nothing more.
    var isFaulty = false

    var range: Range<Int> { start..<end }

    enum Kind: Equatable {
        case name, number, string
        case leftBrace, rightBrace, leftParenthesis, rightParenthesis, leftBracket, rightBracket
        case semicolon, comma, colon, equals, at, minus, plus, bar
        /// `..`
        case dots
        /// `.`
        case dot
        /// `==`, `!=`, `<`, `<=`, `>`, `>=` or `&`, in a condition.
        case comparison
        /// A character that the language does not have; the parser reports what it expects instead.
        case unexpected
        case endOfFile

        /// The mark in the source, for kinds that always have the same one.
        var mark: String? {
            switch self {
            case .leftBrace: "{"
            case .rightBrace: "}"
            case .leftParenthesis: "("
            case .rightParenthesis: ")"
            case .leftBracket: "["
            case .rightBracket: "]"
            case .semicolon: ";"
            case .comma: ","
            case .colon: ":"
            case .equals: "="
            case .at: "@"
            case .minus: "-"
            case .plus: "+"
            case .bar: "|"
            case .dots: ".."
            case .dot: "."
            case .name, .number, .string, .comparison, .unexpected, .endOfFile: nil
            }
        }

        init?(ascii byte: UInt8) {
            switch byte {
            case UInt8(ascii: "{"): self = .leftBrace
            case UInt8(ascii: "}"): self = .rightBrace
            case UInt8(ascii: "("): self = .leftParenthesis
            case UInt8(ascii: ")"): self = .rightParenthesis
            case UInt8(ascii: "["): self = .leftBracket
            case UInt8(ascii: "]"): self = .rightBracket
            case UInt8(ascii: ";"): self = .semicolon
            case UInt8(ascii: ","): self = .comma
            case UInt8(ascii: ":"): self = .colon
            case UInt8(ascii: "="): self = .equals
            case UInt8(ascii: "@"): self = .at
            case UInt8(ascii: "-"): self = .minus
            case UInt8(ascii: "+"): self = .plus
            case UInt8(ascii: "|"): self = .bar
            case UInt8(ascii: "."): self = .dot
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"): self = .comparison
            default: return nil
            }
        }
    }
}

/// `// …` or `/* … */`, which may become documentation.
struct Comment {
    /// The comment with its marks, without the newline.
    var range: Range<Int>
    var isBlock: Bool
    /// The first line, from 0.
    var firstLine: Int
    var lastLine: Int
    var nextToken: Int
    /// Whether only space is before it on its line.
    var isFirstOnLine: Bool
}

struct LexedFile {
    /// The tokens; at least the end of the file.
    var tokens: [Token]
    var comments: [Comment]
    /// Whether the rest of the file could not be read; the end of the file is then faulty.
    var isCut: Bool
}
