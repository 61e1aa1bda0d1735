// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What the script has besides for packets with layers.
extension ErlangAdapter {
    private var content: PacketContent { description.layout.content }

    /// Returns the expression for a context with the keys of a question.
    func withKeys(_ context: String) -> String {
        ErlangLayers(types).hasKeys ? "keys(member(<<\"keys\">>, Request, {[]}), \(context))" : context
    }

    /// The functions that read the keys of a question: `"keys":{"session":"00ff","client.start":"01"}`.
    var keyFunctions: String {
        guard ErlangLayers(types).hasKeys else { return "" }
        let names = naming.layers.sorted { $0.key < $1.key }.map {
            "{\(ErlangText.binary($0)), \(ErlangText.atom($1))}"
        }
        return """

            keys({Members}, Context) ->
                lists:foldl(fun({Name, Key}, C) -> key(Name, binary:decode_hex(Key), both, C) end, Context, Members).

            key(<<"client.", Name/binary>>, Key, both, Context) -> key(Name, Key, cs, Context);
            key(<<"server.", Name/binary>>, Key, both, Context) -> key(Name, Key, sc, Context);
            key(Name, Key, Whose, Context) ->
                {_, Known} = lists:keyfind(Name, 1, [\(names.joined(separator: ", "))]),
                (module()):set_key(Context, Known, Key, Whose).

            """
    }

    /// The clause for a layer that this script cannot open: Erlang/OTP has no brotli, and the script has no transforms.
    var skipping: String {
        guard !content.layers.isEmpty else { return "" }
        return """
            error_members(#{reason := {layer_unavailable, {transform, Name}}}) ->
                [{<<"reply">>, <<"skip">>}, {<<"text">>, <<"no transform ", (atom_to_binary(Name, utf8))/binary>>}];

            """
    }

    /// The clause for a packet that holds others.
    var showingPackets: String {
        guard content.packets != nil else { return "" }
        return """
            line(Header, {packets, Id, Messages}) ->
                {[{<<"message">>, null}, {<<"id">>, Id}, {<<"header">>, header_line(Header)},
                  {<<"packets">>, [line(H, M) || {H, M} <- Messages]}]};

            """
    }

    /// The clause for the line of such a packet.
    var readingPackets: String {
        guard content.packets != nil else { return "" }
        return """
            message({Members} = Line) ->
                case lists:keyfind(<<"packets">>, 1, Members) of
                    {_, Packets} when is_list(Packets) ->
                        Id = number(member(<<"id">>, Line, 0)),
                        Places = lists:zip(lists:seq(0, length(Packets) - 1), Packets),
                        Inner = [inner_message(integer_to_binary(N), Packet) || {N, Packet} <- Places],
                        {settable(Line, <<"header.">>), {packets, Id, Inner}};
                    _ -> one_message(Line)
                end.

            inner_message(Position, Line) ->
                try
                    message(Line)
                catch
                    throw:{refused, Kind, Path} ->
                        throw({refused, Kind, <<"packets[", Position/binary, "].", Path/binary>>})
                end.

            one_
            """
    }

    /// The call that encodes a client's message as the echo of it; packets in it get the header fields that can be set.
    var layeredEchoing: String {
        let whole = description.layout.layering(in: PacketContext(from: .server)).whole
        let server = ErlangTypes(types, in: description.with(layout: whole), suffix: "_sc")
        let keys = "[\(ErlangWrapping(server).settableKeys.joined(separator: ", "))]"
        let message =
            content.packets == nil
            ? "Message"
            : """
            case Message of
                                {packets, Id, Inner} -> {packets, Id, [{maps:with(\(keys), H), M} || {H, M} <- Inner]};
                                _ -> Message
                            end
            """
        return """
            case (module()):encode(#{from => sc}, maps:with(\(keys), Header), \(message)) of
                            {ok, Echo, _} -> {ok, Echo};
                            Fault -> Fault
                        end
            """
    }
}
