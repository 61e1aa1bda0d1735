#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! +S 1
%%
%% The contract of CNetwork.h as one who writes Erlang would: a process a connection, binary matching, one send for all
%% that one delivery brought. `{packet, 4}` would count what stands after the length alone, so it cannot be used.
-mode(compile).

-define(COUNTED, 16#7001).
-define(COUNT, 16#7002).
-define(DELIVERIES, 100).

main(_) ->
    {ok, Listener} = gen_tcp:listen(0, [
        binary, {ip, {127, 0, 0, 1}}, {active, false}, {packet, raw}, {nodelay, true}, {backlog, 1024},
        {buffer, 65536}
    ]),
    {ok, Port} = inet:port(Listener),
    io:format("listening on 127.0.0.1:~b~n", [Port]),
    accept(Listener).

accept(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Pid = spawn(fun() -> receive start -> deliver(Socket), serve(Socket, <<>>, {0, 0}) end end),
    ok = gen_tcp:controlling_process(Socket, Pid),
    Pid ! start,
    accept(Listener).

deliver(Socket) -> inet:setopts(Socket, [{active, ?DELIVERIES}]).

serve(Socket, Torn, Counts) ->
    receive
        {tcp, Socket, Bytes} ->
            {Replies, Rest, NewCounts} = handle(join(Torn, Bytes), [], Counts),
            case Replies of
                [] -> ok;
                _ -> gen_tcp:send(Socket, lists:reverse(Replies))
            end,
            serve(Socket, Rest, NewCounts);
        {tcp_passive, Socket} ->
            deliver(Socket),
            serve(Socket, Torn, Counts);
        {tcp_closed, Socket} -> ok;
        {tcp_error, Socket, _} -> ok
    end.

join(<<>>, Bytes) -> Bytes;
join(Torn, Bytes) -> <<Torn/binary, Bytes/binary>>.

handle(<<Length:32, Id:16, Rest/binary>> = Bytes, Replies, {Packets, Payloads} = Counts) ->
    Size = Length - 6,
    case Rest of
        <<_:Size/binary, Next/binary>> when Id =:= ?COUNTED ->
            handle(Next, Replies, {Packets + 1, Payloads + Size});
        <<_:Size/binary, Next/binary>> when Id =:= ?COUNT ->
            handle(Next, [<<22:32, Id:16, Packets:64, Payloads:64>> | Replies], {0, 0});
        <<Payload:Size/binary, Next/binary>> ->
            handle(Next, [[<<Length:32, Id:16>>, Payload] | Replies], Counts);
        _ ->
            {Replies, Bytes, Counts}
    end;
handle(Bytes, Replies, Counts) ->
    {Replies, Bytes, Counts}.
