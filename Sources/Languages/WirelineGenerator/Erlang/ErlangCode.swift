// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Erlang code before it is text.
///
/// A Swift string literal is the name of a variable, printed with a capital; an integer literal is a number. A variable
/// that occurs only once in a function is unused: it is printed as `_`.
indirect enum ErlangCode: Sendable {
    /// Numbers, conditions and calls that all languages have.
    case expression(Expression)
    /// An atom or another literal, as printed.
    case literal(String)
    case call(String, [ErlangCode])
    /// `fun name/1`
    case reference(String, arity: Int)
    case tuple([ErlangCode])
    case list([ErlangCode], tail: ErlangCode? = nil)
    case binary([Segment])
    case map([(key: String, value: ErlangCode)], of: ErlangCode? = nil)
    /// The pattern of a map: `#{key := V} = Map`.
    case mapPattern(key: String, ErlangCode, of: ErlangCode)
    case record(String, [(name: String, value: ErlangCode)])
    case match(ErlangCode, ErlangCode)
    /// A variable for a value without effects. It is left out if nothing uses it.
    case bind(String, ErlangCode)
    case choose(ErlangCode, [Clause])
    /// Values joined by `andalso` or `orelse`.
    case chain(Expression.Operator, [ErlangCode])
    case function(Clause)
    /// `[value || pattern <= bytes]`
    case items(ErlangCode, each: ErlangCode, of: ErlangCode)

    /// A part of a binary: `X:16/little`.
    struct Segment: Sendable {
        let value: ErlangCode
        var size: ErlangCode?
        /// The text after the slash.
        var types: [String] = []

        static func bits(_ value: ErlangCode, _ width: Int, _ types: [String] = []) -> Self {
            Self(value: value, size: .expression(.place(width)), types: types)
        }

        static func bytes(_ value: ErlangCode, _ count: ErlangCode? = nil) -> Self {
            Self(value: value, size: count, types: ["binary"])
        }
    }

    /// Patterns (one in a `case`), and the code that runs if they match.
    struct Clause: Sendable {
        let patterns: [ErlangCode]
        var condition: ErlangCode?
        let body: [ErlangCode]

        init(_ patterns: ErlangCode..., when condition: ErlangCode? = nil, body: [ErlangCode]) {
            self.init(patterns, when: condition, body)
        }

        init(_ patterns: [ErlangCode], when condition: ErlangCode? = nil, _ body: [ErlangCode]) {
            self.patterns = patterns
            self.condition = condition
            self.body = body
        }
    }

    // MARK: Words

    static func name(_ name: String) -> ErlangCode { .expression(.name(name)) }
    static func text(_ text: String) -> ErlangCode { .expression(.text(text)) }
    static func number(_ number: some BinaryInteger) -> ErlangCode {
        .expression(.number(Int128(number), .position))
    }
    static func atom(_ name: String) -> ErlangCode { .literal(ErlangText.atom(name)) }
    static let ignored = ErlangCode.literal("_")
    /// A tuple that begins with an atom: `{too_long, Count, Limit}`.
    static func tagged(_ name: String, _ facts: ErlangCode...) -> ErlangCode { .tuple([.literal(name)] + facts) }
    static let noBytes = ErlangCode.binary([])

    static func either(_ condition: ErlangCode, _ value: [ErlangCode], else other: ErlangCode) -> ErlangCode {
        .choose(condition, [Clause(.literal("true"), body: value), Clause(.literal("false"), body: [other])])
    }

    static func unless(_ condition: Expression, _ check: ErlangCode) -> ErlangCode {
        .chain(.or, [.expression(condition), check])
    }

    static func fail(_ reason: ErlangCode, _ path: ErlangCode, at offset: Expression? = nil) -> ErlangCode {
        guard let offset else { return .call("fail_without_offset", [reason, path]) }
        return .call("fail", [reason, path, .expression(offset)])
    }

    // MARK: Variables and functions

    private var children: [ErlangCode] {
        switch self {
        case .expression, .literal, .reference: []
        case .call(_, let arguments), .tuple(let arguments), .chain(_, let arguments): arguments
        case .list(let items, let tail): items + (tail.map { [$0] } ?? [])
        case .binary(let segments): segments.flatMap { [$0.value] + ($0.size.map { [$0] } ?? []) }
        case .map(let members, let base): members.map(\.value) + (base.map { [$0] } ?? [])
        case .mapPattern(_, let value, let map): [value, map]
        case .record(_, let fields): fields.map(\.value)
        case .match(let pattern, let value): [pattern, value]
        case .bind(let name, let value): [.name(name), value]
        case .choose(let value, let clauses): [value] + clauses.flatMap(\.parts)
        case .function(let clause): clause.parts
        case .items(let value, let pattern, let bytes): [value, pattern, bytes]
        }
    }

    fileprivate func countNames(into counts: inout [String: Int]) {
        if case .expression(let expression) = self { expression.countNames(into: &counts) }
        for child in children { child.countNames(into: &counts) }
    }

    func collectCalls(into calls: inout Set<String>) {
        switch self {
        case .expression(let expression): expression.collectCalls(into: &calls)
        case .call(let function, _), .reference(let function, _): calls.insert(function)
        default: break
        }
        for child in children { child.collectCalls(into: &calls) }
    }

    /// Removes unused variables; nil if it only binds one.
    fileprivate func used(_ counts: [String: Int]) -> ErlangCode? {
        switch self {
        case .bind(let name, _) where counts[name] == 1: nil
        case .match(let pattern, let value): value.used(counts).map { .match(pattern, $0) }
        case .bind(let name, let value): value.used(counts).map { .bind(name, $0) }
        case .choose(let value, let clauses): .choose(value, clauses.map { $0.used(counts) })
        default: self
        }
    }
}

extension ErlangCode: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
    init(stringLiteral name: String) { self = .name(name) }
    init(integerLiteral number: Int) { self = .number(number) }
}

extension ErlangCode.Clause {
    fileprivate var parts: [ErlangCode] { patterns + (condition.map { [$0] } ?? []) + body }

    fileprivate func used(_ counts: [String: Int]) -> Self {
        Self(patterns, when: condition, body.compactMap { $0.used(counts) })
    }

    fileprivate var counts: [String: Int] {
        parts.reduce(into: [:]) { $1.countNames(into: &$0) }
    }

    /// Removes unused variables. Repeats the search, because a removed value may have been the only use of others.
    fileprivate var withoutUnusedVariables: Self {
        let counts = counts
        let left = used(counts)
        return left.counts.count == counts.count ? left : left.withoutUnusedVariables
    }
}

extension Expression {
    var code: ErlangCode { .expression(self) }

    static func byteSize(_ bytes: Expression) -> Expression { .call(nil, "byte_size", [bytes]) }

    fileprivate func collectCalls(into calls: inout Set<String>) {
        if case .call(_, let function, _) = self { calls.insert(function) }
        if case .checksum(let kind, _) = self { calls.insert(kind.rawValue) }
        for child in children { child.collectCalls(into: &calls) }
    }
}

struct ErlangFunction: Sendable {
    let name: String
    let clauses: [ErlangCode.Clause]
    var comment: [String] = []

    init(_ name: String, _ clauses: [ErlangCode.Clause], comment: [String] = []) {
        self.name = name
        self.clauses = clauses.map(\.withoutUnusedVariables)
        self.comment = comment
    }

    init(_ name: String, _ parameters: [ErlangCode], _ body: [ErlangCode], comment: [String] = []) {
        self.init(name, [ErlangCode.Clause(parameters, body)], comment: comment)
    }

    var calls: Set<String> {
        clauses.flatMap(\.parts).reduce(into: []) { $1.collectCalls(into: &$0) }
    }

    func text(_ dialect: ErlangDialect) -> String {
        let clauses = clauses.map { clause in
            ErlangText.Printer(dialect: dialect, counts: clause.counts).text(clause, name)
        }
        return comment.map { "%% \($0)\n" }.joined() + clauses.joined(separator: ";\n") + ".\n"
    }
}
