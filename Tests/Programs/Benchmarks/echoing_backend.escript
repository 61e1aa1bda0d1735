#!/usr/bin/env escript
%%! +sbwt none +sbwtdcpu none +sbwtdio none
%% SPDX-License-Identifier: Apache-2.0
%%
%% A backend whose processes own one client each, and return to it what it says.
%%
%%   echoing_backend.escript NAME COOKIE
%%
%% A member of the group `crowd` starts the owners. It prints `ready`, and runs until it is ended.
-mode(compile).

main([Name, Cookie]) ->
    ok = logger:set_primary_config(level, none),
    {ok, _} = net_kernel:start([list_to_atom(Name), longnames]),
    erlang:set_cookie(node(), list_to_atom(Cookie)),
    {ok, _} = pg:start_link(),
    ok = pg:join(crowd, self()),
    io:format("ready~n"),
    take().

take() ->
    receive {wireline, Event, Client, _} when Event =:= open; Event =:= resume ->
        Owner = spawn(fun() -> serve(Client) end),
        Client ! {wireline, {owner, Owner}}
    end,
    take().

serve(Client) ->
    receive
        {wireline, close, Client, _} -> ok;
        {wireline, Client, Message} ->
            Client ! Message,
            serve(Client)
    end.
