// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a module's code for layers: the tables of ``LayerPlan``, and the functions that open and seal one layer.
struct RustLayers {
    let plan: GeneratorModel
    let layers: LayerPlan

    var texts: [String] {
        [
            table("LAYERINGS", "Layering", layers.shapes.map(shape)),
            table("LAYER_PATHS", "StaticStr", layers.kinds.map { RustText.string("packet." + $0.name) }),
            table("IS_LASTING", "bool", layers.kinds.map { String($0.hasLastingKeystream) }),
            table("INFLATES", "bool", layers.kinds.map { String($0.mayInflate) }),
            table("OWN_LAYERS", "StaticStr", layers.transformsOfProgram.map { RustText.string($0) }),
            table("KEYS", "(StaticStr, &[(usize, usize)], &[usize])", layers.keys.map(key)), copying,
            layer("open", isSealing: false), layer("seal", isSealing: true),
        ]
    }

    private func list(_ items: [String]) -> String { items.joined(separator: ", ") }

    private func table(_ name: String, _ type: String, _ items: [String]) -> String {
        "static \(name): &[\(type)] = &[\(list(items))];"
    }

    private func key(_ key: (name: String, byteCounts: [ClosedRange<Int>])) -> String {
        let sizes = key.byteCounts.map { "(\($0.lowerBound), \($0.upperBound))" }
        let uses = layers.layers(with: key.name).map(String.init)
        return "(\(RustText.string(key.name)), &[\(list(sizes))], &[\(list(uses))])"
    }

    private func member(_ position: Int) -> String { plan.names.headerFields[position] }

    private var copying: String {
        let lines = layers.identifiers.map { position in
            let isCopied = plan.headerType(position).isScalar
            return "given.\(member(position)) = known.\(member(position))\(isCopied ? "" : ".clone()");"
        }
        return RustText.block("fn copy_identifiers(given: &mut Header, known: &Header)", lines).joined(separator: "\n")
    }

    private func shape(_ shape: LayerPlan.Shape) -> String {
        let sections = shape.sections.enumerated().map { position, section in
            let suffix = "inside\(position + 1)\(shape.number)"
            let fields = section.settable == nil ? "None" : "Some((unwrap_\(suffix), wrap_\(suffix)))"
            return "Section { layers: &[\(list(section.layers.map(String.init)))], fields: \(fields) }"
        }
        let number = shape.number
        return """
            Layering {
                read_outer: unwrap_outer\(number),
                write_outer: wrap_outer\(number),
                read_flat: unwrap_flat\(number),
                write_flat: wrap_flat\(number),
                sections: &[\(list(sections))],
                counter: \(shape.counter.map(counter) ?? "None"),
            }
            """
    }

    private func counter(_ counter: LayerPlan.Counter) -> String {
        let field = plan.description.layout.fields[counter.field]
        let own = "h.\(member(counter.field))"
        let isAlways = plan.hasAlways(headerField: counter.field)
        let type = plan.headerType(counter.field)
        let format = RustTypes.integer(type.format ?? .uint64)
        return """
            Some(Counter {
                path: \(RustText.string("packet." + field.name)),
                constant: \(counter.constant),
                most: \(min(field.range.upperBound, Int128(Int64.max))),
                first: \(counter.firstLayer),
                is_settable: \(counter.isSettable),
                is_set: |h| \(isAlways ? "\(own) != 0" : "\(own).is_some()"),
                is_there: |\(isAlways ? "_" : "h")| \(isAlways ? "true" : "\(own).is_some()"),
                set: |h, n| \(own) = \(isAlways ? "n as \(format)" : "Some(n as \(format))"),
            })
            """
    }

    private func layer(_ word: String, isSealing: Bool) -> String {
        let calls = plan.layerCalls(layers, isSealing: isSealing, ofProgram: layers.transformsOfProgram)
        let cases = calls.enumerated().map { "\($0) => \(text($1))," }
        let head = "fn \(word)_layer(k: &mut Work, n: usize, h: &Header, b: Vec<u8>) -> Result<Vec<u8>, WireError>"
        return RustText.block(head, RustText.block("match n", cases + ["_ => Ok(b),"])).joined(separator: "\n")
    }

    private func text(_ call: LayerCall) -> String {
        if let own = call.own {
            return
                "k.\(NameWords.snake(call.function))(b, h, \(layers.transformsOfProgram.firstIndex(of: own) ?? 0), n)"
        }
        let variables = call.operands.indices.map { "x\($0)" }
        let lines = zip(variables, call.operands).map { "let \($0) = \(argument($1));" }
        return "{ \(lines.joined(separator: " ")) k.\(NameWords.snake(call.function))(b, \(list(variables)), n) }"
    }

    private func argument(_ operand: LayerCall.Operand) -> String {
        switch operand {
        case .key(let name): return "&k.key(\(layers.keys.firstIndex { $0.name == name } ?? 0), n)?"
        case .field(let position):
            let own = "h.\(member(position))"
            return plan.hasAlways(headerField: position) ? "&\(own)" : "\(own).as_deref().unwrap_or(&[])"
        case .unused: return "0"
        }
    }
}
