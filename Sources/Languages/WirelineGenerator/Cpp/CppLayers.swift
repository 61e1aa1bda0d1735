// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints the code for layers: the tables of ``LayerPlan``, and the functions that the runtime calls to open and seal
/// packets.
struct CppLayers {
    let types: CppTypes
    let builder: StatementBuilder
    let plan: LayerPlan

    private var statements: LayerStatements {
        LayerStatements(builder: builder, layers: plan, programLayers: plan.transformsOfProgram)
    }

    /// The code before the runtime's functions.
    var texts: [String] {
        var texts = tables
        texts.append(
            function(
                "bool", "unwrapPart", "std::ptrdiff_t part, Reader& r, Part& packet",
                statements.callsOfPart("unwrap", ["r", "packet"])))
        texts.append(
            function(
                "void", "wrapPart", "std::ptrdiff_t part, Writer& w, std::uint64_t id, const Header& h",
                statements.callsOfPart("wrap", ["w", "id", "h"])))
        texts.append(
            function("void", "copyIdentifiers", "Header& given, const Header& known", statements.copyingIdentifiers))
        texts += counters
        for name in ["openLayer", "sealLayer"] {
            texts.append("Bytes \(name)(Work& work, std::size_t n, const Header& h, const Bytes& b);")
        }
        return texts + (plan.keys.isEmpty ? [] : [CppRuntime.file(for: types.plan).text("keyFacts"), keys])
    }

    /// The code after them.
    var calls: [String] {
        [("openLayer", false), ("sealLayer", true)].map { name, isSealing in
            function(
                "Bytes", name, "Work& work, std::size_t n, const Header& h, const Bytes& b",
                statements.layer(isSealing: isSealing))
        }
    }

    private var counters: [String] {
        guard statements.hasCounter else { return [] }
        let parameters = "std::ptrdiff_t shape, const Header& h"
        return [function("bool", "hasCount", parameters, statements.isCountThere)]
            + (plan.hasThreshold ? [function("bool", "isCountGiven", parameters, statements.isCountGiven)] : [])
            + [
                function(
                    "void", "setCount", "std::ptrdiff_t shape, Header& h, std::ptrdiff_t n", statements.settingCount)
            ]
    }

    /// Returns a function. In some protocols there is only one choice, so some parameters may stay unused.
    private func function(
        _ result: String, _ name: String, _ parameters: String, _ statements: [Statement]
    ) -> String {
        let list = parameters.split(separator: ", ").map { "[[maybe_unused]] " + $0 }.joined(separator: ", ")
        return CppText.block("inline \(result) \(name)(\(list))", builder.dialect.function(statements))
            .joined(separator: "\n")
    }

    // MARK: Tables

    private func list(_ items: [String]) -> String { "{" + items.joined(separator: ", ") + "}" }

    private func array(_ name: String, _ type: String, _ items: [String]) -> String {
        "inline constexpr std::array<\(type), \(items.count)> \(name) = \(list(items));"
    }

    private var tables: [String] {
        let shapes = plan.shapes.map { shape in
            let sections = shape.sections.enumerated().map { position, section in
                list([list(section.layers.map(String.init)), String(statements.section(position, of: shape))])
            }
            return list(
                [String(statements.outer(shape)), list(sections)] + (statements.hasCounter ? counter(of: shape) : []))
        }
        let lasting = plan.kinds.map { String($0.hasLastingKeystream) }
        var tables = [
            array("layerNames", "const char*", plan.kinds.map { CppText.string("packet." + $0.name) }),
            array("inflates", "bool", plan.kinds.map { String($0.mayInflate) }),
        ]
        if lasting.contains("true") { tables.append(array("lasts", "bool", lasting)) }
        let own = plan.transformsOfProgram.map { CppText.string($0) }
        if !own.isEmpty { tables.append(array("ownNames", "const char*", own)) }
        return tables + [table("layerings", "Shape", shapes)]
    }

    private func table(_ name: String, _ type: String, _ rows: [String]) -> String {
        CppText.block(
            "inline const std::vector<\(type)>& \(name)()",
            ["static const std::vector<\(type)> all = \(list(rows));", "return all;"]
        ).joined(separator: "\n")
    }

    private func counter(of shape: LayerPlan.Shape) -> [String] {
        guard let counter = shape.counter else { return ["\"\"", "0", "0", "0", "false"] }
        let field = types.plan.description.layout.fields[counter.field]
        let most = min(field.range.upperBound, Int128(Int64.max))
        return [
            CppText.string("packet." + field.name), String(most), String(counter.constant), String(counter.firstLayer),
            String(counter.isSettable),
        ]
    }

    private var keys: String {
        let rows = plan.keys.map { key in
            let sizes = key.byteCounts.map { list([String($0.lowerBound), String($0.upperBound)]) }
            let layers = plan.layers(with: key.name).map(String.init)
            return list([CppText.string(key.name), list(sizes), list(layers)])
        }
        return table("keyFacts", "KeyFacts", rows)
    }
}
