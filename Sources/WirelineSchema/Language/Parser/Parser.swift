// SPDX-License-Identifier: Apache-2.0

/// Turns a file's tokens into its syntax tree, by recursive descent that is two calls deep: nothing in the language nests.
///
/// A method that returns nil has reported why, and leaves the position where it gave up; its caller skips to a place
/// where something new starts.
struct Parser {
    let source: SourceText
    let file: Int
    let reporter: Reporter
    let documentation: DocumentationFinder
    let tokens: [Token]
    private(set) var position = 0
    /// What was left out may have declared these.
    private var lostNames = LostNames()
    /// Something was left out that may have been the packet.
    var lacksPacket: Bool
    /// There is a fault in the declaration before this one, so that what starts no other is taken for debris of it.
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
            // As C's programmers write it: `};`.
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

    /// Takes a token of this kind, or reports that it is missing.
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

    /// `12`, `0x1F`, `-3`, `0.5`
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

    /// The `;` behind something. A missing one is reported where it belongs, and what stands on the next line is read
    /// as if it were there.
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

    /// Takes the `{` of a declaration. When something else stands there, one further on the same line will do, and if there
    /// is none, what follows on the line is read as if it were there.
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

    /// Says what was wanted in place of the current token, unless the lexer has said what is wrong with that.
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

    /// Skips the rest of something in a body: past its `;`, or up to the `}` of the body or what shows that it is missing.
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

    /// Skips the rest of something at the top level: past its `;` or its `{ … }`, or up to the next declaration.
    private mutating func skipDeclaration(from start: Int) {
        while current.kind != .endOfFile {
            if current.kind == .leftBrace { return skipBraces() }
            if position > start, isFirstOnLine(position), startsDeclaration { return }
            if advance().kind == .semicolon { return }
        }
    }

    /// Remembers every name in what has been skipped: one of them may be what was declared.
    private mutating func loseNames(from start: Int) {
        for token in tokens[start..<position] where token.kind == .name { lostNames.insert(text(of: token)) }
    }

    /// Remembers that a declaration has been lost whose name cannot be made out.
    mutating func loseUnreadableName(at index: Int) {
        let token = tokens[min(index, tokens.count - 1)]
        if token.kind != .name || token.isFaulty { lostNames.insertAll() }
    }

    /// Skips `{ … }`, with what is nested in it. At a declaration on a line of its own it gives up: a `}` is missing.
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
