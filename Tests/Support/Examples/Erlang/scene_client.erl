%% SPDX-License-Identifier: Apache-2.0
%%
%% A client of the protocol Scene: sends messages, and waits for the answer to each.
%%
%%   $ wire serve 127.0.0.1:9001 --echo --protocol Protocols/Scene &
%%   1> {ok, Client} = scene_client:connect("127.0.0.1", 9001).
%%   2> rr(scene_protocol).
%%   3> scene_client:call(Client, #cs_20001{scene_id = 7, line = 2, message = <<"hi">>}, cs).
-module(scene_client).
-export([connect/2, call/3, close/1]).

%% For connecting, for sending and for each read, in milliseconds.
-define(PATIENCE, 5000).

-spec connect(inet:hostname() | inet:ip_address(), inet:port_number()) -> {ok, gen_tcp:socket()} | {error, term()}.
connect(Host, Port) ->
    Options = [
        binary, {packet, raw}, {active, false}, {nodelay, true}, {send_timeout, ?PATIENCE}, {send_timeout_close, true}
    ],
    gen_tcp:connect(Host, Port, Options, ?PATIENCE).

%% The next message that comes. A server's own messages are read as `sc`; what an echo sends back is still `cs`.
-spec call(gen_tcp:socket(), scene_protocol:message(), cs | sc) -> {ok, scene_protocol:message()} | {error, term()}.
call(Socket, Message, Side) ->
    case scene_protocol:encode(Message) of
        {ok, Packet} ->
            case gen_tcp:send(Socket, Packet) of
                ok -> read(Socket, Side, <<>>);
                {error, Reason} -> {error, Reason}
            end;
        {error, Error} -> {error, Error}
    end.

read(Socket, Side, Buffer) ->
    case scene_protocol:decode(Side, Buffer) of
        {ok, _, Message, <<>>} -> {ok, Message};
        {ok, _, _, Rest} -> {error, {unexpected, Rest}};
        {more, Count} ->
            %% Exactly what is missing, so that nothing of a next packet comes with it.
            case gen_tcp:recv(Socket, Count, ?PATIENCE) of
                {ok, Bytes} -> read(Socket, Side, <<Buffer/binary, Bytes/binary>>);
                {error, Reason} -> {error, Reason}
            end;
        {error, Error} -> {error, Error}
    end.

-spec close(gen_tcp:socket()) -> ok.
close(Socket) -> gen_tcp:close(Socket).
