// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a package's code for layers: the tables of ``LayerPlan``, and the functions that open and seal one layer.
struct GoLayers {
    let types: GoTypes
    let plan: LayerPlan
    private var code: GeneratorModel { types.plan }

    var texts: [String] {
        [
            "var layerings = [...]layering{\n\(plan.shapes.map(shape).joined())}\n",
            """
            // The layers by their names in errors; those whose keystream goes on from packet to packet; and those that inflate.
            var layerNames = [...]string{\(list(plan.kinds.map { GoText.string("packet." + $0.name) }))}

            var isLasting = [...]bool{\(list(plan.kinds.map { String($0.hasLastingKeystream) }))}

            var inflates = [...]bool{\(list(plan.kinds.map { String($0.mayInflate) }))}

            """,
        ] + (plan.keys.isEmpty ? [] : [keys]) + [
            copying, layer("open", isSealing: false), layer("seal", isSealing: true),
        ]
    }

    private func list(_ items: [String]) -> String { items.joined(separator: ", ") }

    private var keys: String {
        let rows = plan.keys.map { key in
            let sizes = key.byteCounts.map { "{\($0.lowerBound), \($0.upperBound)}" }
            let layers = plan.layers(with: key.name).map(String.init)
            return (
                comment: [String](),
                cells: [
                    GoText.string(key.name) + ":", "{[][2]int{\(list(sizes))}, []int{\(list(layers))}},",
                ]
            )
        }
        return """
            // layerKeys is the sizes of keys, and the layers that use them.
            var layerKeys = map[string]struct {
            \tsizes  [][2]int
            \tlayers []int
            }{
            \(GoText.indented(GoText.table(rows)).joined(separator: "\n"))
            }

            """
    }

    private func member(_ position: Int) -> String { code.names.headerFields[position] }

    private var copying: String {
        let lines = plan.identifiers.map { "\tgiven.\(member($0)) = known.\(member($0))\n" }
        return """
            // copyIdentifiers sets the fields with the ID of a message.
            func copyIdentifiers(given, known *Header) {
            \(lines.joined())}

            """
    }

    private func shape(_ shape: LayerPlan.Shape) -> String {
        var lines = ["Outer", "Flat"].flatMap { part in
            ["\t\tunwrap\(part)\(shape.number),", "\t\twrap\(part)\(shape.number),"]
        }
        lines.append("\t\t[]section{" + (shape.sections.isEmpty ? "}," : ""))
        for (position, section) in shape.sections.enumerated() {
            let suffix = "Inside\(position + 1)\(shape.number)"
            let functions = section.settable == nil ? "nil, nil" : "unwrap\(suffix), wrap\(suffix)"
            lines.append("\t\t\t{[]int{\(list(section.layers.map(String.init)))}, \(functions)},")
        }
        if !shape.sections.isEmpty { lines.append("\t\t},") }
        lines += counter(shape.counter)
        return "\t{\n\(lines.joined(separator: "\n"))\n\t},\n"
    }

    private func counter(_ counter: LayerPlan.Counter?) -> [String] {
        guard let counter else { return ["\t\tnil,"] }
        let field = types.description.layout.fields[counter.field]
        let name = GoText.string(field.name)
        let most = min(field.range.upperBound, Int128(Int64.max))
        let own = "h.\(member(counter.field))"
        let type = GoDialect(types: types).type(code.headerType(counter.field))
        let isAlways = code.hasAlways(headerField: counter.field)
        return [
            "\t\t&counter{",
            "\t\t\t\(name), \(counter.constant), \(most), \(counter.firstLayer), \(counter.isSettable),",
            "\t\t\tfunc(h *Header) bool { return \(own) != \(isAlways ? "0" : "nil") },",
            "\t\t\tfunc(h *Header) bool { return \(isAlways ? "true" : own + " != nil") },",
            "\t\t\tfunc(h *Header, n int) {",
        ]
            + (isAlways
                ? ["\t\t\t\t\(own) = \(type)(n)"] : ["\t\t\t\tnumber := \(type)(n)", "\t\t\t\t\(own) = &number"]) + [
                "\t\t\t},", "\t\t},",
            ]
    }

    private func layer(_ word: String, isSealing: Bool) -> String {
        let calls = code.layerCalls(plan, isSealing: isSealing, ofProgram: plan.programLayers)
        let cases = calls.enumerated().flatMap { ["case \($0):"] + GoText.indented(lines($1)) }
        let head = "func (k *work) \(word)Layer(n int, h *Header, b []byte) ([]byte, *Error)"
        return GoText.block(head, ["switch n {"] + cases + ["}", "return b, nil"]).joined(separator: "\n") + "\n"
    }

    private func lines(_ call: LayerCall) -> [String] {
        if let own = call.own { return ["return k.\(call.function)(b, h, \(GoText.string(own)), n)"] }
        var lines: [String] = []
        let arguments = call.operands.map { operand -> String in
            switch operand {
            case .key(let name):
                let variable = lines.isEmpty ? "key" : "start"
                lines += [
                    "\(variable), err := k.key(\(GoText.string(name)), n)", "if err != nil {", "\treturn nil, err", "}",
                ]
                return variable
            case .field(let position): return "h." + member(position)
            case .unused: return "0"
            }
        }
        return lines + ["return k.\(call.function)(\(list(["b"] + arguments + ["n"])))"]
    }
}

extension LayerPlan {
    var members: [(comment: [String], cells: [String])] {
        var rows: [(comment: [String], cells: [String])] = []
        if hasThreshold {
            let comment =
                "// Threshold says from how many bytes on a content gets a layer that asks for its count; without it none does."
            rows.append(([comment], ["Threshold", "*int"]))
        }
        if !programLayers.isEmpty {
            let names = programLayers.joined(separator: ", ")
            rows.append(
                (
                    ["// Layers makes the layers of the program for what one side sends: \(names)."],
                    ["Layers", "map[string]func(Sender) Layer"]
                ))
            rows.append(([], ["layers", "map[layerPlace]Layer"]))
        }
        if !keys.isEmpty { rows.append(([], ["keys", "map[keyPlace][]byte"])) }
        return rows + [([], ["streams", "map[stream]interface{}"])]
    }
}
