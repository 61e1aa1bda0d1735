// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The operands that a condition can use at its place.
struct ConditionScope {
    enum Operand {
        case number(ClosedRange<Int128>)
        case boolean
        /// The index in the description's enums.
        case enumeration(Int)
        /// The index in the description's flags.
        case flags(Int)
        case sender
        /// An operand that conditions cannot use: its kind, as in `` `string` ``, and advice for the error.
        case other(String, help: String = "it looks at integers, `bool`, enums and flags")
        /// An error about it was reported.
        case faulty
    }

    /// The fields before the one with the condition.
    private(set) var fields: [String: Operand] = [:]
    /// The packet's states before the field with the condition.
    private(set) var states: [String: Operand] = [:]
    /// The names of all fields of the message, the struct or the packet, and of the packet's states.
    let allFields: Set<String>
    /// The fields of the packet; nil if a condition cannot use them here.
    let header: [String: Operand]?
    /// Whether the fields are the packet's, so that a condition can use words such as `sender`.
    let isOfPacket: Bool

    init(allFields: [String], header: [String: Operand]?, isOfPacket: Bool = false) {
        self.allFields = Set(allFields)
        self.header = header
        self.isOfPacket = isOfPacket
    }

    mutating func add(_ name: String, _ operand: Operand) { fields[name] = fields[name] ?? operand }

    mutating func addState(_ name: String, _ operand: Operand) { states[name] = states[name] ?? operand }
}

extension Checker {
    /// Returns the scope of conditions of a message's or a struct's fields, before its own fields are added.
    func conditionScope(for fields: [FieldSyntax], of owner: FieldOwner) -> ConditionScope {
        let names = fields.map(\.name.text)
        // A structure has the same bytes in every message and packet, so it cannot use packet fields.
        guard case .message = owner else { return ConditionScope(allFields: names, header: nil) }
        let layout = description.layout
        let operands = layout.fields.enumerated().map { index, field in
            (field.name, headerOperand(field, index, isBehindPayload: index >= layout.header.count))
        }
        let header = Dictionary(operands, uniquingKeysWith: { first, _ in first })
        return ConditionScope(allFields: names, header: header)
    }

    private func headerOperand(_ field: PacketField, _ index: Int, isBehindPayload: Bool) -> ConditionScope.Operand {
        let help = "it looks at what programs set in the packet before the payload"
        guard field.condition == nil else {
            return .other("not in every packet", help: "look at the fields that its own condition looks at")
        }
        switch field.role {
        case .length, .contentLength: return .other("a length", help: help)
        case .messageID: return .other("the message's ID", help: help)
        case .sequence: return .other("the sequence number", help: help)
        case .checksum: return .other("a checksum", help: help)
        case .constant: return .other("a constant", help: help)
        case .fitting: return .other("chosen when the payload is known", help: help)
        case .padding: return .other("padding", help: help)
        case .value: break
        }
        guard !isBehindPayload else { return .other("after the payload", help: help) }
        switch (description.packetFieldType(index), field.format) {
        case (.enumeration(let index, _)?, _): return .enumeration(index)
        case (.flags(let index, _)?, _): return .flags(index)
        case (_, .boolean), (_, .bit): return .boolean
        case (_, .integer), (_, .varint): return .number(field.range)
        case (_, .text), (_, .digits), (_, .bytes): return .other("text, digits or bytes")
        }
    }

    func operand(_ field: ResolvedField) -> ConditionScope.Operand {
        guard !field.isFaulty else { return .faulty }
        guard field.description.hasValue else { return .other("a constant") }
        switch field.description.type {
        case .integer(let format, _): return .number(format.range)
        case .varint(let format): return .number(format.range)
        case .boolean, .bit: return .boolean
        case .enumeration(let index, _): return .enumeration(index)
        case .flags(let index, _): return .flags(index)
        default: return .other("`\(field.typeName)`")
        }
    }

    /// Returns a condition with resolved operands and values; nil if an error was reported.
    mutating func condition(_ syntax: ConditionSyntax, in scope: ConditionScope) -> WireCondition? {
        switch syntax {
        case .test(let operand, let comparison):
            return test(operand, comparison, in: scope)
        case .not(let inner, _): return condition(inner, in: scope).map { .not($0) }
        case .and(let left, let right):
            // Checks both, even if the first one is wrong.
            let conditions = (condition(left, in: scope), condition(right, in: scope))
            guard let first = conditions.0, let second = conditions.1 else { return nil }
            return .and(first, second)
        case .or(let left, let right):
            let conditions = (condition(left, in: scope), condition(right, in: scope))
            guard let first = conditions.0, let second = conditions.1 else { return nil }
            return .or(first, second)
        }
    }

    private mutating func test(
        _ syntax: OperandSyntax, _ comparison: ComparisonSyntax?, in scope: ConditionScope
    ) -> WireCondition? {
        guard let found = operand(syntax, in: scope) else { return nil }
        let operand = operand(syntax, scope)
        if case .other(let what, let help) = found {
            reporter.error(
                "a condition cannot look at \(syntax.text.quoted), which is \(what)", at: syntax.span, help: help)
            return nil
        }
        guard let comparison else {
            guard case .sender = found else { return .isSet(operand) }
            reporter.error(
                "a sender is `client` or `server`", at: syntax.span,
                help: "write `\(syntax.text) == client` or `\(syntax.text) == server`")
            return nil
        }
        return value(comparison, of: found, syntax).map { Self.test(operand, found, comparison.comparison, $0) }
    }

    /// Returns the operand of a condition. A field hides a word of the language with the same name.
    private func operand(_ syntax: OperandSyntax, _ scope: ConditionScope) -> WireCondition.Operand {
        let name = syntax.name.text
        if syntax.header != nil { return .header(name) }
        guard scope.fields[name] == nil else { return .field(name) }
        guard scope.states[name] == nil else { return .state(name) }
        return PacketWord(rawValue: name)?.operand ?? .field(name)
    }

    /// Returns a test; a comparison of a `bool` becomes ``WireCondition/isSet(_:)`` or its opposite.
    private static func test(
        _ operand: WireCondition.Operand, _ found: ConditionScope.Operand, _ comparison: WireCondition.Comparison,
        _ value: Int128
    ) -> WireCondition {
        guard case .boolean = found else { return .compares(operand, comparison, value) }
        return (comparison == .equal) == (value != 0) ? .isSet(operand) : .not(.isSet(operand))
    }

    // MARK: Operands

    private mutating func operand(_ syntax: OperandSyntax, in scope: ConditionScope) -> ConditionScope.Operand? {
        guard !syntax.name.isFaulty else { return nil }
        if let word = syntax.header { return headerOperand(word, syntax.name, in: scope) }
        let name = syntax.name
        if let operand = scope.fields[name.text] ?? scope.states[name.text] {
            if case .faulty = operand { return nil }
            return operand
        }
        if scope.allFields.contains(name.text) {
            reporter.error(
                "\(name.text.quoted) does not stand before this field", at: name.span,
                help: "a condition looks at what has been read: move \(name.text.quoted) up")
            return nil
        }
        let word = PacketWord(rawValue: name.text)
        if let word, scope.isOfPacket { return word == .sender ? .sender : .boolean }
        let words = scope.isOfPacket ? PacketWord.allCases.map(\.rawValue) : []
        var help = spelling.help(for: name.text, among: scope.fields.keys.sorted() + scope.states.keys.sorted() + words)
        if scope.header?[name.text] != nil {
            help = "the packet's field is `header.\(name.text)`"
        } else if word != nil || description.state(named: name.text) != nil {
            help = "\(name.text.quoted) decides only about fields of the packet"
        }
        reporter.error("no field before this one is named \(name.text.quoted)", at: name.span, help: help)
        return nil
    }

    private mutating func headerOperand(
        _ word: NameSyntax, _ name: NameSyntax, in scope: ConditionScope
    ) -> ConditionScope.Operand? {
        guard word.text == "header" else {
            if !word.isFaulty {
                reporter.error(
                    "a condition cannot look into \(word.text.quoted)", at: word.span.through(name.span),
                    help: "it looks at fields of the same message or struct, or at `header.…`")
            }
            return nil
        }
        guard let header = scope.header else {
            reporter.error(
                "a struct's condition cannot look at the packet's fields", at: word.span.through(name.span),
                help: "only a message's can: repeat the header's value in a field of the struct, or move this field "
                    + "into the message")
            return nil
        }
        guard !hasFaultyLayout else { return nil }
        guard let operand = header[name.text] else {
            reporter.error(
                "the packet has no field \(name.text.quoted)", at: name.span,
                help: spelling.help(for: name.text, among: header.keys.sorted()))
            return nil
        }
        return operand
    }

    // MARK: Values

    private mutating func value(
        _ comparison: ComparisonSyntax, of operand: ConditionScope.Operand, _ syntax: OperandSyntax
    ) -> Int128? {
        switch operand {
        case .number(let range): return number(comparison.value, in: range, "a whole number")
        case .boolean: return boolean(comparison, syntax)
        case .sender: return sender(comparison, syntax)
        case .enumeration(let index):
            let table = enumerationTables[index]
            let format = description.enumerations[index].format
            return listed(comparison.value, table, description.enumerations[index].name, format.range)
        case .flags(let index):
            let format = description.flagSets[index].format
            return listed(comparison.value, flagTables[index], description.flagSets[index].name, format.range)
        case .other, .faulty: return nil
        }
    }

    private func number(_ value: ArgumentSyntax, in range: ClosedRange<Int128>, _ what: String) -> Int128? {
        if case .number(let number) = value {
            if number.isFaulty { return nil }
            if let value = number.integer, range.contains(value) { return value }
        }
        if case .faulty = value { return nil }
        reporter.error(
            "the operand is never this", at: value.span,
            help: "it is \(what) from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    private func boolean(_ comparison: ComparisonSyntax, _ syntax: OperandSyntax) -> Int128? {
        guard comparison.comparison == .equal || comparison.comparison == .unequal else {
            reporter.error(
                "`\(comparison.comparison.rawValue)` does not go with a `bool`", at: comparison.mark,
                help: "write `\(syntax.text)` or `not \(syntax.text)`")
            return nil
        }
        switch comparison.value {
        case .name(let name) where name.text == "true": return 1
        case .name(let name) where name.text == "false": return 0
        case .faulty: return nil
        default:
            reporter.error(
                "a `bool` is never this", at: comparison.value.span,
                help: "it is `true` or `false`; write `\(syntax.text)` or `not \(syntax.text)`")
            return nil
        }
    }

    private func sender(_ comparison: ComparisonSyntax, _ syntax: OperandSyntax) -> Int128? {
        guard comparison.comparison == .equal || comparison.comparison == .unequal else {
            reporter.error(
                "`\(comparison.comparison.rawValue)` does not go with a sender", at: comparison.mark,
                help: "write `\(syntax.text) == client` or `\(syntax.text) == server`")
            return nil
        }
        switch comparison.value {
        case .faulty: return nil
        case .name(let name):
            if let sender = Sender(rawValue: name.text) { return sender.conditionNumber }
            let help = Spelling.help(for: name.text, among: Sender.allCases.map(\.rawValue))
            reporter.error(
                "no sender is named \(name.text.quoted)", at: name.span, help: help ?? "it is `client` or `server`")
        default: reporter.error("a sender is never this", at: comparison.value.span, help: "it is `client` or `server`")
        }
        return nil
    }

    private mutating func listed(
        _ value: ArgumentSyntax, _ table: CaseTable, _ owner: String, _ range: ClosedRange<Int128>
    ) -> Int128? {
        guard case .name(let name) = value else {
            return number(value, in: range, "a name of \(owner.quoted), or a number")
        }
        if let value = table.values[name.text] { return value }
        let help = spelling.help(for: name.text, among: table.names)
        reporter.error(
            "\(owner.quoted) has no \(name.text.quoted)", at: name.span,
            help: help ?? "it has \(Self.list(table.names))")
        return nil
    }
}
