// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has of a connection: its states, the function that finds the shape of a packet, and what messages do to states.
struct TypeScriptConnection {
    let types: TypeScriptTypes
    let plan: ContextPlan

    private var names: [String] { types.plan.names.states }

    private var id: String { TypeScriptTypes.number(types.plan.idRange) }

    /// The class and the functions, as one text.
    var text: String {
        let layers = types.plan.layers.map { TypeScriptLayers(types: types, plan: $0) }
        let parts = [
            plan.states.isEmpty && layers != nil ? "" : states,
            layers?.connection(hasStates: !plan.states.isEmpty) ?? connection, layers?.tables ?? tables, shapes,
            plan.changes.isEmpty ? "" : change,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private var states: String {
        let members = plan.states.indices.flatMap { index in
            TypeScriptText.comment(plan.states[index].documentation, indent: "  ")
                + ["  \(names[index])?: \(type(of: plan.states[index]));"]
        }
        return TypeScriptForm.onlyModule(
            [
                "/** The states of a connection; one that is not set is 0. Messages set them, and so may the program. */",
                "export interface States {",
            ] + members + ["}"]
        ).joined(separator: "\n")
    }

    private var connection: String {
        """
        /** What the packets of a connection depend on, in both directions: `encode`, `decode` and both splitters share it. */
        export class Connection {
          ‹readonly states: States;›
          constructor(states‹: States› = {}) { this.states = Object.assign({}, states); }
        }
        """
    }

    private var tables: String {
        let suffixes = types.plan.shapes.map(TypeScriptUnwrapping.suffix)
        return """
            const unwrappers‹: readonly ((r: Reader) => Unwrapped | undefined)[]› = [\(suffixes.map { "unwrap\($0)" }.joined(separator: ", "))];

            const wrappers‹: readonly ((w: Writer, id: \(id), h?: Partial<Header>) => Uint8Array)[]› = [\(suffixes.map { "wrap\($0)" }.joined(separator: ", "))];
            """
    }

    private var shapes: String {
        let bits = plan.tests.enumerated().map { "(\(text(of: $1)) ? \(2 << $0) : 0)" }
        let number = (["(server ? 1 : 0)"] + bits).joined(separator: " + ")
        let known = names.map { TypeScriptText.string($0) }.joined(separator: ", ")
        var lines: [String] = []
        if !plan.states.isEmpty || types.plan.layers == nil {
            lines = ["const s = connection.states;", "checkStates(s, [\(known)]);"]
            lines += plan.states.enumerated().map {
                "\(isTested($1) ? "const s\($0) = " : "")\(reading($1, names[$0]));"
            }
        }
        lines.append("return shapes[\(number)]‹!›;")
        var parameters = "server‹: boolean›, \(plan.states.isEmpty ? "_" : "")connection‹: Connection›"
        if types.plan.layers != nil {
            parameters += ", \(TypeScriptModule.uses("nested", lines) ? "" : "_")nested = false"
        }
        return """
            const shapes‹: readonly number[]› = [\(plan.shapes.map(String.init).joined(separator: ", "))];

            /** The number of a packet's shape, by its sender and by the tests of states that hold. */
            function shapeOf(\(parameters))‹: number› {
            \(TypeScriptBodies.indented(lines))
            }
            """
    }

    private var change: String {
        """
        /** What a message does to the states, for the packets after it. */
        function change(connection‹: Connection›, server‹: boolean›, id‹: \(id)›)‹: void› {
          const s = connection.states;
        \(changes.joined(separator: "\n"))
        }
        """
    }

    private func type(of state: ContextPlan.State) -> String {
        switch state.type {
        case .enumeration(let index, _): types.plan.names.enumerations[index].name
        case .flags(let index, _): types.plan.names.flagSets[index].name
        default: state.isBoolean ? "boolean | number" : TypeScriptTypes.number(state.range)
        }
    }

    /// Whether the shape of a packet depends on a state; others are verified only.
    private func isTested(_ state: ContextPlan.State) -> Bool {
        plan.tests.contains { if case .compares(.state(state.name), _, _) = $0 { true } else { false } }
    }

    private func reading(_ state: ContextPlan.State, _ name: String) -> String {
        let isWide = state.range.isWide
        let limits = [state.range.lowerBound, state.range.upperBound].map {
            TypeScriptTypes.number($0, isWide: isWide)
        }
        let function = isWide ? "wideStateNumber" : "stateNumber"
        return
            "\(function)(s.\(name), \(limits.joined(separator: ", ")), \(TypeScriptText.string("state." + state.name)))"
    }

    private func text(of test: WireCondition) -> String {
        TypeScriptTypes.condition(test) { operand in
            guard case .state(let name) = operand, let index = plan.states.firstIndex(where: { $0.name == name }) else {
                return (types.plan.layers == nil ? "0" : "(nested ? 1 : 0)", false)
            }
            return ("s\(index)", plan.states[index].range.isWide)
        }
    }

    private var changes: [String] {
        let isWide = types.plan.idRange.isWide
        return plan.changes.map { change in
            let state = plan.states[change.state]
            let value =
                state.isBoolean
                ? String(change.value != 0)
                : TypeScriptTypes.number(change.value, isWide: state.range.isWide)
            let id = TypeScriptTypes.number(Int128(change.messageID), isWide: isWide)
            let side = change.sender == .server ? "server" : "!server"
            return "  if (\(side) && id === \(id)) s.\(names[change.state]) = \(value);"
        }
    }
}
