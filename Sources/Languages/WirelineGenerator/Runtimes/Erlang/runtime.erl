%% SPDX-License-Identifier: Apache-2.0

%% The runtime of generated Erlang, with all that a protocol can need.
%%
%% Generated modules have the regions `types` and `coding`, and the functions of the region `functions` that they call, directly or
%% indirectly. Regions inside of them stay for a feature, or with `!` without it. The generator prints the other functions:
%% here they only make the module complete.
%%
%% Readers take `E`, `N` and `P`. `E` is the offset of the end of `B` in the packet. `N` is the name or index of the value, and
%% `P` is the list of names that contain it, innermost first.
-module(runtime).
-compile([export_all, nowarn_export_all]).
-export_type([error/0, float16/0, float32/0]).

%% What a protocol puts in place of these.
-define(SETTABLE_KEYS, []).
-define(MAX_INFLATED, 1 bsl 20).
-define(MAX_NESTED, 8).
-define(HEADER_KEYS, [count]).
-define(ID_KEYS, []).
-define(CONTENT_CONSTANT, 0).
-define(LAYERS_BEFORE_COUNT, 1).

%% #region types
%% Where it is, with the names of the schema, and in which byte of the packet.
-type error() :: #{
    reason := reason(), path := binary(), message => binary(), offset => non_neg_integer()
}.
-type reason() ::
    {truncated, Needed :: non_neg_integer(), Available :: non_neg_integer()} |
    {varint_too_long, MaximumByteCount :: pos_integer()} |
    varint_not_shortest |
    {invalid_boolean, byte()} |
    {invalid_utf8, unexpected_byte | overlong | surrogate | above_unicode | truncated} |
    %% #region frames
    {invalid_escape, First :: byte(), Second :: byte()} |
    %% #endregion
    %% #region startMarks
    {invalid_escape, StartMark :: byte()} |
    %% #endregion
    %% #region layers
    {invalid_layer, cut | damaged | broken_block | wrong_padding | nested_keystream | atom()} |
    {inflated_too_long, Limit :: non_neg_integer()} |
    {layer_unavailable, {key | library | transform, atom()}} |
    {wrong_key, atom(), ByteCount :: non_neg_integer()} |
    {presence, set | not_set} |
    %% #endregion
    %% #region utf16
    invalid_utf16 |
    %% #endregion
    %% #region digits
    {invalid_digit, byte()} |
    %% #endregion
    %% #region conditions
    {presence, set | not_set} |
    %% #endregion
    %% #region senders
    needs_sender |
    %% #endregion
    %% #region states
    {unknown_state, term()} |
    %% #endregion
    %% #region tags
    {known_case, Tag :: integer()} |
    %% #endregion
    missing_terminator |
    {trailing_bytes, Count :: pos_integer()} |
    {too_deep, Limit :: pos_integer()} |
    {out_of_range, Value :: integer(), Minimum :: integer(), Maximum :: integer()} |
    {float_out_of_range, Value :: float64(), Minimum :: float(), Maximum :: float()} |
    {too_long, Count :: non_neg_integer(), Limit :: non_neg_integer()} |
    {wrong_item_count, Count :: non_neg_integer(), Expected :: pos_integer()} |
    {unknown_case, Value :: integer()} |
    {unknown_name, atom()} |
    {repeated_flag, atom() | integer()} |
    {wrong_type, Expected :: atom()} |
    number_too_large |
    embedded_terminator |
    gap_before_optional |
    {duplicate_key, binary()} |
    {invalid_property, binary()} |
    {length_too_small, Length :: integer(), Minimum :: integer()} |
    {packet_too_long, Length :: integer(), PacketByteCount :: integer(), Limit :: integer()} |
    {length_mismatch, Length :: integer(), Expected :: integer()} |
    {wrong_constant, Value :: integer(), Expected :: integer()} |
    {wrong_checksum, Value :: non_neg_integer(), Computed :: non_neg_integer()} |
    {invalid_message_id, non_neg_integer()} |
    {invalid_header_field, term()} |
    not_a_message.
%% #region float16
-type float16() :: number() | infinity | neg_infinity | {nan, Bits :: 0..16#FFFF}.
%% #endregion
-type float32() :: number() | infinity | neg_infinity | {nan, Bits :: 0..16#FFFFFFFF}.
-type float64() :: number() | infinity | neg_infinity | {nan, Bits :: 0..16#FFFFFFFFFFFFFFFF}.
%% #endregion

%% #region coding
%% @doc A whole packet of a message, with the header's defaults.
-spec encode(message()) -> {ok, iodata()} | {error, error()}.
encode(Message) -> encode(#{}, Message).

%% #region !context
%%| %% @doc A whole packet of a message.
%%| %%
%%| %% Of the header what can be set is taken from the map: see settable/1. IDs, lengths, constants and checksums are
%%| %% computed and must not be in it. Every value is checked before it is written; nothing is cut to fit.
%%| -spec encode(header(), message()) -> {ok, iodata()} | {error, error()}.
%% #region !senders
%%| encode(Header, Message) when is_map(Header) ->
%%|     try
%%|         {Id, Payload} = ?MESSAGE_PAYLOAD,
%%|         {ok, ?WRAPPED_PACKET}
%%|     catch
%%|         throw:{error, Error} -> {error, Error}
%%|     end.

%% #endregion
%% #region senders
%%| encode(Header, Message) -> encode(#{}, Header, Message).
%%|
%%| %% @doc A whole packet as the client (cs) or the server (sc) sends it.
%%| %%
%%| %% A message that both may send, and one that is unknown, must have a sender here: their packets differ.
%%| -spec encode(context(), header(), message()) -> {ok, iodata()} | {error, error()}.
%%| encode(Context, Header, Message) when is_map(Context), is_map(Header) ->
%%|     try
%%|         {Id, Payload} = ?MESSAGE_PAYLOAD,
%%|         {ok, ?WRAPPED_PACKET}
%%|     catch
%%|         throw:{error, Error} -> {error, Error}
%%|     end.

%% #endregion
%%| %% @doc The packet that bytes begin with, which the client (cs) or the server (sc) has sent.
%%| %%
%%| %% If the bytes end in the packet, at least so many more are needed. After an error in a header, the start
%%| %% of the next packet is unknown. Strings and bytes are parts of the binary that was given: binary:copy/1 those that
%%| %% are kept for long.
%%| -spec decode(cs | sc, binary()) ->
%%|     {ok, header(), message(), Rest :: binary()} | {more, pos_integer()} | {error, error()}.
%%| decode(Sender, Bytes) when is_binary(Bytes), (Sender =:= cs orelse Sender =:= sc) ->
%%|     try
%% #region frames
%%|         {Packet, Rest} = unframe(Bytes),
%%|         {Id, Header, Payload, End, <<>>} = unwrap_whole(fun(B) -> ?UNWRAPPED_PACKET end, Packet),
%% #endregion
%% #region !frames
%%|         {Id, Header, Payload, End, Rest} = ?UNWRAPPED_PACKET,
%% #endregion
%%|         {ok, Header, ?READ_MESSAGE, Rest}
%%|     catch
%%|         throw:{more, Count} -> {more, Count};
%%|         throw:{error, Error} -> {error, Error}
%%|     end.

%% #endregion
%% #region context
%% @doc A whole packet of a message as the first one of a connection: all states are 0, and there are no keys.
%%
%% Of the header what can be set is taken from the map: see settable/1. IDs, lengths, constants and checksums are
%% computed and must not be in it. Every value is checked before it is written; nothing is cut to fit.
-spec encode(header(), message()) -> {ok, iodata()} | {error, error()}.
encode(Header, Message) ->
    case encode(#{}, Header, Message) of
        {ok, Data, _} -> {ok, Data};
        Error -> Error
    end.

%% #region !layers
%%| %% @doc A whole packet as the client (cs) or the server (sc) sends it, with the states of the connection.
%%| %%
%%| %% It returns the context of the packets after it, which a message may change. Both directions share the states:
%%| %% pass the context from each packet to the next, whoever sends it.
%%| -spec encode(context(), header(), message()) -> {ok, iodata(), context()} | {error, error()}.
%%| encode(Context, Header, Message) when is_map(Context), is_map(Header) ->
%%|     try
%%|         {Id, Payload} = ?MESSAGE_PAYLOAD,
%%|         Sender = sender_of(Context, Message),
%%|         Shape = shape(Sender, Context),
%%|         {ok, ?WRAPPED_PACKET, sets(Sender, Id, Context)}
%%|     catch
%%|         throw:{error, Error} -> {error, Error}
%%|     end.

%% #endregion
%% #region layers
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

%% #endregion
%% @doc The packet that bytes begin with, as the first one of a connection: see decode/3.
-spec decode(cs | sc, binary()) ->
    {ok, header(), message(), Rest :: binary()} | {more, pos_integer()} | {error, error()}.
decode(Sender, Bytes) ->
    case decode(#{}, Sender, Bytes) of
        {ok, Header, Message, Rest, _} -> {ok, Header, Message, Rest};
        Other -> Other
    end.

%% #region !layers
%%| %% @doc The packet that bytes begin with, which the client (cs) or the server (sc) has sent.
%%| %%
%%| %% It returns the context of the packets after it, which a message may change. Both directions share the states:
%%| %% pass the context from each packet to the next, whoever sends it.
%%| %%
%%| %% If the bytes end in the packet, at least so many more are needed. After an error in a header, the start
%%| %% of the next packet is unknown. Strings and bytes are parts of the binary that was given: binary:copy/1 those that
%%| %% are kept for long.
%%| -spec decode(context(), cs | sc, binary()) ->
%%|     {ok, header(), message(), Rest :: binary(), context()} | {more, pos_integer()} | {error, error()}.
%%| decode(Context, Sender, Bytes)
%%|     when is_map(Context), is_binary(Bytes), (Sender =:= cs orelse Sender =:= sc) ->
%%|     try
%%|         Shape = shape(Sender, Context),
%% #region frames
%%|         {Packet, Rest} = unframe(Bytes),
%%|         {Id, Header, Payload, End, <<>>} = unwrap_whole(fun(B) -> ?UNWRAPPED_PACKET end, Packet),
%% #endregion
%% #region !frames
%%|         {Id, Header, Payload, End, Rest} = ?UNWRAPPED_PACKET,
%% #endregion
%%|         {ok, Header, ?READ_MESSAGE, Rest, sets(Sender, Id, Context)}
%%|     catch
%%|         throw:{more, Count} -> {more, Count};
%%|         throw:{error, Error} -> {error, Error}
%%|     end.

%% #endregion
%% #region layers
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

%% #endregion
%% #endregion
%% #region keys
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

uses_key(Kind, Name) -> element(2, Kind) =:= Name orelse lists:member({key, Name}, tuple_to_list(Kind)).

%% #endregion
%% @doc What of a packet's header can be set in another packet, such as its answer.
-spec settable(header()) -> header().
settable(Header) -> maps:with(?SETTABLE_KEYS, Header).

%% @doc One line for people.
-spec format_error(error()) -> unicode:chardata().
format_error(#{reason := Reason, path := Path} = Error) ->
    Place =
        case Error of
            #{offset := Offset} -> io_lib:format(" at offset ~b", [Offset]);
            _ -> ""
        end,
    [[[Path, ": "] || Path =/= <<>>], io_lib:format("~tp", [Reason]), Place].
%% #endregion

%% #region layering
%% What connects layers with the messages of a protocol.

%% #region frames
next_packet(Sender, Depth, B, St) -> framed_next(Sender, Depth, B, St).

ends_packets(B) -> ends_frames(B).

framed_packet(Packet) -> frame(Packet).

%% #endregion
%% #region !frames
%%| next_packet(Sender, Depth, B, St) -> open_packet(Sender, Depth, B, St).

%%| ends_packets(B) -> B =:= <<>>.

%%| framed_packet(Packet) -> Packet.

%% #endregion
%% #region headerConditions
content_message(Sender, Id, B, End, Header) -> message(Sender, Id, B, End, Header).

message_payload(Message, Header) -> payload(Message, Header).

%% #endregion
%% #region !headerConditions
%%| content_message(Sender, Id, B, End, _) -> message(Sender, Id, B, End).

%%| message_payload(Message, _) -> payload(Message).

%% #endregion
%% #region fixedHeaders
completed_header(Message, Header) -> fix(Message, Header).

%% #endregion
%% #region !fixedHeaders
%%| completed_header(_, Header) -> Header.

%% #endregion
%% #region states
next_context(Sender, Ids, Context) -> lists:foldr(fun(Id, C) -> sets(Sender, Id, C) end, Context, Ids).

%% #endregion
%% #region !states
%%| next_context(_, _, Context) -> Context.

%% #endregion
max_inflated() -> ?MAX_INFLATED.

max_nested() -> ?MAX_NESTED.

settable_keys() -> ?HEADER_KEYS.

id_keys() -> ?ID_KEYS.

%% The field that counts the content, which has 0 if there are none but the layers before it.

content_constant() -> ?CONTENT_CONSTANT.

%% #region layersBeforeCount
counted_size(N, _, Before) when N =< ?LAYERS_BEFORE_COUNT -> Before;
%% #endregion
counted_size(_, Content, _) -> byte_size(Content).

%% #region layersBeforeCount
count_around([N | _], Fields) when N =< ?LAYERS_BEFORE_COUNT -> set_content_count(none, Fields);
%% #endregion
count_around(_, Fields) -> Fields.

%% #region threshold
with_content_count(Counter, Shape, Sender, Id, Header, Payload, Context) ->
    with_settable_count(Counter, Shape, Sender, Id, Header, Payload, Context).

%% #endregion
%% #region !threshold
%%| with_content_count(_, _, _, _, Header, _, _) -> Header.

%% #endregion
%% What opens a layer, and what seals it. Layers with a keystream do the same in both directions.

%% #region inflated
opened_layer({zlib, Bits}, Name, B, _, _, Left, Context) -> {inflated(B, Bits, Left, Name), Context};
%% #endregion
%% #region program
opened_layer({program, Key}, Name, B, Header, Place, Left, Context) ->
    opened_by_program(Key, Name, B, Header, Place, Left, Context);
%% #endregion
%% #region aes_cbc
opened_layer({aes_cbc, Key, Start}, Name, B, Header, {Sender, _} = Place, _, Context) ->
    opened_aes_cbc(Key, first_block(Start, Name, Header, Sender, Context), Name, B, Place, Context);
%% #endregion
%% #region streamed
opened_layer(Kind, Name, B, Header, Place, _, Context) -> streamed_layer(Kind, Name, B, Header, Place, Context).
%% #endregion
%% #region !streamed
%%| opened_layer(none, _, B, _, _, _, Context) -> {B, Context}.
%% #endregion

%% #region inflated
sealed_layer({zlib, Bits}, _, B, _, _, Context) -> {deflated(B, Bits, Context), Context};
%% #endregion
%% #region program
sealed_layer({program, Key}, Name, B, Header, Place, Context) ->
    sealed_by_program(Key, Name, B, Header, Place, Context);
%% #endregion
%% #region aes_cbc
sealed_layer({aes_cbc, Key, Start}, Name, B, Header, {Sender, _} = Place, Context) ->
    sealed_aes_cbc(Key, first_block(Start, Name, Header, Sender, Context), Name, B, Place, Context);
%% #endregion
%% #region streamed
sealed_layer(Kind, Name, B, Header, Place, Context) -> streamed_layer(Kind, Name, B, Header, Place, Context).

%% #region xor
streamed_layer({'xor', Key}, Name, B, _, Place, Context) -> xor_layer(Key, Name, B, Place, Context);
%% #endregion
%% #region rc4
streamed_layer({rc4, Key}, Name, B, _, Place, Context) -> rc4_layer(Key, Name, B, Place, Context);
%% #endregion
%% #region aes_ctr
streamed_layer({aes_ctr, Key, {key, Start}}, Name, B, _, Place, Context) ->
    aes_ctr_layer(Key, Start, Name, B, Place, Context);
%% #endregion
%% #region aes_ctr_packet
streamed_layer({aes_ctr, Key, {field, Start}}, Name, B, Header, Place, Context) ->
    aes_ctr_packet(Key, maps:get(Start, Header), Name, B, Place, Context);
%% #endregion
streamed_layer(none, _, B, _, _, Context) -> {B, Context}.
%% #endregion
%% #region !streamed
%%| sealed_layer(none, _, B, _, _, Context) -> {B, Context}.
%% #endregion
%% #endregion

%% #region functions
%% Errors, and what reads values.

-spec more(pos_integer(), non_neg_integer()) -> no_return().
more(Needed, Size) -> throw({more, Needed - Size}).

-spec fail(reason(), [binary() | non_neg_integer() | packet], non_neg_integer()) -> no_return().
fail(Reason, Path, Offset) -> throw({error, (fault(Reason, Path))#{offset => Offset}}).

-spec fail_without_offset(reason(), [binary() | non_neg_integer() | packet]) -> no_return().
fail_without_offset(Reason, Path) -> throw({error, fault(Reason, Path)}).

fault(Reason, Path) ->
    case lists:reverse(Path) of
        [] -> #{reason => Reason, path => <<>>};
        [packet | Names] -> #{reason => Reason, path => joined(Names, <<"packet">>)};
        [Message | Names] -> #{reason => Reason, message => Message, path => joined(Names, Message)}
    end.

joined([Index | Names], Text) when is_integer(Index) ->
    joined(Names, <<Text/binary, $[, (integer_to_binary(Index))/binary, $]>>);
joined([Name | Names], Text) -> joined(Names, <<Text/binary, $., Name/binary>>);
joined([], Text) -> Text.

-spec cut(binary(), pos_integer(), non_neg_integer(), binary() | non_neg_integer(), list()) -> no_return().
cut(B, Count, E, N, P) -> fail({truncated, Count, byte_size(B)}, [N | P], E - byte_size(B)).

%% The item of a list that is cut off.
-spec cut_items(pos_integer(), binary(), non_neg_integer(), binary() | non_neg_integer(), list()) -> no_return().
cut_items(Count, B, E, N, P) ->
    Left = byte_size(B) rem Count,
    fail({truncated, Count, Left}, [byte_size(B) div Count, N | P], E - Left).

%% Finds what is wrong with fields of which the last are cut off.
-spec cut_run([{binary(), pos_integer()}, ...], binary(), non_neg_integer(), list()) -> no_return().
cut_run([{Name, Count} | Fields], B, E, P) ->
    case B of
        <<_:Count/binary, R/binary>> -> cut_run(Fields, R, E, P);
        _ -> cut(B, Count, E, Name, P)
    end.

%% The same where a field before the cut may be wrong.
-spec cut_checked([{binary(), pos_integer(), fun((binary()) -> true | reason())}, ...],
                  binary(), non_neg_integer(), list()) -> no_return().
cut_checked([{Name, Count, Check} | Fields], B, E, P) ->
    case B of
        <<V:Count/binary, R/binary>> ->
            case Check(V) of
                true -> cut_checked(Fields, R, E, P);
                Reason -> fail(Reason, [Name | P], E - byte_size(B))
            end;
        _ -> cut(B, Count, E, Name, P)
    end.

any_bytes(_) -> true.

boolean_byte(<<X>>) -> X =< 1 orelse {invalid_boolean, X}.

%% The bool whose byte stands so many bytes after the start of B.
boolean_at(0, _, _, _, _, _) -> false;
boolean_at(1, _, _, _, _, _) -> true;
boolean_at(X, Offset, B, E, N, P) -> fail({invalid_boolean, X}, [N | P], E - byte_size(B) + Offset).

count_varint(B, Max, E, N, P) ->
    case varint(B, 5, E, N, P) of
        {C, _} when C > 16#FFFFFFFF -> fail({varint_too_long, 5}, [N | P], E - byte_size(B));
        {C, _} when C > Max -> fail({too_long, C, Max}, [N | P], E - byte_size(B));
        {C, R} -> {C, R}
    end.

count_zigzag(B, Max, E, N, P) ->
    case count_varint(B, infinity, E, N, P) of
        {C, _} when C band 1 =:= 1 ->
            fail({out_of_range, bnot (C bsr 1), -1, 16#7FFFFFFF}, [N | P], E - byte_size(B));
        {C, _} when C bsr 1 > Max -> fail({too_long, C bsr 1, Max}, [N | P], E - byte_size(B));
        {C, R} -> {C bsr 1, R}
    end.

%% What follows the zigzag number -1, which says that a value is absent; none for another number.
after_absent(B, E, N, P) ->
    case varint(B, 5, E, N, P) of
        {1, R} -> R;
        _ -> none
    end.

%% #region shortest
%% Unsigned LEB128 in its shortest form, of at most so many bytes and 64 bits.
%% #endregion
%% #region !shortest
%% Unsigned LEB128 in any form, of at most so many bytes and 64 bits.
%% #endregion
varint(B, Max, E, N, P) -> varint(B, 0, 0, Max, B, E, N, P).

varint(_, Max, _, Max, B, E, N, P) -> fail({varint_too_long, Max}, [N | P], E - byte_size(B));
varint(<<>>, I, _, _, B, E, N, P) -> fail({truncated, I + 1, byte_size(B)}, [N | P], E - byte_size(B));
varint(<<X, _/binary>>, 9, _, Max, B, E, N, P) when X > 1 ->
    fail({varint_too_long, Max}, [N | P], E - byte_size(B));
%% #region shortest
varint(<<0, _/binary>>, I, _, _, B, E, N, P) when I > 0 -> fail(varint_not_shortest, [N | P], E - byte_size(B));
%% #endregion
varint(<<0:1, X:7, R/binary>>, I, V, _, _, _, _, _) -> {V bor (X bsl (7 * I)), R};
varint(<<1:1, X:7, R/binary>>, I, V, Max, B, E, N, P) ->
    varint(R, I + 1, V bor (X bsl (7 * I)), Max, B, E, N, P).

within({V, R}, Min, Max, _, _, _, _) when V >= Min, V =< Max -> {V, R};
within({V, _}, Min, Max, B, E, N, P) -> fail({out_of_range, V, Min, Max}, [N | P], E - byte_size(B)).

bytes({C, B}, E, N, P) ->
    case B of
        <<V:C/binary, R/binary>> -> {V, R};
        _ -> fail({truncated, C, byte_size(B)}, [N | P], E - byte_size(B))
    end.

text(Counted, E, N, P) ->
    {V, R} = bytes(Counted, E, N, P),
    {utf8(V, E - byte_size(R), N, P), R}.

terminated_bytes(B, Max, E, N, P) ->
    case binary:match(B, <<0>>) of
        {C, _} when C =< Max ->
            <<V:C/binary, 0, R/binary>> = B,
            {V, R};
        {C, _} -> fail({too_long, C, Max}, [N | P], E - byte_size(B));
        nomatch -> fail(missing_terminator, [N | P], E - byte_size(B))
    end.

terminated_text(B, Max, E, N, P) ->
    {V, R} = terminated_bytes(B, Max, E, N, P),
    {utf8(V, E - byte_size(R) - 1, N, P), R}.

rest_bytes(B, Max, _, _, _) when byte_size(B) =< Max -> {B, <<>>};
rest_bytes(B, Max, E, N, P) -> fail({too_long, byte_size(B), Max}, [N | P], E - byte_size(B)).

rest_text(B, Max, E, N, P) ->
    {V, R} = rest_bytes(B, Max, E, N, P),
    {utf8(V, E, N, P), R}.

utf8(V, E, N, P) ->
    case flaw(V) of
        <<>> -> V;
        R -> fail({invalid_utf8, utf8_fault(R)}, [N | P], E - byte_size(R))
    end.

%% What follows the last good character; seven characters of ASCII a step.
flaw(<<X:56, R/binary>>) when X band 16#80808080808080 =:= 0 -> flaw(R);
flaw(<<_/utf8, R/binary>>) -> flaw(R);
flaw(R) -> R.

%% Unicode 16, table 3-7.
utf8_fault(<<X, _/binary>>) when X =:= 16#C0; X =:= 16#C1 -> overlong;
utf8_fault(<<X, _/binary>>) when X >= 16#F5, X =< 16#F7 -> above_unicode;
utf8_fault(<<X, _/binary>>) when X < 16#C2; X > 16#F7 -> unexpected_byte;
utf8_fault(<<16#E0, X, _/binary>>) when X >= 16#80, X < 16#A0 -> overlong;
utf8_fault(<<16#F0, X, _/binary>>) when X >= 16#80, X < 16#90 -> overlong;
utf8_fault(<<16#ED, X, _/binary>>) when X >= 16#A0, X =< 16#BF -> surrogate;
utf8_fault(<<16#F4, X, _/binary>>) when X >= 16#90, X =< 16#BF -> above_unicode;
utf8_fault(_) -> truncated.

%% Lines of key:value, in order.
properties(B, _, E, N, P) when byte_size(B) > 65535 ->
    fail({too_long, byte_size(B), 65535}, [N | P], E - byte_size(B));
properties(B, Mode, E, N, P) -> {properties(B, Mode, [], #{}, E, N, P), <<>>}.

properties(<<>>, _, Keys, Values, _, _, _) -> [{K, maps:get(K, Values)} || K <- lists:reverse(Keys)];
properties(B, Mode, Keys, Values, E, N, P) ->
    {Line, R} =
        case binary:split(B, <<"\n">>) of
            [L, T] -> {L, T};
            [L] -> {L, <<>>}
        end,
    Offset = E - byte_size(B),
    _ = utf8(Line, Offset + byte_size(Line), N, P),
    case property(binary:split(Line, <<":">>), Mode) of
        {K, _} when Mode =:= strict, is_map_key(K, Values) -> fail({duplicate_key, K}, [N | P], Offset);
        {K, V} when is_map_key(K, Values) -> properties(R, Mode, Keys, Values#{K := V}, E, N, P);
        {K, V} -> properties(R, Mode, [K | Keys], Values#{K => V}, E, N, P);
        none -> properties(R, Mode, Keys, Values, E, N, P);
        invalid -> fail({invalid_property, Line}, [N | P], Offset)
    end.

property([K, V], _) when K =/= <<>> -> {K, V};
property(_, strict) -> invalid;
property([K], _) when K =/= <<>> -> {K, <<>>};
property(_, _) -> none.

float16(Bits) ->
    <<Sign:1, Exponent:5, Fraction:10>> = <<Bits:16>>,
    case Exponent of
        31 when Fraction =/= 0 -> {nan, Bits};
        31 when Sign =:= 0 -> infinity;
        31 -> neg_infinity;
        0 when Sign =:= 0 -> Fraction / 16777216;
        0 -> -1.0 * (Fraction / 16777216);
        _ ->
            <<F:32/float>> = <<Sign:1, (Exponent + 112):8, Fraction:10, 0:13>>,
            F
    end.

float32(Bits) ->
    case <<Bits:32>> of
        <<F:32/float>> -> F;
        <<16#7F800000:32>> -> infinity;
        <<16#FF800000:32>> -> neg_infinity;
        _ -> {nan, Bits}
    end.

float64(Bits) ->
    case <<Bits:64>> of
        <<F:64/float>> -> F;
        <<16#7FF0000000000000:64>> -> infinity;
        <<16#FFF0000000000000:64>> -> neg_infinity;
        _ -> {nan, Bits}
    end.

%% Of what Erlang has no float for, nothing is in any range.
in_range(F, Min, Max) when is_float(F) -> F >= Min andalso F =< Max;
in_range(_, _, _) -> false.

%% The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.
mask_names([{Name, Mask} | Masks], V, Shown) when V band Mask =:= Mask, Mask band bnot Shown =/= 0 ->
    [Name | mask_names(Masks, V, Shown bor Mask)];
mask_names([_ | Masks], V, Shown) -> mask_names(Masks, V, Shown);
mask_names([], V, Shown) when V band bnot Shown =:= 0 -> [];
mask_names([], V, Shown) -> [V band bnot Shown].

%% What checks values and makes their bytes.

integer(V, Min, Max, _, _) when is_integer(V), V >= Min, V =< Max -> V;
integer(V, Min, Max, N, P) when is_integer(V) -> fail_without_offset({out_of_range, V, Min, Max}, [N | P]);
integer(_, _, _, N, P) -> fail_without_offset({wrong_type, integer}, [N | P]).

boolean(true, _, _) -> 1;
boolean(false, _, _) -> 0;
boolean(_, N, P) -> fail_without_offset({wrong_type, boolean}, [N | P]).

float16_bits(infinity, _, _) -> 16#7C00;
float16_bits(neg_infinity, _, _) -> 16#FC00;
float16_bits({nan, Bits}, _, _)
  when is_integer(Bits), Bits >= 0, Bits =< 16#FFFF, Bits band 16#7FFF > 16#7C00 -> Bits;
float16_bits(V, N, P) ->
    F = real(V, N, P),
    %% From here on the nearest float16 would be infinite.
    abs(F) < 65520 orelse fail_without_offset(number_too_large, [N | P]),
    <<Sign:1, Magnitude:63>> = <<F:64/float>>,
    (Sign bsl 15) bor rounded16(Magnitude).

%% The nearest number of 16 bits to one of 64, in one step; a tie goes to the number whose last bit is 0.
rounded16(Magnitude) when Magnitude >= 16#3F10000000000000 ->
    Bits = Magnitude - (1008 bsl 52),
    (Bits + 16#1FFFFFFFFFF + ((Bits bsr 42) band 1)) bsr 42;
rounded16(Magnitude) ->
    <<F:64/float>> = <<Magnitude:64>>,
    %% The last bit of a sum of this size is that of the smallest numbers.
    <<Sum:64>> = <<(F + 268435456.0):64/float>>,
    Sum band 16#FFFF.

float32_bits(infinity, _, _) -> 16#7F800000;
float32_bits(neg_infinity, _, _) -> 16#FF800000;
float32_bits({nan, Bits}, _, _)
  when is_integer(Bits), Bits >= 0, Bits =< 16#FFFFFFFF, Bits band 16#7FFFFFFF > 16#7F800000 -> Bits;
float32_bits(V, N, P) ->
    case real(V, N, P) of
        %% From here on the nearest float32 would be infinite.
        F when abs(F) >= 3.4028235677973366e38 -> fail_without_offset(number_too_large, [N | P]);
        F ->
            <<Bits:32>> = <<F:32/float>>,
            Bits
    end.

float64_bits(infinity, _, _) -> 16#7FF0000000000000;
float64_bits(neg_infinity, _, _) -> 16#FFF0000000000000;
float64_bits({nan, Bits}, _, _)
  when is_integer(Bits), Bits >= 0, Bits =< 16#FFFFFFFFFFFFFFFF,
       Bits band 16#7FFFFFFFFFFFFFFF > 16#7FF0000000000000 -> Bits;
float64_bits(V, N, P) ->
    <<Bits:64>> = <<(real(V, N, P)):64/float>>,
    Bits.

real(V, _, _) when is_float(V) -> V;
real(V, N, P) when is_integer(V) ->
    try
        float(V)
    catch
        error:badarg -> fail_without_offset(number_too_large, [N | P])
    end;
real(_, N, P) -> fail_without_offset({wrong_type, float}, [N | P]).

float16_within(Bits, Min, Max, N, P) ->
    F = float16(Bits),
    in_range(F, Min, Max) orelse fail_without_offset({float_out_of_range, F, Min, Max}, [N | P]),
    Bits.

float32_within(Bits, Min, Max, N, P) ->
    F = float32(Bits),
    in_range(F, Min, Max) orelse fail_without_offset({float_out_of_range, F, Min, Max}, [N | P]),
    Bits.

float64_within(Bits, Min, Max, N, P) ->
    F = float64(Bits),
    in_range(F, Min, Max) orelse fail_without_offset({float_out_of_range, F, Min, Max}, [N | P]),
    Bits.

enumeration(V, Min, Max, N, P) when is_integer(V) -> integer(V, Min, Max, N, P);
enumeration(V, _, _, N, P) when is_atom(V) -> fail_without_offset({unknown_name, V}, [N | P]);
enumeration(_, _, _, N, P) -> fail_without_offset({wrong_type, enumeration}, [N | P]).

closed({unknown, V}, Min, Max, N, P) when is_integer(V) ->
    fail_without_offset({unknown_case, integer(V, Min, Max, N, P)}, [N | P]);
closed({unknown, V}, _, _, N, P) when is_atom(V) -> fail_without_offset({unknown_name, V}, [N | P]);
closed({unknown, _}, _, _, N, P) -> fail_without_offset({wrong_type, enumeration}, [N | P]);
closed(V, _, _, _, _) -> V.

bits(V, Masks, Max, N, P) when length(V) >= 0 -> bits(V, 0, Masks, Max, N, P);
bits(_, _, _, N, P) -> fail_without_offset({wrong_type, flags}, [N | P]).

bits([], V, _, _, _, _) -> V;
bits([Bits | T], V, Masks, Max, N, P) when is_integer(Bits) ->
    Value = V bor integer(Bits, 0, Max, N, P),
    case lists:any(fun is_integer/1, T) of
        false -> bits(T, Value, Masks, Max, N, P);
        true -> fail_without_offset({repeated_flag, Bits}, [N | P])
    end;
bits([Name | T], V, Masks, Max, N, P) when is_atom(Name) ->
    case lists:keyfind(Name, 1, Masks) of
        false -> fail_without_offset({unknown_name, Name}, [N | P]);
        {_, Mask} ->
            lists:member(Name, T) andalso fail_without_offset({repeated_flag, Name}, [N | P]),
            bits(T, V bor Mask, Masks, Max, N, P)
    end;
bits(_, _, _, _, N, P) -> fail_without_offset({wrong_type, flags}, [N | P]).

string_value(V, N, P) when is_binary(V) ->
    case flaw(V) of
        <<>> -> V;
        R -> fail_without_offset({invalid_utf8, utf8_fault(R)}, [N | P])
    end;
string_value(_, N, P) -> fail_without_offset({wrong_type, string}, [N | P]).

text_value(V, Max, N, P) -> limited(string_value(V, N, P), Max, N, P).

bytes_value(V, Max, _, _) when is_binary(V), byte_size(V) =< Max -> V;
bytes_value(V, Max, N, P) when is_binary(V) -> fail_without_offset({too_long, byte_size(V), Max}, [N | P]);
bytes_value(_, _, N, P) -> fail_without_offset({wrong_type, bytes}, [N | P]).

limited(V, Max, _, _) when byte_size(V) =< Max -> V;
limited(V, Max, N, P) -> fail_without_offset({too_long, byte_size(V), Max}, [N | P]).

units_of(V) -> byte_size(V) div 2.

without_nul(V, N, P) ->
    case binary:match(V, <<0>>) of
        nomatch -> V;
        _ -> fail_without_offset(embedded_terminator, [N | P])
    end.

put_terminated_text(V, Max, N, P) -> [without_nul(text_value(V, Max, N, P), N, P), 0].

put_terminated_bytes(V, Max, N, P) -> [without_nul(bytes_value(V, Max, N, P), N, P), 0].

%% length/1 fails in a guard, and does no harm there, for what is no proper list.
list_value(V, Max, _, _) when length(V) =< Max -> V;
list_value(V, Max, N, P) when length(V) > Max -> fail_without_offset({too_long, length(V), Max}, [N | P]);
list_value(_, _, N, P) -> fail_without_offset({wrong_type, list}, [N | P]).

item_count(V, Count, N, P) ->
    case length(list_value(V, infinity, N, P)) of
        Count -> V;
        Other -> fail_without_offset({wrong_item_count, Other, Count}, [N | P])
    end.

leb128(V) when V < 16#80 -> <<V>>;
leb128(V) -> <<1:1, V:7, (leb128(V bsr 7))/binary>>.

leb128_size(V) when is_integer(V), V >= 16#80 -> 1 + leb128_size(V bsr 7);
leb128_size(_) -> 1.

property_list(V, N, P) ->
    Lines = property_lines(list_value(V, infinity, N, P), #{}, [], N, P),
    Text = iolist_to_binary(lists:join($\n, Lines)),
    limited(Text, 65535, N, P).

property_lines([{K, V} | T], Keys, Lines, N, P) when is_binary(K), is_binary(V) ->
    _ = {string_value(K, N, P), string_value(V, N, P)},
    Line = <<K/binary, $:, V/binary>>,
    case K =:= <<>> orelse binary:match(K, [<<":">>, <<"\n">>]) =/= nomatch orelse
         binary:match(V, <<"\n">>) =/= nomatch of
        true -> fail_without_offset({invalid_property, Line}, [N | P]);
        false when is_map_key(K, Keys) -> fail_without_offset({duplicate_key, K}, [N | P]);
        false -> property_lines(T, Keys#{K => true}, [Line | Lines], N, P)
    end;
property_lines([], _, Lines, _, _) -> lists:reverse(Lines);
property_lines(_, _, _, N, P) -> fail_without_offset({wrong_type, properties}, [N | P]).

%% The first field of several that is not set, where nothing that is set may follow.
gap(none, Name, undefined, _) -> Name;
gap(none, _, _, _) -> none;
gap(Name, _, undefined, _) -> Name;
gap(Name, _, _, P) -> fail_without_offset(gap_before_optional, [Name | P]).

no_gap(Name, _, <<>>) -> Name;
no_gap(none, _, _) -> none;
no_gap(Name, P, _) -> fail_without_offset(gap_before_optional, [Name | P]).

%% Headers and trailers.

%% The parts of a packet that has arrived whole.
unwrap_whole(Unwrap, Packet) ->
    try
        Unwrap(Packet)
    catch
        throw:{more, Count} -> fail({truncated, Count, 0}, [], byte_size(Packet))
    end.

%% Marks around packets. Printed code says what they are, and which bytes are escaped.

%% What stands between the marks, unescaped, and what follows them. Marks with nothing between them are passed over.
unframe(B) ->
    {Start, End, _, _} = frame_marks(),
    case B of
        %% The mark that ends an empty packet may begin the next one.
        <<Start, End, _/binary>> when Start =:= End -> unframe(binary:part(B, 1, byte_size(B) - 1));
        <<Start, End, R/binary>> -> unframe(R);
        <<Start, R/binary>> -> unescape(R, <<>>);
        <<>> -> more(1, 0);
        <<V, _/binary>> -> frame_fault({wrong_constant, V, Start}, 0)
    end.

unescape(B, P) ->
    {Start, End, Max, _} = frame_marks(),
    N = plain(B, 0),
    Count = byte_size(P) + N,
    Count =< Max orelse frame_too_long(Max),
    case B of
        <<Plain:N/binary, End, R/binary>> -> {<<P/binary, Plain/binary>>, R};
        <<_:N/binary, Start, _/binary>> -> frame_fault({invalid_escape, Start}, Count);
        <<Plain:N/binary, First, Second, R/binary>> ->
            case unescaped(First, Second) of
                none -> frame_fault({invalid_escape, First, Second}, Count);
                V when Count < Max -> unescape(R, <<P/binary, Plain/binary, V>>);
                _ -> frame_too_long(Max)
            end;
        _ -> more(1, 0)
    end.

%% How many bytes stand for themselves.
plain(<<V, R/binary>>, N) ->
    case is_plain(V) of
        true -> plain(R, N + 1);
        false -> N
    end;
plain(<<>>, N) -> N.

-spec frame_fault(reason(), non_neg_integer()) -> no_return().
frame_fault(Reason, Offset) -> fail(Reason, [<<"frame">>, packet], Offset).

-spec frame_too_long(pos_integer()) -> no_return().
frame_too_long(Max) -> frame_fault({packet_too_long, Max + 1, Max + 1, Max}, 0).

%% Whether no packet follows; marks with nothing between them may.
ends_frames(B) ->
    {Start, End, _, _} = frame_marks(),
    case B of
        <<>> -> true;
        <<Start>> -> Start =:= End;
        <<Start, End, _/binary>> when Start =:= End -> ends_frames(binary:part(B, 1, byte_size(B) - 1));
        <<Start, End, R/binary>> -> ends_frames(R);
        _ -> false
    end.

%% A packet between its marks.
frame(Packet) ->
    {Start, End, _, Bytes} = frame_marks(),
    [Start, escape(iolist_to_binary(Packet), Bytes), End].

escape(B, Bytes) ->
    case binary:match(B, Bytes) of
        nomatch -> B;
        _ -> << <<(escaped(V))/binary>> || <<V>> <= B >>
    end.

%% A field of a header that may not have arrived; Last is where the packet ends, as far as it is known.
header_part(B, Start, Count, Last, Name) ->
    Size = byte_size(B),
    End = min(Size, Last),
    From = min(Start, End),
    if
        From + Count =< End -> binary:part(B, From, Count);
        Size < Last -> more(Start + Count, Size);
        true -> fail({truncated, Count, End - From}, [Name, packet], From)
    end.

header_varint(B, Start, Max, Last, Name) ->
    Size = byte_size(B),
    End = min(Size, Last),
    From = min(Start, End),
    try varint(binary:part(B, From, End - From), Max, End, Name, [packet]) of
        {V, R} -> {V, End - From - byte_size(R)}
    catch
        throw:{error, #{reason := {truncated, _, _}}} when Size < Last -> more(1, 0)
    end.

%% The bytes of the whole packet, by one of its lengths.
packet_size(Length, Difference, Min, Max, Offset) ->
    case Length + Difference of
        Size when Size < Min -> fail({length_too_small, Length, Min - Difference}, [], Offset);
        Size when Size > Max -> fail({packet_too_long, Length, Size, Max}, [], Offset);
        Size -> Size
    end.

same_size(Size, Size, _, _, _, _) -> ok;
same_size(_, Size, Length, Difference, Name, Offset) ->
    fail({length_mismatch, Length, Size - Difference}, [Name, packet], Offset).

same_length(Length, Length, _, _) -> ok;
same_length(Length, Expected, Name, Offset) -> fail({length_mismatch, Length, Expected}, [Name, packet], Offset).

same_constant(V, V, _, _) -> ok;
same_constant(V, Expected, Name, Offset) -> fail({wrong_constant, V, Expected}, [Name, packet], Offset).

same_checksum(V, V, _, _) -> ok;
same_checksum(V, Computed, Name, Offset) -> fail({wrong_checksum, V, Computed}, [Name, packet], Offset).

bytes_between(B, Start, End) -> binary:part(B, Start, End - Start).

header_boolean(0, _, _) -> false;
header_boolean(1, _, _) -> true;
header_boolean(V, Name, Offset) -> fail({invalid_boolean, V}, [Name, packet], Offset).

length_field(V, Min, Max, _, _) when V >= Min, V =< Max -> V;
length_field(V, _, Max, Size, Name) when V > Max ->
    fail_without_offset({packet_too_long, V, Size, Max - V + Size}, [Name, packet]);
length_field(V, Min, _, _, Name) -> fail_without_offset({length_too_small, V, Min}, [Name, packet]).

only_settable(Header, Keys) ->
    case maps:keys(maps:without(Keys, Header)) of
        [] -> ok;
        [Key | _] -> fail_without_offset({invalid_header_field, Key}, [])
    end.

%% A packet with one value of the field that fits itself, or with the next one if that is too small.
fitting(Wrap, Next) ->
    try
        Wrap()
    catch
        throw:{error, #{reason := Reason}}
                when element(1, Reason) =:= packet_too_long; element(1, Reason) =:= length_too_small;
                     element(1, Reason) =:= invalid_message_id ->
            Next()
    end.

%% The header with the value that a message fixes, or what differs from it.
fixed_number(Key, Number, Value, Name, Message, Header, Checked) ->
    case Header of
        #{Key := V} ->
            same_fixed(Checked(V), Number, Name, Message),
            Header;
        _ -> Header#{Key => Value}
    end.

fixed_bytes(Key, Text, Value, Name, Message, Header, Checked) ->
    case Header of
        #{Key := V} ->
            same_fixed_text(iolist_to_binary(Checked(V)), Text, Name, Message),
            Header;
        _ -> Header#{Key => Value}
    end.

same_fixed(V, V, _, _) -> ok;
same_fixed(V, Expected, Name, Message) ->
    fail_without_offset({wrong_constant, V, Expected}, [Name, <<"packet">>, Message]).

same_fixed_text(<<X, F/binary>>, <<X, T/binary>>, Name, Message) -> same_fixed_text(F, T, Name, Message);
same_fixed_text(<<X, _/binary>>, <<Y, _/binary>>, Name, Message) ->
    fail_without_offset({wrong_constant, X, Y}, [Name, <<"packet">>, Message]);
same_fixed_text(<<>>, <<>>, _, _) -> ok.

%% Integers of variable length with a sign.

%% Zigzag numbers: 0, 1, 2, 3 for 0, -1, 1, -2.
zigzag(B, Max, E, N, P) -> zigzag_value(varint(B, Max, E, N, P)).

varint32(B, Max, E, N, P) -> varint32_value(varint(B, Max, E, N, P), Max, [N | P], E - byte_size(B)).

varint64(B, Max, E, N, P) -> varint64_value(varint(B, Max, E, N, P)).

zigzag_value({V, R}) -> {(V bsr 1) bxor -(V band 1), R}.

varint32_value({V, _}, Max, Path, Offset) when V > 16#FFFFFFFF -> fail({varint_too_long, Max}, Path, Offset);
varint32_value({V, R}, _, _, _) when V > 16#7FFFFFFF -> {V - 16#100000000, R};
varint32_value(Value, _, _, _) -> Value.

varint64_value({V, R}) when V > 16#7FFFFFFFFFFFFFFF -> {V - 16#10000000000000000, R};
varint64_value(Value) -> Value.

zigzag_bits(V) -> (V bsl 1) bxor (V bsr 63).

varint32_bits(V) -> V band 16#FFFFFFFF.

varint64_bits(V) -> V band 16#FFFFFFFFFFFFFFFF.

%% The width of a number before it is checked.
zigzag_size(V) when is_integer(V) -> leb128_size(zigzag_bits(clamped(V, 16#7FFFFFFFFFFFFFFF)));
zigzag_size(_) -> 1.

varint32_size(V) when is_integer(V) -> leb128_size(clamped(V, 16#7FFFFFFF) band 16#FFFFFFFF);
varint32_size(_) -> 1.

varint64_size(V) when is_integer(V) -> leb128_size(clamped(V, 16#7FFFFFFFFFFFFFFF) band 16#FFFFFFFFFFFFFFFF);
varint64_size(_) -> 1.

clamped(V, Max) -> max(-Max - 1, min(V, Max)).

%% The number whose two's complement has these bits.
signed(V, Width) when V bsr (Width - 1) =:= 1 -> V - (1 bsl Width);
signed(V, _) -> V.

header_zigzag(B, Start, Max, Last, Name) -> zigzag_value(header_varint(B, Start, Max, Last, Name)).

header_varint32(B, Start, Max, Last, Name) ->
    varint32_value(header_varint(B, Start, Max, Last, Name), Max, [Name, packet], Start).

header_varint64(B, Start, Max, Last, Name) -> varint64_value(header_varint(B, Start, Max, Last, Name)).

%% What differs by the prefix of a string, of bytes or of a list.

count_uint8(<<C:8, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_uint8(<<C:8, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_uint8(B, _, E, N, P) -> cut(B, 1, E, N, P).

count_uint16_big(<<C:16, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_uint16_big(<<C:16, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_uint16_big(B, _, E, N, P) -> cut(B, 2, E, N, P).

count_uint16_little(<<C:16/little, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_uint16_little(<<C:16/little, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_uint16_little(B, _, E, N, P) -> cut(B, 2, E, N, P).

count_uint32_big(<<C:32, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_uint32_big(<<C:32, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_uint32_big(B, _, E, N, P) -> cut(B, 4, E, N, P).

count_uint32_little(<<C:32/little, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_uint32_little(<<C:32/little, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_uint32_little(B, _, E, N, P) -> cut(B, 4, E, N, P).

count_int16_big(<<C:16/signed, _/binary>> = B, _, E, N, P) when C < 0 ->
    fail({out_of_range, C, -1, 32767}, [N | P], E - byte_size(B));
count_int16_big(<<C:16/signed, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_int16_big(<<C:16/signed, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_int16_big(B, _, E, N, P) -> cut(B, 2, E, N, P).

count_int16_little(<<C:16/little-signed, _/binary>> = B, _, E, N, P) when C < 0 ->
    fail({out_of_range, C, -1, 32767}, [N | P], E - byte_size(B));
count_int16_little(<<C:16/little-signed, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_int16_little(<<C:16/little-signed, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_int16_little(B, _, E, N, P) -> cut(B, 2, E, N, P).

count_int32_big(<<C:32/signed, _/binary>> = B, _, E, N, P) when C < 0 ->
    fail({out_of_range, C, -1, 2147483647}, [N | P], E - byte_size(B));
count_int32_big(<<C:32/signed, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_int32_big(<<C:32/signed, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_int32_big(B, _, E, N, P) -> cut(B, 4, E, N, P).

count_int32_little(<<C:32/little-signed, _/binary>> = B, _, E, N, P) when C < 0 ->
    fail({out_of_range, C, -1, 2147483647}, [N | P], E - byte_size(B));
count_int32_little(<<C:32/little-signed, R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
count_int32_little(<<C:32/little-signed, _/binary>> = B, Max, E, N, P) ->
    fail({too_long, C, Max}, [N | P], E - byte_size(B));
count_int32_little(B, _, E, N, P) -> cut(B, 4, E, N, P).

%% Texts and digits of fixed width.

%% Text in so many bytes; Pad fills what it does not need.
fixed_text(B, Count, Pad, E, N, P) ->
    case B of
        <<F:Count/binary, R/binary>> ->
            V = unpadded(F, Pad),
            {utf8(V, E - byte_size(R) - Count + byte_size(V), N, P), R};
        _ -> cut(B, Count, E, N, P)
    end.

%% Up to the first NUL, or without the other byte at the end.
unpadded(F, 0) -> hd(binary:split(F, <<0>>));
unpadded(F, Pad) ->
    Size = byte_size(F) - 1,
    case F of
        <<V:Size/binary, Pad>> -> unpadded(V, Pad);
        _ -> F
    end.

%% Two decimal digits in each of so many bytes.
digits(B, Count, E, N, P) ->
    case B of
        <<F:Count/binary, R/binary>> ->
            _ = decimal(F, E - byte_size(R), N, P),
            {<< <<($0 + X)>> || <<X:4>> <= F >>, R};
        _ -> cut(B, Count, E, N, P)
    end.

decimal(<<H:4, L:4, R/binary>>, E, N, P) when H =< 9, L =< 9 -> decimal(R, E, N, P);
decimal(<<X, R/binary>>, E, N, P) -> fail({invalid_digit, X}, [N | P], E - byte_size(R) - 1);
decimal(<<>>, _, _, _) -> ok.

%% What follows a text that is always the same; of its field, only the bytes of Text are looked at.
constant_text(B, Count, Text, E, N, P) ->
    case B of
        <<F:Count/binary, R/binary>> ->
            _ = same_text(F, Text, E - byte_size(B), N, P),
            R;
        _ -> cut(B, Count, E, N, P)
    end.

same_text(<<X, F/binary>>, <<X, T/binary>>, At, N, P) -> same_text(F, T, At + 1, N, P);
same_text(<<X, _/binary>>, <<Y, _/binary>>, At, N, P) -> fail({wrong_constant, X, Y}, [N | P], At);
same_text(_, <<>>, _, _, _) -> ok.

put_fixed_text(V, Count, Pad, N, P) ->
    _ = limited(string_value(V, N, P), Count, N, P),
    case unpadded(V, Pad) of
        V -> [V, binary:copy(<<Pad>>, Count - byte_size(V))];
        _ -> fail_without_offset(embedded_terminator, [N | P])
    end.

put_digits(V, Count, N, P) when is_binary(V) ->
    case << <<X>> || <<X>> <= V, X < $0 orelse X > $9 >> of
        <<>> when byte_size(V) =:= 2 * Count -> << <<(X - $0):4>> || <<X>> <= V >>;
        <<>> -> fail_without_offset({wrong_item_count, byte_size(V), 2 * Count}, [N | P]);
        <<X, _/binary>> -> fail_without_offset({invalid_digit, X}, [N | P])
    end;
put_digits(_, _, N, P) -> fail_without_offset({wrong_type, string}, [N | P]).

%% Text in UTF-16.

%% Text of C units of 16 bits, as UTF-8.
utf16({C, B}, Order, E, N, P) ->
    Size = 2 * C,
    case B of
        <<F:Size/binary, R/binary>> -> {from_utf16(F, Order, E - byte_size(R) - Size, N, P), R};
        _ -> cut(B, Size, E, N, P)
    end.

%% Half of a surrogate pair is refused where it stands.
from_utf16(F, Order, At, N, P) ->
    case unicode:characters_to_binary(F, {utf16, Order}, utf8) of
        V when is_binary(V) -> V;
        {_, _, Rest} -> fail(invalid_utf16, [N | P], At + byte_size(F) - iolist_size(Rest))
    end.

terminated_utf16(B, Max, Order, E, N, P) ->
    case units(B, 0) of
        none -> fail(missing_terminator, [N | P], E - byte_size(B));
        C when C > Max -> fail({too_long, C, Max}, [N | P], E - byte_size(B));
        C ->
            {V, <<0:16, R/binary>>} = utf16({C, B}, Order, E, N, P),
            {V, R}
    end.

rest_utf16(B, Max, Order, E, N, P) ->
    C = byte_size(B) div 2,
    C =< Max orelse fail({too_long, C, Max}, [N | P], E - byte_size(B)),
    2 * C =:= byte_size(B) orelse fail({truncated, 2, 1}, [N | P], E - 1),
    utf16({C, B}, Order, E, N, P).

fixed_utf16(B, Count, Pad, Order, E, N, P) ->
    case B of
        <<F:Count/binary, R/binary>> ->
            {from_utf16(unpadded_units(F, Pad, Order), Order, E - byte_size(R) - Count, N, P), R};
        _ -> cut(B, Count, E, N, P)
    end.

%% How many units there are before one of 0.
units(<<0:16, _/binary>>, C) -> C;
units(<<_:16, R/binary>>, C) -> units(R, C + 1);
units(_, _) -> none.

unpadded_units(F, 0, _) ->
    case units(F, 0) of
        none -> F;
        C -> binary:part(F, 0, 2 * C)
    end;
unpadded_units(F, Pad, Order) ->
    Size = byte_size(F) - 2,
    case F of
        <<V:Size/binary, Pad:16/big>> when Order =:= big -> unpadded_units(V, Pad, Order);
        <<V:Size/binary, Pad:16/little>> when Order =:= little -> unpadded_units(V, Pad, Order);
        _ -> F
    end.

utf16_value(V, Max, Order, N, P) ->
    B = unicode:characters_to_binary(string_value(V, N, P), utf8, {utf16, Order}),
    C = byte_size(B) div 2,
    C =< Max orelse fail_without_offset({too_long, C, Max}, [N | P]),
    B.

put_terminated_utf16(V, Max, Order, N, P) ->
    B = utf16_value(V, Max, Order, N, P),
    _ = without_nul(V, N, P),
    [B, 0, 0].

put_fixed_utf16(V, Count, Pad, Order, N, P) ->
    B = utf16_value(V, Count div 2, Order, N, P),
    case unpadded_units(B, Pad, Order) of
        B -> [B, binary:copy(unicode:characters_to_binary([Pad], unicode, {utf16, Order}), (Count - byte_size(B)) div 2)];
        _ -> fail_without_offset(embedded_terminator, [N | P])
    end.

%% Values with a number of items or bytes that no prefix says.

%% What must have so many bytes.
exact(V, Count, _, _) when byte_size(V) =:= Count -> V;
exact(V, Count, N, P) -> fail_without_offset({wrong_item_count, byte_size(V), Count}, [N | P]).

%% What must have at least so many bytes.
at_least(V, Count, _, _) when byte_size(V) >= Count -> V;
at_least(V, Count, N, P) -> fail_without_offset({length_too_small, byte_size(V), Count}, [N | P]).

%% The number of items or bytes that an earlier field says.
field_count(C, _, B, E, N, P) when C < 0 -> fail({length_too_small, C, 0}, [N | P], E - byte_size(B));
field_count(C, Max, B, _, _, _) when C =< Max -> {C, B};
field_count(C, Max, B, E, N, P) -> fail({too_long, C, Max}, [N | P], E - byte_size(B)).

%% The number for several fields, which must be the same; Add is what a reader adds to it.
agreed(none, C, _, _, _) -> C;
agreed(C, C, _, _, _) -> C;
agreed(D, C, Add, N, P) -> fail_without_offset({wrong_item_count, C + Add, D + Add}, [N | P]).

%% An item that must not begin with the byte which ends its list.
not_beginning_with(Byte, <<Byte, _/binary>>, N, P) -> fail_without_offset(embedded_terminator, [N | P]);
not_beginning_with(_, V, _, _) -> V.

%% What may have so many bytes, and zeros after it.
filled(V, Count, N, P) -> [limited(V, Count, N, P), binary:copy(<<0>>, Count - byte_size(V))].

%% A tag that no arm has: a reader would take the bytes for the value of that arm.
kept_tag(T, Known, N, P) ->
    lists:member(T, Known) andalso fail_without_offset({known_case, T}, [N | P]),
    T.

%% The value of a field that is set exactly when its condition holds.
present(undefined, false, _, _) -> undefined;
present(undefined, true, N, P) -> fail_without_offset({presence, not_set}, [N | P]);
present(_, false, N, P) -> fail_without_offset({presence, set}, [N | P]);
present(V, true, _, _) -> V.

%% Fields of the packet with a condition.

count_if(true, Count) -> Count;
count_if(false, _) -> 0.

bit_if(true) -> 1;
bit_if(false) -> 0.

most(true, Max, _) -> Max;
most(false, Max, Size) -> min(Max, Size).

%% The size of a packet by one of its lengths, which must agree with an earlier one.
agreeing_size(Size, undefined, _, _, _, _) -> Size;
agreeing_size(Size, Other, Length, Difference, Name, Offset) ->
    same_size(Size, Other, Length, Difference, Name, Offset),
    Size.

%% A packet in which no length is there has an empty payload.
size_or(undefined, Size, Max) when Size =< Max -> Size;
size_or(undefined, Size, Max) -> fail({packet_too_long, Size, Size, Max}, [], 0);
size_or(Size, _, _) -> Size.

append_id(true, Id, Width, Bits) -> (Id bsl Width) bor Bits;
append_id(false, Id, _, _) -> Id.

header_fields(Fields, Header) ->
    lists:foldl(
        fun({true, Key, Value}, H) -> H#{Key => Value};
           ({false, _, _}, H) -> H
        end, Header, Fields).

%% What stands for a field that is not there, and so must not be set.
absent(Key, Header, Name, Nothing) ->
    case maps:is_key(Key, Header) of
        true -> fail_without_offset({presence, set}, [Name, packet]);
        false -> Nothing
    end.

bytes_of(true, Bytes) -> Bytes;
bytes_of(false, _) -> <<>>.

%% Checksums that Erlang has no function for, of iodata. The tables have the remainders of half a byte, so that they are short.

crc32c(Data) -> reflected_crc(iolist_to_binary(Data), 16#FFFFFFFF, castagnoli()) bxor 16#FFFFFFFF.

crc16_arc(Data) -> reflected_crc(iolist_to_binary(Data), 0, crc_ibm()).

crc16_modbus(Data) -> reflected_crc(iolist_to_binary(Data), 16#FFFF, crc_ibm()).

crc16_kermit(Data) -> reflected_crc(iolist_to_binary(Data), 0, crc_ccitt_reflected()).

crc16_x25(Data) -> reflected_crc(iolist_to_binary(Data), 16#FFFF, crc_ccitt_reflected()) bxor 16#FFFF.

crc16_ccitt_false(Data) -> crc16(iolist_to_binary(Data), 16#FFFF, crc_ccitt()).

crc16_xmodem(Data) -> crc16(iolist_to_binary(Data), 0, crc_ccitt()).

sum8(Data) -> sum_bytes(iolist_to_binary(Data), 0).

xor8(Data) -> xor_bytes(iolist_to_binary(Data), 0).

%% A CRC whose bytes begin with the least significant bit.
reflected_crc(<<Byte, Rest/binary>>, Crc, Table) ->
    Half = element((Crc bxor Byte) band 15 + 1, Table) bxor (Crc bsr 4),
    reflected_crc(Rest, element((Half bxor (Byte bsr 4)) band 15 + 1, Table) bxor (Half bsr 4), Table);
reflected_crc(<<>>, Crc, _) -> Crc.

%% A CRC of 16 bits whose bytes begin with the most significant bit.
crc16(<<High:4, Low:4, Rest/binary>>, Crc, Table) ->
    Half = (element(((Crc bsr 12) bxor High) + 1, Table) bxor (Crc bsl 4)) band 16#FFFF,
    crc16(Rest, (element(((Half bsr 12) bxor Low) + 1, Table) bxor (Half bsl 4)) band 16#FFFF, Table);
crc16(<<>>, Crc, _) -> Crc.

sum_bytes(<<Byte, Rest/binary>>, Sum) -> sum_bytes(Rest, (Sum + Byte) band 255);
sum_bytes(<<>>, Sum) -> Sum.

xor_bytes(<<Byte, Rest/binary>>, Xor) -> xor_bytes(Rest, Xor bxor Byte);
xor_bytes(<<>>, Xor) -> Xor.

castagnoli() ->
    {16#00000000, 16#105EC76F, 16#20BD8EDE, 16#30E349B1, 16#417B1DBC, 16#5125DAD3, 16#61C69362, 16#7198540D,
     16#82F63B78, 16#92A8FC17, 16#A24BB5A6, 16#B21572C9, 16#C38D26C4, 16#D3D3E1AB, 16#E330A81A, 16#F36E6F75}.

crc_ibm() ->
    {16#0000, 16#CC01, 16#D801, 16#1400, 16#F001, 16#3C00, 16#2800, 16#E401,
     16#A001, 16#6C00, 16#7800, 16#B401, 16#5000, 16#9C01, 16#8801, 16#4400}.

crc_ccitt_reflected() ->
    {16#0000, 16#1081, 16#2102, 16#3183, 16#4204, 16#5285, 16#6306, 16#7387,
     16#8408, 16#9489, 16#A50A, 16#B58B, 16#C60C, 16#D68D, 16#E70E, 16#F78F}.

crc_ccitt() ->
    {16#0000, 16#1021, 16#2042, 16#3063, 16#4084, 16#50A5, 16#60C6, 16#70E7,
     16#8108, 16#9129, 16#A14A, 16#B16B, 16#C18C, 16#D1AD, 16#E1CE, 16#F1EF}.

%% States of a connection.

%% The number of a state in a context; 0 if it has not been set.
state(Key, Context) ->
    case Context of
        #{state := #{Key := V}} -> state_number(Key, V);
        _ -> 0
    end.

check_states(#{state := States}, Known) when is_map(States) ->
    case maps:keys(States) -- Known of
        [] -> ok;
        [Key | _] -> fail_without_offset({unknown_state, Key}, [])
    end;
check_states(_, _) -> ok.

put_state(Key, V, Context) ->
    States = maps:get(state, Context, #{}),
    Context#{state => States#{Key => V}}.

state_bits(Names, Masks, Name) ->
    lists:foldl(
        fun(N, Bits) ->
            case lists:keyfind(N, 1, Masks) of
                {_, Mask} -> Bits bor Mask;
                false when is_integer(N) -> Bits bor N;
                false -> fail_without_offset({wrong_type, integer}, [Name, <<"state">>])
            end
        end,
        0,
        Names
    ).

state_in_range(V, Min, Max, _) when is_integer(V), V >= Min, V =< Max -> V;
state_in_range(V, Min, Max, Name) when is_integer(V) ->
    fail_without_offset({out_of_range, V, Min, Max}, [Name, <<"state">>]);
state_in_range(_, _, _, Name) -> fail_without_offset({wrong_type, integer}, [Name, <<"state">>]).

%% What opens and seals packets with layers.
%%
%% The functions pass on what changes from packet to packet: the context, how many bytes layers may still make of the outermost
%% packet, how many packets were in it so far, the IDs of its messages, the last one first, and layers whose keystream goes on:
%% on opening those of the packets around, on sealing those of the packets inside.

open_packet(Sender, Depth, B, St0) ->
    Shape = shape(Sender, Depth > 0, element(1, St0)),
    {_, H, P, End, Rest, _, Count, Rules} = unwrap_outer(Shape, B),
    Fields = #{
        header => H, bytes => bytes_between(B, 0, End - byte_size(P)), content => P, rules => Rules,
        count => Count, start => 0, inside => none
    },
    {Opened, St} = lists:foldl(
        fun(Section, {O, S}) -> open_section(Sender, Section, O, S) end, {Fields, St0}, sections(Shape)
    ),
    #{bytes := Bytes, content := Content, start := Start} = Opened,
    same_content_count(Opened, counter(Shape)),
    Trailer = bytes_between(B, End, byte_size(B) - byte_size(Rest)),
    Flat = <<Bytes/binary, Content/binary, Trailer/binary>>,
    {Id, Header, _, _, _, _, _, Known} = moved(Start, fun() -> unwrap_flat(Shape, {Sender, Start}, Flat) end),
    ContentEnd = byte_size(Bytes) - Start + byte_size(Content),
    {Message, Next} = open_content(Sender, Depth, Id, Header, Content, ContentEnd, Known, St),
    {Header, Message, Rest, Next}.

open_section(Sender, {Layers, Inside}, Opened, St) ->
    {O, S} = lists:foldl(
        fun(N, {O1, S1}) ->
            case element(N, maps:get(rules, O1)) of
                true -> open_layer(Sender, N, O1, S1);
                false -> {O1, S1}
            end
        end,
        {Opened, St},
        Layers
    ),
    {opened_fields(Inside, O), S}.

open_layer(Sender, N, #{header := H, bytes := Bytes, content := Sealed, count := Count} = O, St) ->
    {Kind, Name} = layer(N),
    {Context, Left, Packets, Ids, Streams} = St,
    content_count_within(Count, Name),
    AllStreams = with_stream(N, Name, Streams),
    {Content, Next} = opened_layer(Kind, Name, Sealed, H, {Sender, N}, Left, Context),
    Made = made(Kind, Content),
    {
        O#{content := Content, start := byte_size(Bytes), inside := counted_size(N, Content, maps:get(inside, O))},
        {Next, Left - Made, Packets, Ids, AllStreams}
    }.

%% The layers with a layer whose keystream goes on from packet to packet. Inner packets are sealed first and opened
%% last, so the two ends would use it in another order if it were there twice.
with_stream(N, Name, Streams) ->
    case {is_lasting(N), lists:member(N, Streams)} of
        {true, true} -> fail_without_offset({invalid_layer, nested_keystream}, [Name, packet]);
        {true, false} -> [N | Streams];
        {false, _} -> Streams
    end.

%% The fields that stand inside of a layer.
opened_fields(none, O) -> O;
opened_fields({Unwrap, _, _}, #{bytes := Bytes, content := Content, start := Start, count := Outer} = O) ->
    Whole = <<Bytes/binary, Content/binary>>,
    {_, H, P, End, _, _, Count, Rules} = moved(Start, fun() -> unwrap_whole(Unwrap, Whole) end),
    O#{
        header := H, bytes := bytes_between(Whole, 0, End - byte_size(P)), content := P, rules := Rules,
        count := content_count(Outer, Count, Start)
    }.

content_count(none, {V, Offset}, Start) -> {V, Offset - Start};
content_count(Count, _, _) -> Count.

%% A count over the limit is refused before anything is made.
content_count_within({V, _}, Name) ->
    V - content_constant() =< max_inflated() orelse
        fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet]);
content_count_within(none, _) -> true.

same_content_count(#{count := {V, Offset}, inside := Inside}, {_, Name, _}) ->
    Expected =
        case Inside of
            none -> 0;
            _ -> Inside + content_constant()
        end,
    V =:= Expected orelse fail({length_mismatch, V, Expected}, [Name, packet], Offset);
same_content_count(_, _) -> true.

%% Whole packets, bytes that are not read, or a message.
open_content(Sender, Depth, Id, Header, Content, End, Rules, St) ->
    {Context, Left, Packets, Ids, Streams} = St,
    case {element(tuple_size(Rules) - 1, Rules), element(tuple_size(Rules), Rules)} of
        {true, _} ->
            require_depth(Depth),
            {Messages, Next} = open_packets(Sender, Depth + 1, Content, 0, St),
            {{packets, Id, Messages}, Next};
        % A part of a message sets no state.
        {_, true} -> {{unknown, Id, Content}, St};
        _ -> {content_message(Sender, Id, Content, End, Header), {Context, Left, Packets, [Id | Ids], Streams}}
    end.

require_depth(Depth) ->
    Depth < max_nested() orelse fail_without_offset({too_deep, max_nested()}, []).

%% The same for a packet between marks.
framed_next(Sender, Depth, B, St) ->
    {Packet, Rest} = unframe(B),
    {Header, Message, <<>>, Next} = unwrap_whole(fun(P) -> open_packet(Sender, Depth, P, St) end, Packet),
    {Header, Message, Rest, Next}.

open_packets(Sender, Depth, B, Index, {Context, Left, Packets, Ids, Streams} = St) ->
    case ends_packets(B) of
        true -> {[], St};
        false ->
            require_packet_count(Packets),
            {Header, Message, Rest, S} = inner_packet(Index, byte_size(B), fun() ->
                next_packet(Sender, Depth, B, {Context, Left, Packets + 1, Ids, Streams})
            end),
            {More, Next} = open_packets(Sender, Depth, Rest, Index + 1, setelement(5, S, Streams)),
            {[{Header, Message} | More], Next}
    end.

require_packet_count(Count) ->
    Count < 65536 orelse throw({error, #{reason => {too_long, Count + 1, 65536}, path => <<"packets">>}}).

%% Does something with a packet inside of another one, whose errors get its place.
inner_packet(Index, Size, Do) ->
    try
        Do()
    catch
        throw:{more, Count} ->
            throw({error, inner_fault(Index, #{reason => {truncated, Count, 0}, path => <<>>, offset => Size})});
        throw:{error, Error} -> throw({error, inner_fault(Index, Error)})
    end.

inner_fault(Index, #{path := Path} = Error) ->
    Place = <<"packets[", (integer_to_binary(Index))/binary, "]">>,
    Dot =
        case Path of
            <<>> -> <<>>;
            _ -> <<".">>
        end,
    Error#{path := <<Place/binary, Dot/binary, Path/binary>>}.

%% Does something with the fields before a layer and its content: offsets count from the content.
moved(Start, Do) ->
    try
        Do()
    catch
        throw:{error, #{offset := Offset} = Error} -> throw({error, Error#{offset := Offset - Start}})
    end.

seal(Sender, Depth, Header, {packets, Id, Items}, St) when is_integer(Id), Id >= 0, is_list(Items) ->
    require_depth(Depth),
    {Packets, Next} = seal_all(Sender, Depth + 1, Items, 0, St),
    seal_packet(Sender, Depth, packets, Id, Packets, Header, Next);
seal(Sender, Depth, Header, Message, St) ->
    {Id, Payload} = message_payload(Message, Header),
    Kind =
        case Message of
            {unknown, _, _} -> any;
            _ -> message
        end,
    seal_packet(Sender, Depth, Kind, Id, Payload, completed_header(Message, Header), St).

seal_all(_, _, [], _, St) -> {[], St};
seal_all(Sender, Depth, [Item | Items], Index, {Context, Left, Packets, Ids, Streams}) ->
    require_packet_count(Packets),
    {Header, Message} =
        case Item of
            {H, M} when is_map(H) -> {H, M};
            _ -> {#{}, Item}
        end,
    {Packet, St} = inner_packet(Index, 0, fun() ->
        seal(Sender, Depth, Header, Message, {Context, Left, Packets + 1, Ids, []})
    end),
    {More, Next} = seal_all(Sender, Depth, Items, Index + 1, setelement(5, St, Streams ++ element(5, St))),
    {[Packet | More], Next}.

seal_packet(Sender, Depth, Kind, Id, Payload, Given, St) ->
    Shape = shape(Sender, Depth > 0, element(1, St)),
    only_settable(Given, settable_keys()),
    Header = with_content_count(counter(Shape), Shape, Sender, Id, Given, Payload, element(1, St)),
    {Known, Rules} = known_fields(Shape, Sender, Id, Header),
    require_kind(Kind, element(tuple_size(Rules) - 1, Rules), element(tuple_size(Rules), Rules)),
    Fields = #{
        given => maps:merge(maps:with(id_keys(), Known), Header), known => Known, rules => Rules,
        content => Payload, count => counter(Shape),
        try_count => fun(Key, V) -> known_fields(Shape, Sender, Id, Header#{Key => V}) end
    },
    {Context, Left, Packets, Ids, Streams} = St,
    Begun =
        case {element(tuple_size(Rules) - 1, Rules), element(tuple_size(Rules), Rules)} of
            {false, false} -> {Context, Left, Packets, [Id | Ids], Streams};
            _ -> St
        end,
    {Sealed, Next} = lists:foldr(
        fun(Section, {S, S1}) -> seal_section(Sender, Section, S, S1) end, {Fields, Begun}, sections(Shape)
    ),
    #{content := Content, given := All} = set_content_count(none, Sealed),
    {framed_packet(wrap_outer(Shape, Content, All)), Next}.

%% The fields of a packet that are known before its layers are sealed, and which conditions hold.
known_fields(Shape, Sender, Id, Header) ->
    B = iolist_to_binary(wrap_flat(Shape, Id, Header)),
    {_, Known, _, _, _, _, _, Rules} = unwrap_flat(Shape, {Sender, 0}, B),
    {Known, Rules}.

require_kind(any, _, _) -> true;
require_kind(Kind, HasPackets, IsOpaque) ->
    (Kind =:= packets) =:= HasPackets orelse wrong_kind(HasPackets, <<"packets">>),
    HasPackets orelse not IsOpaque orelse wrong_kind(IsOpaque, <<"opaque">>).

-spec wrong_kind(true | false, binary()) -> no_return().
wrong_kind(true, Line) -> throw({error, #{reason => {presence, not_set}, path => Line}});
wrong_kind(false, Line) -> throw({error, #{reason => {presence, set}, path => Line}}).

%% The header with a number for a field that counts the content, if layers ask for it: 0 for a packet without them.
with_settable_count({Key, _, true}, Shape, Sender, Id, Header, Payload, Context) when not is_map_key(Key, Header) ->
    case {known_fields(Shape, Sender, Id, Header), Context} of
        {{Known, _}, _} when not is_map_key(Key, Known) -> Header;
        {{Known, _}, #{layers := #{threshold := Least}}} ->
            Given = maps:merge(maps:with([Key | id_keys()], Known), Header),
            {_, Inside} = lists:last(sections(Shape)),
            Count = iolist_size(sealed_fields(Inside, Given, Payload)),
            Header#{Key => bit_if(Count >= Least)};
        _ -> Header#{Key => 0}
    end;
with_settable_count(_, _, _, _, Header, _, _) -> Header.

seal_section(Sender, {Layers, Inside}, Fields0, St) ->
    #{content := Content, given := Given} = Fields = count_around(Layers, Fields0),
    lists:foldr(
        fun(N, {F, S}) ->
            case element(N, maps:get(rules, F)) of
                true -> seal_layer(Sender, N, F, S);
                false -> {F, S}
            end
        end,
        {Fields#{content := sealed_fields(Inside, Given, Content)}, St},
        Layers
    ).

seal_layer(Sender, N, Fields, {Context, Left, Packets, Ids, Streams}) ->
    {Kind, Name} = layer(N),
    AllStreams = with_stream(N, Name, Streams),
    #{content := Data, known := Known} = F = set_content_count(counted, Fields),
    Content = iolist_to_binary(Data),
    Made = made(Kind, Content),
    Made =< Left orelse fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet]),
    {Sealed, Next} = sealed_layer(Kind, Name, Content, Known, {Sender, N}, Context),
    {F#{content := Sealed}, {Next, Left - Made, Packets, Ids, AllStreams}}.

%% What a section's fields and what follows them are in bytes. Fields before are written for their conditions only.
sealed_fields(none, _, Content) -> Content;
sealed_fields({Unwrap, Wrap, Keys}, Given, Content) ->
    B = iolist_to_binary(Wrap(0, Content, maps:with(Keys, Given))),
    {_, _, _, _, _, Start, _, _} = Unwrap(B),
    bytes_between(B, Start, byte_size(B)).

%% Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.
set_content_count(Layers, #{count := {Key, Name, _}, known := Known, rules := Rules, given := Given} = Fields) when
    is_map_key(Key, Known)
->
    Count =
        case Layers of
            none -> 0;
            counted -> iolist_size(maps:get(content, Fields)) + content_constant()
        end,
    {_, Same} = (maps:get(try_count, Fields))(Key, Count),
    Same =:= Rules orelse fail_without_offset({length_too_small, Count, 1}, [Name, packet]),
    Fields#{count := none, known := Known#{Key := Count}, given := Given#{Key => Count}};
set_content_count(_, Fields) -> Fields#{count := none}.

%% The transforms of layers: zlib and crypto of Erlang/OTP, XOR and RC4, and what the program gives.

%% The bytes that count against the limit. A cipher's content is as long as what it opens.
made({zlib, _}, B) -> byte_size(B);
made({program, _}, B) -> byte_size(B);
made(_, _) -> 0.

%% The 16 bytes with which a cipher begins.
first_block({key, Key}, Name, _, Sender, Context) -> key(Key, Name, Sender, 16, 16, Context);
first_block({field, Key}, _, Header, _, _) -> maps:get(Key, Header).

%% A layer of the program's own.
opened_by_program(Key, Name, B, Header, {Sender, _}, Left, Context) ->
    #{open := Open} = Layer = own_layer(Key, Name, Sender, Context),
    case Open(B, Header, Left) of
        {ok, Content} when byte_size(Content) =< Left -> {Content, Context};
        {ok, Content, Next} when byte_size(Content) =< Left ->
            {Content, put_own_layer(Key, Sender, maps:merge(Layer, Next), Context)};
        {error, Reason} when Reason =/= inflated_too_long ->
            fail_without_offset({invalid_layer, Reason}, [Name, packet]);
        _ -> fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet])
    end.

sealed_by_program(Key, Name, B, Header, {Sender, _}, Context) ->
    #{seal := Seal} = Layer = own_layer(Key, Name, Sender, Context),
    case Seal(B, Header) of
        {ok, Sealed} -> {iolist_to_binary(Sealed), Context};
        {ok, Sealed, Next} ->
            {iolist_to_binary(Sealed), put_own_layer(Key, Sender, maps:merge(Layer, Next), Context)};
        {error, Reason} -> fail_without_offset({invalid_layer, Reason}, [Name, packet])
    end.

%% XOR, RC4 and AES in counter mode are the same in both directions.
xor_layer(Key, Name, B, {Sender, _}, Context) ->
    {xor_with_key(B, key(Key, Name, Sender, 1, 65536, Context)), Context}.

rc4_layer(Key, Name, B, {Sender, _} = Place, Context) ->
    Bytes = key(Key, Name, Sender, 1, 256, Context),
    {Data, Stream} = rc4_bytes(B, stream(Place, Context, fun() -> rc4_begin(Bytes) end), []),
    {Data, put_stream(Place, Stream, Context)}.

%% The keystream goes on from packet to packet.
aes_ctr_layer(Key, Vector, Name, B, {Sender, _} = Place, Context) ->
    Count = stream(Place, Context, fun() -> 0 end),
    Start = key(Vector, Name, Sender, 16, 16, Context),
    {aes_ctr(Key, Start, Count, Name, B, Sender, Context), put_stream(Place, Count + byte_size(B), Context)}.

%% Each packet begins with a field of its header.
aes_ctr_packet(Key, Start, Name, B, {Sender, _}, Context) ->
    {aes_ctr(Key, Start, 0, Name, B, Sender, Context), Context}.

opened_aes_cbc(Key, Start, Name, B, {Sender, _}, Context) ->
    B =/= <<>> andalso byte_size(B) rem 16 =:= 0 orelse
        fail_without_offset({invalid_layer, broken_block}, [Name, packet]),
    {aes_unpadded(aes_cbc(false, Key, Start, Name, B, Sender, Context), Name), Context}.

sealed_aes_cbc(Key, Start, Name, B, {Sender, _}, Context) ->
    Count = 16 - byte_size(B) rem 16,
    Padded = <<B/binary, (binary:copy(<<Count>>, Count))/binary>>,
    {aes_cbc(true, Key, Start, Name, Padded, Sender, Context), Context}.

%% Where a keystream goes on.
stream(Place, Context, Begin) ->
    case Context of
        #{streams := #{Place := Stream}} -> Stream;
        _ -> Begin()
    end.

put_stream(Place, Stream, Context) ->
    Streams = maps:get(streams, Context, #{}),
    Context#{streams => Streams#{Place => Stream}}.

key(Key, Name, Sender, Least, Most, Context) ->
    Bytes =
        case Context of
            #{keys := #{Key := #{Sender := B}}} -> B;
            #{keys := #{Key := B}} when is_binary(B) -> B;
            _ -> fail_without_offset({layer_unavailable, {key, Key}}, [Name, packet])
        end,
    byte_size(Bytes) >= Least andalso byte_size(Bytes) =< Most orelse
        fail_without_offset({wrong_key, Key, byte_size(Bytes)}, [Name, packet]),
    Bytes.

%% What the program gives for brotli and for layers of its own.
own_layer(Key, Name, Sender, Context) ->
    case Context of
        #{layers := #{Key := #{Sender := Layer}}} -> Layer;
        #{layers := #{Key := #{open := _, seal := _} = Layer}} -> Layer;
        _ -> fail_without_offset({layer_unavailable, {transform, Key}}, [Name, packet])
    end.

put_own_layer(Key, Sender, Layer, #{layers := Layers} = Context) ->
    Senders =
        case Layers of
            #{Key := #{open := _} = Both} -> #{cs => Both, sc => Both};
            #{Key := Each} -> Each
        end,
    Context#{layers := Layers#{Key := Senders#{Sender => Layer}}}.

inflated(B, Bits, Left, Name) ->
    case inflate(B, Bits, error, Left) of
        {ok, Content} -> Content;
        _ -> not_inflated(inflate(B, Bits, cut, Left), B, Bits, Left, Name)
    end.

%% Finds what is wrong: a stream after which others follow is one that ends well if they are cut.
-spec not_inflated({ok, binary()} | atom(), binary(), integer(), integer(), binary()) -> no_return().
not_inflated({ok, _}, B, Bits, _, Name) ->
    fail_without_offset({trailing_bytes, byte_size(B) - stream_size(B, Bits)}, [Name, packet]);
not_inflated(too_long, _, _, _, Name) ->
    fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet]);
not_inflated(damaged, B, Bits, Left, Name) ->
    %% Of what comes before a flaw zlib keeps the last bytes back. They are few, as the first try has stopped at the limit.
    case inflate(binary:part(B, 0, stream_size(B, Bits)), Bits, cut, Left) of
        too_long -> not_inflated(too_long, B, Bits, Left, Name);
        _ -> fail_without_offset({invalid_layer, damaged}, [Name, packet])
    end;
not_inflated(cut, _, _, _, Name) -> fail_without_offset({invalid_layer, cut}, [Name, packet]).

inflate(B, Bits, AtEnd, Left) ->
    with_inflation(Bits, AtEnd, fun(Z) ->
        try inflate_part(Z, zlib:safeInflate(Z, B), Left, []) of
            too_long -> too_long;
            Content -> end_inflation(Z, Content)
        catch
            error:data_error -> damaged;
            error:{need_dictionary, _} -> damaged
        end
    end).

inflate_part(Z, {Progress, Data}, Left, Parts) ->
    case iolist_size(Data) of
        Size when Size > Left -> too_long;
        Size when Progress =:= continue ->
            inflate_part(Z, zlib:safeInflate(Z, []), Left - Size, [Parts, Data]);
        _ -> iolist_to_binary([Parts, Data])
    end;
inflate_part(_, {need_dictionary, _, _}, _, _) -> error(data_error).

end_inflation(Z, Content) ->
    try
        zlib:inflateEnd(Z),
        {ok, Content}
    catch
        error:data_error -> cut
    end.

with_inflation(Bits, AtEnd, Do) ->
    Z = zlib:open(),
    try
        ok = zlib:inflateInit(Z, Bits, AtEnd),
        Do(Z)
    after
        zlib:close(Z)
    end.

%% How many bytes a stream has after which others follow: zlib says only that there are some.
stream_size(B, Bits) -> stream_size(B, Bits, 0, 1024).

stream_size(B, Bits, Start, Step) ->
    Taken = with_inflation(Bits, error, fun(Z) ->
        skip_inflated(Z, binary:part(B, 0, Start)),
        steps_inflated(Z, B, Start, Step)
    end),
    case Step of
        1 -> Taken;
        _ -> stream_size(B, Bits, Taken, 1)
    end.

skip_inflated(Z, B) -> drop_inflated(Z, zlib:safeInflate(Z, B)).

drop_inflated(Z, {continue, _}) -> drop_inflated(Z, zlib:safeInflate(Z, []));
drop_inflated(_, _) -> ok.

steps_inflated(_, B, Start, _) when Start >= byte_size(B) -> byte_size(B);
steps_inflated(Z, B, Start, Step) ->
    Count = min(Step, byte_size(B) - Start),
    try skip_inflated(Z, binary:part(B, Start, Count)) of
        ok -> steps_inflated(Z, B, Start + Count, Step)
    catch
        error:data_error -> Start
    end.

deflated(B, Bits, Context) ->
    Level =
        case Context of
            #{layers := #{zlib_level := L}} -> L;
            _ -> default
        end,
    Z = zlib:open(),
    try
        ok = zlib:deflateInit(Z, Level, deflated, Bits, 8, default),
        iolist_to_binary(zlib:deflate(Z, B, finish))
    after
        zlib:close(Z)
    end.

xor_with_key(B, Key) ->
    Count = byte_size(B) div byte_size(Key),
    Rest = binary:part(Key, 0, byte_size(B) rem byte_size(Key)),
    xor_equally_long(B, <<(binary:copy(Key, Count))/binary, Rest/binary>>).

xor_equally_long(B, Stream) ->
    Bits = bit_size(B),
    <<X:Bits>> = B,
    <<Y:Bits>> = Stream,
    <<(X bxor Y):Bits>>.

%% RC4: the table and the two indices.
rc4_begin(Key) -> rc4_mix(Key, 0, 0, list_to_tuple(lists:seq(0, 255))).

rc4_mix(_, 256, _, Table) -> {Table, 0, 0};
rc4_mix(Key, I, J, Table) ->
    X = element(I + 1, Table),
    K = (J + X + binary:at(Key, I rem byte_size(Key))) band 255,
    rc4_mix(Key, I + 1, K, setelement(K + 1, setelement(I + 1, Table, element(K + 1, Table)), X)).

rc4_bytes(<<>>, Stream, Data) -> {list_to_binary(lists:reverse(Data)), Stream};
rc4_bytes(<<V, R/binary>>, {Table, I, J}, Data) ->
    Next = (I + 1) band 255,
    X = element(Next + 1, Table),
    K = (J + X) band 255,
    Y = element(K + 1, Table),
    Mixed = setelement(K + 1, setelement(Next + 1, Table, Y), X),
    rc4_bytes(R, {Mixed, Next, K}, [V bxor element(((X + Y) band 255) + 1, Mixed) | Data]).

aes_cbc(IsEncrypting, Key, Start, Name, B, Sender, Context) ->
    Bytes = aes_key(Key, Name, Sender, Context),
    Cipher = aes_cipher(cbc, byte_size(Bytes)),
    Options = [{encrypt, IsEncrypting}, {padding, none}],
    with_crypto(Name, fun() -> crypto:crypto_one_time(Cipher, Bytes, Start, B, Options) end).

%% - Count: how many bytes of the keystream were used before.
aes_ctr(Key, <<First:128>>, Count, Name, B, Sender, Context) ->
    Bytes = aes_key(Key, Name, Sender, Context),
    Cipher = aes_cipher(ctr, byte_size(Bytes)),
    Skipped = Count rem 16,
    Block = <<(First + Count div 16):128>>,
    Input = <<0:(8 * Skipped), B/binary>>,
    Data = with_crypto(Name, fun() -> crypto:crypto_one_time(Cipher, Bytes, Block, Input, true) end),
    bytes_between(Data, Skipped, byte_size(Data)).

aes_cipher(cbc, 16) -> aes_128_cbc;
aes_cipher(cbc, 24) -> aes_192_cbc;
aes_cipher(cbc, 32) -> aes_256_cbc;
aes_cipher(ctr, 16) -> aes_128_ctr;
aes_cipher(ctr, 24) -> aes_192_ctr;
aes_cipher(ctr, 32) -> aes_256_ctr.

aes_key(Key, Name, Sender, Context) ->
    case key(Key, Name, Sender, 16, 32, Context) of
        Bytes when byte_size(Bytes) rem 8 =:= 0 -> Bytes;
        Bytes -> fail_without_offset({wrong_key, Key, byte_size(Bytes)}, [Name, packet])
    end.

with_crypto(Name, Do) ->
    try
        Do()
    catch
        error:undef -> fail_without_offset({layer_unavailable, {library, crypto}}, [Name, packet]);
        error:{notsup, _, _} -> fail_without_offset({layer_unavailable, {library, crypto}}, [Name, packet])
    end.

aes_unpadded(B, Name) ->
    Count = binary:last(B),
    Size = byte_size(B) - Count,
    case Count >= 1 andalso Count =< 16 andalso binary:part(B, Size, Count) =:= binary:copy(<<Count>>, Count) of
        true -> binary:part(B, 0, Size);
        false -> fail_without_offset({invalid_layer, wrong_padding}, [Name, packet])
    end.
%% #endregion

%% The functions of a protocol that the generator prints, for a packet with a count and one layer.

-type header() :: map().
-type message() :: {note, binary()} | {unknown, non_neg_integer(), binary()}.
-type context() :: map().

sender_of(_, _) -> cs.

state_number(_, V) -> V.

shape(Sender, IsNested, _) -> {Sender, IsNested}.

unwrap_outer(_, B) -> unwrap(B).

wrap_outer(_, Content, _) -> Content.

unwrap_flat(_, _, B) -> unwrap(B).

wrap_flat(_, _, _) -> <<0>>.

unwrap(<<Count, Content/binary>>) ->
    {1, #{count => Count}, Content, 1 + byte_size(Content), <<>>, 0, {Count, 0}, {true, false, false}}.

wrap(_, Content, _) -> Content.

sections(_) -> [{[1], {fun unwrap/1, fun wrap/3, [count]}}].

counter(_) -> {count, <<"count">>, true}.

layer(1) -> {{rc4, key}, <<"rc4">>}.

is_lasting(N) -> N =:= 1.

frame_marks() -> {16#7E, 16#7E, 1024, [<<16#7E>>, <<16#7D>>]}.

is_plain(V) -> V =/= 16#7E andalso V =/= 16#7D.

escaped(16#7E) -> <<16#7D, 16#02>>;
escaped(16#7D) -> <<16#7D, 16#01>>;
escaped(V) -> <<V>>.

unescaped(16#7D, 16#02) -> 16#7E;
unescaped(16#7D, 16#01) -> 16#7D;
unescaped(_, _) -> none.

message(_, 1, B, _, _) -> {note, B};
message(_, Id, B, _, _) -> {unknown, Id, B}.

payload({note, B}, _) -> {1, B};
payload({unknown, Id, B}, _) -> {Id, B}.

fix(_, Header) -> Header.

sets(_, _, Context) -> Context.
