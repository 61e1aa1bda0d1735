%% The server of Examples/LiveRoom in Erlang. The same clients connect to it.
%%
%% Each client has two processes: one reads packets from the socket, the other one writes what rooms send.
-module(room_server).
-export([start/1]).
-include("live_room_protocol.hrl").

%% A silent client is closed after this time, in milliseconds. Clients send a Ping every 30 s.
-define(PATIENCE, 90000).
%% A client for which more messages than this wait is too slow for the room.
-define(QUEUE_LIMIT, 1000).

%% Listens on loopback; port 0 lets the system choose. Returns the port.
-spec start(inet:port_number()) -> {ok, inet:port_number()} | {error, term()}.
start(Port) ->
    {ok, _} = pg:start_link(),
    %% The table must outlive the process that calls this function.
    Owner = self(),
    spawn(fun() ->
        names = ets:new(names, [named_table, public]),
        _ = ets:new(counters, [named_table, public]),
        Owner ! ready,
        receive never -> ok end
    end),
    receive ready -> ok end,
    %% The generated module does the framing, so the socket must not.
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

accept(Listener) ->
    case gen_tcp:accept(Listener) of
        {ok, Socket} ->
            Reader = spawn(fun() -> receive go -> read(Socket) end end),
            _ = gen_tcp:controlling_process(Socket, Reader),
            Reader ! go,
            accept(Listener);
        {error, closed} -> ok;
        {error, _} ->
            timer:sleep(100),
            accept(Listener)
    end.

%% The state of a reader: `user` is set by the login, `room` by entering one.
read(Socket) ->
    Reader = self(),
    Writer = spawn_link(fun() -> process_flag(trap_exit, true), write(Socket, Reader) end),
    process_flag(trap_exit, true),
    State = #{socket => Socket, writer => Writer, user => none, room => none},
    Last = serve(State, <<>>),
    leave(Last),
    log_out(Last),
    Writer ! stop.

%% Handles all whole packets in the buffer, then waits for more bytes.
serve(State, Buffer) ->
    case live_room_protocol:decode(cs, Buffer) of
        {ok, Header, Message, Rest} ->
            case handle(Message, live_room_protocol:settable(Header), State) of
                {stop, Next} -> Next;
                Next -> serve(Next, Rest)
            end;
        {more, _} -> wait(State, Buffer);
        {error, Error} ->
            io:format(standard_error, "~ts~n", [live_room_protocol:format_error(Error)]),
            State
    end.

wait(#{socket := Socket, writer := Writer} = State, Buffer) ->
    _ = inet:setopts(Socket, [{active, once}]),
    receive
        {tcp, Socket, Bytes} -> serve(State, <<Buffer/binary, Bytes/binary>>);
        {tcp_closed, Socket} -> State;
        {tcp_error, Socket, _} -> State;
        {'EXIT', Writer, _} -> State
    after ?PATIENCE -> State
    end.

%% Every message but the first needs a login.
handle(#ping{}, Header, State) -> reply(#pong{}, Header, State);
handle(#login{token = <<"let-me-in">>, name = Name}, Header, #{user := none} = State) ->
    Id = ets:update_counter(counters, users, 1, {users, 0}),
    case ets:insert_new(names, {Name, maps:get(writer, State)}) of
        true ->
            User = #user{id = Id, name = Name},
            reply(#welcome{result = welcome, user_id = Id}, Header, State#{user := User});
        false -> reply(#welcome{result = name_taken, user_id = 0}, Header, State)
    end;
handle(#login{}, Header, #{user := none} = State) ->
    reply(#welcome{result = wrong_token, user_id = 0}, Header, State);
handle(_, _, #{user := none} = State) -> {stop, State};
handle(#enter_room{room = Room}, Header, #{user := User, writer := Writer} = State) ->
    leave(State),
    Next = State#{room := Room},
    ok = pg:join({room, Room}, Writer),
    true = ets:insert(names, {{Room, User#user.id}, User}),
    Users = lists:sort([U || [U] <- ets:match(names, {{Room, '_'}, '$1'})]),
    _ = reply(#room_entered{room = Room, users = Users}, Header, Next),
    tell(#user_entered{user = User}, Room, [Writer]),
    Next;
handle(#say{text = Text}, _, #{user := User, room := Room} = State) ->
    tell(#said{user = User, text = Text}, Room, []),
    State;
handle(#send_gift{gift = Gift, count = Count}, _, #{user := User, room := Room} = State) ->
    tell(#gift_sent{user = User, gift = Gift, count = Count}, Room, []),
    State;
handle(#kick_user{name = Name}, _, #{user := #user{name = <<"admin">>}} = State) ->
    [Writer ! {kick, kicked} || {_, Writer} <- ets:lookup(names, Name)],
    State;
handle(_, _, State) -> State.

leave(#{room := none}) -> ok;
leave(#{room := Room, user := User, writer := Writer}) ->
    _ = pg:leave({room, Room}, Writer),
    true = ets:delete(names, {Room, User#user.id}),
    tell(#user_left{user = User}, Room, []).

log_out(#{user := none}) -> ok;
log_out(#{user := #user{name = Name}}) -> ets:delete(names, Name).

reply(Message, Header, #{writer := Writer} = State) ->
    {ok, Packet} = live_room_protocol:encode(Header, Message),
    Writer ! {packet, Packet},
    State.

%% Encodes a message once and sends it to all members of a room.
tell(_, none, _) -> ok;
tell(Message, Room, Except) ->
    {ok, Packet} = live_room_protocol:encode(Message),
    [Writer ! {packet, Packet} || Writer <- pg:get_members({room, Room}) -- Except],
    ok.

%% Writes packets until the client is gone, too slow, or kicked.
write(Socket, Reader) ->
    receive
        {packet, Packet} ->
            {message_queue_len, Count} = process_info(self(), message_queue_len),
            if
                Count > ?QUEUE_LIMIT -> say_goodbye(Socket, too_slow);
                true ->
                    case gen_tcp:send(Socket, Packet) of
                        ok -> write(Socket, Reader);
                        {error, _} -> ok
                    end
            end;
        {kick, Reason} -> say_goodbye(Socket, Reason);
        stop -> gen_tcp:close(Socket);
        {'EXIT', Reader, _} -> ok
    end.

say_goodbye(Socket, Reason) ->
    {ok, Packet} = live_room_protocol:encode(#goodbye{reason = Reason}),
    _ = gen_tcp:send(Socket, Packet),
    gen_tcp:shutdown(Socket, write).
