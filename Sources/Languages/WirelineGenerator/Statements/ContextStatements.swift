// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements that select the shape of a packet, and those that change the states of a connection.
///
/// The variables are the connection `c`, the packet's sender `sender`, and `nested`: whether another packet contains
/// it.
struct ContextStatements {
    private let builder: StatementBuilder
    private let context: ContextPlan

    init(_ builder: StatementBuilder, _ context: ContextPlan) {
        self.builder = builder
        self.context = context
    }

    func type(_ index: Int) -> CodeType { number(index).map { .value(.number($0)) } ?? .boolean }

    /// Returns the number of a state; nil for a boolean.
    private func number(_ index: Int) -> PlannedNumber? {
        let state = context.states[index]
        guard !state.isBoolean, case .number(let number) = builder.plan.coding.value(state.type, nil, in: []) else {
            return nil
        }
        return number
    }

    private func member(_ index: Int) -> Expression { .member("c", builder.plan.names.states[index]) }

    /// Whether the program may set a state to any type. A function of the runtime then makes the number, as a variable.
    private var isUnchecked: Bool { if case .type = builder.dialect.valueChecks { true } else { false } }

    private func numberOfState(_ index: Int) -> Statement {
        let state = context.states[index]
        let limits = [state.range.lowerBound, state.range.upperBound].map { Expression.number($0, format(index)) }
        let function = state.range.isWide ? "wideStateNumber" : "stateNumber"
        let number = Expression.call(nil, function, [member(index)] + limits + [.text("state." + state.name)])
        return .constant("x\(index)", .number(format(index)), number, hasEffect: true)
    }

    private func format(_ index: Int) -> IntegerFormat {
        builder.dialect.unsigned(context.states[index].range.isWide ? 64 : 53)
    }

    /// Refuses states out of range, computes the packet's context as the variable `n` (a position), and returns the
    /// number of its shape.
    var numbering: [Statement] {
        let checks = context.states.indices.flatMap { index -> [Statement] in
            if isUnchecked { return [numberOfState(index)] }
            guard let number = number(index),
                let isGood = builder.isWithin(
                    number.number(of: member(index)), context.states[index].range, number.format)
            else { return [] }
            return [
                .choose(if: .not(isGood), [.fail("out_of_range", path: "state." + context.states[index].name)])
            ]
        }
        let bits = [isSent(by: .server)] + context.tests.map(condition)
        return checks + [.variable("n", .position, 0)]
            + bits.enumerated().map { bit, holds in
                .choose(if: holds, [.assign("n", Expression.name("n").plus(1 << bit))])
            } + [.succeed(.item("shapes", at: "n"))]
    }

    private func isSent(by sender: Sender) -> Expression { .binary(.equal, "sender", .sender(sender)) }

    private func condition(_ test: WireCondition) -> Expression {
        builder.condition(test) { operand in
            guard case .state(let name) = operand,
                let index = context.states.firstIndex(where: { $0.name == name })
            else { return operand == .nested ? .boolean("nested") : .literal(0) }
            if isUnchecked { return .number("x\(index)", format(index)) }
            guard let number = number(index) else { return .boolean(member(index)) }
            return .number(number.number(of: member(index)), number.format)
        }
    }

    /// The state changes of the message with the ID `id`.
    var changes: [Statement] {
        let branches = context.changes.map { change in
            let id = Expression.name("id").compared(.equal, Int128(change.messageID), builder.idFormat)
            let value = number(change.state).map { $0.value(of: .number(change.value, $0.format)) }
            return Statement.Branch(
                condition: isSent(by: change.sender).and(id),
                statements: [.assign(member(change.state), value ?? .boolean(change.value != 0))])
        }
        return branches.isEmpty ? [] : [.choose(branches, otherwise: [])]
    }
}

extension PacketShape {
    /// The suffix of its functions; empty if there is only one shape.
    var suffix: String { words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }
}
