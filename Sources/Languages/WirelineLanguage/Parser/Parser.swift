// SPDX-License-Identifier: Apache-2.0

/// Makes a syntax tree from a file's tokens.
///
/// It is a recursive descent of only two levels, because only a frame in the packet nests.
///
/// A method that returns nil has reported the error, and leaves the position where it failed. Its caller skips to the
/// start of the next member or declaration.
struct Parser {
    let source: SourceText
    let file: Int
    let reporter: Reporter
    let documentation: DocumentationFinder
    let tokens: [Token]
    private(set) var position = 0
    /// The names that skipped parts may declare.
    private var lostNames = LostNames()
    /// Whether a skipped part may have been the packet.
    var lacksPacket: Bool
    /// Whether the previous declaration had an error.
    ///
    /// Tokens that start no declaration then count as its remains.
    private(set) var isInDebris = false

    init(source: SourceText, file: Int, lexed: LexedFile, reporter: Reporter) {
        self.source = source
        self.file = file
        self.reporter = reporter
        tokens = lexed.tokens
        documentation = DocumentationFinder(source: source, lexed: lexed)
        if lexed.isCut { lostNames.insertAll() }
        lacksPacket = lexed.isCut
    }

    mutating func parseFile() -> FileSyntax {
        var declarations: [DeclarationSyntax] = []
        while current.kind != .endOfFile {
            // This is the semicolon of `};`, as written in C.
            if take(.semicolon) != nil { continue }
            let (start, problemCount) = (position, reporter.count)
            if let declaration = parseDeclaration() {
                declarations.append(declaration)
                isInDebris = reporter.count > problemCount
            } else {
                skipDeclaration(from: start)
                loseNames(from: start)
                isInDebris = true
            }
        }
        return FileSyntax(declarations: declarations, lostNames: lostNames, lacksPacket: lacksPacket)
    }

    // MARK: Looking

    var current: Token { tokens[position] }

    func token(ahead count: Int) -> Token { tokens[min(position + count, tokens.count - 1)] }

    func text(of token: Token) -> String { source.text(token.range) }

    func span(of token: Token) -> SourceSpan { SourceSpan(file: file, start: token.start, end: token.end) }

    func isFirstOnLine(_ index: Int) -> Bool { index == 0 || tokens[index - 1].line < tokens[index].line }

    // MARK: Moving

    @discardableResult
    mutating func advance() -> Token {
        let token = current
        if token.kind != .endOfFile { position += 1 }
        return token
    }

    mutating func take(_ kind: Token.Kind) -> Token? {
        current.kind == kind ? advance() : nil
    }

    mutating func expect(_ kind: Token.Kind, _ context: String, help: String? = nil) -> Token? {
        if let token = take(kind) { return token }
        reportExpected("`\(kind.mark ?? "")` \(context)", help: help)
        return nil
    }

    mutating func expectName(_ what: String) -> NameSyntax? {
        guard current.kind == .name else {
            reportExpected(what)
            return nil
        }
        let token = advance()
        return NameSyntax(text: text(of: token), span: span(of: token), isFaulty: token.isFaulty)
    }

    /// Reads a number: `12`, `0x1F`, `-3`, `0.5`, `'Q'`.
    mutating func expectNumber(_ what: String) -> NumberSyntax? {
        let sign = current.kind == .minus && token(ahead: 1).kind == .number ? advance() : nil
        guard current.kind == .number else {
            reportExpected(what)
            return nil
        }
        let token = advance()
        let span = self.span(of: sign ?? token).through(self.span(of: token))
        guard !token.isFaulty else { return NumberSyntax(span: span, value: .faulty) }
        return NumberSyntax(span: span, value: NumberSyntax.value(of: text(of: token), isNegative: sign != nil))
    }

    /// Reads the `;` at the end of a member or a declaration; reports a missing one at its place.
    ///
    /// The next line is then read as if the `;` were there.
    mutating func expectSemicolon(after what: String) -> Bool {
        if take(.semicolon) != nil { return true }
        if current.kind == .comma {
            reportExpected("`;` after \(what)", help: "write `;`")
            advance()
            return true
        }
        guard isFirstOnLine(position) || current.kind == .rightBrace || current.kind == .endOfFile else {
            reportExpected("`;` after \(what)")
            return false
        }
        reportBehindLastToken("expected `;` after \(what)", help: "put `;` here")
        return true
    }

    // MARK: Reporting

    /// Reads the `{` of a declaration, or reports that it is missing.
    ///
    /// It then uses a later `{` on the same line. If there is none, it reads the rest of the line as if the `{` were
    /// there.
    mutating func expectLeftBrace(_ context: String) -> Token? {
        if let open = take(.leftBrace) { return open }
        reportExpected("`{` \(context)")
        var ahead = 0
        while token(ahead: ahead).line == tokens[position - 1].line, token(ahead: ahead).kind != .endOfFile {
            if token(ahead: ahead).kind == .leftBrace {
                position += ahead
                return advance()
            }
            ahead += 1
        }
        let startsMember = current.kind == .name || current.kind == .at
        return startsMember && !isFirstOnLine(position) ? tokens[position - 1] : nil
    }

    /// Reports the expected syntax instead of the current token, unless the lexer has reported that token.
    func reportExpected(_ what: String, help: String? = nil) {
        let token = current
        guard !token.isFaulty else { return }
        let found =
            switch token.kind {
            case .endOfFile: "the end of the file"
            case .string: "a string"
            default: text(of: token).quoted
            }
        let isHash = token.kind == .unexpected && source.bytes[token.start] == UInt8(ascii: "#")
        reporter.error(
            "expected \(what), found \(found)", at: span(of: token),
            help: isHash ? "comments start with `//`" : help)
    }

    private func reportBehindLastToken(_ message: String, help: String) {
        let end = tokens[position - 1].end
        // At the end of the file there is no byte to mark.
        let span = SourceSpan(file: file, start: end, end: min(end + 1, source.bytes.count))
        reporter.error(message, at: span, help: help)
    }

    // MARK: Recovering

    /// Skips the rest of a member: past its `;`, or up to the `}` of the body or to a sign that it is missing.
    mutating func skipMember() {
        while current.kind != .endOfFile, current.kind != .rightBrace {
            if isFirstOnLine(position), startsDeclarationWithBody { return }
            if current.kind == .leftBrace {
                skipBraces()
                if isFirstOnLine(position) { return }
            } else if advance().kind == .semicolon {
                return
            }
        }
    }

    /// Skips the rest of a declaration: past its `;` or its `{ … }`, or up to the next declaration.
    private mutating func skipDeclaration(from start: Int) {
        while current.kind != .endOfFile {
            if current.kind == .leftBrace { return skipBraces() }
            if position > start, isFirstOnLine(position), startsDeclaration { return }
            if advance().kind == .semicolon { return }
        }
    }

    /// Records every name in the skipped part: one of them may be the declared name.
    private mutating func loseNames(from start: Int) {
        for token in tokens[start..<position] where token.kind == .name { lostNames.insert(text(of: token)) }
    }

    /// Records that a declaration with an unreadable name was skipped.
    mutating func loseUnreadableName(at index: Int) {
        let token = tokens[min(index, tokens.count - 1)]
        if token.kind != .name || token.isFaulty { lostNames.insertAll() }
    }

    /// Skips `{ … }` with nested braces. Stops at a declaration at the start of a line: then a `}` is missing.
    private mutating func skipBraces() {
        var depth = 0
        repeat {
            switch current.kind {
            case .leftBrace: depth += 1
            case .rightBrace: depth -= 1
            default: break
            }
            advance()
        } while depth > 0 && current.kind != .endOfFile && !(isFirstOnLine(position) && startsDeclarationWithBody)
    }
}
