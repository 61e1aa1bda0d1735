// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the module: its exports, its types and its functions.
struct ErlangModule {
    let types: ErlangTypes
    private var description: ProtocolDescription { types.description }
    private var naming: ErlangNaming { types.naming }
    private var contexts: ErlangContexts { ErlangContexts(types: types) }
    private var layers: ErlangLayers { ErlangLayers(types: types) }
    private var runtime: ErlangRuntime { .reading(description.options.varintForms) }

    init(_ types: ErlangTypes) { self.types = types }

    func text() -> String {
        let functions = functions()
        let shared = ([coding] + (layers.text.map { [$0] } ?? [])).joined(separator: "\n\n") + "\n"
        let calls = functions.reduce(into: runtime.calls(of: shared)) { $0.formUnion($1.calls) }
        let needed = runtime.functions(for: calls)
        let parts = [
            types.banner.joined(separator: "\n") + "\n" + documentation() + attributes(needed.signatures),
            typeDeclarations(), shared,
            functions.map { $0.text(types.dialect) }.joined(separator: "\n"), needed.text,
        ]
        return parts.joined(separator: "\n")
    }

    private func functions() -> [ErlangFunction] {
        var (reading, writing) = (ErlangReading(types), ErlangWriting(types))
        for (index, message) in description.messages.enumerated() {
            reading.readMessage(message, types.plan.messages[index], naming.messages[index])
            writing.writeMessage(message, types.plan.messages[index], naming.messages[index])
        }
        let used = types.plan.used
        for index in used.structures.sorted() {
            reading.readStructure(types.plan.structures[index], naming.structures[index])
            writing.writeStructure(types.plan.structures[index], naming.structures[index])
        }
        for (index, places) in used.unions.sorted(by: { $0.key < $1.key }) {
            for hasTag in [true, false] where places.contains(hasTag ? .before : .elsewhere) {
                reading.readUnion(index, hasTag: hasTag)
                writing.writeUnion(index, hasTag: hasTag)
            }
        }
        var functions = [dispatch, payloads] + contexts.functions + layers.functions + ErlangFrames.functions(types)
        functions += ErlangFixedHeaders(types: types).functions
        functions += reading.functions + writing.functions
        functions += usedNumbers.enumerations.sorted().flatMap(enumeration)
        functions += usedNumbers.flagSets.sorted().map(masks)
        functions += types.zeroStructures.map {
            ErlangFunction(types.zeroFunction($0), [], [types.zeroRecord($0)])
        }
        return functions
    }

    // MARK: Attributes

    private func documentation() -> String {
        let text = CommentText.lines(of: description.documentation).map { "%% " + ErlangText.edoc($0) }
        let name = ErlangText.edoc(description.title)
        return
            (["%%", "%% @doc Reads and writes the packets of the protocol \(name)."]
            + (text.isEmpty ? [] : ["%%"] + text)).joined(separator: "\n") + "\n"
    }

    private func attributes(_ runtime: [String]) -> String {
        let zeros = types.zeroStructures.map { "\(ErlangText.atom(types.zeroFunction($0)))/0" }
        let areDistinct = contexts.areDistinct
        let exports =
            ["encode/1", "encode/2"] + (areDistinct ? ["encode/3"] : []) + ["decode/2"]
            + (contexts.areKept ? ["decode/3"] : [])
            + (layers.hasKeys ? ["set_key/4"] : []) + ["settable/1", "format_error/1"] + zeros
        let declared =
            [naming.messages, naming.structures].joined().map(\.name)
            + [naming.unions, naming.enumerations, naming.flagSets].joined().map(\.type)
        let shared =
            ["cs_message", "sc_message", "message", "header"] + (areDistinct ? ["context"] : [])
            + ["error", "reason"] + description.floatsWithoutHostType.map(\.name) + ["float32", "float64"]
        let exportedTypes = (declared + shared).map { "\(ErlangText.atom($0))/0" }
        let closed = description.enumerations.indices.filter {
            description.enumerations[$0].isClosed && usedNumbers.enumerations.contains($0)
        }
        let checks =
            (description.hasHeaderConditions ? ["payload/2", "message/5"] : ["payload/1", "message/4"])
            + closed.flatMap { ["\(types.nameFunction($0))/1", "\(types.numberFunction($0))/1"] }
            + types.plan.used.structures.sorted().map { "write_\(naming.structures[$0].name)/4" }
            + types.plan.used.unions.sorted { $0.key < $1.key }.flatMap(unionFunctions)
            + layers.textFunctions + runtime
        return """
            -module(\(naming.module)).
            -export([\(exports.joined(separator: ", "))]).
            -export_type([
                \(exportedTypes.joined(separator: ",\n    "))
            ]).
            -include("\(naming.module).hrl").

            %% Some of their clauses serve other schemas, or callers that Dialyzer has not looked at.
            -dialyzer({no_match, [
                \(checks.joined(separator: ",\n    "))
            ]}).

            """
    }

    private func unionFunctions(_ index: Int, tagsAt places: UnionPlan.TagPlaces) -> [String] {
        let name = naming.unions[index].type
        return (places.contains(.before) ? ["write_\(name)/4"] : [])
            + (places.contains(.elsewhere) ? ["bytes_of_\(name)/4", "tag_of_\(name)/1"] : [])
    }

    // MARK: Types

    private func typeDeclarations() -> String {
        var lines: [String] = []
        for name in [naming.messages, naming.structures].joined().map({ ErlangText.atom($0.name) }) {
            lines.append("-type \(name)() :: #\(name){}.")
        }
        for (union, name) in zip(description.unions, naming.unions) {
            lines += documented(union.documentation)
            if let deprecation = union.deprecation { lines += documented("Deprecated: " + deprecation) }
            for (arm, name) in zip(union.arms, name.cases) where !arm.documentation.isEmpty {
                lines += documented("\(name): \(arm.documentation)")
            }
            lines.append("-type \(ErlangText.atom(name.type))() :: \(types.text(of: union, name)).")
        }
        for (enumeration, name) in zip(description.enumerations, naming.enumerations) {
            lines += comment(enumeration.documentation, enumeration.deprecation, enumeration.cases, name.cases)
            var members = name.cases.map(ErlangText.atom)
            if !enumeration.isClosed { members.append(ErlangTypes.text(enumeration.format.range)) }
            lines.append("-type \(ErlangText.atom(name.type))() :: \(members.joined(separator: " | ")).")
        }
        for (flags, name) in zip(description.flagSets, naming.flagSets) {
            lines += comment(flags.documentation, flags.deprecation, flags.cases, name.cases)
            let members = name.cases.map(ErlangText.atom) + [ErlangTypes.text(flags.format.range)]
            lines.append("-type \(ErlangText.atom(name.type))() :: [\(members.joined(separator: " | "))].")
        }
        for (type, sender) in [("cs_message", Sender.client), ("sc_message", .server)] {
            let records = zip(description.messages, naming.messages).filter { $0.0.senders.contains(sender) }
            let members = records.map { "\(ErlangText.atom($0.1.name))()" }
            let unknown = "{unknown, Id :: non_neg_integer(), Payload :: binary()}"
            lines.append("-type \(type)() ::\n    " + (members + [unknown]).joined(separator: " |\n    ") + ".")
        }
        let header = zip(description.layout.fields, naming.packetFields).enumerated().compactMap { index, item in
            item.0.role == .padding ? nil : "\(ErlangText.atom(item.1)) => \(types.headerType(index))"
        }
        lines += contexts.type.map { [$0] } ?? []
        lines.append("-type header() :: #{\(header.joined(separator: ", "))}.")
        lines.append("-type message() :: cs_message() | sc_message()\(layers.innerMessages).")
        lines.append(RuntimeFile.erlang.with(features).text("types"))
        return lines.joined(separator: "\n") + "\n"
    }

    /// The features that need types, or reasons of errors, of their own.
    private var features: Set<String> {
        let framing = description.layout.framing
        let features = [
            ("frames", framing != nil), ("startMarks", framing?.hasSameMarks == false),
            ("layers", description.layout.hasContent),
            ("utf16", description.uses(\.isUTF16)),
            ("conditions", description.hasConditions), ("senders", contexts.mustKnowSender),
            ("states", description.layout.dependsOnStates),
            ("tags", description.unions.contains { $0.defaultArm != nil }),
        ]
        return Set(
            features.filter(\.1).map(\.0) + description.floatsWithoutHostType.map(\.name) + notations.map(\.word))
    }

    private var notations: [DigitFormat.Notation] {
        DigitFormat.Notation.allCases.filter { notation in
            func has(_ type: TypeDescription) -> Bool {
                if case .digits(let format) = type { format.notation == notation } else { false }
            }
            return description.uses(has) || description.layout.fields.contains { has($0.format.type) }
        }
    }

    private func comment(
        _ documentation: String, _ deprecation: String?, _ cases: [EnumerationDescription.Case], _ names: [String]
    ) -> [String] {
        var lines = documented(documentation)
        if let deprecation { lines += documented("Deprecated: " + deprecation) }
        for (member, name) in zip(cases, names) {
            let text = [member.documentation, member.deprecation.map { "Deprecated: " + $0 } ?? ""]
                .filter { !$0.isEmpty }.joined(separator: " ")
            if !text.isEmpty { lines += documented("\(name): \(text)") }
        }
        return lines
    }

    /// Returns a comment without EDoc tags.
    private func documented(_ text: String) -> [String] {
        ErlangText.comment(text).map { $0.contains("@") ? $0.split(separator: "@").joined(separator: "(at)") : $0 }
    }

    // MARK: Exported functions

    private var coding: String {
        let features = [
            ("senders", contexts.areDistinct), ("context", contexts.areKept), ("layers", description.layout.hasContent),
            ("frames", description.layout.isFramed), ("keys", layers.hasKeys),
        ]
        return RuntimeFile.erlang.with(Set(features.filter(\.1).map(\.0)), contexts.constants).text("coding")
    }

    private var dispatch: ErlangFunction {
        let hasHeader = description.hasHeaderConditions
        let clauses = Sender.allCases.flatMap { sender in
            zip(description.messages, naming.messages).filter { $0.0.senders.contains(sender) }.map { message, name in
                let header: [ErlangCode] = hasHeader ? ["h"] : []
                return ErlangCode.Clause(
                    [.literal(sender.erlangAtom), .number(Int128(message.id)), "b", "e"] + header,
                    [.call("read_\(name.name)", ["b", "e"] + (message.looksAtHeader ? header : []))])
            }
        }
        let unknown = ErlangCode.Clause(
            [.ignored, "id", "b", .ignored] + (hasHeader ? [.ignored] : []), [.tuple([.literal("unknown"), "id", "b"])])
        return ErlangFunction("message", clauses + [unknown])
    }

    private var payloads: ErlangFunction {
        let hasHeader = description.hasHeaderConditions
        let header: [ErlangCode] = hasHeader ? ["h"] : []
        var clauses = zip(description.messages, naming.messages).map { message, name in
            let write = ErlangCode.call("write_\(name.name)", ["m"] + (message.looksAtHeader ? header : []))
            return ErlangCode.Clause(
                [.match(.record(name.name, []), "m")] + header, [.tuple([.number(Int128(message.id)), write])])
        }
        let isID = Expression.call(nil, "is_integer", ["id"]).and(.binary(.greaterOrEqual, "id", 0)).and(
            .call(nil, "is_binary", ["b"]))
        clauses.append(
            .init([.tuple([.literal("unknown"), "id", "b"])] + header, when: isID.code, [.tuple(["id", "b"])]))
        clauses.append(.init([.ignored] + header, [.fail(.literal("not_a_message"), .list([]))]))
        return ErlangFunction("payload", clauses)
    }

    // MARK: Enums and flags

    private func enumeration(_ index: Int) -> [ErlangFunction] {
        let enumeration = description.enumerations[index]
        let cases = zip(enumeration.cases, naming.enumerations[index].cases).map {
            (number: ErlangCode.number($0.value), name: ErlangCode.atom($1))
        }
        let other: ErlangCode = enumeration.isClosed ? .tuple([.literal("unknown"), "v"]) : "v"
        return [
            ErlangFunction(
                types.nameFunction(index), cases.map { .init($0.number, body: [$0.name]) } + [.init("v", body: ["v"])]),
            ErlangFunction(
                types.numberFunction(index),
                cases.map { .init($0.name, body: [$0.number]) } + [.init("v", body: [other])]),
        ]
    }

    private func masks(_ index: Int) -> ErlangFunction {
        let cases = zip(description.flagSets[index].cases, naming.flagSets[index].cases).map {
            ErlangCode.tuple([.atom($1), .number($0.value)])
        }
        return ErlangFunction(types.masksFunction(index), [], [.list(cases)])
    }

    // MARK: Used types

    /// The enums and flags that messages, headers and states use. Erlang warns about functions without callers.
    private var usedNumbers: (enumerations: Set<Int>, flagSets: Set<Int>) {
        let used = types.plan.used
        var fields = description.messages.flatMap(\.fields)
        fields += used.structures.flatMap { description.structures[$0].fields }
        fields += used.unions.keys.flatMap { description.unions[$0].fields }
        var all = fields.filter(\.hasValue).map(\.type) + description.packetFields.compactMap(\.type)
        // Only tags that programs see are shown by name.
        all += used.unions.keys.map { description.unions[$0] }.filter { $0.defaultArm != nil }.map(\.tag)
        var (enumerations, flagSets): (Set<Int>, Set<Int>) = ([], [])
        for type in all {
            switch type.leaf {
            case .enumeration(let index, _): enumerations.insert(index)
            case .flags(let index, _): flagSets.insert(index)
            default: break
            }
        }
        for case .flags(let index, _) in description.states.map(\.type) { flagSets.insert(index) }
        return (enumerations, flagSets)
    }
}
