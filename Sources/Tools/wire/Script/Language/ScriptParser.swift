// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// Parses a script and checks it against a protocol in one pass; names must be declared before use.
///
/// A method that throws has already reported the error. Its caller continues with the next statement.
struct ScriptParser {
    /// An error that the reporter already has.
    struct Fault: Error {}

    /// What the code around an expression or statement allows.
    struct Scope {
        /// The possible received messages: nil for none, empty for any.
        var messages: [Int]?
        var isRule = false
        /// Whether `right` is allowed: only inside `wrong`.
        var hasRight = false
        /// Whether the code is inside `glue`.
        var isGlue = false
        /// Whether the code is inside `bundle`.
        var isBundle = false
        /// The nesting depth of the expression or statement, compared with ``maximumDepth``.
        var depth = 0
    }

    let description: ProtocolDescription
    let translator: PacketTranslator
    let reporter: Reporter
    private let tokens: [ScriptToken]
    private var position = 0
    var script = Script()
    var scope = Scope()

    /// The limit keeps recursion from exhausting the thread's stack. Real scripts are less deep.
    static let maximumDepth = 64

    /// - Returns: nil if the script has an error.
    static func parse(_ source: SourceText, _ translator: PacketTranslator, _ reporter: Reporter) -> Script? {
        let tokens = ScriptLexer.tokens(of: source, reporter: reporter)
        var parser = ScriptParser(translator, tokens, reporter)
        parser.parse()
        return reporter.hasErrors ? nil : parser.script
    }

    private init(_ translator: PacketTranslator, _ tokens: [ScriptToken], _ reporter: Reporter) {
        description = translator.description
        self.translator = translator
        self.tokens = tokens
        self.reporter = reporter
    }

    private mutating func parse() {
        while current.kind != .endOfFile {
            let start = position
            do throws(Fault) {
                try parseDeclaration()
            } catch {
                skip(from: start)
                // A closing brace without an opening one would otherwise stop the loop here forever.
                if takes("}"), position == start { advance() }
            }
        }
        warnOfHiddenRules()
    }

    // MARK: Tokens

    var current: ScriptToken { tokens[position] }
    var last: ScriptToken { tokens[max(0, position - 1)] }

    func takes(_ text: String) -> Bool {
        current.text == text && (current.kind == .word || current.kind == .mark)
    }

    // MARK: Consuming tokens

    @discardableResult
    mutating func advance() -> ScriptToken {
        let token = current
        if token.kind != .endOfFile { position += 1 }
        return token
    }

    /// Consumes a word or a mark if it is the next token.
    mutating func take(_ text: String) -> Bool {
        guard takes(text) else { return false }
        advance()
        return true
    }

    mutating func expect(_ text: String, _ context: String, help: String? = nil) throws(Fault) {
        if take(text) { return }
        let isBehind = text == ";" && (current.isFirstOnLine || takes("}") || current.kind == .endOfFile)
        guard isBehind else { throw expected("`\(text)` \(context)", help: help) }
        let end = last.span.end
        // Parsing continues as if the semicolon were there.
        reporter.error("expected `;` \(context)", at: SourceSpan(file: 0, start: end, end: end), help: "put `;` here")
    }

    mutating func expectWord(_ what: String) throws(Fault) -> ScriptToken {
        guard current.kind == .word else { throw expected(what) }
        return advance()
    }

    mutating func expectInteger<Value: FixedWidthInteger>(
        _ range: ClosedRange<Value>, _ what: String
    ) throws(Fault) -> Value {
        guard current.kind == .number else { throw expected(what) }
        let number = ScriptNumber.integer(current.text).flatMap { Value(exactly: $0) }
        guard let number, range.contains(number) else {
            throw fault(
                "\(current.text.quoted) is not \(what)", at: current.span,
                help: "it is from \(range.lowerBound) to \(range.upperBound)")
        }
        advance()
        return number
    }

    // MARK: Reporting

    func fault(_ message: String, at span: SourceSpan, help: String? = nil) -> Fault {
        reporter.error(message, at: span, help: help)
        return Fault()
    }

    func expected(_ what: String, help: String? = nil) -> Fault {
        let found = current.kind == .endOfFile ? "the end of the script" : current.text.quoted
        return fault("expected \(what), found \(found)", at: current.span, help: help)
    }

    /// Skips a statement or declaration with an error, from its first token.
    ///
    /// Parsing continues after the next `;` or the next block, or before the `}` that closes the surrounding block.
    mutating func skip(from start: Int) {
        position = start
        var depth = 0
        while current.kind != .endOfFile {
            if takes("}"), depth == 0 { return }
            let token = advance()
            guard token.kind == .mark else { continue }
            switch token.text {
            case "{": depth += 1
            case "}":
                depth -= 1
                // After a block or an object, these words belong to the same statement.
                let goesOn = ["else", "header", "wrong", "cut", "torn"].contains(current.text)
                if depth == 0, current.kind != .mark || takes("}"), !goesOn { return }
            case ";" where depth == 0: return
            default: break
            }
        }
    }

    var place: Int { position }

    // MARK: Declarations

    private mutating func parseDeclaration() throws(Fault) {
        switch current.text {
        case "on" where current.kind == .word: try parseRule()
        case "state" where current.kind == .word: try parseVariable(isShared: false)
        case "shared" where current.kind == .word: try parseVariable(isShared: true)
        case "seed" where current.kind == .word:
            advance()
            script.seed = try expectInteger(0...UInt64.max, "a number")
            try expect(";", "after the number")
        default:
            let words = ["on", "state", "shared", "seed"]
            throw expected(
                "`on`, `state`, `shared` or `seed`", help: Spelling.help(for: current.text, among: words))
        }
    }

    private mutating func parseVariable(isShared: Bool) throws(Fault) {
        advance()
        let name = try expectWord("a name")
        guard !Self.reservedWords.contains(name.text) else {
            throw fault("\(name.text.quoted) has a meaning of its own", at: name.span, help: "take another name")
        }
        guard variable(name.text) == nil else { throw fault("\(name.text.quoted) is declared twice", at: name.span) }
        try expect("=", "and what it begins with")
        let expression = try parseExpression()
        try expect(";", "after the value")
        var isNegative = false
        var kind = expression.kind
        if case .negative(let positive) = kind { (kind, isNegative) = (positive.kind, true) }
        guard case .literal(var value) = kind, value.isScalar else {
            throw fault(
                "a variable begins with a number, a text, true, false or null", at: expression.span,
                help: "rules give it other values")
        }
        if isNegative {
            guard case .number(let number) = value, let negative = number.negated else {
                throw fault("only a number can be negative", at: expression.span)
            }
            value = .number(negative)
        }
        let variable = Script.Variable(name: name.text, initialValue: value)
        if isShared { script.sharedVariables.append(variable) } else { script.variables.append(variable) }
    }

    /// These words begin an expression, so they cannot name a variable.
    private static let reservedWords: Set<String> = [
        "request", "header", "message", "id", "connection", "count", "value", "true", "false", "null", "not", "and",
        "or", "random", "size", "reply", "send", "echo", "raw", "if", "else", "repeat", "wait", "after", "every",
        "glue",
        "stop", "silence", "end", "close", "reset", "on", "state", "shared", "seed",
    ]

    func variable(_ name: String) -> (index: Int, isShared: Bool)? {
        if let index = script.variables.firstIndex(where: { $0.name == name }) { return (index, false) }
        return script.sharedVariables.firstIndex { $0.name == name }.map { ($0, true) }
    }

    private mutating func parseRule() throws(Fault) {
        let start = advance().span
        scope = Scope(isRule: true)
        defer { scope = Scope() }
        let event = try parseEvent()
        switch event {
        case .connect: break
        case .messages(let messages): scope.messages = messages
        case .unknown, .any: scope.messages = []
        }
        let span = start.through(last.span)
        var condition: Script.Expression?
        if take("when") { condition = try parseCondition() }
        let body = try parseBlock()
        script.rules.append(Script.Rule(event: event, condition: condition, body: body, span: span))
    }

    private mutating func parseEvent() throws(Fault) -> Script.Event {
        let words: [String: Script.Event] = ["connect": .connect, "unknown": .unknown, "any": .any]
        if current.kind == .word, let event = words[current.text], description.message(named: current.text) == nil {
            advance()
            return event
        }
        var messages: [Int] = []
        repeat {
            messages.append(try parseMessageName(from: .client, orElse: ["connect", "unknown", "any"]))
        } while take(",")
        return .messages(messages)
    }

    mutating func parseMessageName(from sender: Sender, orElse others: [String] = []) throws(Fault) -> Int {
        let also = others.isEmpty ? "" : ", or " + others.map { "`\($0)`" }.joined(separator: ", ") + ","
        let name = try expectWord("the name of a message" + also)
        let index = description.messages.firstIndex { $0.name == name.text }
        guard let index = index ?? description.messages.firstIndex(where: { $0.alias == name.text }) else {
            let names = description.messages.filter { $0.senders.contains(sender) }.flatMap { message in
                [message.name] + (message.alias.map { [$0] } ?? [])
            }
            throw fault(
                "no message is named \(name.text.quoted)", at: name.span,
                help: Spelling.help(for: name.text, among: others + names))
        }
        guard description.messages[index].senders.contains(sender) else {
            let text = "\(name.text.quoted) is the \(sender.peer)'s: a \(sender) does not send it"
            let replies = sender == .server ? description.messages[index].replies.map { "`\($0)`" } : []
            let names = replies.joined(separator: " or ")
            throw fault(text, at: name.span, help: replies.isEmpty ? nil : "its reply is \(names)")
        }
        return index
    }

    /// Warns about rules that never run, because an earlier rule without a condition handles the same messages.
    private func warnOfHiddenRules() {
        var taken: [Script.Rule] = []
        for rule in script.rules {
            if let other = taken.first(where: { $0.event.includes(rule.event) }) {
                let line = reporter.location(of: other.span).line
                reporter.warning(
                    "this rule is never followed: the one in line \(line) comes first", at: rule.span,
                    help: "put it in front, or give the other one a condition: `when …`")
            }
            if rule.condition == nil { taken.append(rule) }
        }
    }
}

extension Script.Event {
    /// Returns whether every event that matches `other` also matches this one.
    fileprivate func includes(_ other: Script.Event) -> Bool {
        switch (self, other) {
        case (.any, .connect): false
        case (.any, _): true
        case (.messages(let own), .messages(let others)): others.allSatisfy(own.contains)
        default: self == other
        }
    }
}
