%% SPDX-License-Identifier: Apache-2.0
%%
%% Protocols/Scene: a 32-bit length that counts itself, a 16-bit ID, fields in order.
-module(scene).
-export([decode/2, encode/1, line/1, random/0]).

decode(Sender, <<Length:32, 20001:16, Payload/binary>>) when Length =:= 6 + byte_size(Payload) ->
    fields(Sender, Payload).

fields(client, <<SceneId, Line:32, N:16, Message:N/binary, Rest/binary>>) ->
    {cs_20001, SceneId, Line, Message, Rest};
fields(server, <<Res, SceneId:32, Pos, Status, Type, Combat:32, N:16, Message:N/binary, Rest/binary>>) ->
    {sc_20001, Res, SceneId, Pos, Status, Type, Combat, Message, Rest}.

encode(Value) ->
    Payload = payload(Value),
    <<(6 + byte_size(Payload)):32, 20001:16, Payload/binary>>.

payload({cs_20001, SceneId, Line, Message, Rest}) ->
    <<SceneId, Line:32, (byte_size(Message)):16, Message/binary, Rest/binary>>;
payload({sc_20001, Res, SceneId, Pos, Status, Type, Combat, Message, Rest}) ->
    <<Res, SceneId:32, Pos, Status, Type, Combat:32, (byte_size(Message)):16, Message/binary, Rest/binary>>.

line(Value) ->
    Header = [{<<"length">>, byte_size(encode(Value))}, {<<"id">>, 20001}],
    {Name, Fields, Rest} = named(Value),
    line:text(Name, 20001, Header, Fields, Rest).

named({cs_20001, SceneId, Line, Message, Rest}) ->
    {<<"Cs_20001">>, [{<<"SceneId">>, SceneId}, {<<"Line">>, Line}, {<<"message">>, {text, Message}}], Rest};
named({sc_20001, Res, SceneId, Pos, Status, Type, Combat, Message, Rest}) ->
    {<<"Sc_20001">>, [
        {<<"Res">>, Res}, {<<"SceneId">>, SceneId}, {<<"Pos">>, Pos}, {<<"Status">>, Status}, {<<"Type">>, Type},
        {<<"DefaultCombat">>, Combat}, {<<"message">>, {text, Message}}
    ], Rest}.

random() ->
    Message = dice:text(65535),
    Rest = dice:one_of([<<>>, <<>>, dice:bytes(40)]),
    case dice:coin() of
        true -> {client, {cs_20001, dice:unsigned(8), dice:unsigned(32), Message, Rest}};
        false -> {server, {sc_20001, dice:unsigned(8), dice:unsigned(32), dice:unsigned(8), dice:unsigned(8),
                           dice:unsigned(8), dice:unsigned(32), Message, Rest}}
    end.
