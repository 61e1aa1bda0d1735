%% SPDX-License-Identifier: Apache-2.0
%%
%% Protocols/QSIOP: version, operation, byte count, and lines of `key:value`.
-module(qsiop).
-export([decode/2, encode/1, line/1, random/0]).

decode(_, <<Ver:16, Op:16, PropL:16, Prop:PropL/binary>>) -> {Ver, Op, entries(Prop)}.

entries(<<>>) -> [];
entries(Prop) ->
    [begin [Key, Value] = binary:split(Line, <<":">>), {Key, Value} end
     || Line <- binary:split(Prop, <<"\n">>, [global])].

encode({Ver, Op, Entries}) ->
    Prop = iolist_to_binary(lists:join($\n, [[Key, $:, Value] || {Key, Value} <- Entries])),
    <<Ver:16, Op:16, (byte_size(Prop)):16, Prop/binary>>.

line({Ver, Op, Entries} = Value) ->
    Header = [{<<"ver">>, Ver}, {<<"op">>, Op}, {<<"propl">>, byte_size(encode(Value)) - 6}],
    Prop = {object, [{Key, {text, Text}} || {Key, Text} <- Entries]},
    line:text(name(Op), Op, Header, [{<<"prop">>, Prop}], <<>>).

name(0) -> <<"Ping">>;
name(2) -> <<"UserReport">>.

random() ->
    Op = dice:one_of([0, 2]),
    Sender = case Op of 0 -> dice:one_of([client, server]); 2 -> client end,
    Keys = lists:usort(dice:list(8, fun() -> <<"k", (dice:text(40, [$:, $\n]))/binary>> end)),
    {Sender, {dice:unsigned(16), Op, [{Key, dice:text(200, [$\n])} || Key <- Keys]}}.
