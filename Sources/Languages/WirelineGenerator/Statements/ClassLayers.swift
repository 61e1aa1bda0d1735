// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints the code for layers in languages with classes: the tables of ``LayerPlan``, and the functions that the
/// runtime's class for opening and sealing packets calls.
struct ClassLayers {
    let dialect: any ClassDialect
    let builder: StatementBuilder
    let layers: LayerPlan
    var plan: GeneratorModel { builder.plan }
    var framing: PacketFraming? { plan.description.layout.framing }
    var id: String { dialect.type(.number(.uint64)) }
    private var statements: LayerStatements {
        LayerStatements(builder: builder, layers: layers, programLayers: layers.programLayers)
    }
    /// Whether a keystream continues from packet to packet.
    var hasStreams: Bool { layers.kinds.contains(where: \.hasLastingKeystream) }

    /// The checksums of the runtime that transforms call.
    var checksums: Set<String> {
        let names = layers.kinds.compactMap { $0 == .gzip ? "crc32" : $0 == .zlib ? "adler32" : nil }
        return Set(names.map(dialect.spelled))
    }

    /// The classes that open and seal packets, and their types.
    var classes: [String] {
        let runtime = dialect.runtime
        var classes = [runtime.text("part"), runtime.text("work") { _ in tables.joined(separator: "\n") }]
        if hasStreams { classes.append(runtime.text("keystream")) }
        if layers.hasPackets { classes.append(runtime.text("innerPackets")) }
        return classes + (layers.programLayers.isEmpty ? [] : [runtime.text("layer")])
    }

    var members: [String] {
        let members = dialect.runtime.text("members")
        return members.isEmpty ? [] : [members]
    }

    // MARK: Tables

    private func text(_ text: String) -> String { dialect.text(.text(text)) }

    private func array(_ type: String, _ items: [String]) -> String {
        "new \(type)[] {\(items.joined(separator: ", "))}"
    }

    private func table(_ name: String, _ type: String, _ items: [String]) -> String {
        "\(dialect.tableModifiers) \(type)[] \(name) = \(array(type, items));"
    }

    private var tables: [String] {
        let sections = layers.shapes.map { shape in
            array(
                "int[]",
                shape.sections.enumerated().map { position, section in
                    array("int", ([statements.section(position, of: shape)] + section.layers).map(String.init))
                })
        }
        var tables = [
            table("outers", "int", layers.shapes.map { String(statements.outer($0)) })
        ]
        tables += dialect.comment(
            "For each shape its sections: the number of their fields' functions, and their layers.", nil, indent: "")
        tables += [
            table("sections", "int[][]", sections),
            table("layerNames", dialect.type(.text), layers.kinds.map { text("packet." + $0.name) }),
            table("inflates", dialect.type(.boolean), layers.kinds.map { String($0.mayInflate) }),
        ]
        if hasStreams {
            tables.append(table("lasts", dialect.type(.boolean), layers.kinds.map { String($0.hasLastingKeystream) }))
        }
        if statements.hasCounter {
            let names = layers.shapes.map { shape in
                shape.counter.map { text("packet." + plan.description.layout.fields[$0.field].name) }
                    ?? "null"
            }
            tables.append(table("counterNames", dialect.type(.text), names))
            let most = layers.shapes.map { shape in
                shape.counter.map { min(plan.description.layout.fields[$0.field].range.upperBound, Int128(Int64.max)) }
                    ?? 0
            }
            tables.append(table("counterLimits", "long", most.map { dialect.text(.number($0, .int64)) }))
            tables.append(table("counterConstants", "int", layers.shapes.map { String($0.counter?.constant ?? 0) }))
            tables.append(table("counterFirsts", "int", layers.shapes.map { String($0.counter?.firstLayer ?? 0) }))
        }
        if layers.hasThreshold {
            tables.append(
                table(
                    "isSettable", dialect.type(.boolean), layers.shapes.map { String($0.counter?.isSettable == true) }))
        }
        if !layers.keys.isEmpty {
            let sizes = layers.keys.map { key in
                array("int", key.byteCounts.flatMap { [String($0.lowerBound), String($0.upperBound)] })
            }
            let uses = layers.keys.map { array("int", layers.layers(with: $0.name).map(String.init)) }
            tables += [
                table("keyNames", dialect.type(.text), layers.keys.map { text($0.name) }),
                table("keySizes", "int[]", sizes),
            ]
            if hasStreams { tables.append(table("keyLayers", "int[]", uses)) }
        }
        if !layers.programLayers.isEmpty {
            tables.append(table("programLayers", dialect.type(.text), layers.programLayers.map { text($0) }))
        }
        return tables
    }

    // MARK: Functions

    private func function(
        _ result: String, _ name: String, _ parameters: String, _ statements: [Statement]
    ) -> String {
        BraceText.function(
            dialect.functionHead(.helper, result, dialect.spelled(name), parameters), dialect.function(statements))
    }

    /// The functions that dispatch to a part or a layer.
    var functions: [String] {
        let bytes = dialect.type(.bytes)
        return [
            function("Part", "unwrap", "int part, Reader r", statements.callsOfPart("unwrap", ["r"])),
            function(
                bytes, "wrap", "int part, Writer w, \(id) id, Header h",
                statements.callsOfPart("wrap", ["w", "id", "h"])),
            function("void", "copyIdentifiers", "Header given, Header known", statements.copyingIdentifiers),
        ] + counters
            + [("openLayer", false), ("sealLayer", true)].map { name, isSealing in
                function(bytes, name, "Work work, int n, Header h, \(bytes) b", statements.layer(isSealing: isSealing))
            }
    }

    private var counters: [String] {
        guard statements.hasCounter else { return [] }
        let boolean = dialect.type(.boolean)
        return [function(boolean, "hasCount", "int shape, Header h", statements.isCountThere)]
            + (layers.hasThreshold
                ? [function(boolean, "isCountGiven", "int shape, Header h", statements.isCountGiven)] : [])
            + [function("void", "setCount", "int shape, Header h, int n", statements.settingCount)]
    }
}
