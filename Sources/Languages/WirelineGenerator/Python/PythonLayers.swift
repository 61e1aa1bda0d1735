// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a module's code for layers: the tables of ``LayerPlan``, and the functions that open and seal one layer.
struct PythonLayers {
    let types: PythonTypes
    let plan: LayerPlan

    private func names(_ fields: [Int]) -> String {
        tuple(fields.map { PythonText.string(types.description.layout.fields[$0].name) })
    }

    private func tuple(_ items: [String]) -> String { items.isEmpty ? "()" : PythonText.tuple(items) }

    var text: String {
        let keys = plan.keys.map { key in
            let counts = key.byteCounts.map { "range(\($0.lowerBound), \($0.upperBound + 1))" }
            let layers = plan.layers(with: key.name).map(String.init)
            return "    \(PythonText.string(key.name)): (\(tuple(counts)), \(tuple(layers))),\n"
        }
        let lasting = plan.kinds.indices.filter { plan.kinds[$0].hasLastingKeystream }.map(String.init)
        let (opening, sealing) = (calls(isSealing: false), calls(isSealing: true))
        let made = plan.kinds.indices.filter { plan.kinds[$0].mayInflate }.map(String.init)
        let parameters = "(n: int, work: _Work, header: Mapping[str, Any], b: bytes) -> bytes"
        return """
            _LAYERED: Final = (
            \(plan.shapes.map { "    " + shape($0) + ",\n" }.joined()))

            # The layers by their names in errors; those whose keystream goes on from packet to packet; and those that inflate.
            _NAMES: Final[tuple[str, ...]] = \(tuple(plan.kinds.map { PythonText.string("packet." + $0.name) }))

            _LASTING: Final[tuple[int, ...]] = \(tuple(lasting))

            _INFLATING: Final[tuple[int, ...]] = \(tuple(made))

            # The byte counts of keys, and the layers that use them.
            _KEYS: Final[Mapping[str, tuple[tuple[range, ...], tuple[int, ...]]]] = {
            \(keys.joined())}

            _SETTABLE: Final[tuple[str, ...]] = \(names(plan.settable))

            _IDENTIFIERS: Final[tuple[str, ...]] = \(names(plan.identifiers))


            def _open_layer\(parameters):
            \(PythonText.indented(opening + ["return b"]).joined(separator: "\n"))


            def _seal_layer\(parameters):
            \(PythonText.indented(sealing + ["return b"]).joined(separator: "\n"))
            """
    }

    private func shape(_ shape: LayerPlan.Shape) -> String {
        let sections = shape.sections.enumerated().map { position, section in
            let layers = tuple(section.layers.map(String.init))
            guard let settable = section.settable else { return "_Section(\(layers), None, None, ())" }
            let suffix = "_inside\(position + 1)_\(shape.number)"
            return "_Section(\(layers), _decode\(suffix), _wrap\(suffix), \(names(settable)))"
        }
        let counter = shape.counter.map { counter in
            let name = PythonText.string(types.description.layout.fields[counter.field].name)
            return "(\(name), \(counter.constant), \(counter.isSettable ? "True" : "False"), \(counter.firstLayer))"
        }
        let suffixes = ["outer", "flat"].map { "_\($0)_\(shape.number)" }
        let functions = suffixes.map { "_decode\($0), _wrap\($0)" }.joined(separator: ", ")
        return "_Shape(\(functions), \(names(shape.outerSettable)), \(tuple(sections)), \(counter ?? "None"))"
    }

    private func calls(isSealing: Bool) -> [String] {
        types.plan.layerCalls(plan, isSealing: isSealing, ofProgram: plan.programLayers).enumerated().map { n, call in
            let own = call.own.map { ["header", PythonText.string($0)] }
            let arguments = (["b"] + (own ?? call.operands.map(argument)) + ["n", "work"]).joined(separator: ", ")
            return "if n == \(n): return _\(NameWords.snake(call.function))(\(arguments))"
        }
    }

    private func argument(_ operand: LayerCall.Operand) -> String {
        switch operand {
        case .key(let name): "_key(work, \(PythonText.string(name)), n)"
        case .field(let position): "header[\(PythonText.string(types.description.layout.fields[position].name))]"
        case .unused: "0"
        }
    }
}
