// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Reads the attributes at this position; nil if it is unclear where one of them ends.
    mutating func parseAttributes() -> [AttributeSyntax]? {
        var attributes: [AttributeSyntax] = []
        while let at = take(.at) {
            guard current.kind == .name, current.start == at.end else {
                reporter.error("this `@` has no name after it", at: span(of: at), help: "as in `@max(32)`")
                if current.kind == .leftParenthesis, parseArguments(of: nil) == nil { return nil }
                continue
            }
            let token = advance()
            let name = NameSyntax(text: text(of: token), span: span(of: token), isFaulty: token.isFaulty)
            var arguments: [ArgumentSyntax]?
            if current.kind == .leftParenthesis {
                guard let list = parseArguments(of: name) else { return nil }
                arguments = list
            } else if current.kind == .number || current.kind == .string || current.kind == .minus {
                reportExpected("`(` after the attribute's name", help: "write `@\(name.text)(…)`")
                return nil
            }
            attributes.append(
                AttributeSyntax(
                    name: name, arguments: arguments, span: span(of: at).through(span(of: tokens[position - 1]))))
        }
        return attributes
    }

    /// Reads `( … )`. After an error it skips past the `)`, or fails if the line has none.
    private mutating func parseArguments(of attribute: NameSyntax?) -> [ArgumentSyntax]? {
        let open = advance()
        var arguments: [ArgumentSyntax] = []
        if take(.rightParenthesis) != nil { return [] }
        let isCondition = attribute?.text == Self.conditionAttribute
        repeat {
            guard let argument = isCondition ? parseCondition().map({ .condition($0) }) : parseAlternatives() else {
                return skipArguments(from: open)
            }
            arguments.append(argument)
        } while take(.comma) != nil
        guard expect(.rightParenthesis, "after the attribute's value") != nil else { return skipArguments(from: open) }
        return arguments
    }

    /// Reads an argument, or several names separated by `|`.
    private mutating func parseAlternatives() -> ArgumentSyntax? {
        guard let first = parseArgument("a value") else { return nil }
        guard current.kind == .bar, case .name(let name) = first else { return first }
        var names = [name]
        while take(.bar) != nil {
            guard let name = expectName("a name after `|`") else { return nil }
            names.append(name)
        }
        return .names(names)
    }

    private mutating func skipArguments(from open: Token) -> [ArgumentSyntax]? {
        var depth = openParenthesisCount(since: open)
        while current.kind != .endOfFile, current.line == open.line {
            let kind = current.kind
            if kind == .semicolon || kind == .rightBrace || kind == .leftBrace { break }
            advance()
            if kind == .leftParenthesis { depth += 1 }
            guard kind == .rightParenthesis else { continue }
            depth -= 1
            if depth <= 0 { return [.faulty(span(of: open))] }
        }
        return nil
    }

    /// Returns how many parentheses are open at this position, counted from `open`: those of a condition can nest.
    private func openParenthesisCount(since open: Token) -> Int {
        tokens[..<position].reversed().prefix { $0.start >= open.start }.reduce(0) { count, token in
            switch token.kind {
            case .leftParenthesis: count + 1
            case .rightParenthesis: count - 1
            default: count
            }
        }
    }

    mutating func parseArgument(_ what: String) -> ArgumentSyntax? {
        switch current.kind {
        case .string:
            let token = advance()
            return token.isFaulty ? .faulty(span(of: token)) : parseString(token)
        case .name:
            guard let name = expectName(what) else { return nil }
            if take(.dots) != nil {
                guard let last = expectName("the last of the names") else { return nil }
                return .nameRange(name, last)
            }
            if take(.equals) != nil { return parseArgument("a value").map { .assignment(name, $0) } }
            guard current.kind == .plus || current.kind == .minus else {
                return name.isFaulty ? .faulty(name.span) : .name(name)
            }
            let isNegative = advance().kind == .minus
            guard var number = expectNumber("a number") else { return nil }
            if isNegative, let value = number.integer { number.value = .integer(-value) }
            return .sum(name, number)
        default:
            guard let lower = expectNumber(what) else { return nil }
            guard take(.dots) != nil else { return .number(lower) }
            guard let upper = expectNumber("the end of the range") else { return nil }
            return .range(lower, upper)
        }
    }

    /// Resolves the escapes `\"`, `\\`, `\n` and `\t`.
    private func parseString(_ token: Token) -> ArgumentSyntax {
        let bytes = source.bytes
        var text: [UInt8] = []
        var offset = token.start + 1
        while offset < token.end - 1 {
            if bytes[offset] == UInt8(ascii: "\\") {
                offset += 1
                switch bytes[offset] {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(bytes[offset])
                case UInt8(ascii: "n"): text.append(.lineFeed)
                case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
                default:
                    let end = offset + (source.scalar(at: offset)?.byteCount ?? 1)
                    let span = SourceSpan(file: file, start: offset - 1, end: end)
                    reporter.error(
                        "unknown escape \(source.text(offset - 1..<end).quoted)", at: span,
                        help: "the escapes are `\\\"`, `\\\\`, `\\n` and `\\t`")
                    return .faulty(span)
                }
            } else {
                text.append(bytes[offset])
            }
            offset += 1
        }
        return .string(String(decoding: text, as: UTF8.self), span(of: token))
    }
}
