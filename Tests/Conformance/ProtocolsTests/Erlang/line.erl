%% SPDX-License-Identifier: Apache-2.0
%%
%% The line of JSON that says what a packet is, as `wire decode` prints it; only floats may have other digits.
-module(line).
-export([text/5, named/2, flags/2, hex/1]).

%% Values are integers, booleans, lists, {object, [{Key, Value}]}, {text, Utf8}, {bytes, Binary}, {float32, Bits} and
%% {float64, Bits}.
text(Message, Id, Header, Fields, Trailing) ->
    Kept = [{<<"trailing">>, {text, hex(Trailing)}} || Trailing =/= <<>>],
    json({object, [
        {<<"message">>, {text, Message}}, {<<"id">>, Id}, {<<"header">>, {object, Header}},
        {<<"fields">>, {object, Fields}} | Kept
    ]}).

%% The name of an enum's number.
named(Number, Names) ->
    case lists:keyfind(Number, 1, Names) of
        {_, Name} -> {text, Name};
        false -> Number
    end.

%% The names of the masks that lie wholly inside and add a bit, and the bits that are left.
flags(Bits, Masks) -> flags(Bits, 0, Masks).

flags(Bits, Bits, []) -> [];
flags(Bits, Shown, []) -> [Bits band bnot Shown];
flags(Bits, Shown, [{Mask, Name} | Masks]) when Bits band Mask =:= Mask, Mask band bnot Shown =/= 0 ->
    [{text, Name} | flags(Bits, Shown bor Mask, Masks)];
flags(Bits, Shown, [_ | Masks]) -> flags(Bits, Shown, Masks).

hex(Bytes) -> << <<(digit(N))>> || <<N:4>> <= Bytes >>.

digit(N) when N < 10 -> $0 + N;
digit(N) -> $a + N - 10.

json(true) -> <<"true">>;
json(false) -> <<"false">>;
json(N) when is_integer(N), N > -(1 bsl 53), N < 1 bsl 53 -> integer_to_binary(N);
json(N) when is_integer(N) -> [$", integer_to_binary(N), $"];
json({text, Text}) -> [$", escape(Text), $"];
json({bytes, Bytes}) -> [$", base64:encode(Bytes), $"];
json({float32, 16#7FC00000}) -> <<"\"NaN\"">>;
json({float32, 16#7F800000}) -> <<"\"Infinity\"">>;
json({float32, 16#FF800000}) -> <<"\"-Infinity\"">>;
json({float32, Bits}) -> <<F:32/float>> = <<Bits:32>>, shortest(F, Bits, 0);
json({float64, 16#7FF8000000000000}) -> <<"\"NaN\"">>;
json({float64, 16#7FF0000000000000}) -> <<"\"Infinity\"">>;
json({float64, 16#FFF0000000000000}) -> <<"\"-Infinity\"">>;
json({float64, Bits}) -> <<F:64/float>> = <<Bits:64>>, float_to_binary(F, [short]);
json(List) when is_list(List) -> [$[, lists:join($,, [json(V) || V <- List]), $]];
json({object, Members}) -> [${, lists:join($,, [[json({text, K}), $:, json(V)] || {K, V} <- Members]), $}].

%% The fewest digits that are still this 32-bit float.
shortest(F, Bits, Digits) ->
    Text = pointed(float_to_binary(F, [{scientific, Digits}])),
    case <<(binary_to_float(Text)):32/float>> of
        <<Bits:32>> -> Text;
        _ -> shortest(F, Bits, Digits + 1)
    end.

%% With a point, which Erlang wants to read it again.
pointed(Text) ->
    case binary:match(Text, <<".">>) of
        nomatch -> binary:replace(Text, <<"e">>, <<".0e">>);
        _ -> Text
    end.

escape(Text) -> << <<(escaped(C))/binary>> || <<C/utf8>> <= Text >>.

escaped($") -> <<"\\\"">>;
escaped($\\) -> <<"\\\\">>;
escaped(C) when C < 16#20 -> iolist_to_binary(io_lib:format("\\u~4.16.0b", [C]));
escaped(C) -> <<C/utf8>>.
