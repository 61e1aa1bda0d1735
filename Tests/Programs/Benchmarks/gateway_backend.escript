#!/usr/bin/env escript
%%! +sbwt none +sbwtdcpu none +sbwtdio none
%% SPDX-License-Identifier: Apache-2.0
%%
%% The backend of all gateways that are measured. It waits without using the processor.
%%
%%   gateway_backend.escript NAME COOKIE
%%
%% A gateway asks a member of the group `bench`, or the process `bench`, to own a client. One of eight processes then
%% answers the client's questions, as CNetwork.h states. It prints `ready`, and runs until it is ended.
-mode(compile).

main([Name, Cookie]) ->
    ok = logger:set_primary_config(level, none),
    {ok, _} = net_kernel:start([list_to_atom(Name), longnames]),
    erlang:set_cookie(node(), list_to_atom(Cookie)),
    {ok, _} = pg:start_link(),
    register(bench, self()),
    ok = pg:join(bench, self()),
    io:format("ready~n"),
    offer([spawn_link(fun serve/0) || _ <- lists:seq(1, 8)], []).

offer([], Used) -> offer(lists:reverse(Used), []);
offer([Server | Servers], Used) ->
    receive {wireline, Event, Client, _} when Event =:= open; Event =:= resume ->
        Client ! {wireline, {owner, Server}},
        offer(Servers, [Server | Used])
    end.

serve() ->
    receive
        {wireline, Client, {cs_20001, Scene, Line, Text, _}} -> serve(Client, Scene, Line, Text);
        {wireline, close, _, _} -> ok
    end,
    serve().

serve(Client, 4, Line, Text) ->
    Client ! {wireline, {join, room}},
    Client ! answer(1, Line, Text);
serve(Client, 5, Count, Text) ->
    [{wireline, node(Client)} ! {publish, room, answer(9, 0, Text)} || _ <- lists:seq(1, Count)];
serve(Client, _, Line, Text) -> Client ! answer(1, Line, Text).

answer(Res, Line, Text) -> {sc_20001, Res, Line, 1, 0, 0, 100, Text, <<>>}.
