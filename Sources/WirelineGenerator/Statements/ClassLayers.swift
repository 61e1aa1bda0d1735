// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints what a protocol with layers has in languages with classes: the tables of ``LayerPlan``, and the functions that the class
/// calls which opens and seals packets. That class is in the language's runtime.
struct ClassLayers {
    let dialect: any ClassDialect
    let printer: StatementPrinter
    let layers: LayerPlan
    var plan: CodePlan { printer.plan }
    var framing: PacketFraming? { plan.description.layout.framing }
    var id: String { dialect.type(.number(.uint64)) }
    /// Whether a keystream goes on from packet to packet.
    var hasStreams: Bool { layers.kinds.contains(where: \.hasLastingKeystream) }
    var hasCounter: Bool { layers.shapes.contains { $0.counter != nil } }

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

    /// The members of a connection.
    var members: [String] {
        var members: [String] = []
        if layers.hasThreshold {
            let comment = "From how many bytes on a content gets a layer that asks for its count; without it none does."
            members += dialect.comment(comment, nil, indent: "")
            members.append("public \(dialect.optionalType(.position)) \(dialect.spelled("threshold"));")
        }
        let own = dialect.runtime.text("members").trimmingNewlines()
        return members + (own.isEmpty ? [] : [own])
    }

    // MARK: Tables

    private func text(_ text: String) -> String { dialect.text(.text(text)) }

    private func array(_ type: String, _ items: [String]) -> String {
        "new \(type)[] {\(items.joined(separator: ", "))}"
    }

    private func table(_ name: String, _ type: String, _ items: [String]) -> String {
        "\(dialect.tableModifiers) \(type)[] \(name) = \(array(type, items));"
    }

    /// The ends of the names of all functions for parts: for each shape the outer part, all fields, and the fields inside of layers.
    private var parts: [String] {
        layers.shapes.flatMap { shape in
            ["Outer\(shape.number)", "Flat\(shape.number)"]
                + shape.sections.indices.compactMap { inside($0, of: shape) }
        }
    }

    private func inside(_ position: Int, of shape: LayerPlan.Shape) -> String? {
        shape.sections[position].settable.map { _ in "Inside\(position + 1)\(shape.number)" }
    }

    private func number(_ part: String) -> String { String(parts.firstIndex(of: part) ?? -1) }

    private var tables: [String] {
        let sections = layers.shapes.map { shape in
            array(
                "int[]",
                shape.sections.enumerated().map { position, section in
                    array("int", [number(inside(position, of: shape) ?? "")] + section.layers.map(String.init))
                })
        }
        var tables = [
            table("outers", "int", layers.shapes.map { number("Outer\($0.number)") })
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
        if hasCounter {
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

    private func member(_ position: Int, of variable: String) -> Expression {
        .member(.name(variable), plan.names.headerFields[position])
    }

    private func function(
        _ result: String, _ name: String, _ parameters: String, _ statements: [Statement]
    ) -> String {
        BraceText.function(
            dialect.functionHead(.helper, result, dialect.spelled(name), parameters), dialect.function(statements))
    }

    /// The functions that call those of one part or of one layer.
    var functions: [String] {
        let copies = layers.identifiers.map { Statement.assign(member($0, of: "given"), member($0, of: "known")) }
        return [
            function(
                "Part", "unwrap", "int part, Reader r",
                [.select("part", parts.map { [.returns(.call(nil, "unwrap" + $0, ["r"]))] })]),
            function(
                dialect.type(.bytes), "wrap", "int part, Writer w, \(id) id, Header h",
                [.select("part", parts.map { [.returns(.call(nil, "wrap" + $0, ["w", "id", "h"]))] })]),
            function("void", "copyIdentifiers", "Header given, Header known", copies),
        ] + counters + [layer("openLayer", isSealing: false), layer("sealLayer", isSealing: true)]
    }

    /// The functions of the field that counts the bytes inside the innermost layer.
    private var counters: [String] {
        guard hasCounter else { return [] }
        func select(_ counted: (Int, Bool) -> [Statement], otherwise: Statement) -> [Statement] {
            let branches = layers.shapes.map { shape in
                shape.counter.map { counted($0.field, plan.hasAlways(headerField: $0.field)) } ?? [otherwise]
            }
            return [.select("shape", branches)]
        }
        let isThere = select(
            { [.returns($1 ? true : member($0, of: "h").isSet)] }, otherwise: .returns(false))
        let isGiven = select(
            { field, isAlways in
                let own = member(field, of: "h")
                return [.returns(isAlways ? .binary(.unequal, own, 0) : own.isSet)]
            }, otherwise: .returns(false))
        let set = select(
            { field, _ in
                let number = Expression.convert("n", from: .position, to: plan.headerType(field))
                return printer.setHeader("h", field, number) + [.returns(nil)]
            }, otherwise: .returns(nil))
        let boolean = dialect.type(.boolean)
        return [function(boolean, "hasCount", "int shape, Header h", isThere)]
            + (layers.hasThreshold ? [function(boolean, "isCountGiven", "int shape, Header h", isGiven)] : [])
            + [function("void", "setCount", "int shape, Header h, int n", set)]
    }

    private func layer(_ name: String, isSealing: Bool) -> String {
        // `packets` and `opaque` need no layer.
        let statements: [Statement] =
            layers.kinds.isEmpty
            ? [.returns("b")]
            : [.select("n", layers.kinds.map { [.returns(call($0, isSealing ? "seal" : "open"))] })]
        let bytes = dialect.type(.bytes)
        return function(bytes, name, "Work work, int n, Header h, \(bytes) b", statements)
    }

    private func key(_ name: String) -> Expression {
        .call("work", "key", [.place(layers.keys.firstIndex { $0.name == name } ?? 0), "n"])
    }

    private func start(_ vector: LayerKind.Vector) -> Expression {
        switch vector {
        case .key(let name): key(name)
        case .field(let name): member(plan.description.packetField(named: name) ?? 0, of: "h")
        }
    }

    private func call(_ kind: LayerKind, _ verb: String) -> Expression {
        func work(_ function: String, _ arguments: [Expression]) -> Expression {
            .call("work", function, ["b"] + arguments)
        }
        switch kind {
        case .zlib: return work(verb + "Zlib", ["n"])
        case .deflate: return work(verb + "Deflate", ["n"])
        case .gzip: return work(verb + "Gzip", ["n"])
        case .brotli, .custom:
            return work(verb + "Own", ["h", .place(layers.programLayers.firstIndex(of: kind.name) ?? 0), "n"])
        case .xor(let name): return work("xor", [key(name)])
        case .rc4(let name): return work("rc4", [key(name), "n"])
        case .aesCTR(let name, .key(let vector)): return work("aesCTRLasting", [key(name), key(vector), "n"])
        case .aesCTR(let name, let vector): return work("aesCTR", [key(name), start(vector), 0, "n"])
        case .aesCBC(let name, let vector): return work(verb + "AESCBC", [key(name), start(vector), "n"])
        }
    }
}

extension ContextPlan {
    /// Returns what a connection is, for programs.
    func documentation(hasLayers: Bool) -> String {
        let own =
            "The states of a connection, which both directions share. A new one has all at 0. Messages set them, and so may the program."
        guard hasLayers else { return own }
        let layers = "What the packets of a connection need: keys, layers, and where keystreams go on."
        return states.isEmpty ? layers : layers + " " + own
    }
}
