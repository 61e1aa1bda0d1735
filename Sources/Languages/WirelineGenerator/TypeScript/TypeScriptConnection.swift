// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a module's code for connections: their states, the function that selects a packet's shape, and the changes of
/// states.
struct TypeScriptConnection {
    private let functions: TypeScriptFunctions
    private let context: ContextPlan
    private var dialect: TypeScriptDialect { functions.dialect }
    private var builder: StatementBuilder { functions.builder }
    private var plan: GeneratorModel { dialect.plan }
    private var names: [String] { plan.names.states }
    private var id: String { dialect.type(.number(builder.idFormat)) }

    init(_ functions: TypeScriptFunctions, _ context: ContextPlan) {
        self.functions = functions
        self.context = context
    }

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
        let statements = builder.statements(of: .shapeOf(context))
        let checksStates = !context.states.isEmpty || plan.layers == nil
        let check = [
            "const c = connection.states;", "checkStates(c, \(TypeScriptText.list(names.map { dialect.string($0) })));",
        ]
        let nested = statements.uses["nested"] == nil ? "_nested" : "nested"
        let parameters =
            ["server\(dialect.typed(": ", "boolean"))"]
            + ["\(checksStates ? "" : "_")connection\(dialect.typed(": ", "Connection"))"]
            + (plan.layers == nil ? [] : ["\(nested) = false"])
        let list = TypeScriptText.list(context.shapes.map(String.init))
        return ["const shapes\(dialect.typed(": ", "readonly number[]")) = \(list);", ""]
            + comment("The number of a packet's shape, by its sender and by the tests of states that hold.")
            + ["function shapeOf(\(parameters.joined(separator: ", ")))\(dialect.typed(": ", "number")) {"]
            + dialect.indented((checksStates ? check : []) + dialect.function(statements)) + ["}"]
    }

    private var change: [String] {
        let parameters = [("connection", "Connection"), ("server", "boolean"), ("id", id)]
            .map { $0 + dialect.typed(": ", $1) }.joined(separator: ", ")
        let changes = dialect.function(builder.statements(of: .change(context)))
        return comment("What a message does to the states, for the packets after it.")
            + ["function change(\(parameters))\(dialect.typed(": ", "void")) {"]
            + dialect.indented(["const c = connection.states;"] + changes) + ["}"]
    }

    private func type(of state: ContextPlan.State) -> String {
        switch state.type {
        case .enumeration(let index, _): plan.names.enumerations[index].name
        case .flags(let index, _): plan.names.flagSets[index].name
        default: state.isBoolean ? "boolean | number" : TypeScriptDialect.number(state.range)
        }
    }
}
