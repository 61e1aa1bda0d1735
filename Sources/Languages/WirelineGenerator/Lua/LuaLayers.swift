// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a module's code for layers: the tables of ``LayerPlan``, and the functions that open and seal one layer.
///
/// Layers and their rules are numbered from 1. The rules for packets in packets and for unread bytes follow.
struct LuaLayers {
    let names: GeneratorModel
    let plan: LayerPlan
    /// The runtime, reduced to what the schema needs.
    let file: RuntimeFile

    private func own(_ field: Int) -> String { names.names.headerFields[field] }

    private func list(_ fields: [Int]) -> String { LuaText.table(fields.map { LuaText.literal(own($0)) }) }

    private func numbers(_ layers: [Int]) -> String { LuaText.table(layers.map { String($0 + 1) }) }

    private func set(_ layers: [Int]) -> String { LuaText.table(layers.map { "[\($0 + 1)] = true" }) }

    private func keys(_ names: [String]) -> String { LuaText.table(names.map { "\(LuaText.key($0)) = true" }) }

    var text: String {
        let keys = plan.keys.map { key in
            let counts = key.byteCounts.map { "{ \($0.lowerBound), \($0.upperBound) }" }
            let layers = numbers(plan.layers(with: key.name))
            return "\(LuaText.key(key.name)) = { counts = \(LuaText.table(counts)), layers = \(layers) }"
        }
        let shapes = plan.shapes.map { "  [\($0.number)] = \(shape($0))," }
        return """
            -- What layers need: in a table, for a chunk has room for 200 local variables.
            local layered = {}

            -- The layers by their names in errors; those whose keystream goes on from packet to packet; and those that inflate.
            layered.names = \(LuaText.table(plan.kinds.map { LuaText.literal("packet." + $0.name) }))
            layered.lasting = \(set(plan.kinds.indices.filter { plan.kinds[$0].hasLastingKeystream }))
            layered.inflating = \(set(plan.kinds.indices.filter { plan.kinds[$0].mayInflate }))

            -- The byte counts of keys, and the layers that use them.
            layered.keys = \(LuaText.table(keys))

            -- The layers whose functions the program gives, and the options of a connection.
            layered.by_program = \(self.keys(plan.transformsOfProgram))
            layered.options = \(self.keys(plan.options))

            layered.settable_fields, layered.id_fields = \(list(plan.settable)), \(list(plan.identifiers))

            -- How packets of each shape are read and written.
            layered.shapes = {
            \(shapes.joined(separator: "\n"))
            }

            \(file.text("transforms"))

            function layered.open_layer(n, work, header, s)
            \(LuaText.indented(steps(isSealing: false)).joined(separator: "\n"))
            end

            function layered.seal_layer(n, work, header, s)
            \(LuaText.indented(steps(isSealing: true)).joined(separator: "\n"))
            end
            """
    }

    private func steps(isSealing: Bool) -> [String] {
        names.layerCalls(plan, isSealing: isSealing, ofProgram: plan.transformsOfProgram).enumerated().map { n, call in
            let own = call.own.map { ["header", LuaText.literal($0)] }
            let arguments = (["s"] + (own ?? call.operands.map(argument)) + ["n", "work"]).joined(separator: ", ")
            return "if n == \(n + 1) then return layered.\(NameWords.snake(call.function))(\(arguments)) end"
        }
    }

    private func argument(_ operand: LayerCall.Operand) -> String {
        switch operand {
        case .key(let name): "layered.key_of(\(LuaText.literal(name)), n, work)"
        case .field(let position): "header" + LuaText.member(own(position))
        case .unused: "0"
        }
    }

    private func shape(_ shape: LayerPlan.Shape) -> String {
        func functions(_ part: String, _ end: String = "") -> String {
            "read\(end) = unwrap.\(part)_\(shape.number), write\(end) = wrap.\(part)_\(shape.number)"
        }
        let sections = shape.sections.enumerated().map { position, section in
            let fields = section.settable.map { [functions("inside\(position + 1)"), "fields = \(list($0))"] } ?? []
            return LuaText.table(["layers = \(numbers(section.layers))"] + fields)
        }
        let counter = shape.counter.map { counter in
            let field = names.description.layout.fields[counter.field].name
            return LuaText.table([
                "field = \(LuaText.literal(own(counter.field)))", "path = \(LuaText.literal("packet." + field))",
                "constant = \(counter.constant)", "first = \(counter.firstLayer + 1)",
                "is_settable = \(counter.isSettable)",
            ])
        }
        return LuaText.table(
            [
                functions("outer", "_outer"), functions("flat", "_flat"), "outer_fields = \(list(shape.outerSettable))",
                "sections = \(LuaText.table(sections))",
            ] + (counter.map { ["counter = \($0)"] } ?? []))
    }
}

extension LayerPlan {
    var options: [String] {
        (keys.isEmpty ? [] : ["keys"]) + (transformsOfProgram.isEmpty ? [] : ["layers"]) + (hasAES ? ["aes"] : [])
            + (shapes.contains { $0.counter?.isSettable == true } ? ["threshold"] : [])
    }
}
