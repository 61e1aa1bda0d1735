#!/usr/bin/env escript
%% -*- erlang -*-
%% SPDX-License-Identifier: Apache-2.0
%%
%% The other end of a TLS connection, over Erlang's own ssl:
%%
%%   tls.escript serve VERSION CHAIN KEY       returns what comes, on any number of connections; prints its port
%%   tls.escript call VERSION ROOTS PORT COUNT sends so many random bytes in random pieces, and compares what comes back
%%
%% VERSION is tlsv1.2 or tlsv1.3. A listening one runs until its standard input ends.

-mode(compile).

main(["serve", Version, Chain, Key]) ->
    {ok, _} = application:ensure_all_started(ssl),
    {ok, Listener} = ssl:listen(0, options(Version, [{ip, {127, 0, 0, 1}}, {certfile, Chain}, {keyfile, Key},
                                                     {alpn_preferred_protocols, [<<"wireline">>]}])),
    {ok, {_, Port}} = ssl:sockname(Listener),
    io:format("~b~n", [Port]),
    %% Several, so that no client waits for another's connection to end.
    [spawn_link(fun() -> accept(Listener) end) || _ <- lists:seq(1, 8)],
    io:get_line("");
main(["call", Version, Roots, Port, Count]) ->
    {ok, _} = application:ensure_all_started(ssl),
    Names = public_key:pkix_verify_hostname_match_fun(https),
    {ok, Socket} = ssl:connect({127, 0, 0, 1}, list_to_integer(Port),
                               options(Version, [{verify, verify_peer}, {cacertfile, Roots},
                                                 {server_name_indication, "server.test"},
                                                 {customize_hostname_check, [{match_fun, Names}]}]), infinity),
    Bytes = rand:bytes(list_to_integer(Count)),
    spawn_link(fun() -> send(Socket, Bytes) end),
    {ok, Bytes} = ssl:recv(Socket, byte_size(Bytes), infinity),
    ok = ssl:close(Socket),
    io:format("~b bytes~n", [byte_size(Bytes)]).

options(Version, More) ->
    [binary, {active, false}, {nodelay, true}, {versions, [list_to_atom(Version)]} | More].

accept(Listener) ->
    {ok, Accepted} = ssl:transport_accept(Listener),
    case ssl:handshake(Accepted, infinity) of
        {ok, Socket} -> echo(Socket);
        {error, _} -> refused
    end,
    accept(Listener).

echo(Socket) ->
    case ssl:recv(Socket, 0) of
        {ok, Bytes} -> ok = ssl:send(Socket, Bytes), echo(Socket);
        {error, closed} -> ok
    end.

send(_, <<>>) -> ok;
send(Socket, Bytes) ->
    Count = min(byte_size(Bytes), rand:uniform(40000)),
    <<Piece:Count/binary, Rest/binary>> = Bytes,
    ok = ssl:send(Socket, Piece),
    send(Socket, Rest).
