// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `state bit started;` in the packet, and `@sets(started)` before a message.
extension Checker {
    /// Resolves the types of the packet's states, for conditions.
    ///
    /// - Returns: The states; nil if one of them had an error.
    mutating func checkStates(_ list: [StateSyntax], _ fields: [FieldSyntax]) -> [PacketState]? {
        var names = Dictionary(
            fields.filter { $0.padding == nil }.map { ($0.name.text, $0.name.span) },
            uniquingKeysWith: { first, _ in first })
        var states: [PacketState] = []
        for syntax in list {
            if let first = names[syntax.name.text] {
                reporter.error(
                    "\(syntax.name.text.quoted) is declared twice in the packet; also in \(reporter.place(of: first))",
                    at: syntax.name.span, help: "rename or remove one of them", related: [.first(first)])
                continue
            }
            names[syntax.name.text] = syntax.name.span
            guard let type = stateType(syntax.typeName), let format = description.integerFormat(of: type) else {
                continue
            }
            states.append(PacketState(syntax.name.text, format))
            description.states.append(
                StateDescription(
                    name: syntax.name.text, type: type, documentation: syntax.documentation,
                    location: reporter.location(of: syntax.name.span)))
        }
        return states.count == list.count ? states : nil
    }

    /// Returns the type of a state; nil if it was reported.
    private mutating func stateType(_ name: NameSyntax) -> TypeDescription? {
        // States are not on the wire, so their byte order does not matter.
        let order = description.options.byteOrder
        switch (BuiltinType(name: name.text), symbols[name.text]?.meaning) {
        case (.integer(let format)?, _): return .integer(format, order)
        case (.boolean?, _): return .boolean
        case (.bit?, _): return .bit(order)
        case (nil, .enumeration(let index)?):
            guard !description.enumerations[index].isClosed else {
                reporter.error(
                    "a state cannot be the `@closed` enum \(name.text.quoted)", at: name.span,
                    help: "leave `@closed` out: a state is 0 at first, and programs can set it to any number")
                return nil
            }
            return .enumeration(index, order)
        case (nil, .flags(let index)?): return .flags(index, order)
        case (let builtin, let meaning):
            guard !name.isFaulty, !lostNames.contains(name.text) else { return nil }
            let isType = builtin != nil || meaning != nil
            let help = isType ? nil : spelling.help(for: name.text, among: BuiltinType.names)
            reporter.error(
                "a state cannot be \(name.text.quoted)", at: name.span,
                help: help ?? "it is an integer, a `bool`, a `bit`, an enum or flags")
            return nil
        }
    }

    func operand(ofState name: String) -> ConditionScope.Operand {
        guard let index = description.state(named: name) else { return .faulty }
        switch description.states[index].type {
        case .enumeration(let index, _): return .enumeration(index)
        case .flags(let index, _): return .flags(index)
        case .integer(let format, _): return .number(format.range)
        default: return .boolean
        }
    }

    // MARK: Messages

    /// Returns the change in `@sets`; nil if there is none, or if an error was reported.
    mutating func stateChange(_ attributes: AttributeSet) -> StateValue? {
        guard !hasFaultyLayout else { return nil }
        let (name, value): (NameSyntax, ArgumentSyntax?)
        switch attributes.argument(of: .sets) {
        case .name(let state)?: (name, value) = (state, nil)
        case .assignment(let state, let argument)?: (name, value) = (state, argument)
        default: return nil
        }
        guard let state = description.state(named: name.text) else {
            guard !name.isFaulty else { return nil }
            let isField = description.packetField(named: name.text) != nil
            let names = description.states.map(\.name)
            let help =
                isField
                ? "it is a field of the packet, which `@header` sets"
                : spelling.help(for: name.text, among: names)
                    ?? (names.isEmpty
                        ? "declare it in the `packet`: `state bit \(name.text.prefix(60));`"
                        : "the packet has \(Self.list(names))")
            reporter.error("the packet has no state \(name.text.quoted)", at: name.span, help: help)
            return nil
        }
        return number(value, inState: state, name).map { StateValue(state: state, value: $0) }
    }

    /// Returns the new number of a state; 1 if no value is written.
    private mutating func number(_ value: ArgumentSyntax?, inState index: Int, _ name: NameSyntax) -> Int128? {
        let type = description.states[index].type
        guard let format = description.integerFormat(of: type) else { return nil }
        let table = caseTable(of: type)
        switch value {
        case nil where table != nil:
            reporter.error(
                "`@sets` does not say what \(name.text.quoted) becomes", at: name.span,
                help: "write `@sets(\(name.text) = …)` with one of \(Self.list(table?.names ?? []))")
            return nil
        case nil:
            if format.range.contains(1) { return 1 }
        case .number(let number)?:
            guard !number.isFaulty else { return nil }
            if !type.isTruth, let value = number.integer, format.range.contains(value) { return value }
        case .name(let word)? where type.isTruth && word.text == "true": return 1
        case .name(let word)? where type.isTruth && word.text == "false": return 0
        case .name(let word)?:
            guard let table else { break }
            if let value = table.values[word.text] { return value }
            reporter.error(
                "there is no \(word.text.quoted)", at: word.span,
                help: spelling.help(for: word.text, among: table.names) ?? "it has \(Self.list(table.names))")
            return nil
        case .faulty?: return nil
        default: break
        }
        let choices =
            type.isTruth
            ? "`true` or `false`" : "a whole number from \(format.range.lowerBound) to \(format.range.upperBound)"
        reporter.error(
            "\(name.text.quoted) cannot hold this value", at: value?.span ?? name.span, help: "it holds \(choices)")
        return nil
    }
}

extension TypeDescription {
    /// Whether its values are `true` and `false`.
    fileprivate var isTruth: Bool {
        switch self {
        case .boolean, .bit: true
        default: false
        }
    }
}
