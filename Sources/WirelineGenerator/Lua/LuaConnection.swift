// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has of a connection: the function that finds the shape of a packet, what messages do to states, and layers.
struct LuaConnection {
    let printer: StatementPrinter
    let plan: ContextPlan
    /// The runtime as the schema needs it.
    let file: RuntimeFile

    private var hasLayers: Bool { printer.plan.layers != nil }

    /// The tables and the function, as one text.
    var text: String {
        let names = plan.states.map { "\(LuaText.key($0.name)) = true" }
        let changes = Sender.allCases.map { sender in
            let own = plan.changes.filter { $0.sender == sender }.map { change in
                let state = plan.states[change.state]
                let value = state.isBoolean ? String(change.value != 0) : LuaText.number(change.value)
                return "[\(LuaText.number(Int128(change.messageID)))] = { \(LuaText.literal(state.name)), \(value) }"
            }
            return "  \(sender.rawValue) = { \(own.joined(separator: ", ")) },"
        }
        let shapes = plan.shapes.enumerated().map { "[\($0)] = \($1)" }.joined(separator: ", ")
        let numbers = plan.states.enumerated().map { position, state in
            let value = "number_of(connection.states\(LuaText.member(state.name)))"
            let limits = "\(LuaText.number(state.range.lowerBound)), \(LuaText.number(state.range.upperBound))"
            let function = state.range.isWide ? "wide_integer" : "integer"
            return "local x\(position) = \(function)(\(value), \(limits), \(LuaText.literal(state.name)))"
        }
        let tests = plan.tests.enumerated().map {
            "if \(printer.dialect.text(condition($1))) then n = n + \(2 << $0) end"
        }
        let layers =
            printer.plan.layers.map { "\n\n" + LuaLayers(names: printer.plan, plan: $0, file: file).text } ?? ""
        return """
            local state_names = { \(names.joined(separator: ", ")) }

            -- What messages do to states.
            local changes = {
            \(changes.joined(separator: "\n"))
            }

            local shapes = { \(shapes) }

            local function number_of(v)
              if v == nil or v == false then return 0 end
              return v == true and 1 or v
            end

            -- The number of a packet's shape, by its sender and by the tests of states that hold.
            local function shape_of(sender, connection\(hasLayers ? ", nested" : ""))
              top, at[1] = 1, "state"
              for name in pairs(connection.states) do
                if not state_names[name] then refuse("unknown_state", tostring(name)) end
              end
              local n = sender == "server" and 1 or 0
            \(LuaText.indented(numbers + tests).joined(separator: "\n"))
              return shapes[n]
            end
            """ + layers
    }

    private func condition(_ test: WireCondition) -> Expression {
        printer.condition(test) { operand in
            guard case .state(let name) = operand, let state = plan.states.firstIndex(where: { $0.name == name }) else {
                return hasLayers ? .number(Expression.name("nested").or(0), .uint8) : .literal(0)
            }
            let range = plan.states[state].range
            return .number(
                "x\(state)", IntegerFormat(bitWidth: range.isWide ? 64 : 32, isSigned: range.lowerBound < 0))
        }
    }
}
