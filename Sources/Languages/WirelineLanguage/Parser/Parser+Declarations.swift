// SPDX-License-Identifier: Apache-2.0

/// The words that start a declaration; everywhere else they are ordinary names.
enum Keyword: String, CaseIterable {
    case message, `struct`, `enum`, flags, union, const, reserved, option, packet

    /// Whether it declares a name that others can use.
    var givesName: Bool {
        switch self {
        case .message, .struct, .enum, .flags, .union, .const: true
        case .reserved, .option, .packet: false
        }
    }
}

extension Parser {
    /// Whether a declaration with braces starts here, rather than a field whose type has such a name.
    var startsDeclarationWithBody: Bool {
        guard current.kind == .name, let keyword = Keyword(rawValue: text(of: current)) else { return false }
        switch keyword {
        case .message: return token(ahead: 1).kind == .name && token(ahead: 2).kind == .leftBrace
        case .struct:
            let behindName = token(ahead: 2)
            return token(ahead: 1).kind == .name
                && (behindName.kind == .leftBrace || behindName.kind == .name && text(of: behindName) == "sized")
        case .enum, .flags, .union: return token(ahead: 1).kind == .name && token(ahead: 2).kind == .colon
        case .packet: return token(ahead: 1).kind == .leftBrace
        case .const, .reserved, .option: return false
        }
    }

    /// Whether a declaration may start here, at the top level.
    var startsDeclaration: Bool {
        current.kind == .at || current.kind == .name && Keyword(rawValue: text(of: current)) != nil
    }

    mutating func parseDeclaration() -> DeclarationSyntax? {
        let first = position
        guard let attributes = parseAttributes(), let keyword = parseKeyword() else { return nil }
        let bodyIndex = position
        let span = span(of: tokens[bodyIndex - 1])
        guard let (body, bodyStart) = parseBody(of: keyword) else {
            if keyword.givesName { loseUnreadableName(at: keyword == .const ? bodyIndex + 1 : bodyIndex) }
            lacksPacket = lacksPacket || keyword == .packet
            return nil
        }
        return DeclarationSyntax(
            documentation: documentation.text(from: first, bodyStart: bodyStart, to: position - 1),
            attributes: attributes, keyword: span, body: body)
    }

    private mutating func parseKeyword() -> Keyword? {
        guard current.kind == .name, !current.isFaulty else {
            if isInDebris { return nil }
            let help = current.kind == .rightBrace ? "remove it: nothing is open here" : nil
            reportExpected("a declaration such as `message`, `struct` or `enum`", help: help)
            return nil
        }
        let word = text(of: current)
        if let keyword = Keyword(rawValue: word) {
            advance()
            return keyword
        }
        if isInDebris, looksLikeField { return nil }
        var spelling = Spelling()
        let suggestion = spelling.suggestion(for: word, among: Keyword.allCases.map(\.rawValue))
        reporter.error(
            "\(word.quoted) does not start a declaration", at: span(of: current),
            help: suggestion.map { "did you mean `\($0)`?" } ?? Self.foreignHelp(for: word)
                ?? "declarations are \(Keyword.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))")
        guard let keyword = suggestion.flatMap(Keyword.init) else { return nil }
        advance()
        return keyword
    }

    /// Whether a field seems to start here, such as `uint8 a;` or `Color[4] b = 1;`.
    private var looksLikeField: Bool {
        let (next, last) = (token(ahead: 1).kind, token(ahead: 2).kind)
        return next == .leftBracket || next == .name && (last == .semicolon || last == .equals)
    }

    /// Returns help for words of other schema languages.
    static func foreignHelp(for word: String) -> String? {
        switch word {
        case "import", "include", "package", "namespace", "syntax":
            "leave it out: all `.wire` files of a folder are one protocol"
        case "oneof": "declare a `union` at the top level, as in `union U : uint8 { 1: uint32 mileage; }`"
        case "map": "there are no maps: use a list of a struct with a key and a value"
        case "typedef", "using", "type": "there are no type aliases: use a `struct`"
        case "service", "rpc": "a request and its reply are two messages: `Cs_1` and `Sc_1`, or `@reply(Name)`"
        default: nil
        }
    }

    /// - Returns: The declaration, and the index of the token whose line may have documentation: the `{`.
    private mutating func parseBody(of keyword: Keyword) -> (DeclarationSyntax.Body, Int)? {
        switch keyword {
        case .message: parseMessage()
        case .struct: parseStructure()
        case .enum: parseCases("enum").map { (.enumeration($0), $1) }
        case .flags: parseCases("flags").map { (.flags($0), $1) }
        case .union: parseUnion().map { (.union($0), $1) }
        case .const: parseConstant().map { (.constant($0), position - 1) }
        case .reserved: parseReservedList().map { (.reserved($0), position - 1) }
        case .option: parseOption().map { (.option($0), position - 1) }
        case .packet: parsePacket()
        }
    }

    private mutating func parseMessage() -> (DeclarationSyntax.Body, Int)? {
        guard var name = expectName("the message's name") else { return nil }
        // Without the brace after it, the name is not the intended one.
        name.isFaulty = name.isFaulty || current.kind != .leftBrace
        let bodyStart = position
        guard let open = expectLeftBrace("after the message's name") else { return nil }
        return (.message(name, parseFields(of: name.text, openedBy: open).fields), bodyStart)
    }

    private mutating func parseStructure() -> (DeclarationSyntax.Body, Int)? {
        guard let name = expectName("the struct's name") else { return nil }
        var sizePrefix: NameSyntax?
        if startsSizePrefix {
            guard let prefix = parseSizePrefix() else { return nil }
            sizePrefix = prefix
        }
        let bodyStart = position
        guard let open = expectLeftBrace("before the struct's fields") else { return nil }
        let (fields, isComplete) = parseFields(of: name.text, openedBy: open)
        let structure = StructureSyntax(name: name, sizePrefix: sizePrefix, fields: fields, isComplete: isComplete)
        return (.structure(structure), bodyStart)
    }

    private mutating func parseConstant() -> ConstantSyntax? {
        guard let format = expectName("an integer type, as in `const uint8 seats = 4;`"),
            let name = expectName("the constant's name"),
            expect(.equals, "after the constant's name") != nil,
            let number = expectNumber("a number"),
            expectSemicolon(after: "the constant")
        else { return nil }
        return ConstantSyntax(format: format, name: name, number: number)
    }

    private mutating func parseOption() -> OptionSyntax? {
        guard let name = expectName("the option's name"),
            expect(.equals, "after the option's name") != nil,
            let value = parseArgument("the option's value"),
            expectSemicolon(after: "the option")
        else { return nil }
        return OptionSyntax(name: name, value: value)
    }

    /// Reads a list such as `20003, 20010 to 20019;`.
    mutating func parseReservedList() -> [ReservedSyntax]? {
        var list: [ReservedSyntax] = []
        repeat {
            guard let first = expectNumber("a number, as in `reserved 3, 10 to 19;`") else { return nil }
            var last = first
            if current.kind == .name, text(of: current) == "to" {
                advance()
                guard let number = expectNumber("the last number") else { return nil }
                last = number
            } else if current.kind == .dots || current.kind == .minus {
                reportExpected("`to` between the first and the last number", help: "as in `10 to 19`")
                return nil
            }
            list.append(ReservedSyntax(first: first, last: last))
        } while take(.comma) != nil
        return expectSemicolon(after: "the reserved numbers") ? list : nil
    }
}
