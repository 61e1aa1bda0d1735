// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements that find the shape of a packet, and those that change the states of a connection.
///
/// The connection is the variable `c`, who sends the packet `sender`, and whether it stands inside another one `nested`.
struct ContextStatements {
    private let printer: StatementPrinter
    private let context: ContextPlan
    private var dialect: any Dialect { printer.dialect }

    init(_ printer: StatementPrinter, _ context: ContextPlan) {
        self.printer = printer
        self.context = context
    }

    /// Returns the type of a state.
    func type(_ index: Int) -> CodeType { number(index).map { .value(.number($0)) } ?? .boolean }

    /// Returns what is known of a state's number; nil for a boolean.
    private func number(_ index: Int) -> NumberPlan? {
        let state = context.states[index]
        guard !state.isBoolean, case .number(let number) = printer.plan.coding.value(state.type, nil, in: []) else {
            return nil
        }
        return number
    }

    private func member(_ index: Int) -> String { dialect.headerMember("c", printer.plan.names.states[index]) }

    /// The statements that refuse states beyond their range, and find the packet's number: the variable `n`, a position.
    var numbering: [String] {
        let checks = context.states.indices.flatMap { index -> [String] in
            guard let number = number(index),
                let isGood = printer.isWithin(
                    dialect.number(of: member(index), number), context.states[index].range, number.format)
            else { return [] }
            return printer.ifThen(
                "!(\(isGood))", [dialect.refuse("out_of_range", path: "state." + context.states[index].name)])
        }
        let bits = [dialect.isSent(by: .server)] + context.tests.map(condition)
        return checks + dialect.variable("n", .position, "0")
            + bits.enumerated().flatMap { printer.ifThen($1, [dialect.assign("n", "n + \(1 << $0)")]) }
    }

    private func condition(_ test: WireCondition) -> String {
        printer.condition(test) { operand in
            guard case .state(let name) = operand,
                let index = context.states.firstIndex(where: { $0.name == name })
            else { return operand == .nested ? .boolean("nested") : .literal(0) }
            guard let number = number(index) else { return .boolean(member(index)) }
            return .number(dialect.number(of: member(index), number), number.format)
        }
    }

    /// The statements that do to the states what the message with the ID `id` does.
    var changes: [String] {
        let branches = context.changes.map { change in
            let id = dialect.compare("id", "==", Int128(change.messageID), .uint64)
            let value = number(change.state).map { dialect.value(of: dialect.literal(change.value, $0.format), $0) }
            return (
                condition: "\(dialect.isSent(by: change.sender)) && \(id)",
                lines: [dialect.assign(member(change.state), value ?? String(change.value != 0))]
            )
        }
        return branches.isEmpty ? [] : dialect.choose(branches, otherwise: [])
    }

    /// Returns the statements that return what the function of the shape in the variable `shape` returns.
    func calls(of function: String, _ arguments: [String]) -> [String] {
        dialect.select(
            "shape",
            printer.plan.shapes.map { [dialect.returns(dialect.call(function + $0.suffix, arguments))] })
    }
}

extension PacketShape {
    /// The end of the names of its functions; nothing if there is one shape.
    var suffix: String { words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }
}
