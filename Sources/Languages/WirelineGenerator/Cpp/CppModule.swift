// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the header file: its types, its messages, and the parts of the runtime that they need.
struct CppModule {
    private let types: CppTypes
    private let namespace: String
    private let builder: StatementBuilder
    private var plan: GeneratorModel { types.plan }
    private var description: ProtocolDescription { plan.description }

    init(_ plan: GeneratorModel, namespace: String) {
        types = CppTypes(plan)
        self.namespace = namespace
        builder = StatementBuilder(CppDialect(types: types))
    }

    func text() -> String {
        let file = CppRuntime.file(for: plan)
        let declarations = CppDeclarations(types: types, builder: builder)
        let functions = CppFunctions(types: types, builder: builder)
        let layers = plan.layers.map { CppLayers(types: types, builder: builder, plan: $0) }
        let own = functions.bodies + functions.packets + (layers?.texts ?? [])
        let work = layers.map { [file.text("work")] + $0.calls } ?? []
        let interface = file.text("interface")
        let framing = description.layout.framing == nil ? [] : [file.text("frame")]
        let calls = StatementBuilder.calls(in: own + work + framing + [interface, file.text("message")])
        // Each type is declared before its users.
        var parts = [file.text("base")] + declarations.constants + declarations.choices
        if types.hasProperties { parts.append(file.text("property")) }
        if !plan.unions.isEmpty { parts.append(file.text("union")) }
        if types.hasBoxes { parts.append(file.text("box")) }
        parts += declarations.forwards + declarations.ordered + declarations.messages + [declarations.header]
        if layers != nil { parts.append(file.text("layerTypes")) }
        parts += [file.text("message")] + inDetail(functions.traits) + declarations.connection
        var inner = [file.text("view"), file.text("helpers")] + (types.hasBoxes ? [file.text("boxes")] : [])
        inner.append(file.text("steps"))
        inner += ["reader", "writer", "checksum"].map { file.text($0) { BraceText.called($0, by: calls) } }
        inner += framing + [file.text(layers == nil ? "opened" : "part"), file.text("reading")] + own + work
        parts += inDetail(inner) + [interface]
        let first = [
            description.fileHead("//", title: Self.title(description)), "", "#pragma once", "",
            file.text("includes"), "",
        ]
        let lines = first + CppText.comment(description.documentation) + ["namespace \(namespace) {", ""]
        return lines.joined(separator: "\n") + "\n" + parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
            + "\n\n}  // namespace \(namespace)\n"
    }

    static func title(_ description: ProtocolDescription) -> String { CppText.inert(description.title) }

    private func inDetail(_ parts: [String]) -> [String] {
        parts.isEmpty ? [] : ["namespace detail {"] + parts + ["}  // namespace detail"]
    }
}
