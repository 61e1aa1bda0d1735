%% SPDX-License-Identifier: Apache-2.0
%%
%% gateway:start([Backend]): the gateway that an Erlang team would write, beside which `wire gateway` is measured. It prints
%% `listening on HOST:PORT`. A client is a process, which the process `bench` of the backend's node gives an owner.
%%
%% Packets become records by the schema's module, which `wire generate erlang` has written. What waits in the mailbox of a
%% client leaves in one call. Who publishes makes one binary for all.
-module(gateway).
-export([start/1]).
-include("scene_protocol.hrl").

start([Node]) ->
    Backend = {bench, list_to_atom(Node)},
    true = net_kernel:connect_node(element(2, Backend)),
    {ok, _} = pg:start_link(?MODULE),
    register(wireline, self()),
    Options = [
        binary, {active, false}, {reuseaddr, true}, {nodelay, true}, {backlog, 4096}, {ip, {127, 0, 0, 1}},
        {send_timeout, 30000}, {send_timeout_close, true}, {buffer, 16384}
    ],
    {ok, Listener} = gen_tcp:listen(0, Options),
    {ok, Port} = inet:port(Listener),
    [spawn_link(fun() -> accept(Listener, Backend) end) || _ <- lists:seq(1, 4)],
    io:format("listening on 127.0.0.1:~b~n", [Port]),
    publish().

publish() ->
    receive
        {publish, room, Message} ->
            {ok, Packet} = scene_protocol:encode(Message),
            Shared = iolist_to_binary(Packet),
            [Client ! {packet, Shared} || Client <- pg:get_local_members(?MODULE, room)]
    end,
    publish().

accept(Listener, Backend) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Client = spawn(fun() -> receive begin_now -> open(Socket, Backend) end end),
    ok = gen_tcp:controlling_process(Socket, Client),
    Client ! begin_now,
    accept(Listener, Backend).

open(Socket, Backend) ->
    {ok, Peer} = inet:peername(Socket),
    Backend ! {wireline, open, self(), #{peer => Peer}},
    Owner = receive {wireline, {owner, Pid}} -> Pid end,
    _ = monitor(process, Owner),
    ok = inet:setopts(Socket, [{active, 32}]),
    serve(Socket, Owner, <<>>).

serve(Socket, Owner, Partial) ->
    receive
        {tcp, Socket, Bytes} when Partial =:= <<>> -> serve(Socket, Owner, hand_over(Bytes, Owner));
        {tcp, Socket, Bytes} -> serve(Socket, Owner, hand_over(<<Partial/binary, Bytes/binary>>, Owner));
        {tcp_passive, Socket} ->
            ok = inet:setopts(Socket, [{active, 32}]),
            serve(Socket, Owner, Partial);
        {wireline, {join, room}} ->
            ok = pg:join(?MODULE, room, self()),
            serve(Socket, Owner, Partial);
        {tcp_closed, Socket} -> ok;
        {tcp_error, Socket, _} -> ok;
        {'DOWN', _, process, Owner, _} -> ok;
        Message ->
            ok = gen_tcp:send(Socket, [packet(Message) | waiting(63)]),
            serve(Socket, Owner, Partial)
    end.

packet({packet, Packet}) -> Packet;
packet(Message) ->
    {ok, Packet} = scene_protocol:encode(Message),
    Packet.

%% The packets of what waits in the mailbox, as many as leave in one call.
waiting(0) -> [];
waiting(Count) ->
    receive
        #sc_20001{} = Message -> [packet(Message) | waiting(Count - 1)];
        {packet, Packet} -> [Packet | waiting(Count - 1)]
    after 0 -> []
    end.

%% Hands the owner each message, and returns the bytes of one whose rest is missing.
hand_over(Bytes, Owner) ->
    case scene_protocol:decode(cs, Bytes) of
        {ok, _, Message, Rest} ->
            Owner ! {wireline, self(), Message},
            hand_over(Rest, Owner);
        {more, _} -> Bytes
    end.
