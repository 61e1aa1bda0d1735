// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension ScriptParser {
    mutating func parseBlock() throws(Fault) -> [Script.Statement] {
        try expect("{", "and what is to be done")
        scope.depth += 1
        defer { scope.depth -= 1 }
        try requireDepth()
        var statements: [Script.Statement] = []
        while !take("}") {
            guard current.kind != .endOfFile, !(takes("on") && current.isFirstOnLine) else {
                throw expected("`}` after the statements")
            }
            let start = place
            do throws(Fault) {
                statements.append(try parseStatement())
            } catch {
                skip(from: start)
            }
        }
        return statements
    }

    func requireDepth() throws(Fault) {
        guard scope.depth <= Self.maximumDepth else {
            throw fault("this stands in more than \(Self.maximumDepth) others", at: current.span)
        }
    }

    private static let statementWords = [
        "reply", "send", "echo", "raw", "set", "if", "repeat", "wait", "after", "every", "glue", "bundle", "stop",
        "silence", "end", "close", "reset",
    ]

    private mutating func parseStatement() throws(Fault) -> Script.Statement {
        guard current.kind == .word else { throw expected("a statement") }
        let start = current.span
        try refuseInBundle()
        let kind = try parseStatementKind()
        return Script.Statement(kind: kind, span: start.through(last.span))
    }

    private mutating func parseStatementKind() throws(Fault) -> Script.Statement.Kind {
        let word = advance()
        switch word.text {
        case "reply", "send": return try parseSend(word)
        case "echo":
            guard scope.messages != nil else { throw fault("no message has come that could go back", at: word.span) }
            return .echo(try parseDelivery())
        case "raw": return try parseRaw()
        // A variable can be named `set`.
        case "set" where !takes("="): return try parseStateChange()
        case "if": return try parseIf()
        case "repeat":
            let count = try expectInteger(1...Self.maximumLoopCount, "a number of times")
            return .loop(count: count, try parseBlock())
        case "wait":
            try refuseInGlue(word)
            let pause = try parsePause()
            try expect(";", "after the time")
            return .wait(pause)
        case "after":
            try refuseInGlue(word)
            return .after(try parsePause(), try parseBlock())
        case "every":
            try refuseInGlue(word)
            let pause = try parsePause()
            let times = take("times") ? try expectInteger(1...Self.maximumLoopCount, "a number of times") : nil
            return .every(pause, times: times, try parseBlock())
        case "glue":
            try refuseInGlue(word)
            scope.isGlue = true
            defer { scope.isGlue = false }
            return .glue(try parseBlock())
        case "bundle": return try parseBundle(word)
        case "stop": return try parseEnd(.stop)
        case "silence", "end", "close":
            // The bytes of a `glue` block are sent after the block, so a close inside it would come before them.
            try refuseInGlue(word)
            return try parseEnd(word.text == "silence" ? .silence : word.text == "end" ? .endOutput : .close)
        case "reset": return try parseEnd(.reset)
        default: return try parseAssignment(word)
        }
    }

    /// The limit is far above what a script needs. Without it, a mistyped digit could occupy the loop for minutes.
    private static let maximumLoopCount = 100_000

    private func refuseInGlue(_ word: ScriptToken) throws(Fault) {
        guard scope.isGlue else { return }
        throw fault("\(word.text.quoted) cannot stand in `glue`: what is in it leaves in one piece", at: word.span)
    }

    /// The statements that are allowed in `bundle`.
    private static let bundledWords = ["reply", "send", "if", "repeat", "bundle"]

    private func refuseInBundle() throws(Fault) {
        guard scope.isBundle, Self.statementWords.contains(current.text), !Self.bundledWords.contains(current.text)
        else { return }
        throw fault("\(current.text.quoted) cannot stand in `bundle`: what is in it is one packet", at: current.span)
    }

    /// Parses `bundle { send …; } header { … };`.
    private mutating func parseBundle(_ word: ScriptToken) throws(Fault) -> Script.Statement.Kind {
        guard description.layout.content.packets != nil else {
            throw fault("packets of \(description.name) have no packets inside", at: word.span)
        }
        let block = try parseBundledBlock()
        let members = take("header") ? try parseHeader(.ofBundle) : []
        let identifiers = description.layout.fields.filter { $0.role == .messageID }.map(\.name)
        let bundle = Script.Bundle(
            id: members.first { identifiers.contains($0.name) }?.value,
            header: members.filter { !identifiers.contains($0.name) })
        return .bundle(bundle, block, try parseDelivery())
    }

    private mutating func parseBundledBlock() throws(Fault) -> [Script.Statement] {
        let isInside = scope.isBundle
        scope.isBundle = true
        defer { scope.isBundle = isInside }
        return try parseBlock()
    }

    private mutating func parseEnd(_ kind: Script.Statement.Kind) throws(Fault) -> Script.Statement.Kind {
        try expect(";", "after \(last.text.quoted)")
        return kind
    }

    private mutating func parseAssignment(_ name: ScriptToken) throws(Fault) -> Script.Statement.Kind {
        guard let variable = variable(name.text) else {
            let names = (script.variables + script.sharedVariables).map(\.name)
            let isAssignment = takes("=")
            let candidates = isAssignment ? names : Self.statementWords + names
            throw fault(
                isAssignment ? "no variable is named \(name.text.quoted)" : "\(name.text.quoted) is no statement",
                at: name.span,
                help: Spelling.help(for: name.text, among: candidates)
                    ?? (isAssignment ? "declare it at the top: `state \(name.text) = 0;`" : nil))
        }
        try expect("=", "after the variable")
        let expression = try parseExpression()
        if let kind = type(of: expression).kind, kind == .list || kind == .object {
            throw fault("a variable holds no \(kind == .list ? "list" : "object")", at: expression.span)
        }
        try expect(";", "after the value")
        return .assign(index: variable.index, isShared: variable.isShared, expression)
    }

    /// Parses `set phase = "play";` after its first word.
    private mutating func parseStateChange() throws(Fault) -> Script.Statement.Kind {
        let name = current
        guard name.kind == .word else { throw expected("the name of a state") }
        guard description.state(named: name.text) != nil else {
            let error = StateTextError.unknownState(name.text, known: description.states.map(\.name))
            throw fault("\(error)", at: name.span, help: error.hint)
        }
        advance()
        try expect("=", "after the state")
        let expression = try parseExpression()
        try check(expression, ofState: name.text)
        try expect(";", "after the value")
        return .set(state: name.text, expression)
    }

    private mutating func parseIf() throws(Fault) -> Script.Statement.Kind {
        let condition = try parseCondition()
        let block = try parseBlock()
        guard take("else") else { return .condition(condition, then: block, otherwise: []) }
        guard takes("if") else { return .condition(condition, then: block, otherwise: try parseBlock()) }
        scope.depth += 1
        defer { scope.depth -= 1 }
        try requireDepth()
        let start = advance().span
        let kind = try parseIf()
        let statement = Script.Statement(kind: kind, span: start.through(last.span))
        return .condition(condition, then: block, otherwise: [statement])
    }

    // MARK: Messages to send

    private mutating func parseSend(_ word: ScriptToken) throws(Fault) -> Script.Statement.Kind {
        let isReply = word.text == "reply"
        if isReply, scope.messages == nil {
            throw fault("no message has come that could be answered", at: word.span, help: "write `send`")
        }
        let index = try parseMessageName(from: .server)
        let name = last.span
        var fields = Script.Expression(kind: .object([]), span: name)
        if takes("{") { fields = try parseObject() }
        let header = take("header") ? try parseHeader(.right) : []
        check(fields, of: index, header, named: name)
        let wrong = !scope.isBundle && take("wrong") ? try parseHeader(.wrong) : []
        let message = Script.Message(index: index, isReply: isReply, fields: fields, header: header, wrong: wrong)
        return .send(message, try parseDelivery())
    }

    private mutating func parseRaw() throws(Fault) -> Script.Statement.Kind {
        let token = current
        guard token.kind == .string, case .string(let text)? = try? JSONValue(parsing: token.text) else {
            throw expected("bytes in hexadecimal digits, in quotes")
        }
        advance()
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try Hexadecimal.bytes(of: text)
        } catch {
            throw fault("\(error)", at: token.span)
        }
        return .raw(bytes, try parseDelivery())
    }

    private mutating func parseDelivery() throws(Fault) -> Script.Delivery {
        var delivery = Script.Delivery()
        guard !scope.isBundle else {
            try expect(";", "after what is sent", help: "in `bundle`, only the packet around it can be sent otherwise")
            return delivery
        }
        if takes("damaged") {
            guard !description.layout.content.layers.isEmpty else {
                throw fault("packets of \(description.name) have no layers", at: current.span)
            }
            advance()
            delivery.isDamaged = true
        }
        if take("cut") {
            delivery.byteLimit = try expectInteger(0...Int(Int32.max), "a number of bytes")
        }
        if takes("torn") {
            try refuseInGlue(advance())
            let byteCount = try expectInteger(1...Int(Int32.max), "a number of bytes")
            try expect("every", "and the time between two pieces")
            delivery.pieces = (byteCount, try parsePause())
        }
        let words = ["header", "wrong", "damaged", "cut", "torn"]
        try expect(
            ";", "after what is sent",
            help: current.kind == .word ? Spelling.help(for: current.text, among: words) : nil)
        return delivery
    }

    private mutating func parsePause() throws(Fault) -> Script.Pause {
        let least = try parseTime()
        let most = take("to") ? try parseTime() : least
        guard least <= most else {
            throw fault("the longer time stands after `to`", at: last.span)
        }
        return Script.Pause(least: least, most: most)
    }

    private mutating func parseTime() throws(Fault) -> Duration {
        guard current.kind == .number else { throw expected("a time, such as 500ms, 5s or 2m") }
        guard let time = Duration(text: current.text) else {
            throw fault(
                "\(current.text.quoted) is no time", at: current.span,
                help: "it is a number above 0 with ms, s or m after it, such as 500ms")
        }
        advance()
        return time
    }
}
