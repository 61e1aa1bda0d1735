// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What the function that reads a part of a packet with layers returns besides the fields.
struct ErlangLayerFacts {
    /// When a packet has each layer, when its content is whole packets, and when it is not read.
    var rules: [WireCondition.Remainder]
    /// The field that counts the content.
    var counter: String?
    /// The first field that is not written for conditions only; nil if its offset is not wanted.
    var firstField: Int?
    /// Whether bytes may follow the content.
    var mayHaveFiller = false
}

/// Makes what a module has besides if packets have layers: one function reads and one writes the fields before the first
/// layer (`unwrap_outer_cs_0`), those inside of a layer (`unwrap_inside_1_cs_0`), and all fields of an opened packet
/// (`unwrap_flat_cs_0`).
struct ErlangLayers {
    private let types: ErlangTypes
    private var description: ProtocolDescription { types.description }
    private var layout: PacketLayout { description.layout }

    init(_ types: ErlangTypes) { self.types = types }

    /// Whether packets have layers, or a content that is not only a message's fields.
    var areUsed: Bool { layout.hasContent }

    // MARK: Shapes

    /// How packets are read and written in one context.
    private struct Shape {
        /// The Erlang term that stands for it: `{cs, 0}`.
        let term: String
        /// The end of the names of its functions; that of an earlier shape that is the same.
        let suffix: String
        let layering: Layering
        let isRepeated: Bool
    }

    private var shapes: [Shape] {
        var shapes: [Shape] = []
        for (combination, layering) in zip(layout.contexts?.combinations ?? [], layout.layerings) {
            let sender = combination.sender.erlangAtom
            let same = shapes.first { $0.layering.isSame(as: layering) }
            shapes.append(
                Shape(
                    term: "{\(sender), \(combination.outcomes)}",
                    suffix: same?.suffix ?? "_\(sender)_\(combination.outcomes)", layering: layering,
                    isRepeated: same != nil))
        }
        return shapes
    }

    // MARK: Functions

    /// The functions that read and write headers and trailers, and those that choose among them.
    var functions: [String] {
        let shapes = shapes
        return shapes.filter { !$0.isRepeated }.flatMap(functions) + choosing(shapes)
            + [numbers(shapes), layers, contents] + ErlangTransforms(types).functions
            + ErlangStates(types).functions(isNested: true)
    }

    /// Returns the types for a part of packets.
    ///
    /// - Parameters:
    ///   - isWhole: Whether it has all fields, so that those with a fixed value can be verified.
    ///   - isLimited: Whether a length in it must not be above the limit of packets.
    private func types(
        of part: PacketLayout, _ suffix: String, isWhole: Bool = false, isLimited: Bool = false
    ) -> ErlangTypes {
        var variant = description.with(layout: part)
        if !isWhole { for index in variant.messages.indices { variant.messages[index].headerValues = [] } }
        // What the layers make is limited in another way.
        if !isLimited { variant.options.maximumPacketByteCount = Self.unlimited }
        return ErlangTypes(types, in: variant, suffix: suffix)
    }

    /// More bytes than there are; a number that Erlang keeps in one word.
    private static let unlimited = 1 << 58

    private func functions(of shape: Shape) -> [String] {
        let layering = shape.layering
        var facts = ErlangLayerFacts(rules: rules(of: layering), counter: layering.contentLength?.name)
        let outer = "_outer" + shape.suffix
        let flat = "_flat" + shape.suffix
        var texts = [
            ErlangUnwrapping.function(types(of: layering.outer, outer, isLimited: true), facts),
            ErlangWrapping.function(types(of: layering.outerWriting, outer, isLimited: true)),
            ErlangUnwrapping.function(types(of: layering.flat, flat, isWhole: true), facts),
            ErlangWrapping.function(types(of: layering.chosen, flat, isWhole: true)),
        ]
        for (number, section) in layering.sections.enumerated() {
            guard let reading = section.reading, let writing = section.writing else { continue }
            facts.firstField = section.earlierFieldCount
            facts.mayHaveFiller = section.mayHaveFiller
            let suffix = "_inside_\(number + 1)" + shape.suffix
            texts.append(ErlangUnwrapping.function(types(of: reading, suffix), facts))
            texts.append(ErlangWrapping.function(types(of: writing, suffix)))
        }
        return texts
    }

    /// Returns when each layer is there, and when each other line holds; a layer that a context rules out never is.
    private func rules(of layering: Layering) -> [WireCondition.Remainder] {
        var rules = layout.content.layers.map { _ in WireCondition.Remainder.never }
        for layer in layering.sections.flatMap(\.layers) { rules[layer.index] = layer.rule }
        return rules + [layering.packets, layering.opaque]
    }

    private func keys(_ part: PacketLayout, where isKept: (PacketField) -> Bool = { _ in true }) -> String {
        let names = part.fields.filter(isKept).compactMap { description.packetField(named: $0.name) }
        return "[\(names.map { ErlangText.atom(types.naming.packetFields[$0]) }.joined(separator: ", "))]"
    }

    /// The functions that call those of a shape.
    private func choosing(_ shapes: [Shape]) -> [String] {
        let sender = ErlangFixedHeaders(types).isUsed
        return [
            clauses(shapes) { shape in "unwrap_outer(\(shape.term), B) -> unwrap_outer\(shape.suffix)(B)" },
            clauses(shapes) { shape in
                "wrap_outer(\(shape.term), Content, Given) ->\n    wrap_outer\(shape.suffix)"
                    + "(0, Content, maps:with(\(keys(shape.layering.outerWriting) { $0.isSettable }), Given))"
            },
            clauses(shapes) { shape in
                "unwrap_flat(\(shape.term), \(sender ? "From" : "_"), B) -> "
                    + "unwrap_flat\(shape.suffix)(\(sender ? "From, " : "")B)"
            },
            clauses(shapes) { shape in
                "wrap_flat(\(shape.term), Id, Header) -> wrap_flat\(shape.suffix)(Id, <<>>, Header)"
            },
            clauses(shapes) { shape in "sections(\(shape.term)) -> [\(sections(of: shape).joined(separator: ", "))]" },
            clauses(shapes) { shape in "counter(\(shape.term)) -> \(counter(of: shape.layering))" },
        ]
    }

    private func clauses(_ shapes: [Shape], _ clause: (Shape) -> String) -> String {
        shapes.map(clause).joined(separator: ";\n") + ".\n"
    }

    private func sections(of shape: Shape) -> [String] {
        shape.layering.sections.enumerated().map { position, section in
            let layers = section.layers.map { String($0.index + 1) }.joined(separator: ", ")
            guard let writing = section.writing else { return "{[\(layers)], none}" }
            let suffix = "_inside_\(position + 1)" + shape.suffix
            return "{[\(layers)], {fun unwrap\(suffix)/1, fun wrap\(suffix)/3, \(keys(writing) { $0.isSettable })}}"
        }
    }

    private func counter(of layering: Layering) -> String {
        guard let length = layering.contentLength, let index = description.packetField(named: length.name) else {
            return "none"
        }
        let key = ErlangText.atom(types.naming.packetFields[index])
        return "{\(key), \(ErlangText.binary(length.name)), \(length.isSettable)}"
    }

    /// The functions without parameters: limits, and names of header fields.
    private func numbers(_ shapes: [Shape]) -> String {
        let constant = shapes.lazy.compactMap { $0.layering.contentLength?.constant }.first ?? 0
        return """
            max_inflated() -> \(description.options.maximumInflatedByteCount).

            max_nested() -> \(description.options.maximumNestedDepth).

            content_constant() -> \(constant).

            \(counting(after: shapes.lazy.compactMap { $0.layering.contentLength?.firstLayer }.first ?? 0))
            \(countSetting(shapes))
            settable_keys() -> \(keys(layout) { layout.isSettable($0) }).

            id_keys() -> \(keys(layout) { $0.role == .messageID }).

            """
    }

    /// The functions for layers around the field that counts the content: a packet with none but those has 0.
    private func counting(after count: Int) -> String {
        let (sizes, around) =
            count == 0
            ? ("", "")
            : (
                "counted_size(N, _, Before) when N =< \(count) -> Before;\n",
                "count_around([N | _], Fields) when N =< \(count) -> set_content_count(none, Fields);\n"
            )
        return """
            \(sizes)counted_size(_, Content, _) -> byte_size(Content).

            \(around)count_around(_, Fields) -> Fields.

            """
    }

    /// The function that sets a field which counts the content, if layers ask for it.
    private func countSetting(_ shapes: [Shape]) -> String {
        shapes.contains { $0.layering.contentLength?.isSettable ?? false }
            ? """
            with_content_count(Counter, Shape, Sender, Id, Header, Payload, Context) ->
                with_settable_count(Counter, Shape, Sender, Id, Header, Payload, Context).

            """ : "with_content_count(_, _, _, _, Header, _, _) -> Header.\n"
    }

    /// The functions that return the transform of a layer with its name in errors, and whether its keystream goes on.
    private var layers: String {
        let transforms = ErlangTransforms(types)
        let lasting = layout.content.layers.indices.filter { layout.content.layers[$0].kind.hasLastingKeystream }
        let isLasting = (lasting.map { "is_lasting(\($0 + 1)) -> true" } + ["is_lasting(_) -> false"])
            .joined(separator: ";\n")
        guard !layout.content.layers.isEmpty else {
            return "layer(_) -> {none, <<\"layer\">>}.\n\n\(isLasting).\n"
        }
        let lines = layout.content.layers.enumerated().map { position, layer in
            "layer(\(position + 1)) -> {\(transforms.term(of: layer.kind)), \(ErlangText.binary(layer.kind.name))}"
        }
        return lines.joined(separator: ";\n") + ".\n\n\(isLasting).\n"
    }

    /// The functions that connect the layers with the protocol's messages.
    private var contents: String {
        let hasHeader = description.hasHeaderConditions
        let isFramed = layout.isFramed
        let fixes = ErlangFixedHeaders(types).isUsed
        let next =
            isFramed
            ? """
            next_packet(Sender, Depth, B, St) ->
                {Packet, Rest} = unframe(B),
                {Header, Message, <<>>, Next} =
                    unwrap_whole(fun(P) -> open_packet(Sender, Depth, P, St) end, Packet),
                {Header, Message, Rest, Next}.
            """ : "next_packet(Sender, Depth, B, St) -> open_packet(Sender, Depth, B, St)."
        let marks = layout.framing.map {
            $0.hasSameMarks
                ? "ends_packets(<<\($0.start)>>) -> true;\n"
                    + "ends_packets(<<\($0.start), \($0.end), R/binary>>) -> ends_packets(<<\($0.start), R/binary>>);\n"
                : "ends_packets(<<\($0.start), \($0.end), R/binary>>) -> ends_packets(R);\n"
        }
        return """
            \(next)

            %% Whether no packet follows; marks with nothing between them may.
            \(marks ?? "")ends_packets(B) -> B =:= <<>>.

            content_message(Sender, Id, B, End, \(hasHeader ? "Header" : "_")) -> \
            message(Sender, Id, B, End\(hasHeader ? ", Header" : "")).

            message_payload(Message, \(hasHeader ? "Header" : "_")) -> payload(Message\(hasHeader ? ", Header" : "")).

            completed_header(\(fixes ? "Message" : "_"), Header) -> \(fixes ? "fix(Message, Header)" : "Header").

            framed_packet(Packet) -> \(isFramed ? "frame(Packet)" : "Packet").

            %% The context of the packets after this one.
            next_context(\(layout.dependsOnStates ? "Sender, Ids" : "_, _"), Context) -> \
            \(layout.dependsOnStates ? "lists:foldr(fun(Id, C) -> sets(Sender, Id, C) end, Context, Ids)" : "Context").

            """
    }

    // MARK: Exported functions

    /// The functions that read and write whole packets.
    var coding: String {
        """
        \(ErlangNewConnection.encoding)
        %% @doc A whole packet as the client (cs) or the server (sc) sends it, in the context of the connection.
        %%
        %% {packets, Id, Messages} is a packet that holds others; each is a message, or a header with a message. The function
        %% returns the context of the packets after it: states that a message has set, and where keystreams go on. Both
        %% directions share the context: pass it from each packet to the next, whoever sends it.
        -spec encode(context(), header(), message()) -> {ok, iodata(), context()} | {error, error()}.
        encode(Context, Header, Message) when is_map(Context), is_map(Header) ->
            try
                Sender = sender_of(Context, Message),
                {Packet, {Next, _, _, Ids, _}} = seal(Sender, 0, Header, Message, {Context, max_inflated(), 0, [], []}),
                {ok, Packet, next_context(Sender, Ids, Next)}
            catch
                throw:{error, Error} -> {error, Error}
            end.

        \(ErlangNewConnection.decoding)
        %% @doc The packet that bytes begin with, which the client (cs) or the server (sc) has sent.
        %%
        %% A packet that holds others is {packets, Id, [{Header, Message}]}. The function returns the context of the packets
        %% after it: see encode/3.
        %%
        %% If the bytes end in the packet, at least so many more are needed. After an error the connection ends: nobody knows
        %% where the next packet begins, or where a keystream goes on. Strings and bytes are parts of the binary that was
        %% given: binary:copy/1 those that are kept for long.
        -spec decode(context(), cs | sc, binary()) ->
            {ok, header(), message(), Rest :: binary(), context()} | {more, pos_integer()} | {error, error()}.
        decode(Context, Sender, Bytes)
            when is_map(Context), is_binary(Bytes), (Sender =:= cs orelse Sender =:= sc) ->
            try
                {Header, Message, Rest, {Next, _, _, Ids, _}} =
                    next_packet(Sender, 0, Bytes, {Context, max_inflated(), 0, [], []}),
                {ok, Header, Message, Rest, next_context(Sender, Ids, Next)}
            catch
                throw:{more, Count} -> {more, Count};
                throw:{error, Error} -> {error, Error}
            end.

        \(settingKeys)
        """
    }

    private var settingKeys: String {
        guard hasKeys else { return "" }
        let isKeyless = layout.content.layers.contains { $0.kind.arguments.isEmpty }
        return """
            %% @doc The context with a key for the packets of the client (cs), the server (sc) or both.
            %%
            %% The keystreams of these packets begin anew.
            -spec set_key(context(), atom(), binary(), cs | sc | both) -> context().
            set_key(Context, Name, Key, both) -> set_key(set_key(Context, Name, Key, cs), Name, Key, sc);
            set_key(Context, Name, Key, Sender) ->
                Keys = maps:get(keys, Context, #{}),
                Each =
                    case Keys of
                        #{Name := Both} when is_binary(Both) -> #{cs => Both, sc => Both};
                        #{Name := Other} -> Other;
                        _ -> #{}
                    end,
                Streams = maps:filter(
                    fun({Whose, N}, _) -> Whose =/= Sender orelse not uses_key(element(1, layer(N)), Name) end,
                    maps:get(streams, Context, #{})
                ),
                Context#{keys => Keys#{Name => Each#{Sender => Key}}, streams => Streams}.

            uses_key(Kind, Name) when is_tuple(Kind) ->
                element(2, Kind) =:= Name orelse lists:member({key, Name}, tuple_to_list(Kind))\(isKeyless ? ";" : ".")
            \(isKeyless ? "uses_key(_, _) -> false." : "")
            """
    }

    /// Whether the module exports `set_key/4`.
    var hasKeys: Bool {
        layout.content.layers.contains { if case .custom = $0.kind { false } else { !$0.kind.arguments.isEmpty } }
    }

    /// The members of the type of contexts.
    ///
    /// A layer of the program opens and seals a content; it may return what changes of itself for the next packet.
    var contextMembers: [String] {
        guard areUsed else { return [] }
        func result(_ bytes: String) -> String { "{ok, \(bytes)} | {ok, \(bytes), map()} | {error, atom()}" }
        let open = "fun((binary(), header(), Limit :: non_neg_integer()) -> \(result("binary()")))"
        let seal = "fun((binary(), header()) -> \(result("iodata()")))"
        let own = "#{open := \(open), seal := \(seal)}"
        return [
            "keys => #{atom() => binary() | #{cs => binary(), sc => binary()}}",
            "layers => #{threshold => pos_integer(), zlib_level => 0..9, atom() => \(own) | #{cs => \(own), sc => \(own)}}",
            "streams => map()",
        ]
    }

    /// The type of packets in a packet, after other messages; empty if there are none.
    var innerMessages: String {
        layout.content.packets == nil
            ? "" : " |\n    {packets, Id :: non_neg_integer(), [message() | {header(), message()}]}"
    }
}
