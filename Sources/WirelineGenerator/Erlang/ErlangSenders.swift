// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes what a module has besides if packets depend on who sends them: the functions for headers exist once for each
/// sender, as `unwrap_cs` and `unwrap_sc`.
struct ErlangSenders {
    private let types: ErlangTypes

    init(_ types: ErlangTypes) { self.types = types }

    /// Whether packets depend on the sender.
    var areDistinct: Bool { types.description.layout.dependsOnSender }

    /// The functions that read and write headers and trailers.
    var functions: [String] {
        guard areDistinct else { return [ErlangUnwrapping.function(types), ErlangWrapping.function(types)] }
        let own = Sender.allCases.flatMap { sender -> [String] in
            let types = ErlangTypes(types, sentBy: sender)
            return [ErlangUnwrapping.function(types), ErlangWrapping.function(types)]
        }
        return own + [choosing, deciding]
    }

    private var choosing: String {
        let argument = ErlangFixedHeaders(types).isUsed ? "Sender, " : ""
        let parameter = argument.isEmpty ? "" : " = Sender"
        return """
            unwrap(cs\(parameter), B) -> unwrap_cs(\(argument)B);
            unwrap(sc\(parameter), B) -> unwrap_sc(\(argument)B).

            wrap(cs, Id, Payload, Header) -> wrap_cs(Id, Payload, Header);
            wrap(sc, Id, Payload, Header) -> wrap_sc(Id, Payload, Header).

            """
    }

    /// The function that finds out who sends a message.
    private var deciding: String {
        let (description, records) = (types.description, types.naming.messages)
        let lines = zip(description.messages, records).compactMap { message, record -> String? in
            guard message.senders.count == 1, let sender = message.senders.first else { return nil }
            return "sender_of(_, #\(ErlangText.atom(record.name)){}) -> \(sender.erlangAtom);"
        }
        return """
            sender_of(#{from := Sender}, _) when Sender =:= cs; Sender =:= sc -> Sender;
            \((lines + ["sender_of(_, _) -> fail_without_offset(needs_sender, [])."]).joined(separator: "\n"))

            """
    }

    /// The functions that write whole packets.
    ///
    /// - Parameters:
    ///   - header: The argument for the header that conditions of messages look at, with its comma.
    ///   - wrapping: The expression for the packet of a payload.
    func encoding(header: String, wrapping: String) -> String {
        """
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
                {ok, \(wrapping)}
            catch
                throw:{error, Error} -> {error, Error}
            end.

        """
    }
}

extension Sender {
    /// The sender as generated modules call it.
    var erlangAtom: String { self == .client ? "cs" : "sc" }
}
