// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has of its layers: the tables of ``LayerPlan``, and the functions that open and seal one layer.
struct PythonLayers {
    let types: PythonTypes
    let plan: LayerPlan

    private func names(_ fields: [Int]) -> String {
        tuple(fields.map { PythonText.string(types.description.layout.fields[$0].name) })
    }

    private func tuple(_ items: [String]) -> String { items.isEmpty ? "()" : PythonText.tuple(items) }

    /// The tables and functions, as one text.
    var text: String {
        let keys = plan.keys.map { key in
            let counts = key.byteCounts.map { "range(\($0.lowerBound), \($0.upperBound + 1))" }
            let layers = plan.layers(with: key.name).map(String.init)
            return "    \(PythonText.string(key.name)): (\(tuple(counts)), \(tuple(layers))),\n"
        }
        let lasting = plan.kinds.indices.filter { plan.kinds[$0].hasLastingKeystream }.map(String.init)
        let opening = plan.kinds.enumerated().map { "if n == \($0): return \(opened($1))" }
        let sealing = plan.kinds.enumerated().map { "if n == \($0): return \(sealed($1))" }
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

    private func key(_ name: String) -> String { "_key(work, \(PythonText.string(name)), n)" }

    private func start(_ vector: LayerKind.Vector) -> String {
        switch vector {
        case .key(let name): key(name)
        case .field(let name): "header[\(PythonText.string(name))]"
        }
    }

    private func keystream(_ kind: LayerKind) -> String? {
        switch kind {
        case .xor(let name): "_xor_key(b, \(key(name)))"
        case .rc4(let name): "_rc4(b, \(key(name)), n, work)"
        case .aesCTR(let name, .key(let vector)):
            "_aes_ctr_lasting(b, \(key(name)), \(key(vector)), n, work)"
        case .aesCTR(let name, let vector): "_aes_ctr(b, \(key(name)), \(start(vector)), 0, work)"
        default: nil
        }
    }

    private func opened(_ kind: LayerKind) -> String {
        switch kind {
        case .zlib: "_inflated(b, 15, n, work)"
        case .deflate: "_inflated(b, -15, n, work)"
        case .gzip: "_inflated(b, 31, n, work)"
        case .brotli, .custom: "_opened_by_program(b, header, \(PythonText.string(kind.name)), n, work)"
        case .aesCBC(let name, let vector): "_opened_aes_cbc(b, \(key(name)), \(start(vector)), n, work)"
        default: keystream(kind) ?? "b"
        }
    }

    private func sealed(_ kind: LayerKind) -> String {
        switch kind {
        case .zlib: "_deflated(b, 15, work)"
        case .deflate: "_deflated(b, -15, work)"
        case .gzip: "_deflated(b, 31, work)"
        case .brotli, .custom: "_sealed_by_program(b, header, \(PythonText.string(kind.name)), n, work)"
        case .aesCBC(let name, let vector): "_sealed_aes_cbc(b, \(key(name)), \(start(vector)), work)"
        default: keystream(kind) ?? "b"
        }
    }
}
