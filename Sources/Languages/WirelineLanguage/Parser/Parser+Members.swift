// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Reads up to the `}` that closes `open`, one member at a time.
    ///
    /// A declaration at the start of a line, or the end of the file, also ends the body: then the `}` is missing. If
    /// `open` only replaces a missing `{`, that error suffices.
    ///
    /// - Returns: Whether all members could be read.
    @discardableResult
    mutating func parseMembers(
        of owner: String, openedBy open: Token, _ parseMember: (inout Parser) -> Bool
    ) -> Bool {
        var isComplete = true
        while current.kind != .rightBrace {
            if current.kind == .endOfFile || startsDeclarationWithBody && isFirstOnLine(position) {
                if !current.isFaulty, open.kind == .leftBrace {
                    reporter.error(
                        "this `{` is not closed", at: span(of: open), help: "put `}` where \(owner.quoted) ends")
                }
                return false
            }
            let start = position
            if !parseMember(&self) {
                isComplete = false
                let isAtNext = position > start && tokens[position - 1].kind == .semicolon
                if !isAtNext { skipMember() }
            }
        }
        advance()
        return isComplete
    }

    mutating func parseFields(of owner: String, openedBy open: Token) -> (fields: [FieldSyntax], isComplete: Bool) {
        var fields: [FieldSyntax] = []
        let isComplete = parseMembers(of: owner, openedBy: open) { parser in
            guard let field = parser.parseField() else { return false }
            fields.append(field)
            return true
        }
        return (fields, isComplete)
    }

    mutating func parsePacket() -> (DeclarationSyntax.Body, Int)? {
        let bodyStart = position
        guard let open = expectLeftBrace("after `packet`") else { return nil }
        var packet = PacketSyntax(header: [], trailer: [], isComplete: true)
        var payload: SourceSpan?
        packet.isComplete = parseMembers(of: "packet", openedBy: open) { parser in
            if parser.startsFrame {
                let isFirst = packet.frame == nil && packet.header.isEmpty && payload == nil
                guard let frame = parser.parseFrame() else { return false }
                if !isFirst {
                    parser.reporter.error(
                        packet.frame == nil ? "a frame stands first in the packet" : "a second frame",
                        at: frame.keyword,
                        help: packet.frame == nil ? "move it before the first field" : "remove one of them")
                }
                packet.frame = packet.frame ?? frame
                return true
            }
            if parser.startsState {
                guard let state = parser.parseState() else { return false }
                packet.states.append(state)
                return true
            }
            if parser.startsPayloadLine {
                let span = parser.span(of: parser.advance())
                parser.advance()
                if payload != nil {
                    parser.reporter.error(
                        "a second `payload;`", at: span, help: "the message's fields stand in one place: remove a line")
                }
                payload = payload ?? span
                return true
            }
            let first = parser.position
            guard let attributes = parser.parseAttributes() else { return false }
            if parser.startsContent {
                guard let line = parser.parseContent(attributes, afterFields: packet.header.count) else { return false }
                if payload == nil {
                    packet.content.append(line)
                } else {
                    parser.reporter.error(
                        "\(line.word.text.quoted) stands after `payload;`", at: line.word.span,
                        help: "it says what the payload is: move it before `payload;`")
                }
                return true
            }
            guard let field = parser.parseField(from: first, attributes) else { return false }
            if payload == nil { packet.header.append(field) } else { packet.trailer.append(field) }
            return true
        }
        return (.packet(packet), bodyStart)
    }

    private var startsPayloadLine: Bool {
        current.kind == .name && token(ahead: 1).kind == .semicolon && text(of: current) == "payload"
    }

    // MARK: Fields

    mutating func parseField() -> FieldSyntax? {
        let first = position
        guard let attributes = parseAttributes() else { return nil }
        return parseField(from: first, attributes)
    }

    /// Reads a field after its attributes. `first` is the attributes' first token.
    mutating func parseField(from first: Int, _ attributes: [AttributeSyntax]) -> FieldSyntax? {
        guard current.kind == .name else {
            reportExpected("a field, as in `uint8 SceneId = 1;`")
            return nil
        }
        if startsPadding { return parsePadding(from: first, attributes) }
        let optional = parseModifier("optional")
        let repeated = parseModifier("repeated")
        guard let typeName = expectName("a type"), let brackets = parseBrackets() else { return nil }
        guard let name = expectFieldName(behind: typeName) else { return nil }
        guard !reportMisplaced(behind: name, typeName) else { return nil }
        var number: NumberSyntax?
        if take(.equals) != nil {
            guard let value = expectNumber("the field's number") else { return nil }
            number = value
        }
        guard expectSemicolon(after: "the field") else { return nil }
        return FieldSyntax(
            documentation: documentation.text(from: first, bodyStart: nil, to: position - 1), attributes: attributes,
            optional: optional, repeated: repeated, typeName: typeName,
            brackets: brackets, typeText: typeText(typeName, brackets), name: name, number: number)
    }

    /// Whether a line such as `padding 3;` follows; in `padding x;` the word is the name of a type.
    private var startsPadding: Bool {
        let next = token(ahead: 1).kind
        return text(of: current) == "padding" && (next == .number || next == .minus)
    }

    private mutating func parsePadding(from first: Int, _ attributes: [AttributeSyntax]) -> FieldSyntax? {
        let token = advance()
        let word = NameSyntax(text: text(of: token), span: span(of: token))
        guard let byteCount = expectNumber("a number of bytes"), expectSemicolon(after: "the number of bytes") else {
            return nil
        }
        return FieldSyntax(
            documentation: documentation.text(from: first, bodyStart: nil, to: position - 1), attributes: attributes,
            typeName: word, brackets: [], typeText: word.text, name: word, padding: byteCount)
    }

    /// Reads `optional` or `repeated` if a type and a name follow; in `optional x;` it is the name of a type.
    private mutating func parseModifier(_ word: String) -> SourceSpan? {
        let behindNext = token(ahead: 2).kind
        guard current.kind == .name, token(ahead: 1).kind == .name, behindNext == .name || behindNext == .leftBracket,
            text(of: current) == word
        else { return nil }
        return span(of: advance())
    }

    /// Reads any number of `[4]`, `[seats]` or `[]`; the checker reports nested lists.
    private mutating func parseBrackets() -> [BracketsSyntax]? {
        var list: [BracketsSyntax] = []
        while let open = take(.leftBracket) {
            var count: BracketsSyntax.Count?
            if current.kind == .name {
                guard let name = expectName("a constant") else { return nil }
                count = .name(name)
            } else if current.kind != .rightBracket {
                guard let number = expectNumber("a number of items, a constant or `]`") else { return nil }
                count = .number(number)
            }
            guard let close = expect(.rightBracket, "after the number of items") else { return nil }
            list.append(BracketsSyntax(span: span(of: open).through(span(of: close)), count: count))
        }
        return list
    }

    private func typeText(_ typeName: NameSyntax, _ brackets: [BracketsSyntax]) -> String {
        brackets.last.map { source.text(typeName.span.start..<$0.span.end) } ?? typeName.text
    }

    private mutating func expectFieldName(behind typeName: NameSyntax) -> NameSyntax? {
        if current.kind == .name { return expectName("the field's name") }
        if current.kind == .at, typeName.text == "optional" || typeName.text == "repeated" {
            reporter.error(
                "attributes stand before the field", at: span(of: current),
                help: "move it in front of `\(typeName.text)`")
            return nil
        }
        let isBeforeNumber = current.kind == .number || current.kind == .minus
        let help = isBeforeNumber ? Self.helpBeforeNumber(for: typeName.text) : nil
        reportExpected(
            "the field's name",
            help: help ?? Self.foreignHelp(for: typeName.text)
                ?? "a field is a type and a name, as in `uint8 SceneId = 1;`")
        return nil
    }

    /// Returns help for a word of the language that takes a number elsewhere.
    private static func helpBeforeNumber(for word: String) -> String? {
        switch word {
        case "reserved": "`reserved` lists message IDs at the top level, or values inside an `enum`"
        case "frame": "a frame stands first in the `packet`, without attributes"
        default: nil
        }
    }

    /// Reports syntax that other languages have after a field's name.
    private func reportMisplaced(behind name: NameSyntax, _ typeName: NameSyntax) -> Bool {
        switch current.kind {
        case .leftBracket:
            reporter.error(
                "the number of items stands after the type", at: span(of: current),
                help: "write `\(typeName.text)[…] \(name.text)`")
            return true
        case .at:
            reporter.error(
                "attributes stand before the field", at: span(of: current),
                help: "move it in front of `\(typeName.text)`")
            return true
        case .name where !isFirstOnLine(position):
            reportExpected("`;` after the field", help: helpForThreeWords(startingWith: typeName.text))
            return true
        default: return false
        }
    }

    /// Returns advice for three words in a row, by the first one.
    private func helpForThreeWords(startingWith word: String) -> String? {
        switch word {
        case "state": return "a state stands in the `packet`, without attributes: `state bit started;`"
        case "required": return "leave `required` out: fields are, unless they are `optional`"
        case "optional", "repeated":
            return "before a type stand `optional`, `repeated`, or `optional repeated`, in this order"
        default:
            var spelling = Spelling()
            let suggestion = spelling.suggestion(for: word, among: ["optional", "repeated"])
            return suggestion.map { "did you mean `\($0)` by \(word.quoted)?" }
        }
    }

    // MARK: Cases

    mutating func parseCases(_ keyword: String) -> (CasesSyntax, Int)? {
        guard let name = expectName("the name of the \(keyword)"),
            expect(.colon, "after the name", help: "say how it stands on the wire, as in `\(keyword) E : uint8 { … }`")
                != nil,
            let format = expectName("an integer type")
        else { return nil }
        let bodyStart = position
        guard let open = expectLeftBrace("after the type") else { return nil }
        var syntax = CasesSyntax(name: name, format: format, cases: [], reserved: [], isComplete: true)
        syntax.isComplete = parseMembers(of: name.text, openedBy: open) { parser in
            if parser.startsReservedLine {
                parser.advance()
                guard let list = parser.parseReservedList() else { return false }
                syntax.reserved += list
                return true
            }
            guard let member = parser.parseCase() else { return false }
            syntax.cases.append(member)
            return true
        }
        return (syntax, bodyStart)
    }

    private var startsReservedLine: Bool {
        guard current.kind == .name, text(of: current) == "reserved" else { return false }
        return token(ahead: 1).kind == .number || token(ahead: 1).kind == .minus
    }

    private mutating func parseCase() -> CaseSyntax? {
        let first = position
        guard let attributes = parseAttributes(), let name = expectName("a name, as in `ok = 1;`"),
            expect(.equals, "after the name", help: "each name has a number, as in `ok = 1;`") != nil,
            let number = expectNumber("a number"),
            expectSemicolon(after: "the number")
        else { return nil }
        return CaseSyntax(
            documentation: documentation.text(from: first, bodyStart: nil, to: position - 1), attributes: attributes,
            name: name, number: number)
    }
}
