#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%
%% A node that does what the lines of its input say, and prints an answer for each.
%%
%%   node.escript NAME COOKIE
%%
%% The process `echo` sends back what it gets: {From, Term} makes {echo, Term}.
-mode(compile).

main([Name, Cookie]) ->
    ok = logger:set_primary_config(level, none),
    {ok, _} = net_kernel:start([list_to_atom(Name), longnames]),
    erlang:set_cookie(node(), list_to_atom(Cookie)),
    {ok, _} = pg:start_link(),
    register(echo, spawn(fun echo/0)),
    io:format("ready~n"),
    loop().

echo() ->
    receive
        {From, Term} -> From ! {echo, Term}, echo();
        stop -> exit(stopped)
    end.

loop() ->
    case io:get_line("") of
        eof -> ok;
        Line -> io:format("~0p~n", [command(string:lexemes(string:trim(Line), " "))]), loop()
    end.

command(["ping", Node]) -> net_adm:ping(list_to_atom(Node));
command(["hidden"]) -> nodes(hidden);
command(["members"]) -> length(pg:get_members(group));
command(["join"]) -> pg:join(group, whereis(echo));
command(["leave"]) -> pg:leave(group, whereis(echo));
command(["call", Node, Name]) ->
    try gen_server:call({list_to_atom(Name), list_to_atom(Node)}, {question, [1, 2.5, <<"three">>]}, 60000)
    catch exit:{Reason, _} -> {exit, Reason}
    end;
command(["spawn", Node]) -> rpc:call(list_to_atom(Node), erlang, node, []).
