// SPDX-License-Identifier: Apache-2.0

/// The tokens from the first attribute of a declaration or a member to its `;` or `{`.
struct Statement {
    private let input: CommentedTokens
    let first: Int
    /// The `;` or the `{`.
    let last: Int
    let body: Body?
    let hasComments: Bool
    /// The first word after the attributes.
    let keyword: String
    /// The first token after the attributes.
    private let start: Int
    /// The keyword of the enclosing declaration, if it is a member.
    private let owner: String?

    struct Body {
        var close: Int
    }

    init(from first: Int, in input: CommentedTokens, owner: String? = nil) {
        let tokens = input.tokens
        var start = first
        while tokens[start].kind == .at {
            start += 2
            guard tokens[start].kind == .leftParenthesis else { continue }
            var depth = 0
            repeat {
                switch tokens[start].kind {
                case .leftParenthesis: depth += 1
                case .rightParenthesis: depth -= 1
                default: break
                }
                start += 1
            } while depth > 0
        }
        var last = start
        while tokens[last].kind != .semicolon, tokens[last].kind != .leftBrace { last += 1 }
        let close = tokens[last].kind == .leftBrace ? Self.closingBrace(of: last, in: tokens) : last
        self.input = input
        self.first = first
        self.start = start
        self.last = last
        self.owner = owner
        body = close == last ? nil : Body(close: close)
        hasComments = (first..<last).contains { !input.documentation.comments(before: $0 + 1).isEmpty }
        keyword = input.text(of: start)
    }

    /// Returns the index of the `}` that closes a `{`. Braces nest, because a packet may contain a frame.
    private static func closingBrace(of open: Int, in tokens: [Token]) -> Int {
        var depth = 0
        var index = open
        while true {
            switch tokens[index].kind {
            case .leftBrace: depth += 1
            case .rightBrace: depth -= 1
            default: break
            }
            guard depth > 0 else { return index }
            index += 1
        }
    }

    private var tokens: [Token] { input.tokens }

    // MARK: Rows

    /// Returns the rows of the statement; several if its attributes are on their own lines.
    func rows(indentation: Int) -> [LayoutRow] {
        let kind: LayoutRow.Kind = body == nil ? .code : .opening
        if hasComments {
            return [LayoutRow(kind: kind, indentation: indentation, cells: [textWithComments(indentation)])]
        }
        var rows = attributeRows(indentation: indentation)
        let section = body == nil ? section : nil
        rows.append(LayoutRow(kind: kind, indentation: indentation, section: section, cells: cells))
        return rows
    }

    /// Returns the rows of a declaration with its body on the same line.
    func rows(through close: Int, indentation: Int) -> [LayoutRow] {
        let row = LayoutRow(
            kind: .code, indentation: indentation, section: .other, cells: [oneLine(through: close)])
        return attributeRows(indentation: indentation) + [row]
    }

    /// Returns the last line of the statement, followed by its body.
    func oneLine(through close: Int) -> String { text(lineStart..<close + 1) }

    private func attributeRows(indentation: Int) -> [LayoutRow] {
        let starts = lineStarts
        return zip(starts, starts.dropFirst()).map { start, end in
            LayoutRow(kind: .code, indentation: indentation, cells: [text(start..<end)])
        }
    }

    /// The tokens, in and after the attributes, at which the author starts a new line.
    private var lineStarts: [Int] {
        [first] + (first..<start).map { $0 + 1 }.filter(startsLine)
    }

    private var lineStart: Int { lineStarts.last ?? first }

    private func startsLine(_ token: Int) -> Bool {
        token > first && token <= start && (token == start || tokens[token].kind == .at)
            && tokens[token].line > tokens[token - 1].line
    }

    // MARK: Columns

    private var section: LayoutRow.Section {
        if owner == "packet", isState { return .state }
        return switch owner ?? keyword {
        case "packet": isContent ? .content : .packetField
        case "message", "struct": .field
        case "enum", "flags", "frame": .enumerationCase
        case "union": .arm
        case "option": .option
        case "const": .constant
        default: .other
        }
    }

    /// Whether it is a line about the packet's content, such as `layer zlib;`.
    private var isContent: Bool {
        switch keyword {
        case "packets", "opaque": start + 1 == last
        case "layer": last - start == 2 || tokens[start + 2].kind == .leftParenthesis
        default: false
        }
    }

    private var cells: [String] {
        let end = last + 1
        let line = lineStart
        if body == nil, section == .content {
            return [text(line..<max(line, start)), text(max(line, start)..<end)]
        }
        let equals = (start..<end).first { tokens[$0].kind == .equals }
        guard body == nil, section != .other else { return [text(line..<end)] }
        if section == .arm { return armCells }
        if section == .state { return [text(line..<last - 1), text(last - 1..<end)] }
        guard section == .field || section == .packetField else {
            // A list of reserved numbers has no `=`.
            guard let equals else { return [text(line..<end)] }
            return [text(line..<equals), text(equals..<end)]
        }
        let name = (equals ?? last) - 1
        // This is the line `payload;`, or `padding 3;`.
        guard name > start, tokens[name].kind == .name else { return [text(line..<end)] }
        let named = equals.map { [text(name..<$0), text($0..<end)] } ?? [text(name..<end)]
        guard section == .packetField else { return [text(line..<name)] + named }
        return [text(line..<max(line, start)), text(max(line, start)..<name)] + named
    }

    /// Whether this is a line such as `state bit started;`.
    private var isState: Bool { keyword == "state" && start == first && last == start + 3 }

    /// The tag with its `:`, the type with its attributes if there is one, and the name.
    private var armCells: [String] {
        let colon = (start..<last).first { tokens[$0].kind == .colon } ?? start
        let name = ((start..<last).first { tokens[$0].kind == .equals } ?? last) - 1
        let type = colon + 1 < name ? [text(colon + 1..<name)] : []
        return [text(start..<colon + 1)] + type + [text(name..<last + 1)]
    }

    // MARK: Text

    private func text(_ range: Range<Int>) -> String {
        var text = ""
        for token in range {
            if token > range.lowerBound, hasSpace(before: token) { text += " " }
            text += input.text(of: token)
        }
        return text
    }

    private func textWithComments(_ indentation: Int) -> String {
        var text = input.text(of: first)
        for token in first + 1...last {
            let margin = indentation + (token <= start ? 0 : 2 * Formatter.indentation)
            let newLine = "\n" + String(repeating: " ", count: margin)
            let comments = input.documentation.comments(before: token)
            for comment in comments {
                text += comment.isFirstOnLine ? newLine : " "
                text += input.text(of: comment, indentation: comment.isFirstOnLine ? margin : nil)
            }
            if let comment = comments.last {
                text += comment.isBlock && !comment.isFirstOnLine && !startsLine(token) ? " " : newLine
            } else {
                text += startsLine(token) ? newLine : hasSpace(before: token) ? " " : ""
            }
            text += input.text(of: token)
        }
        return text
    }

    private func hasSpace(before token: Int) -> Bool {
        let left = tokens[token - 1]
        switch (left.kind, tokens[token].kind) {
        case (.leftBrace, .rightBrace): return false
        case (.leftParenthesis, _), (.leftBracket, _), (.at, _), (.dots, _), (.dot, _), (_, .dot): return false
        case (_, .semicolon), (_, .comma), (_, .rightParenthesis), (_, .rightBracket), (_, .leftBracket): return false
        case (_, .leftParenthesis): return isConditionWord(token - 1)
        case (_, .dots): return false
        case (.minus, _): return isSubtraction(token - 1)
        case (_, .colon): return !isInUnion(token)
        default: return true
        }
    }

    /// Whether a token is a word of a condition before a parenthesis, as in `not (a or b)`, and not an attribute's
    /// name.
    private func isConditionWord(_ token: Int) -> Bool {
        guard token > first, tokens[token].kind == .name, tokens[token - 1].kind != .at else { return false }
        return ["not", "and", "or"].contains(input.text(of: token))
    }
    /// Whether a token is in the body of a union, where `:` directly follows the tag.
    private func isInUnion(_ token: Int) -> Bool { owner == "union" || keyword == "union" && token > last }

    /// Whether a `-` is between a name and a number, as in `packet - 4`; otherwise it is a sign.
    private func isSubtraction(_ token: Int) -> Bool {
        let left = tokens[token - 1]
        guard left.kind == .name else { return false }
        let word = input.text(of: token - 1)
        return word != "to" && word != "reserved"
    }
}
