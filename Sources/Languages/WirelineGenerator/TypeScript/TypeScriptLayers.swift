// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes a module's code for layers: the tables of ``LayerPlan``, and the class for a connection.
struct TypeScriptLayers {
    private let functions: TypeScriptFunctions
    private let plan: LayerPlan
    private var dialect: TypeScriptDialect { functions.dialect }
    private var names: [String] { dialect.plan.names.headerFields }

    init(_ functions: TypeScriptFunctions, _ plan: LayerPlan) {
        self.functions = functions
        self.plan = plan
    }

    private func own(_ fields: [Int]) -> String { TypeScriptText.list(fields.map { dialect.string(names[$0]) }) }

    private func numbers(_ items: [Int]) -> String { TypeScriptText.list(items.map(String.init)) }

    var tables: [String] {
        func table(_ name: String, _ type: String, _ rows: [String]) -> [String] {
            ["const \(name)\(dialect.typed(": ", "readonly \(type)[]")) = ["] + dialect.indented(rows.map { $0 + "," })
                + ["];", ""]
        }
        func list(_ name: String, _ fields: [Int]) -> String {
            "const \(name)\(dialect.typed(": ", "readonly string[]")) = \(own(fields));"
        }
        return table("layered", "Layered", plan.shapes.map(shape))
            + table("transforms", "Transform", transforms)
            + [list("settableKeys", plan.settable), "", list("idKeys", plan.identifiers)]
    }

    private func shape(_ shape: LayerPlan.Shape) -> String {
        let sections = shape.sections.enumerated().map { position, section in
            let layers = numbers(section.layers)
            guard let settable = section.settable else { return "{ layers: \(layers) }" }
            let suffix = "Inside\(position + 1)_\(shape.number)"
            return
                "{ layers: \(layers), fields: { read: unwrap\(suffix), write: wrap\(suffix), keys: \(own(settable)) } }"
        }
        var members = ["Outer", "Flat"].flatMap { part in
            ["read\(part): unwrap\(part)_\(shape.number)", "write\(part): wrap\(part)_\(shape.number)"]
        }
        members += ["keys: \(own(shape.outerSettable))", "sections: \(TypeScriptText.list(sections))"]
        if let counter = shape.counter { members.append("counter: \(self.counter(counter))") }
        return "{ \(members.joined(separator: ", ")) }"
    }

    private func counter(_ counter: LayerPlan.Counter) -> String {
        let field = dialect.plan.description.layout.fields[counter.field]
        let key = dialect.string(names[counter.field])
        let number = field.format.range.isWide ? "n => BigInt(n)" : "n => n"
        return
            "{ key: \(key), path: \(dialect.string("packet." + field.name)), plus: \(counter.constant), first: \(counter.firstLayer), "
            + "isSettable: \(counter.isSettable), number: \(number) }"
    }

    // MARK: Transforms

    private var transforms: [String] {
        let calls = [false, true].map {
            dialect.plan.layerCalls(plan, isSealing: $0, ofProgram: plan.transformsOfProgram).map(function)
        }
        return plan.kinds.indices.map { index in
            let kind = plan.kinds[index]
            return
                "{ path: \(dialect.string("packet." + kind.name)), lasts: \(kind.hasLastingKeystream), "
                + "inflates: \(kind.mayInflate), open: \(calls[0][index]), seal: \(calls[1][index]) }"
        }
    }

    /// Returns the function that opens or seals a layer. Names of unused parameters begin with `_`.
    private func function(_ call: LayerCall) -> String {
        let own = call.own.map { ["h", Expression.text($0)] }
        let call = Expression.call(
            nil, call.function, ["b"] + (own ?? call.operands.map(argument)) + ["n", "work"])
        var uses: [String: Int] = [:]
        call.countNames(into: &uses)
        let parameters = ["b", "n", "work", "h"].map { uses[$0] == nil ? "_" + $0 : $0 }
        return "(\(parameters.joined(separator: ", "))) => \(dialect.text(call))"
    }

    private func argument(_ operand: LayerCall.Operand) -> Expression {
        switch operand {
        case .key(let name): .call(nil, "layerKey", ["work", .text(name), "n"])
        case .field(let position): .present(.member("h", names[position]), .bytes)
        case .unused: 0
        }
    }

    // MARK: The connection

    /// The replacements of names in the class for a connection, and in the options that a program gives for one.
    var constants: [String: String] {
        let rules = plan.keys.map { key in
            let counts = TypeScriptText.list(key.byteCounts.map { "[\($0.lowerBound), \($0.upperBound)]" })
            return
                "{ name: \(dialect.string(key.name)), counts: \(counts), layers: \(numbers(plan.layers(with: key.name))) }"
        }
        func members(_ names: [String], _ type: String) -> String {
            "{ \(names.map { "readonly \($0)?: \(type) | undefined" }.joined(separator: "; ")) }"
        }
        return [
            "KEY_NAMES": plan.keys.map { dialect.string($0.name) }.joined(separator: " | "),
            "KEY_OPTIONS": members(plan.keys.map(\.name), "Uint8Array"), "KEY_RULES": TypeScriptText.list(rules),
            "PROGRAM_LAYERS": members(plan.transformsOfProgram, #"((from: "client" | "server") => Layer)"#),
        ]
    }
}
