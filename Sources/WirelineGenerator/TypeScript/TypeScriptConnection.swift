// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has of a connection: its states, the function that finds the shape of a packet, and what messages do to states.
struct TypeScriptConnection {
    private let functions: TypeScriptFunctions
    private let context: ContextPlan
    private var dialect: TypeScriptDialect { functions.dialect }
    private var printer: StatementPrinter { functions.printer }
    private var plan: CodePlan { dialect.plan }
    private var names: [String] { plan.names.states }
    private var id: String { dialect.type(.number(printer.idFormat)) }

    init(_ functions: TypeScriptFunctions, _ context: ContextPlan) {
        self.functions = functions
        self.context = context
    }

    /// The types, tables and functions, as lines.
    var lines: [String] {
        let tables = plan.layers.map { TypeScriptLayers(functions, $0).tables } ?? tables
        let parts = [states, tables, shapes, context.changes.isEmpty ? [] : change]
        return parts.filter { !$0.isEmpty }.flatMap { $0 + [""] }
    }

    private func comment(_ text: String) -> [String] { dialect.isForPages ? [] : ["/** \(text) */"] }

    private var states: [String] {
        guard !dialect.isForPages, !context.states.isEmpty else { return [] }
        let members = context.states.indices.flatMap { index in
            TypeScriptText.comment(context.states[index].documentation, indent: "  ")
                + ["  \(names[index])?: \(type(of: context.states[index]));"]
        }
        return comment(
            "The states of a connection; one that is not set is 0. Messages set them, and so may the program.")
            + ["export interface States {"] + members + ["}"]
    }

    private var tables: [String] {
        func table(_ name: String, _ type: String, _ function: String) -> String {
            let own = plan.shapes.map { function + dialect.suffix(of: $0) }
            return "const \(name)\(dialect.typed(": ", "readonly (\(type))[]")) = \(TypeScriptText.list(own));"
        }
        return [
            table("unwrappers", "(r: Reader) => Unwrapped | undefined", "unwrap"), "",
            table("wrappers", "(w: Writer, id: \(id), h?: Partial<Header>) => Uint8Array", "wrap"),
        ]
    }

    private var shapes: [String] {
        let bits = context.tests.enumerated().map { "(\(dialect.text(condition($1))) ? \(2 << $0) : 0)" }
        let number = (["(server ? 1 : 0)"] + bits).joined(separator: " + ")
        var lines: [String] = []
        if !context.states.isEmpty || plan.layers == nil {
            lines = [
                "const s = connection.states;",
                "checkStates(s, \(TypeScriptText.list(names.map { dialect.string($0) })));",
            ]
            // A state that no test looks at is verified only.
            lines += context.states.indices.map { (isTested($0) ? "const s\($0) = " : "") + reading($0) }
        }
        let isNested = context.tests.contains { if case .compares(.nested, _, _) = $0 { true } else { false } }
        let nested = plan.layers == nil ? "" : ", \(isNested ? "" : "_")nested = false"
        let list = TypeScriptText.list(context.shapes.map(String.init))
        let parameters =
            "server\(dialect.typed(": ", "boolean")), \(context.states.isEmpty ? "_" : "")connection\(dialect.typed(": ", "Connection"))\(nested)"
        return ["const shapes\(dialect.typed(": ", "readonly number[]")) = \(list);", ""]
            + comment("The number of a packet's shape, by its sender and by the tests of states that hold.")
            + ["function shapeOf(\(parameters))\(dialect.typed(": ", "number")) {"]
            + dialect.indented(lines + ["return shapes[\(number)]\(dialect.typed("!", ""));"]) + ["}"]
    }

    private var change: [String] {
        let changes = context.changes.map { change -> String in
            let state = context.states[change.state]
            let value: Expression =
                state.isBoolean ? .boolean(change.value != 0) : .number(change.value, format(of: state))
            let id = Expression.name("id").compared(.equal, Int128(change.messageID), printer.idFormat)
            let isSent: Expression = change.sender == .server ? "server" : .not("server")
            return "if (\(dialect.text(isSent.and(id)))) s.\(names[change.state]) = \(dialect.text(value));"
        }
        let parameters = [("connection", "Connection"), ("server", "boolean"), ("id", id)]
            .map { $0 + dialect.typed(": ", $1) }.joined(separator: ", ")
        return comment("What a message does to the states, for the packets after it.")
            + ["function change(\(parameters))\(dialect.typed(": ", "void")) {"]
            + dialect.indented(["const s = connection.states;"] + changes) + ["}"]
    }

    private func type(of state: ContextPlan.State) -> String {
        switch state.type {
        case .enumeration(let index, _): plan.names.enumerations[index].name
        case .flags(let index, _): plan.names.flagSets[index].name
        default: state.isBoolean ? "boolean | number" : TypeScriptDialect.number(state.range)
        }
    }

    private func format(of state: ContextPlan.State) -> IntegerFormat {
        printer.dialect.unsigned(state.range.isWide ? 64 : 53)
    }

    private func isTested(_ index: Int) -> Bool {
        context.tests.contains {
            if case .compares(.state(context.states[index].name), _, _) = $0 { true } else { false }
        }
    }

    private func reading(_ index: Int) -> String {
        let state = context.states[index]
        let limits = [state.range.lowerBound, state.range.upperBound].map {
            dialect.text(.number($0, format(of: state)))
        }
        let function = state.range.isWide ? "wideStateNumber" : "stateNumber"
        return
            "\(function)(s.\(names[index]), \(limits.joined(separator: ", ")), \(dialect.string("state." + state.name)));"
    }

    private func condition(_ test: WireCondition) -> Expression {
        printer.condition(test) { operand in
            guard case .state(let name) = operand, let index = context.states.firstIndex(where: { $0.name == name })
            else { return operand == .nested ? .boolean("nested") : .literal(0) }
            return .number("s\(index)", format(of: context.states[index]))
        }
    }
}
