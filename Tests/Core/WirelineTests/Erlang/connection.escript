#!/usr/bin/env escript
%% -*- erlang -*-
%% SPDX-License-Identifier: Apache-2.0
%%
%% The other end of a connection, over gen_tcp and written in Erlang:
%%
%%   connection.escript serve SEED           answers Cs_20001 with Sc_20001, in random cuts; prints its port
%%   connection.escript call PORT COUNT SEED sends so many Cs_20001 in random cuts, and compares each answer
%%   connection.escript packet N             returns what comes, with {packet, N}; prints its port
%%   connection.escript half                 sends half a packet to a client, and is killed
%%
%% A listening one runs until its standard input ends.

-mode(compile).

main(["serve", Seed]) ->
    serve([{packet, raw}], fun(Socket) -> seed(Seed), answer(Socket, <<>>) end);
main(["packet", N]) ->
    serve([{packet, list_to_integer(N)}], fun echo/1);
main(["half"]) ->
    serve([{packet, raw}], fun(Socket) ->
        ok = gen_tcp:send(Socket, <<15:32, 20001:16, 1, 2, 3>>),
        {ok, _} = gen_tcp:recv(Socket, 1),
        os:cmd("kill -9 " ++ os:getpid())
    end);
main(["call", Port, Count, Seed]) ->
    seed(Seed),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, list_to_integer(Port), options([{packet, raw}])),
    Requests = [request() || _ <- lists:seq(1, list_to_integer(Count))],
    spawn_link(fun() -> send(Socket, << <<(packet(R))/binary>> || R <- Requests >>) end),
    ok = compare(Socket, Requests, <<>>),
    gen_tcp:close(Socket),
    io:format("~b answers, byte for byte~n", [length(Requests)]).

seed(Text) -> rand:seed(exsss, list_to_integer(Text)).

options(More) -> [binary, {active, false}, {nodelay, true} | More].

serve(Options, Handle) ->
    {ok, Listener} = gen_tcp:listen(0, options([{ip, {127, 0, 0, 1}} | Options])),
    {ok, Port} = inet:port(Listener),
    io:format("~b~n", [Port]),
    spawn_link(fun() -> accept(Listener, Handle) end),
    eof = io:get_line("").

accept(Listener, Handle) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Handler = spawn(fun() -> receive go -> Handle(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Handler),
    Handler ! go,
    accept(Listener, Handle).

echo(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Payload} -> ok = gen_tcp:send(Socket, Payload), echo(Socket);
        {error, closed} -> gen_tcp:close(Socket)
    end.

%% A server of the seed's messages.

answer(Socket, Buffer) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Bytes} ->
            {Replies, Rest} = answers(<<Buffer/binary, Bytes/binary>>, <<>>),
            send(Socket, Replies),
            answer(Socket, Rest);
        {error, closed} -> gen_tcp:close(Socket)
    end.

answers(<<Length:32, _/binary>> = Bytes, Replies) when byte_size(Bytes) >= Length ->
    <<Packet:Length/binary, Rest/binary>> = Bytes,
    <<_:32, 20001:16, SceneId, Line:32, Count:16, Text:Count/binary>> = Packet,
    answers(Rest, <<Replies/binary, (reply({SceneId, Line, Text}))/binary>>);
answers(Bytes, Replies) -> {Replies, Bytes}.

%% A client of the seed's messages.

compare(_, [], <<>>) -> ok;
compare(Socket, [Request | Requests] = All, Buffer) ->
    Reply = reply(Request),
    Size = byte_size(Reply),
    case Buffer of
        <<Reply:Size/binary, Rest/binary>> -> compare(Socket, Requests, Rest);
        _ when byte_size(Buffer) >= Size -> {wrong, Reply, Buffer};
        _ ->
            {ok, Bytes} = gen_tcp:recv(Socket, 0),
            compare(Socket, All, <<Buffer/binary, Bytes/binary>>)
    end.

request() ->
    Text = [lists:nth(rand:uniform(5), [$a, $\n, 16#E9, 16#8FDB, 16#1F3AE]) || _ <- lists:seq(2, rand:uniform(30))],
    {rand:uniform(256) - 1, rand:uniform(1 bsl 32) - 1, unicode:characters_to_binary(Text)}.

packet({SceneId, Line, Text}) -> whole(<<20001:16, SceneId, Line:32, (byte_size(Text)):16, Text/binary>>).

reply({SceneId, Line, Text}) ->
    whole(<<20001:16, 1, SceneId:32, 0, 0, 0, Line:32, (byte_size(Text)):16, Text/binary>>).

whole(Bytes) -> <<(byte_size(Bytes) + 4):32, Bytes/binary>>.

%% Splits anywhere: single bytes for a while, then small and large pieces.
send(_, <<>>) -> ok;
send(Socket, Bytes) ->
    Most = lists:nth(rand:uniform(4), [1, 9, 200, 60000]),
    Size = min(byte_size(Bytes), rand:uniform(Most)),
    <<Piece:Size/binary, Rest/binary>> = Bytes,
    case gen_tcp:send(Socket, Piece) of
        ok -> send(Socket, Rest);
        {error, closed} -> ok
    end.
