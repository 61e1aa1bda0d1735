#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%
%% A node that does what the lines of its input say, and prints an answer for each.
%%
%%   node.escript NAME COOKIE TICKSECONDS
%%
%% The process `echo` sends back what it gets: {From, Term} makes {echo, Term}. The process `server` answers calls with
%% {answer, Request}.
-mode(compile).

main([Name, Cookie, TickSeconds]) ->
    ok = logger:set_primary_config(level, none),
    %% The last number is the time between two ticks in milliseconds, a quarter of `net_ticktime`.
    {ok, _} = net_kernel:start([list_to_atom(Name), longnames, list_to_integer(TickSeconds) * 250]),
    erlang:set_cookie(node(), list_to_atom(Cookie)),
    {ok, _} = pg:start_link(),
    register(echo, spawn(fun echo/0)),
    register(server, spawn(fun server/0)),
    register(main, self()),
    io:format("ready~n"),
    loop(erl_eval:new_bindings()).

echo() ->
    receive
        {From, Term} -> From ! {echo, Term}, echo();
        stop -> exit(stopped)
    end.

server() ->
    receive
        {'$gen_call', From, Request} -> gen_server:reply(From, {answer, Request}), server();
        {'$gen_cast', {tell, Pid, Term}} -> Pid ! {told, Term}, server()
    end.

loop(Bindings) ->
    case io:get_line("") of
        "eval " ++ Text ->
            {Value, Changed} = evaluate(Text, Bindings),
            io:format("~0p~n", [Value]),
            loop(Changed);
        Line when is_list(Line) ->
            io:format("~0p~n", [command(string:lexemes(string:trim(Line), " "))]),
            loop(Bindings);
        _ -> ok
    end.

evaluate(Text, Bindings) ->
    try
        {ok, Tokens, _} = erl_scan:string(string:trim(Text) ++ "."),
        {ok, Expressions} = erl_parse:parse_exprs(Tokens),
        {value, Value, Changed} = erl_eval:exprs(Expressions, Bindings),
        {Value, Changed}
    catch Class:Reason -> {{Class, Reason}, Bindings}
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
