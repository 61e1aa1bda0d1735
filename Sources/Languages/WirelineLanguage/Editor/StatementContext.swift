// SPDX-License-Identifier: Apache-2.0

/// The beginning of a statement, up to an editor's cursor.
///
/// It is found with tokens only, because the unfinished statement has no syntax tree.
struct StatementContext {
    /// The keyword of the declaration whose body contains the statement; nil at the top level.
    private(set) var owner: Keyword?
    /// The words and marks of that declaration, before its `{`.
    private(set) var declaration: [String] = []
    /// The words and marks from the statement's start on, without complete attributes.
    private(set) var words: [String] = []
    /// The attribute whose parentheses contain the cursor.
    private(set) var openAttribute: String?
    /// Whether the cursor is directly after an `@`.
    private(set) var isAfterAt = false
    private(set) var isFirst = true
    /// Whether the cursor is between the braces of a frame.
    private(set) var isInFrame = false

    /// - Parameter end: The index of the first token that is not before the cursor.
    init(_ tokens: [Token], upTo end: Int, in source: SourceText) {
        var start = 0
        for index in 0..<end {
            switch tokens[index].kind {
            case .leftBrace:
                let statement = StatementReader(tokens[start..<index], source)
                if owner == .packet, statement.words.first == "frame" {
                    isInFrame = true
                } else {
                    owner = statement.words.first.flatMap(Keyword.init)
                    declaration = statement.words
                }
                start = index + 1
                isFirst = true
            case .rightBrace:
                if isInFrame { isInFrame = false } else { owner = nil }
                start = index + 1
                isFirst = false
            case .semicolon:
                start = index + 1
                isFirst = false
            default: break
            }
        }
        let statement = StatementReader(tokens[start..<end], source)
        words = statement.words
        openAttribute = statement.openAttribute
        isAfterAt = end > start && tokens[end - 1].kind == .at
    }
}

/// Separates the words of a statement from its attributes.
private struct StatementReader {
    private(set) var words: [String] = []
    private(set) var openAttribute: String?

    init(_ tokens: ArraySlice<Token>, _ source: SourceText) {
        var rest = tokens
        while let token = rest.popFirst() {
            guard token.kind == .at else {
                words.append(source.text(token.range))
                continue
            }
            guard let name = rest.first, name.kind == .name else { continue }
            rest.removeFirst()
            guard rest.first?.kind == .leftParenthesis else { continue }
            guard let close = Self.closingParenthesis(in: rest) else {
                openAttribute = source.text(name.range)
                return
            }
            rest = rest[(close + 1)...]
        }
    }

    /// Returns the index of the parenthesis that closes the first token; nil if it is missing.
    private static func closingParenthesis(in tokens: ArraySlice<Token>) -> Int? {
        var depth = 0
        return tokens.firstIndex { token in
            switch token.kind {
            case .leftParenthesis: depth += 1
            case .rightParenthesis: depth -= 1
            default: break
            }
            return depth == 0
        }
    }
}
