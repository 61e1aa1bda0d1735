// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the module: its exports, its types and its functions.
struct ErlangModule {
    let types: ErlangTypes
    private var description: ProtocolDescription { types.description }
    private var naming: ErlangNaming { types.naming }
    private var frames: ErlangFrames { ErlangFrames(types) }
    private var layers: ErlangLayers { ErlangLayers(types) }
    private var runtime: ErlangRuntime { .reading(description.options.varintForms) }

    init(_ types: ErlangTypes) { self.types = types }

    func text() -> String {
        let code = functions()
        let needed = runtime.functions(for: code + [coding])
        let parts = [
            types.banner.joined(separator: "\n") + "\n" + documentation() + attributes(needed.names),
            typeDeclarations(),
            coding, helpers(), code.joined(separator: "\n"), needed.text,
        ]
        return parts.joined(separator: "\n")
    }

    private func functions() -> [String] {
        var (reading, writing) = (ErlangReading(types), ErlangWriting(types))
        for ((message, plan), name) in zip(zip(description.messages, types.plan.messages), naming.messages) {
            reading.readMessage(message, plan, name)
            writing.writeMessage(message, plan, name)
        }
        let used = usedStructures
        for (index, plan) in types.plan.structures.enumerated() where used.structures.contains(index) {
            reading.readStructure(plan, naming.structures[index])
            writing.writeStructure(plan, naming.structures[index])
        }
        var code = [dispatch(), payloads()] + ErlangSenders(types).functions + frames.functions
        for (index, plan) in types.plan.unions.enumerated() {
            guard let places = used.unions[index] else { continue }
            reading.readUnion(plan, naming.unions[index], tagsAt: places)
            writing.writeUnion(plan, naming.unions[index], tagsAt: places)
        }
        code += ErlangFixedHeaders(types).functions + reading.functions + writing.functions
        for index in description.enumerations.indices where used.enumerations.contains(index) {
            code += enumeration(index)
        }
        for index in description.flagSets.indices where used.flagSets.contains(index) { code.append(masks(index)) }
        for index in types.zeroStructures {
            code.append("\(types.zeroFunction(index))() -> \(types.zeroRecord(index)).\n")
        }
        return code
    }

    // MARK: Attributes

    private func documentation() -> String {
        let text = CommentText.lines(of: description.documentation).map { "%% " + ErlangText.edoc($0) }
        let name = ErlangText.edoc(CommentText.lines(of: description.name).joined(separator: " "))
        return
            (["%%", "%% @doc Reads and writes the packets of the protocol \(name)."]
            + (text.isEmpty ? [] : ["%%"] + text)).joined(separator: "\n") + "\n"
    }

    private func attributes(_ runtime: Set<String>) -> String {
        let zeros = types.zeroStructures.map { "\(ErlangText.atom(types.zeroFunction($0)))/0" }
        let areDistinct = ErlangSenders(types).areDistinct
        let exports =
            ["encode/1", "encode/2"] + (areDistinct ? ["encode/3"] : []) + ["decode/2"]
            + (description.layout.dependsOnStates || layers.areUsed ? ["decode/3"] : [])
            + (layers.hasKeys ? ["set_key/4"] : []) + ["settable/1", "format_error/1"] + zeros
        let declared =
            [naming.messages, naming.structures].joined().map(\.name)
            + [naming.unions, naming.enumerations, naming.flagSets].joined().map(\.type)
        let shared =
            ["cs_message", "sc_message", "message", "header"] + (areDistinct ? ["context"] : [])
            + ["error", "reason", "float32", "float64"]
        let exportedTypes = (declared + shared).map { "\(ErlangText.atom($0))/0" }
        let closed = description.enumerations.indices.filter {
            description.enumerations[$0].isClosed && usedStructures.enumerations.contains($0)
        }
        let checks =
            (description.hasHeaderConditions ? ["payload/2", "message/5"] : ["payload/1", "message/4"])
            + closed.flatMap { ["\(types.nameFunction($0))/1", "\(types.numberFunction($0))/1"] }
            + usedStructures.structures.sorted().map { "write_\(naming.structures[$0].name)/4" }
            + usedStructures.unions.sorted { $0.key < $1.key }.flatMap(unionFunctions)
            + self.runtime.signatures(of: runtime)
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

    /// Returns the functions that write a union or find its tag.
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
            item.0.role == .padding ? nil : "\(ErlangText.atom(item.1)) => \(types.packetFieldType(index))"
        }
        if ErlangSenders(types).areDistinct { lines.append(ErlangSenders(types).contextType) }
        lines.append("-type header() :: #{\(header.joined(separator: ", "))}.")
        lines.append("-type message() :: cs_message() | sc_message()\(layers.innerMessages).")
        lines.append(RuntimeFile.erlang.with(features).text("types"))
        return lines.joined(separator: "\n") + "\n"
    }

    /// The features that have reasons of errors of their own.
    private var features: Set<String> {
        let framing = description.layout.framing
        let features = [
            ("frames", framing != nil), ("startMarks", framing?.hasSameMarks == false), ("layers", layers.areUsed),
            ("utf16", description.uses(\.isUTF16)), ("digits", hasDigits),
            ("conditions", description.hasConditions), ("senders", ErlangSenders(types).mustBeKnown),
            ("states", description.layout.dependsOnStates),
            ("tags", description.unions.contains { $0.defaultArm != nil }),
        ]
        return Set(features.filter(\.1).map(\.0))
    }

    private var hasDigits: Bool {
        description.uses { if case .digits = $0 { true } else { false } }
            || description.layout.fields.contains { if case .digits = $0.format { true } else { false } }
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

    /// Returns a comment without tags of EDoc.
    private func documented(_ text: String) -> [String] {
        ErlangText.comment(text).map { $0.contains("@") ? $0.split(separator: "@").joined(separator: "(at)") : $0 }
    }

    // MARK: Exported functions

    /// The function that writes a whole packet with a header.
    private var encoding: String {
        let header = description.hasHeaderConditions ? ", Header" : ""
        let values = ErlangFixedHeaders(types).isUsed ? "fix(Message, Header)" : "Header"
        let senders = ErlangSenders(types)
        guard !senders.areDistinct else {
            return senders.encoding(header: header) { shape in frames.framed("wrap(\(shape), Id, Payload, \(values))") }
        }
        let wrapping = frames.framed("wrap(Id, Payload, \(values))")
        return """
            %% @doc A whole packet of a message.
            %%
            %% Of the header what can be set is taken from the map: see settable/1. IDs, lengths, constants and checksums are
            %% computed and must not be in it. Every value is checked before it is written; nothing is cut to fit.
            -spec encode(header(), message()) -> {ok, iodata()} | {error, error()}.
            encode(Header, Message) when is_map(Header) ->
                try
                    {Id, Payload} = payload(Message\(header)),
                    {ok, \(wrapping)}
                catch
                    throw:{error, Error} -> {error, Error}
                end.

            """
    }

    /// The functions that write and read whole packets.
    private var coding: String {
        let takesSender = ErlangFixedHeaders(types).isUsed || ErlangSenders(types).areDistinct
        guard !layers.areUsed else {
            return """
                %% @doc A whole packet of a message, with the header's defaults.
                -spec encode(message()) -> {ok, iodata()} | {error, error()}.
                encode(Message) -> encode(#{}, Message).

                \(layers.coding)
                """
        }
        let hasStates = description.layout.dependsOnStates
        let sender = hasStates ? "Shape, " : takesSender ? "Sender, " : ""
        let unwrapping =
            frames.isUsed
            ? """
            {Packet, Rest} = unframe(Bytes),
                        {Id, Header, Payload, End, <<>>} =
                            unwrap_whole(fun(B) -> unwrap(\(sender)B) end, Packet),
            """ : "{Id, Header, Payload, End, Rest} = unwrap(\(sender)Bytes),"
        let header = description.hasHeaderConditions ? ", Header" : ""
        return """
            %% @doc A whole packet of a message, with the header's defaults.
            -spec encode(message()) -> {ok, iodata()} | {error, error()}.
            encode(Message) -> encode(#{}, Message).

            \(encoding)
            \(hasStates ? ErlangStates(types).decoding(unwrapping, header: header) : decoding(unwrapping, header))
            """
    }

    private func decoding(_ unwrapping: String, _ header: String) -> String {
        """
        %% @doc The packet that bytes begin with, which the client (cs) or the server (sc) has sent.
        %%
        %% If the bytes end in the packet, at least so many more are needed. After an error in a header, the start
        %% of the next packet is unknown. Strings and bytes are parts of the binary that was given: binary:copy/1 those that
        %% are kept for long.
        -spec decode(cs | sc, binary()) ->
            {ok, header(), message(), Rest :: binary()} | {more, pos_integer()} | {error, error()}.
        decode(Sender, Bytes) when is_binary(Bytes), (Sender =:= cs orelse Sender =:= sc) ->
            try
                \(unwrapping)
                {ok, Header, message(Sender, Id, Payload, End\(header)), Rest}
            catch
                throw:{more, Count} -> {more, Count};
                throw:{error, Error} -> {error, Error}
            end.

        """
    }

    /// The functions for what callers do with headers and errors.
    private func helpers() -> String {
        let keys = ErlangWrapping(types).settableKeys.joined(separator: ", ")
        return """
            %% @doc What of a packet's header can be set in another packet, such as its answer.
            -spec settable(header()) -> header().
            settable(Header) -> maps:with([\(keys)], Header).

            %% @doc One line for people.
            -spec format_error(error()) -> unicode:chardata().
            format_error(#{reason := Reason, path := Path} = Error) ->
                Place =
                    case Error of
                        #{offset := Offset} -> io_lib:format(" at offset ~b", [Offset]);
                        _ -> ""
                    end,
                [[[Path, ": "] || Path =/= <<>>], io_lib:format("~tp", [Reason]), Place].

            """
    }

    private func dispatch() -> String {
        var lines: [String] = []
        for (tag, sender) in [("cs", Sender.client), ("sc", .server)] {
            for (message, name) in zip(description.messages, naming.messages) where message.senders.contains(sender) {
                let (parameter, argument) = header(for: message)
                lines.append(
                    "message(\(tag), \(message.id), B, E\(parameter)) -> read_\(name.name)(B, E\(argument));")
            }
        }
        let ignored = description.hasHeaderConditions ? ", _" : ""
        return (lines + ["message(_, Id, B, _\(ignored)) -> {unknown, Id, B}.", ""]).joined(separator: "\n")
    }

    /// Returns the parameter for the packet's header, and the argument for the function of one message.
    private func header(for message: MessageDescription) -> (parameter: String, argument: String) {
        guard description.hasHeaderConditions else { return ("", "") }
        return message.looksAtHeader ? (", H", ", H") : (", _", "")
    }

    private func payloads() -> String {
        var lines = zip(description.messages, naming.messages).map { message, name in
            let (parameter, argument) = header(for: message)
            return "payload(#\(ErlangText.atom(name.name)){} = M\(parameter)) -> "
                + "{\(message.id), write_\(name.name)(M\(argument))};"
        }
        let ignored = description.hasHeaderConditions ? ", _" : ""
        lines.append("payload({unknown, Id, B}\(ignored)) when is_integer(Id), Id >= 0, is_binary(B) -> {Id, B};")
        lines += ["payload(_\(ignored)) -> fail_without_offset(not_a_message, []).", ""]
        return lines.joined(separator: "\n")
    }

    // MARK: Enums and flags

    private func enumeration(_ index: Int) -> [String] {
        let enumeration = description.enumerations[index]
        let cases = zip(enumeration.cases, naming.enumerations[index].cases).map {
            ($0.value, ErlangText.atom($1))
        }
        let (name, number) = (types.nameFunction(index), types.numberFunction(index))
        let names = cases.map { "\(name)(\($0.0)) -> \($0.1);" } + ["\(name)(V) -> V.", ""]
        let last = enumeration.isClosed ? "{unknown, V}" : "V"
        let numbers = cases.map { "\(number)(\($0.1)) -> \($0.0);" } + ["\(number)(V) -> \(last).", ""]
        return [names.joined(separator: "\n"), numbers.joined(separator: "\n")]
    }

    private func masks(_ index: Int) -> String {
        let cases = zip(description.flagSets[index].cases, naming.flagSets[index].cases).map {
            "{\(ErlangText.atom($1)), \(ErlangTypes.number($0.value))}"
        }
        return "\(types.masksFunction(index))() -> [\(cases.joined(separator: ", "))].\n"
    }

    // MARK: Used types

    private struct Used {
        var structures: Set<Int> = []
        /// Where the tags of each union stand.
        var unions: [Int: UnionPlan.TagPlaces] = [:]
        var enumerations: Set<Int> = []
        var flagSets: Set<Int> = []
    }

    /// The types used by messages: Erlang warns about functions that nothing calls.
    private var usedStructures: Used {
        var used = Used()
        var waiting = description.messages.flatMap { valueTypes($0.fields) }
        waiting += description.packetFields.compactMap(\.type).map { ($0, .before) }
        for case .flags(let index, _) in description.states.map(\.type) { used.flagSets.insert(index) }
        while let (type, tagPlace) = waiting.popLast() {
            switch type {
            case .list(let element, _), .fixedList(let element, _), .sized(let element, _):
                waiting.append((element, tagPlace))
            case .enumeration(let index, _): used.enumerations.insert(index)
            case .flags(let index, _): used.flagSets.insert(index)
            case .structure(let index) where used.structures.insert(index).inserted:
                waiting += valueTypes(description.structures[index].fields)
            case .union(let index):
                let isNew = used.unions[index] == nil
                used.unions[index, default: []].insert(tagPlace)
                guard isNew else { continue }
                let union = description.unions[index]
                waiting += valueTypes(union.fields)
                // Only kept tags are shown by their names.
                if union.defaultArm != nil { waiting.append((union.tag, .before)) }
            default: break
            }
        }
        return used
    }
    /// Returns the types of the fields that have a value, and where a union among them has its tag.
    private func valueTypes(_ fields: [FieldDescription]) -> [(TypeDescription, UnionPlan.TagPlaces)] {
        fields.filter(\.hasValue).map { ($0.type, $0.tagField == nil ? .before : .elsewhere) }
    }
}
