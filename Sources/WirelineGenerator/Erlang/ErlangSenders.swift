// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has besides if packets depend on who sends them, or on states: the functions for headers exist once
/// for each shape of packets, as `unwrap_cs` and `unwrap_sc`, or `unwrap_cs_0` and `unwrap_cs_1`.
struct ErlangSenders {
    private let types: ErlangTypes

    init(_ types: ErlangTypes) { self.types = types }

    private var layout: PacketLayout { types.description.layout }

    /// Whether packets depend on the sender or on states.
    var areDistinct: Bool { layout.dependsOnContext }

    /// Whether packets depend on the sender, or each end has keys and transforms of its own; then it must be known.
    var mustBeKnown: Bool { layout.dependsOnSender || !types.naming.layers.isEmpty }

    /// A shape of packets: the plain layout of some contexts.
    private struct Shape {
        /// The Erlang term that stands for it: `cs`, or `{cs, 1}`.
        let term: String
        /// The end of the names of its functions; that of an earlier shape with the same layout.
        let suffix: String
        let variant: ProtocolDescription
        /// Whether an earlier shape has the same functions.
        let isRepeated: Bool
    }

    private var shapes: [Shape] {
        guard let contexts = layout.contexts else { return [] }
        let isOnlySender = contexts.tests.isEmpty || !layout.dependsOnStates
        // No packet stands inside another one here.
        let impossible = contexts.outcomes(isNested: true)
        let certain = contexts.outcomes(isNested: false)
        var shapes: [Shape] = []
        for (combination, variant) in zip(contexts.combinations, types.description.plainVariants)
        where combination.outcomes & (certain | impossible) == certain {
            let sender = combination.sender.erlangAtom
            let term = isOnlySender ? sender : "{\(sender), \(combination.outcomes)}"
            let own = "_" + sender + (isOnlySender ? "" : "_\(combination.outcomes)")
            // The sender of a message with fixed header fields is an argument of their functions.
            let same = shapes.first { $0.variant.layout == variant.layout && $0.term.hasPrefix(term.prefix(3)) }
            shapes.append(
                Shape(term: term, suffix: same?.suffix ?? own, variant: variant, isRepeated: same != nil))
        }
        return shapes
    }

    /// The functions that read and write headers and trailers.
    var functions: [String] {
        let layers = ErlangLayers(types)
        guard !layers.areUsed else { return [deciding] + layers.functions }
        guard areDistinct else { return [ErlangUnwrapping.function(types), ErlangWrapping.function(types)] }
        let own = shapes.filter { !$0.isRepeated }.flatMap { shape -> [String] in
            let types = ErlangTypes(types, in: shape.variant, suffix: shape.suffix)
            return [ErlangUnwrapping.function(types), ErlangWrapping.function(types)]
        }
        return own + [choosing, deciding] + ErlangStates(types).functions()
    }

    private var choosing: String {
        let needsSender = ErlangFixedHeaders(types).isUsed
        let reading = shapes.map { shape in
            let sender = shape.term.hasPrefix("{") ? String(shape.term.dropFirst().prefix(2)) : shape.term
            return "unwrap(\(shape.term), B) -> unwrap\(shape.suffix)(\(needsSender ? sender + ", " : "")B)"
        }
        let writing = shapes.map { "wrap(\($0.term), Id, Payload, Header) -> wrap\($0.suffix)(Id, Payload, Header)" }
        return reading.joined(separator: ";\n") + ".\n\n" + writing.joined(separator: ";\n") + ".\n"
    }

    /// The function that finds out who sends a message.
    private var deciding: String {
        let (description, records) = (types.description, types.naming.messages)
        let lines = zip(description.messages, records).compactMap { message, record -> String? in
            guard message.senders.count == 1, let sender = message.senders.first else { return nil }
            return "sender_of(_, #\(ErlangText.atom(record.name)){}) -> \(sender.erlangAtom);"
        }
        // If packets are the same from both ends, it makes no difference who sends.
        let unknown = mustBeKnown ? "fail_without_offset(needs_sender, [])" : "cs"
        let inner =
            layout.content.packets == nil
            ? ""
            : """

            sender_of(Context, {packets, _, [{H, M} | _]}) when is_map(H) -> sender_of(Context, M);
            sender_of(Context, {packets, _, [M | _]}) -> sender_of(Context, M);
            """
        return """
            sender_of(#{from := Sender}, _) when Sender =:= cs; Sender =:= sc -> Sender;\(inner)
            \((lines + ["sender_of(_, _) -> \(unknown)."]).joined(separator: "\n"))

            """
    }

    /// The functions that write whole packets.
    ///
    /// - Parameters:
    ///   - header: The argument for the header that conditions of messages look at, with its comma.
    ///   - wrapping: Returns the expression for the packet of a payload, given that for its shape.
    func encoding(header: String, wrapping: (String) -> String) -> String {
        guard !layout.dependsOnStates else {
            return ErlangStates(types).encoding(header: header, wrapping: wrapping("Shape"))
        }
        return """
            %% @doc A whole packet of a message.
            %%
            %% Of the header what can be set is taken from the map: see settable/1. IDs, lengths, constants and checksums are
            %% computed and must not be in it. Every value is checked before it is written; nothing is cut to fit.
            -spec encode(header(), message()) -> {ok, iodata()} | {error, error()}.
            encode(Header, Message) -> encode(#{}, Header, Message).

            %% @doc A whole packet as the client (cs) or the server (sc) sends it.
            %%
            %% A message that both may send, and one that is unknown, must have a sender here: their packets differ.
            -spec encode(context(), header(), message()) -> {ok, iodata()} | {error, error()}.
            encode(Context, Header, Message) when is_map(Context), is_map(Header) ->
                try
                    {Id, Payload} = payload(Message\(header)),
                    {ok, \(wrapping("sender_of(Context, Message)"))}
                catch
                    throw:{error, Error} -> {error, Error}
                end.

            """
    }

    /// The type of contexts.
    var contextType: String {
        let states = ErlangStates(types).mapType
        let members =
            ["from => cs | sc"] + (states.isEmpty ? [] : ["state => \(states)"]) + ErlangLayers(types).contextMembers
        return "-type context() :: #{\(members.joined(separator: ", "))}."
    }
}

extension Sender {
    /// The sender as generated modules call it.
    var erlangAtom: String { self == .client ? "cs" : "sc" }
}
