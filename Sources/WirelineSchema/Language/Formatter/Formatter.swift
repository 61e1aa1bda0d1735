// SPDX-License-Identifier: Apache-2.0

/// Lays out the tokens and comments of a file that has been parsed without errors.
///
/// Nothing in the language nests, so tokens are enough: a statement ends in `;`, or in a `{` with statements up to its `}`.
/// ``DocumentationFinder`` says which comments belong to what stands above or in front of them, and each is put where it
/// says so again.
struct Formatter {
    private let input: CommentedTokens
    private var rows: [LayoutRow] = []
    private var position = 0
    /// The line of the source on which what has been laid out ends.
    private var line = -1
    /// The comments that a `;` without a statement leaves behind.
    private var stray: [Comment] = []
    /// What comes next has an empty line in front.
    private var wantsBlank = false

    /// Of members, and of what goes on from the line above.
    static let indentation = 4
    /// More than that does not stay on one line with its body.
    static let oneLineLimit = 100

    init(source: SourceText, lexed: LexedFile) {
        input = CommentedTokens(
            source: source, tokens: lexed.tokens, documentation: DocumentationFinder(source: source, lexed: lexed))
    }

    /// The whole file.
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

    /// As C's programmers write it: `};`.
    private mutating func dropSemicolon() {
        stray = remainder(before: position) + documentation.behind(position)
        position += 1
    }

    private mutating func layOutDeclaration() {
        let statement = Statement(from: position, in: input)
        let isExpanded = statement.body.map { !staysOnOneLine(statement, $0) } ?? false
        layOutComments(above: position, indentation: 0, wantsBlank: isExpanded)
        guard let body = statement.body else { return layOut(statement, indentation: 0) }
        if isExpanded {
            layOut(statement, body)
        } else {
            rows += statement.rows(through: body.close, indentation: 0)
            finish(body.close)
        }
        wantsBlank = isExpanded
    }

    /// Whether a declaration keeps its body on its own line; an empty one needs none.
    private func staysOnOneLine(_ statement: Statement, _ body: Statement.Body) -> Bool {
        guard !statement.hasComments,
            (statement.last + 1...body.close).allSatisfy({ documentation.comments(before: $0).isEmpty })
        else { return false }
        let isWritten = tokens[statement.last].line == tokens[body.close].line
        let isEmpty = body.close == statement.last + 1
        if isEmpty { return isWritten || documentation.behind(body.close).isEmpty }
        return isWritten && statement.oneLine(through: body.close).displayWidth <= Self.oneLineLimit
    }

    private mutating func layOut(_ statement: Statement, indentation: Int) {
        rows += statement.rows(indentation: indentation)
        finish(statement.last)
    }

    private mutating func layOut(_ statement: Statement, _ body: Statement.Body) {
        let isOnOneLine = tokens[statement.last].line == tokens[body.close].line
        rows += statement.rows(indentation: 0)
        // What documents it stands behind the `}` of a declaration on one line, behind the `{` of any other.
        finish(isOnOneLine ? body.close : statement.last)
        position = statement.last + 1
        while position < body.close {
            layOutComments(above: position, indentation: Self.indentation, wantsBlank: false)
            let member = Statement(from: position, in: input, owner: statement.keyword)
            layOut(member, indentation: Self.indentation)
        }
        layOut(remainder(before: body.close), indentation: Self.indentation)
        rows.append(LayoutRow(kind: .code, cells: ["}"]))
        if isOnOneLine {
            line = max(line, tokens[body.close].line)
            position = body.close + 1
        } else {
            finish(body.close)
        }
    }

    /// Puts the comments behind a token into the last row, and goes on behind it.
    private mutating func finish(_ token: Int) {
        let comments = documentation.behind(token)
        let first = comments.prefix { $0.firstLine == tokens[token].line }
        rows[rows.count - 1].trailing = first.map { input.text(of: $0, indentation: nil) }
        rows[rows.count - 1].continuation = comments.dropFirst(first.count).map { input.text(of: $0, indentation: nil) }
        line = comments.last?.lastLine ?? tokens[token].line
        position = token + 1
    }

    // MARK: Comments

    /// The comments in front of a token that do not belong to what stands before them.
    private func remainder(before token: Int) -> [Comment] {
        let takenCount = token == 0 ? 0 : documentation.behind(token - 1).count
        return stray + documentation.comments(before: token).dropFirst(takenCount)
    }

    /// Lays out what stands between a statement and what is before it.
    ///
    /// - Parameter wantsBlank: Whether an empty line must stand in front of the statement and the comments that belong to it.
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

    /// Lays out comments on lines of their own; those that share a line go on doing so.
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

    /// One empty line, but none at the start of the file or of a body.
    private mutating func separate() {
        guard let last = rows.last, last.kind != .blank, last.kind != .opening else { return }
        rows.append(LayoutRow(kind: .blank))
    }
}

/// A file's tokens and the comments between them.
struct CommentedTokens {
    let source: SourceText
    let tokens: [Token]
    let documentation: DocumentationFinder

    /// - Parameter indentation: Where the comment starts; nil when something stands in front of it on its line.
    func text(of comment: Comment, indentation: Int?) -> String {
        CommentText.text(of: comment, in: source, indentation: indentation)
    }

    func text(of token: Int) -> String { source.text(tokens[token].range) }
}
