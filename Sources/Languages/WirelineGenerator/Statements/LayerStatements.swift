// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements of functions that a runtime calls when it opens and seals packets with layers.
///
/// The variables are the number of a shape `shape`, of a part `part`, and of a layer `n`. Headers are `h`, `given` and
/// `known`; `b` is the bytes of a layer, and `work` the state of all nested packets.
struct LayerStatements {
    let builder: StatementBuilder
    let layers: LayerPlan
    let programLayers: [String]
    private var plan: GeneratorModel { builder.plan }

    // MARK: Parts

    /// The suffixes of all functions for parts: for each shape the outer part, all fields, and the fields inside
    /// layers.
    var parts: [String] {
        layers.shapes.flatMap { shape in
            ["Outer\(shape.number)", "Flat\(shape.number)"]
                + shape.sections.indices.compactMap { inside($0, of: shape) }
        }
    }

    private func inside(_ position: Int, of shape: LayerPlan.Shape) -> String? {
        shape.sections[position].settable.map { _ in "Inside\(position + 1)\(shape.number)" }
    }

    /// Returns the number of a shape's outer part. Its flat part has the next number.
    func outer(_ shape: LayerPlan.Shape) -> Int { parts.firstIndex(of: "Outer\(shape.number)") ?? -1 }

    /// Returns the number of a section's fields; -1 if it has none.
    func section(_ position: Int, of shape: LayerPlan.Shape) -> Int {
        inside(position, of: shape).flatMap { parts.firstIndex(of: $0) } ?? -1
    }

    /// Returns the statement that dispatches to a part's function.
    func callsOfPart(_ function: String, _ arguments: [Expression]) -> [Statement] {
        [.select("part", parts.map { [.returns(.call(nil, function + $0, arguments))] })]
    }

    /// The statements that copy the ID's fields from the header `known` to `given`.
    var copyingIdentifiers: [Statement] {
        layers.identifiers.map { .assign(member($0, of: "given"), member($0, of: "known")) }
    }

    // MARK: The field that counts the bytes inside the innermost layer

    var hasCounter: Bool { layers.shapes.contains { $0.counter != nil } }

    /// Whether a header has the field.
    var isCountThere: [Statement] {
        select({ [.returns($1 ? true : member($0, of: "h").isSet)] }, otherwise: .returns(false))
    }

    /// Whether a program has set the field.
    var isCountGiven: [Statement] {
        select(
            { field, isAlways in
                let own = member(field, of: "h")
                return [.returns(isAlways ? .binary(.unequal, own, 0) : own.isSet)]
            }, otherwise: .returns(false))
    }

    /// The statements that set the field to `n`.
    var settingCount: [Statement] {
        select(
            { field, _ in
                let number = Expression.convert("n", from: .position, to: builder.headerType(field))
                return builder.setHeader("h", field, number) + [.returns(nil)]
            }, otherwise: .returns(nil))
    }

    private func select(_ counted: (Int, Bool) -> [Statement], otherwise: Statement) -> [Statement] {
        let branches = layers.shapes.map { shape in
            shape.counter.map { counted($0.field, plan.hasAlways(headerField: $0.field)) } ?? [otherwise]
        }
        return [.select("shape", branches)]
    }

    private func member(_ position: Int, of variable: String) -> Expression {
        .member(.name(variable), plan.names.headerFields[position])
    }

    // MARK: Layers

    func layer(isSealing: Bool) -> [Statement] {
        // The rules `packets` and `opaque` need no layer.
        guard !layers.kinds.isEmpty else { return [.returns("b")] }
        let calls = plan.layerCalls(layers, isSealing: isSealing, ofProgram: programLayers)
        return [.select("n", calls.map { [.returns(expression($0))] })]
    }

    private func expression(_ call: LayerCall) -> Expression {
        let own = call.own.map { ["h", Expression.place(programLayers.firstIndex(of: $0) ?? 0)] }
        return .call("work", call.function, ["b"] + (own ?? call.operands.map(argument)) + ["n"])
    }

    private func argument(_ operand: LayerCall.Operand) -> Expression {
        switch operand {
        case .key(let name):
            .call("work", "key", [.place(layers.keys.firstIndex { $0.name == name } ?? 0), "n"])
        case .field(let position): member(position, of: "h")
        case .unused: 0
        }
    }
}
