#!/usr/bin/env escript
%%! +sbwt none +sbwtdcpu none +sbwtdio none
%% SPDX-License-Identifier: Apache-2.0
%%
%% A node that sends and receives as fast as it can, and answers calls. It waits without using the processor.
%%
%%   erlang_peer.escript NAME COOKIE
%%
%% A line of its input is `send NODE COUNT`, `receive NODE COUNT` or `calls NODE COUNT`: what it does with another node like
%% itself, or with one in another language that has the same processes. Its answer is the time in nanoseconds and the
%% processor time in nanoseconds; for calls, the median and the 99th percentile in nanoseconds and the processor time.
-mode(compile).

main([Name, Cookie]) ->
    ok = logger:set_primary_config(level, none),
    {ok, _} = net_kernel:start([list_to_atom(Name), longnames]),
    erlang:set_cookie(node(), list_to_atom(Cookie)),
    register(sink, spawn(fun sink/0)),
    register(source, spawn(fun source/0)),
    register(server, spawn(fun server/0)),
    io:format("ready~n"),
    loop().

record() -> {sc_20001, 1, 123456, 3, 4, 5, 987654321, <<"ABCDEFGHIJKLMN">>, <<>>}.

%% Counts records, and says when all have come.
sink() ->
    receive
        {start, From, Count} ->
            counted(Count),
            From ! counted,
            sink()
    end.

counted(0) -> ok;
counted(Count) -> receive {sc_20001, 1, _, _, _, _, _, <<_/binary>>, <<>>} -> counted(Count - 1) end.

source() ->
    receive
        {flood, To, Count} ->
            Record = record(),
            flood(To, Record, Count),
            source()
    end.

flood(_, _, 0) -> ok;
flood(To, Record, Count) ->
    To ! Record,
    flood(To, Record, Count - 1).

server() ->
    receive
        {'$gen_call', From, Request} ->
            gen_server:reply(From, {ok, Request}),
            server()
    end.

loop() ->
    case io:get_line("") of
        Line when is_list(Line) ->
            [Command, Node, Count] = string:lexemes(string:trim(Line), " "),
            io:format("~s~n", [lists:join(" ", [integer_to_list(N) || N <- run(Command, list_to_atom(Node), list_to_integer(Count))])]),
            loop();
        _ -> ok
    end.

run("send", Node, Count) ->
    measured(fun() ->
        {sink, Node} ! {start, self(), Count},
        flood({sink, Node}, record(), Count),
        receive counted -> ok end
    end);
run("receive", Node, Count) ->
    measured(fun() ->
        {source, Node} ! {flood, self(), Count},
        counted(Count)
    end);
run("calls", Node, Count) ->
    Before = processor(),
    Times = lists:sort([timed_call(Node) || _ <- lists:seq(1, Count)]),
    [lists:nth(Count div 2 + 1, Times), lists:nth(min(Count, Count * 99 div 100 + 1), Times), processor() - Before].

timed_call(Node) ->
    Start = erlang:monotonic_time(nanosecond),
    {ok, 7} = gen_server:call({server, Node}, 7, 60000),
    erlang:monotonic_time(nanosecond) - Start.

measured(Do) ->
    Before = processor(),
    Start = erlang:monotonic_time(nanosecond),
    Do(),
    [erlang:monotonic_time(nanosecond) - Start, processor() - Before].

%% The processor time of all threads, in nanoseconds.
processor() -> lists:sum([nanoseconds(F) || F <- filelib:wildcard("/proc/self/task/*/schedstat")]).

nanoseconds(File) ->
    case file:read_file(File) of
        {ok, Text} -> list_to_integer(hd(string:lexemes(binary_to_list(Text), " ")));
        _ -> 0
    end.
