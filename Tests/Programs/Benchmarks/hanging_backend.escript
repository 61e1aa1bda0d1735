#!/usr/bin/env escript
%%! +sbwt none +sbwtdcpu none +sbwtdio none
%% SPDX-License-Identifier: Apache-2.0
%%
%% A backend whose processes own no client: they take what comes, and answer nothing.
%%
%%   hanging_backend.escript NAME COOKIE MEMBERS MEMBERSHIPS
%%
%% The group `crowd` has so many members, and all groups together have so many memberships. It prints `ready`, and runs until
%% it is ended.
-mode(compile).

main([Name, Cookie, Members, Memberships]) ->
    ok = logger:set_primary_config(level, none),
    {ok, _} = net_kernel:start([list_to_atom(Name), longnames]),
    erlang:set_cookie(node(), list_to_atom(Cookie)),
    {ok, _} = pg:start_link(),
    [Other | _] = Processes = [spawn_link(fun hang/0) || _ <- lists:seq(1, list_to_integer(Members))],
    ok = pg:join(crowd, Processes),
    Rest = list_to_integer(Memberships) - length(Processes),
    [ok = pg:join({other, Number}, Other) || Number <- lists:seq(1, Rest)],
    io:format("ready~n"),
    hang().

hang() -> receive _ -> hang() end.
