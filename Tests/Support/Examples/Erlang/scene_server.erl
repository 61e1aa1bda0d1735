%% SPDX-License-Identifier: Apache-2.0
%%
%% A server of the protocol Scene, for a backend to start from. Its answers stand in handle/1; the rest serves any
%% protocol.
%%
%%   $ wire generate erlang --out . --protocol Protocols/Scene
%%   $ erlc scene_protocol.erl scene_server.erl
%%   $ erl -noshell -eval "{ok, _} = scene_server:start(9001)"
-module(scene_server).
-export([start/1]).
-include("scene_protocol.hrl").

%% A client that sends nothing for so long, or takes nothing, is let go, in milliseconds.
-define(PATIENCE, 60000).

%% Listens on loopback; on any free port where it is 0.
-spec start(inet:port_number()) -> {ok, inet:port_number()} | {error, term()}.
start(Port) ->
    %% The module does the framing, so the socket must not: {packet, 4} would not count the length itself.
    %% Accepted sockets inherit all this. Without the send timeout a client that never reads holds its process for ever.
    Options = [
        binary, {packet, raw}, {active, false}, {reuseaddr, true}, {nodelay, true}, {ip, {127, 0, 0, 1}},
        {send_timeout, ?PATIENCE}, {send_timeout_close, true}
    ],
    case gen_tcp:listen(Port, Options) of
        {ok, Listener} ->
            Acceptor = spawn(fun() -> receive go -> accept(Listener) end end),
            ok = gen_tcp:controlling_process(Listener, Acceptor),
            Acceptor ! go,
            inet:port(Listener);
        {error, Reason} -> {error, Reason}
    end.

%% A process for each connection.
accept(Listener) ->
    case gen_tcp:accept(Listener) of
        {ok, Socket} ->
            Connection = spawn(fun() -> receive go -> serve(Socket, <<>>) end end),
            _ = gen_tcp:controlling_process(Socket, Connection),
            Connection ! go,
            accept(Listener);
        {error, closed} -> ok;
        {error, _} ->
            %% Most often too many descriptors: the next one may find room.
            timer:sleep(100),
            accept(Listener)
    end.

%% What has come and was not answered yet is less than one packet, and max_packet limits that.
serve(Socket, Buffer) ->
    case scene_protocol:decode(cs, Buffer) of
        {ok, Header, Message, Rest} ->
            case answer(Socket, scene_protocol:settable(Header), handle(Message)) of
                ok -> serve(Socket, Rest);
                {error, Reason} -> close(Socket, Reason)
            end;
        {more, _} -> wait(Socket, Buffer);
        {error, Error} -> close(Socket, scene_protocol:format_error(Error))
    end.

%% Takes what there is, one read at a time: a client that sends faster than it is served has to wait.
wait(Socket, Buffer) ->
    ok = inet:setopts(Socket, [{active, once}]),
    receive
        {tcp, Socket, Bytes} -> serve(Socket, <<Buffer/binary, Bytes/binary>>);
        {tcp_closed, Socket} -> ok;
        {tcp_error, Socket, Reason} -> close(Socket, Reason)
    after ?PATIENCE -> close(Socket, "it was silent for too long")
    end.

answer(_, _, none) -> ok;
answer(Socket, Header, Message) ->
    case scene_protocol:encode(Header, Message) of
        {ok, Packet} -> gen_tcp:send(Socket, Packet);
        {error, Error} -> {error, scene_protocol:format_error(Error)}
    end.

close(Socket, Reason) ->
    io:format(standard_error, "a connection ends: ~ts~n", [text(Reason)]),
    gen_tcp:close(Socket).

text(Reason) when is_atom(Reason) -> atom_to_list(Reason);
text(Reason) -> Reason.

%% What is answered; `none` is not.
-spec handle(scene_protocol:cs_message()) -> scene_protocol:sc_message() | none.
handle(#cs_20001{scene_id = 0, message = Message}) ->
    %% There is no such scene.
    #sc_20001{res = 4, scene_id = 0, pos = 0, status = 0, type = 0, default_combat = 0, message = Message};
handle(#cs_20001{scene_id = SceneId, message = Message}) ->
    #sc_20001{res = 1, scene_id = SceneId, pos = 1, status = 0, type = 0, default_combat = 100, message = Message};
handle({unknown, _, _}) -> none.
