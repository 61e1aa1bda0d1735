%% SPDX-License-Identifier: Apache-2.0
%%
%% Protocols/TwoByteHeader: a 16-bit length that counts itself, a 16-bit command, lists with a 16-bit count.
-module(two_byte_header).
-export([decode/2, encode/1, line/1, random/0]).

decode(Sender, <<Length:16, Command:16, Payload/binary>>) when Length =:= 4 + byte_size(Payload) ->
    fields(Sender, Command, Payload).

fields(client, 10000, <<A:16, Account:A/binary, T:16, Token:T/binary, Server:16, Rest/binary>>) ->
    {login, Account, Token, Server, Rest};
fields(server, 10000, <<Result, Bytes/binary>>) ->
    {Roles, Rest} = items(fun role/1, Bytes),
    {login_reply, Result, Roles, Rest};
fields(Sender, 11000, <<Channel, Who:64, N:16, Text:N/binary, Decoration:16, Bytes/binary>>) ->
    {Mentions, Rest} = items(fun text/1, Bytes),
    {{chat, Sender}, Channel, Who, Text, Decoration, Mentions, Rest};
fields(client, 12000, Rest) -> {board, Rest};
fields(server, 12000, Bytes) ->
    {Comments, <<IsLast, Rest/binary>>} = items(fun comment/1, Bytes),
    {board_reply, Comments, boolean(IsLast), Rest}.

items(Read, <<Count:16, Bytes/binary>>) -> items(Count, Read, Bytes, []).

items(0, _, Bytes, Items) -> {lists:reverse(Items), Bytes};
items(Count, Read, Bytes, Items) ->
    {Item, Rest} = Read(Bytes),
    items(Count - 1, Read, Rest, [Item | Items]).

text(<<N:16, Text:N/binary, Rest/binary>>) -> {Text, Rest}.

role(<<Id:64, N:16, Name:N/binary, Career, Level:16, Bytes/binary>>) ->
    {Equipment, <<A:32, B:32, C:32, D:32, Rest/binary>>} = items(fun equipment/1, Bytes),
    {{Id, Name, Career, Level, Equipment, [A, B, C, D]}, Rest}.

equipment(<<Template:32, Strength, Bytes/binary>>) ->
    {Enchantments, Rest} = items(fun(<<Attribute:16, Amount:32/signed, R/binary>>) -> {{Attribute, Amount}, R} end, Bytes),
    {{Template, Strength, Enchantments}, Rest}.

comment(<<Author:64, N:16, Text:N/binary, Bytes/binary>>) ->
    {Answers, Rest} = items(fun comment/1, Bytes),
    {{Author, Text, Answers}, Rest}.

boolean(0) -> false;
boolean(1) -> true.

encode(Value) ->
    Payload = iolist_to_binary(payload(Value)),
    <<(4 + byte_size(Payload)):16, (command(Value)):16, Payload/binary>>.

command({login, _, _, _, _}) -> 10000;
command({login_reply, _, _, _}) -> 10000;
command({{chat, _}, _, _, _, _, _, _}) -> 11000;
command({board, _}) -> 12000;
command({board_reply, _, _, _}) -> 12000.

payload({login, Account, Token, Server, Rest}) -> [string(Account), string(Token), <<Server:16>>, Rest];
payload({login_reply, Result, Roles, Rest}) -> [Result, list(fun role_bytes/1, Roles), Rest];
payload({{chat, _}, Channel, Who, Text, Decoration, Mentions, Rest}) ->
    [<<Channel, Who:64>>, string(Text), <<Decoration:16>>, list(fun string/1, Mentions), Rest];
payload({board, Rest}) -> Rest;
payload({board_reply, Comments, true, Rest}) -> [list(fun comment_bytes/1, Comments), 1, Rest];
payload({board_reply, Comments, false, Rest}) -> [list(fun comment_bytes/1, Comments), 0, Rest].

string(Text) -> <<(byte_size(Text)):16, Text/binary>>.

list(Write, Items) -> [<<(length(Items)):16>> | [Write(Item) || Item <- Items]].

role_bytes({Id, Name, Career, Level, Equipment, Slots}) ->
    [<<Id:64>>, string(Name), <<Career, Level:16>>, list(fun equipment_bytes/1, Equipment), [<<S:32>> || S <- Slots]].

equipment_bytes({Template, Strength, Enchantments}) ->
    [<<Template:32, Strength>>, list(fun({Attribute, Amount}) -> <<Attribute:16, Amount:32>> end, Enchantments)].

comment_bytes({Author, Text, Answers}) -> [<<Author:64>>, string(Text), list(fun comment_bytes/1, Answers)].

line(Value) ->
    Header = [{<<"length">>, byte_size(encode(Value))}, {<<"command">>, command(Value)}],
    {Name, Fields, Rest} = named(Value),
    line:text(Name, command(Value), Header, Fields, Rest).

named({login, Account, Token, Server, Rest}) ->
    {<<"Cs_10000">>, [{<<"account">>, {text, Account}}, {<<"token">>, {text, Token}}, {<<"server">>, Server}], Rest};
named({login_reply, Result, Roles, Rest}) ->
    {<<"Sc_10000">>, [{<<"result">>, line:named(Result, results())}, {<<"roles">>, [role_line(R) || R <- Roles]}], Rest};
named({{chat, client}, Channel, To, Text, Decoration, Mentions, Rest}) ->
    {<<"Cs_11000">>, chat(Channel, <<"to">>, To, Text, Decoration, Mentions), Rest};
named({{chat, server}, Channel, From, Text, Decoration, Mentions, Rest}) ->
    {<<"Sc_11000">>, chat(Channel, <<"from">>, From, Text, Decoration, Mentions), Rest};
named({board, Rest}) -> {<<"Cs_12000">>, [], Rest};
named({board_reply, Comments, IsLast, Rest}) ->
    {<<"Sc_12000">>, [{<<"comments">>, [comment_line(C) || C <- Comments]}, {<<"is_last">>, IsLast}], Rest}.

chat(Channel, Who, Number, Text, Decoration, Mentions) ->
    [{<<"channel">>, line:named(Channel, channels())}, {Who, Number}, {<<"text">>, {text, Text}},
     {<<"decoration">>, line:flags(Decoration, decorations())}, {<<"mentions">>, [{text, M} || M <- Mentions]}].

role_line({Id, Name, Career, Level, Equipment, Slots}) ->
    {object, [
        {<<"role_id">>, Id}, {<<"name">>, {text, Name}}, {<<"career">>, line:named(Career, careers())},
        {<<"level">>, Level}, {<<"equipment">>, [equipment_line(E) || E <- Equipment]}, {<<"slots">>, Slots}
    ]}.

equipment_line({Template, Strength, Enchantments}) ->
    Lines = [{object, [{<<"attribute">>, A}, {<<"amount">>, N}]} || {A, N} <- Enchantments],
    {object, [{<<"template_id">>, Template}, {<<"strength">>, Strength}, {<<"enchantments">>, Lines}]}.

comment_line({Author, Text, Answers}) ->
    {object, [{<<"author">>, Author}, {<<"text">>, {text, Text}}, {<<"answers">>, [comment_line(A) || A <- Answers]}]}.

results() -> [{0, <<"success">>}, {1, <<"wrong_token">>}, {2, <<"server_full">>}, {3, <<"banned">>}].
careers() -> [{1, <<"warrior">>}, {2, <<"mage">>}, {3, <<"archer">>}].
channels() -> [{0, <<"world">>}, {1, <<"guild">>}, {2, <<"private">>}, {255, <<"system">>}].
decorations() -> [{1, <<"bold">>}, {2, <<"vip">>}, {16#F0, <<"color">>}, {16#12, <<"vip_red">>}].

random() ->
    Rest = dice:one_of([<<>>, <<>>, dice:bytes(20)]),
    case rand:uniform(6) of
        1 -> {client, {login, dice:text(64), dice:text(128), dice:between(1, 9999), Rest}};
        2 -> {server, {login_reply, dice:between(0, 3), dice:list(3, fun random_role/0), Rest}};
        3 -> {client, random_chat(client, Rest)};
        4 -> {server, random_chat(server, Rest)};
        5 -> {client, {board, Rest}};
        6 -> {server, {board_reply, dice:list(3, fun() -> random_comment(7) end), dice:coin(), Rest}}
    end.

random_chat(Sender, Rest) ->
    {{chat, Sender}, dice:unsigned(8), dice:unsigned(64), dice:text(200), dice:unsigned(16),
     dice:list(5, fun() -> dice:text(60) end), Rest}.

random_role() ->
    {dice:unsigned(64), dice:text(60), dice:unsigned(8), dice:unsigned(16), dice:list(4, fun random_equipment/0),
     [dice:unsigned(32) || _ <- lists:seq(1, 4)]}.

random_equipment() ->
    {dice:unsigned(32), dice:unsigned(8), dice:list(4, fun() -> {dice:unsigned(16), dice:signed(32)} end)}.

random_comment(Levels) ->
    Answers = case Levels of 0 -> []; _ -> dice:list(2, fun() -> random_comment(Levels - 1) end) end,
    {dice:unsigned(64), dice:text(60), Answers}.
