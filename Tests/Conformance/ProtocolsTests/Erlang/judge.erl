%% SPDX-License-Identifier: Apache-2.0
%%
%% Compares what a generated module makes of packets with what Swift makes of them. Cases are terms in their external
%% format:
%%
%%   {value, Side, Packet, Settable, Header, Message}   the packet is this message, with this header
%%   {refused, Side, Settable, Message, Path}           the field with this path keeps the message from being written
%%   {verdict, Side, Bytes, Verdict}                    the bytes are found to be {ok, ByteCount, Again}, {more, ByteCount}
%%                                                      or {error, Reason, Path, Offset}
%%
%% A side is `cs` or `sc`, or {Side, States} in a protocol whose packets depend on states.
%%
%% The first answer is the number of cases; what follows says where the two differ.
-module(judge).
-export([cases/2, encoded/2]).

cases(M, Frames) ->
    Found = [{catch_all(M, binary_to_term(F)), F} || F <- Frames],
    Different = [io_lib:format("~0tP: ~0tP", [binary_to_term(F), 150, Why, 150]) || {Why, F} <- Found, Why =/= same],
    Abused = abuse(M, [binary_to_term(F) || F <- lists:sublist(Frames, 100)]),
    [integer_to_list(length(Frames)) | [unicode:characters_to_binary(D) || D <- Different ++ Abused]].

%% What a module answers to terms {Side, Header, Message}, of whatever form: {ok, Packet}, {error, Error} or `crash`.
encoded(M, Frames) ->
    [term_to_binary(answer_to(M, binary_to_term(F))) || F <- Frames].

answer_to(M, {Side, Header, Message}) ->
    try
        flat(encode(M, Side, Header, Message))
    catch
        error:_ -> crash
    end.

catch_all(M, Case) ->
    try
        judge(M, Case)
    catch
        Class:Reason:Stack -> {Class, Reason, Stack}
    end.

judge(M, {value, Side, Packet, Settable, Header, Message}) ->
    More = <<Packet/binary, 7, 8, 9>>,
    first([
        {written, {ok, Packet}, flat(encode(M, Side, Settable, Message))},
        {read, {ok, Header, Message, <<>>}, decode(M, Side, Packet)},
        {settable, Settable, maps:with(maps:keys(Settable), M:settable(Header))},
        {read_with_rest, {ok, Header, Message, <<7, 8, 9>>}, decode(M, Side, More)}
    ]);
judge(M, {refused, Side, Settable, Message, Path}) ->
    case encode(M, Side, Settable, Message) of
        {error, #{path := Found}} ->
            %% Fields of the header stand in no message here.
            case binary:longest_common_suffix([Found, Path]) of
                Count when Count =:= byte_size(Found) -> same;
                _ -> {refused, Path, Found}
            end;
        Other -> {refused, Path, Other}
    end;
judge(M, {verdict, Side, Bytes, Verdict}) ->
    Found = decode(M, Side, Bytes),
    first([{verdict, Verdict, verdict(M, Side, Bytes, Found)}, {described, true, is_described(M, Found)}]).

first([{_, Same, Same} | Rest]) -> first(Rest);
first([{What, Expected, Found} | _]) -> {What, Expected, Found};
first([]) -> same.

%% A side with states is that of a connection which has them.
decode(M, {Side, States}, Bytes) ->
    case M:decode(#{state => States}, Side, Bytes) of
        {ok, Header, Message, Rest, #{state := _}} -> {ok, Header, Message, Rest};
        Other -> Other
    end;
decode(M, Side, Bytes) -> M:decode(Side, Bytes).

%% Only where packets depend on it, a module is told who sends.
encode(M, {Side, States}, Header, Message) ->
    M:encode(#{from => Side, state => States}, Header, Message);
encode(M, Side, Header, Message) ->
    case erlang:function_exported(M, encode, 3) of
        true -> M:encode(#{from => Side}, Header, Message);
        false -> M:encode(Header, Message)
    end.

flat({ok, Data}) -> {ok, iolist_to_binary(Data)};
flat({ok, Data, _Context}) -> {ok, iolist_to_binary(Data)};
flat(Error) -> Error.

verdict(M, Side, Bytes, {ok, Header, Message, Rest}) ->
    Again =
        case flat(encode(M, Side, M:settable(Header), Message)) of
            {ok, Packet} -> Packet;
            {error, _} -> none
        end,
    {ok, byte_size(Bytes) - byte_size(Rest), Again};
verdict(_, _, _, {more, Count}) -> {more, Count};
verdict(_, _, _, {error, #{reason := Reason, path := Path} = Error}) ->
    {error, plain(Reason), Path, maps:get(offset, Error, none)}.

%% A value that Swift has as a double is not compared.
plain({float_out_of_range, _, Min, Max}) -> {float_out_of_range, value, Min, Max};
plain(Reason) -> Reason.

is_described(M, {error, Error}) -> is_binary(unicode:characters_to_binary(M:format_error(Error)));
is_described(_, _) -> true.

%% Values that no field or only some can have: what is written is read as what it was, or refused.
abuse(M, Cases) ->
    [
        io_lib:format("~0tP: ~0tP", [Message, 100, Why, 100])
     || {value, Side, _, Header, _, Value} <- Cases,
        Message <- [Value | [setelement(I, Value, Junk) || I <- lists:seq(1, tuple_size(Value)), Junk <- junk()]],
        Why <- [abused(M, Side, Header, Message)],
        Why =/= same
    ].

abused(M, Side, Header, Message) ->
    try flat(encode(M, Side, Header, Message)) of
        {error, #{reason := _, path := _}} -> same;
        {ok, Packet} ->
            case decode(M, Side, Packet) of
                {ok, _, Read, <<>>} -> is_same(Read, Message);
                Other -> Other
            end
    catch
        Class:Reason:Stack -> {Class, Reason, Stack}
    end.

is_same(Read, Message) when Read == Message -> same;
is_same(Read, Message) when tuple_size(Read) =:= tuple_size(Message) ->
    case [{A, B} || {A, B} <- lists:zip(tuple_to_list(Read), tuple_to_list(Message)), A /= B] of
        [{A, B}] ->
            case stands_for(A, B) of
                true -> same;
                false -> {read, Read}
            end;
        _ -> {read, Read}
    end;
is_same(Read, _) -> {read, Read}.

%% Integers may stand for floats, for the names of an enum's cases and for those of flags.
stands_for(Name, Number) when is_atom(Name), is_integer(Number) -> true;
stands_for(Float, Number) when is_float(Float), is_number(Number) -> abs(Float - Number) =< abs(Float) * 1.0e-7;
stands_for(Names, Numbers) when is_list(Names), is_list(Numbers) -> lists:any(fun is_atom/1, Names);
stands_for(_, _) -> false.

junk() ->
    [
        -1, 256, 65536, 1 bsl 24, 1 bsl 32, 1 bsl 64, -(1 bsl 63) - 1, 1 bsl 2000, 1.5, 1.0e300, infinity, {nan, 1},
        {nan, 16#7F800001}, atom, undefined, [], [300], [-1], [1 | 2], [atom], "text", <<>>, <<255>>, <<0>>,
        binary:copy(<<"a">>, 70000), <<1:1>>, {}, #{}, lists:duplicate(300, 0), lists:duplicate(70000, <<>>), [{<<>>, <<>>}],
        [{<<"a:">>, <<>>}], [{<<"a">>, <<"1">>}, {<<"a">>, <<"2">>}], self(), make_ref()
    ].
