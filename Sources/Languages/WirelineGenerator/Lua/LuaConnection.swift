// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a module's code for connections: changes of states, the function that selects a packet's shape, and layers.
struct LuaConnection {
    let builder: StatementBuilder
    let plan: ContextPlan
    /// The runtime, reduced to what the schema needs.
    let file: RuntimeFile

    var text: String {
        let names = plan.states.map { "\(LuaText.key($0.name)) = true" }
        let changes = Sender.allCases.map { sender in
            let own = plan.changes.filter { $0.sender == sender }.map { change in
                let state = plan.states[change.state]
                let value = state.isBoolean ? String(change.value != 0) : LuaText.number(change.value)
                return "[\(LuaText.number(Int128(change.messageID)))] = { \(LuaText.literal(state.name)), \(value) }"
            }
            return "  \(sender.rawValue) = \(LuaText.table(own)),"
        }
        let dialect = builder.dialect
        let lines = dialect.function(builder.statements(of: .shapeOf(plan)))
        let layers =
            builder.plan.layers.map { "\n\n" + LuaLayers(names: builder.plan, plan: $0, file: file).text } ?? ""
        return """
            local state_names = \(LuaText.table(names))

            -- What messages do to states.
            local changes = {
            \(changes.joined(separator: "\n"))
            }

            local shapes = \(LuaText.table(plan.shapes.map(String.init)))

            \(file.text("changing"))

            -- The number of a packet's shape, by its sender and by the tests of states that hold.
            local function shape_of(sender, connection, nested)
              local c = connection.states
              check_states(c)
            \(dialect.indented(lines).joined(separator: "\n"))
            end
            """ + layers
    }
}
