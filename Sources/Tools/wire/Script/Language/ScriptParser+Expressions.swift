// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension ScriptParser {
    mutating func parseCondition() throws(Fault) -> Script.Expression {
        let condition = try parseExpression()
        try require(.boolean, condition)
        return condition
    }

    mutating func parseExpression() throws(Fault) -> Script.Expression { try parseOperation(above: 0) }

    private mutating func parseOperation(above precedence: Int) throws(Fault) -> Script.Expression {
        var left = try parseOperand()
        let depth = scope.depth
        defer { scope.depth = depth }
        while let next = Script.Operator(rawValue: current.text), current.kind != .string, next.precedence > precedence
        {
            let mark = advance()
            try descend()
            let right = try parseOperation(above: next.precedence)
            try check(next, left, right, mark)
            left = Script.Expression(kind: .operation(next, left, right), span: left.span.through(right.span))
            if next.precedence == 3, let again = Script.Operator(rawValue: current.text), again.precedence == 3 {
                throw fault("comparisons do not stand in a row", at: current.span, help: "write `and` between two")
            }
        }
        return left
    }

    /// Counts a level of nesting. A chain of operations or members also counts, because its tree is deep on the left.
    private mutating func descend() throws(Fault) {
        scope.depth += 1
        try requireDepth()
    }

    private mutating func parseOperand() throws(Fault) -> Script.Expression {
        let depth = scope.depth
        defer { scope.depth = depth }
        try descend()
        let start = current.span
        if take("not") {
            // `not` applies to a whole comparison: `not a == b`.
            let operand = try parseOperation(above: 2)
            try require(.boolean, operand)
            return Script.Expression(kind: .not(operand), span: start.through(operand.span))
        }
        if take("-") {
            let operand = try parseOperand()
            try require(.number, operand)
            return Script.Expression(kind: .negative(operand), span: start.through(operand.span))
        }
        var expression = try parsePrimary()
        while true {
            if take(".") {
                try descend()
                expression = try parseMember(of: expression)
            } else if takes("["), !current.isFirstOnLine {
                try descend()
                expression = try parseItem(of: expression)
            } else {
                return expression
            }
        }
    }

    private mutating func parseItem(of list: Script.Expression) throws(Fault) -> Script.Expression {
        try require(.list, list)
        advance()
        let index = try parseExpression()
        try require(.number, index)
        try expect("]", "after the number")
        let item = type(of: list).item
        return Script.Expression(
            kind: .item(list, index, isInteger: item.isInteger), span: list.span.through(last.span))
    }

    private mutating func parseMember(of object: Script.Expression) throws(Fault) -> Script.Expression {
        let name = try expectWord("the name of a field")
        let span = object.span.through(name.span)
        func member(_ type: ScriptType) -> Script.Expression {
            Script.Expression(kind: .member(object, name.text, isInteger: type.isInteger), span: span)
        }
        guard let known = members(of: type(of: object)) else { return member(.unknown) }
        guard let type = known.first(where: { $0.name == name.text })?.type else {
            let names = known.map(\.name)
            let list = names.isEmpty ? "there are none" : "there are " + names.prefix(8).joined(separator: ", ")
            throw fault(
                "no field is named \(name.text.quoted)", at: name.span,
                help: Spelling.help(for: name.text, among: names) ?? (list + (names.count > 8 ? ", …" : "")))
        }
        return member(type)
    }

    private mutating func parsePrimary() throws(Fault) -> Script.Expression {
        let token = current
        switch token.kind {
        case .endOfFile: throw expected("a value")
        case .number: return literal(try number(token))
        case .string:
            do throws(JSONError) {
                return literal(try JSONValue(parsing: token.text))
            } catch {
                throw fault("\(error.reasonText)", at: token.span)
            }
        case .mark:
            switch token.text {
            case "{": return try parseObject()
            case "[": return try parseArray()
            case "(":
                advance()
                let inner = try parseExpression()
                try expect(")", "after the value")
                return Script.Expression(kind: inner.kind, span: token.span.through(last.span))
            default: throw expected("a value")
            }
        case .word: return try parseWord()
        }
    }

    private mutating func literal(_ value: JSONValue) -> Script.Expression {
        Script.Expression(kind: .literal(value), span: advance().span)
    }

    private func number(_ token: ScriptToken) throws(Fault) -> JSONValue {
        if let integer = ScriptNumber.integer(token.text) { return .integer(integer) }
        if case .number(let number)? = try? JSONValue(parsing: token.text) { return .number(number) }
        let isTime = Duration(text: token.text) != nil
        throw fault(
            "\(token.text.quoted) is no number", at: token.span,
            help: isTime ? "times stand after `wait`, `after` and `every`" : nil)
    }

    private mutating func parseWord() throws(Fault) -> Script.Expression {
        let word = advance()
        func expression(_ kind: Script.Expression.Kind) -> Script.Expression {
            Script.Expression(kind: kind, span: word.span)
        }
        switch word.text {
        case "true": return expression(.literal(true))
        case "false": return expression(.literal(false))
        case "null": return expression(.literal(.null))
        case "request":
            guard scope.messages?.isEmpty == false else {
                throw fault("`request` stands only in rules for messages that are named", at: word.span)
            }
            return expression(.request)
        case "header", "message", "id":
            guard scope.messages != nil else {
                throw fault("\(word.text.quoted) stands only in rules for messages", at: word.span)
            }
            return expression(word.text == "header" ? .header : word.text == "id" ? .messageID : .messageName)
        case "connection", "count":
            guard scope.isRule else { throw fault("\(word.text.quoted) stands only in rules", at: word.span) }
            return expression(word.text == "count" ? .count : .connection)
        case "value":
            guard scope.hasRight else { throw fault("`value` stands only in `wrong`", at: word.span) }
            return expression(.right)
        case "random", "size": return try parseCall(word)
        default:
            guard let variable = variable(word.text) else {
                let names = (script.variables + script.sharedVariables).map(\.name)
                let words = ["request", "header", "message", "id", "connection", "count", "random", "size"]
                throw fault(
                    "nothing is named \(word.text.quoted)", at: word.span,
                    help: Spelling.help(for: word.text, among: names + words)
                        ?? "a text stands in quotes; variables are declared at the top: `state \(word.text) = 0;`")
            }
            return expression(.variable(index: variable.index, isShared: variable.isShared))
        }
    }

    private mutating func parseCall(_ word: ScriptToken) throws(Fault) -> Script.Expression {
        try expect("(", "after \(word.text.quoted)")
        let first = try parseExpression()
        let kind: Script.Expression.Kind
        if word.text == "random" {
            try require(.number, first)
            try expect(",", "and the largest number", help: "`random(1, 6)` is a number from 1 to 6")
            let most = try parseExpression()
            try require(.number, most)
            kind = .random(first, most)
        } else {
            kind = .size(first)
        }
        try expect(")", "after the values")
        return Script.Expression(kind: kind, span: word.span.through(last.span))
    }

    private mutating func parseArray() throws(Fault) -> Script.Expression {
        let start = advance().span
        var items: [Script.Expression] = []
        while !takes("]") {
            items.append(try parseExpression())
            if !take(",") { break }
        }
        try expect("]", "or `,` after an item")
        return Script.Expression(kind: .array(items), span: start.through(last.span))
    }

    /// Parses an object such as `{ Res: 1, "SceneId": request.SceneId }`.
    mutating func parseObject() throws(Fault) -> Script.Expression {
        let start = current.span
        let members = try parseMembers("field")
        return Script.Expression(kind: .object(members), span: start.through(last.span))
    }

    mutating func parseMembers(_ what: String) throws(Fault) -> [Script.Expression.Member] {
        try expect("{", "and the \(what)s")
        var members: [Script.Expression.Member] = []
        while !takes("}") {
            let token = current
            var name = token.text
            if token.kind == .string, case .string(let text)? = try? JSONValue(parsing: token.text) {
                name = text
            } else if token.kind != .word {
                throw expected("the name of a \(what)")
            }
            advance()
            guard !members.contains(where: { $0.name == name }) else {
                throw fault("\(name.quoted) stands twice", at: token.span)
            }
            try expect(":", "after the name")
            members.append(Script.Expression.Member(name: name, span: token.span, value: try parseExpression()))
            if !take(",") { break }
        }
        try expect("}", "or `,` after a value")
        return members
    }
}

enum ScriptNumber {
    /// Returns a decimal integer, or a hexadecimal one after `0x`; nil for other text.
    static func integer(_ text: String) -> Int128? {
        let isHexadecimal = text.hasPrefix("0x")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        guard isHexadecimal || digits.count == 1 || digits.first != "0" else { return nil }
        return Int128(digits, radix: isHexadecimal ? 16 : 10)
    }
}

extension JSONError {
    /// The reason alone. The position is shown separately.
    fileprivate var reasonText: String {
        description.firstRange(of: " at byte ").map { String(description[..<$0.lowerBound]) } ?? description
    }
}
