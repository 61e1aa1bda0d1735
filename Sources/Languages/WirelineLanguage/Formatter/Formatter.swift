// SPDX-License-Identifier: Apache-2.0

/// Lays out the tokens and comments of a file that was parsed without errors.
///
/// Only a frame nests, so tokens suffice: a statement ends in `;`, or in a `{` with statements up to its `}`.
/// ``DocumentationFinder`` finds the comments that document the declarations above or after them. The layout keeps each
/// comment with its declaration.
struct Formatter {
    private let input: CommentedTokens
    private var rows: [LayoutRow] = []
    private var position = 0
    /// The source line on which the text laid out so far ends.
    private var line = -1
    /// The comments left by a `;` without a statement.
    private var stray: [Comment] = []
    /// Whether the next item needs an empty line before it.
    private var wantsBlank = false

    /// The indentation of members and of continued lines, in spaces.
    static let indentation = 4
    /// The longest line, in columns, on which a declaration stays with its body.
    static let oneLineLimit = 100

    init(source: SourceText, lexed: LexedFile) {
        input = CommentedTokens(
            source: source, tokens: lexed.tokens, documentation: DocumentationFinder(source: source, lexed: lexed))
    }

    mutating func format() -> String {
        while tokens[position].kind != .endOfFile {
            if tokens[position].kind == .semicolon {
                dropSemicolon()
            } else {
                layOutDeclaration()
            }
        }
        layOut(remainder(before: position), indentation: 0)
        return rows[...].text()
    }

    private var tokens: [Token] { input.tokens }

    private var documentation: DocumentationFinder { input.documentation }

    // MARK: Declarations

    /// Drops the semicolon of `};`, as written in C.
    private mutating func dropSemicolon() {
        stray = remainder(before: position) + documentation.behind(position)
        position += 1
    }

    private mutating func layOutDeclaration() {
        let statement = Statement(from: position, in: input)
        let isExpanded = statement.body.map { !staysOnOneLine(statement, $0, indentation: 0) } ?? false
        layOutComments(above: position, indentation: 0, wantsBlank: isExpanded)
        layOut(statement, isExpanded: isExpanded, indentation: 0)
        wantsBlank = isExpanded
    }

    private mutating func layOut(_ statement: Statement, isExpanded: Bool, indentation: Int) {
        guard let body = statement.body else {
            rows += statement.rows(indentation: indentation)
            return finish(statement.last)
        }
        guard !isExpanded else { return layOut(statement, body, indentation: indentation) }
        rows += statement.rows(through: body.close, indentation: indentation)
        finish(body.close)
    }

    /// Whether a declaration keeps its body on its line; an empty body always fits.
    private func staysOnOneLine(_ statement: Statement, _ body: Statement.Body, indentation: Int) -> Bool {
        guard !statement.hasComments,
            (statement.last + 1...body.close).allSatisfy({ documentation.comments(before: $0).isEmpty })
        else { return false }
        let isWritten = tokens[statement.last].line == tokens[body.close].line
        let isEmpty = body.close == statement.last + 1
        if isEmpty { return isWritten || documentation.behind(body.close).isEmpty }
        return isWritten && indentation + statement.oneLine(through: body.close).displayWidth <= Self.oneLineLimit
    }

    private mutating func layOut(_ statement: Statement, _ body: Statement.Body, indentation: Int) {
        let isOnOneLine = tokens[statement.last].line == tokens[body.close].line
        let inner = indentation + Self.indentation
        rows += statement.rows(indentation: indentation)
        // Its documentation follows the `}` if the declaration is on one line, otherwise the `{`.
        finish(isOnOneLine ? body.close : statement.last)
        position = statement.last + 1
        while position < body.close {
            layOutComments(above: position, indentation: inner, wantsBlank: false)
            let member = Statement(from: position, in: input, owner: statement.keyword)
            let isExpanded = member.body.map { !staysOnOneLine(member, $0, indentation: inner) } ?? false
            layOut(member, isExpanded: isExpanded, indentation: inner)
        }
        layOut(remainder(before: body.close), indentation: inner)
        rows.append(LayoutRow(kind: .code, indentation: indentation, cells: ["}"]))
        if isOnOneLine {
            line = max(line, tokens[body.close].line)
            position = body.close + 1
        } else {
            finish(body.close)
        }
    }

    /// Puts the comments after a token into the last row, and moves past the token.
    private mutating func finish(_ token: Int) {
        let comments = documentation.behind(token)
        let first = comments.prefix { $0.firstLine == tokens[token].line }
        rows[rows.count - 1].trailing = first.map { input.text(of: $0, indentation: nil) }
        rows[rows.count - 1].continuation = comments.dropFirst(first.count).map { input.text(of: $0, indentation: nil) }
        line = comments.last?.lastLine ?? tokens[token].line
        position = token + 1
    }

    // MARK: Comments

    /// Returns the comments before a token that do not belong to the previous statement.
    private func remainder(before token: Int) -> [Comment] {
        let takenCount = token == 0 ? 0 : documentation.behind(token - 1).count
        return stray + documentation.comments(before: token).dropFirst(takenCount)
    }

    /// Lays out the comments between a statement and the previous one.
    ///
    /// - Parameter wantsBlank: Whether an empty line must come before the statement and its comments.
    private mutating func layOutComments(above first: Int, indentation: Int, wantsBlank: Bool) {
        let comments = remainder(before: first)
        let detached = comments.dropLast(documentation.above(first).count)
        layOut(Array(detached), indentation: indentation)
        // An empty line keeps them from becoming documentation.
        if wantsBlank || self.wantsBlank || !detached.isEmpty { separate() }
        self.wantsBlank = false
        layOut(Array(comments[detached.endIndex...]), indentation: indentation)
        if tokens[first].line - line > 1 { separate() }
    }

    /// Lays out comments on their own lines; comments that share a line stay together.
    private mutating func layOut(_ comments: [Comment], indentation: Int) {
        stray = []
        if wantsBlank, !comments.isEmpty { separate() }
        for (index, comment) in comments.enumerated() {
            if index > 0, comment.firstLine == line {
                rows[rows.count - 1].cells[0] += " " + input.text(of: comment, indentation: nil)
            } else {
                if comment.firstLine - line > 1 { separate() }
                let text = input.text(of: comment, indentation: indentation)
                rows.append(LayoutRow(kind: .comment, indentation: indentation, cells: [text]))
            }
            line = comment.lastLine
        }
    }

    /// Adds one empty line, except at the start of the file or of a body.
    private mutating func separate() {
        guard let last = rows.last, last.kind != .blank, last.kind != .opening else { return }
        rows.append(LayoutRow(kind: .blank))
    }
}

struct CommentedTokens {
    let source: SourceText
    let tokens: [Token]
    let documentation: DocumentationFinder

    /// - Parameter indentation: The column of a comment that comes first on its line; otherwise nil.
    func text(of comment: Comment, indentation: Int?) -> String {
        FormattedComment.text(of: comment, in: source, indentation: indentation)
    }

    func text(of token: Int) -> String { source.text(tokens[token].range) }
}
