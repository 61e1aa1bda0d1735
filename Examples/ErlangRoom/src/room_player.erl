%% The owner of one client: what the client says comes here, and what it is sent goes to the client's process.
%%
%% Who the client is stands in its state at the gateway. So a new player knows it when this one, or its node, is lost.
-module(room_player).
-behaviour(gen_server).
-export([start_link/2, init/1, handle_call/3, handle_cast/2, handle_info/2]).
-include("live_room_protocol.hrl").

start_link(Client, Info) -> gen_server:start_link(?MODULE, {Client, Info}, []).

init({Client, #{state := undefined}}) -> {ok, #{client => Client, user => none, room => none}};
init({Client, #{state := {Id, Name, Room}}}) ->
    User = #user{id = Id, name = Name},
    ok = room_hall:restore(User, Room, Client),
    {ok, #{client => Client, user => User, room => Room}}.

%% The protocol has a field that senders set, so each message comes with the header's map: a reply repeats its number.
handle_info({wireline, Client, Message, #{header := Header}}, #{client := Client} = State) ->
    {noreply, handle(Message, Header, State)};
handle_info({wireline, close, Client, _Reason}, #{client := Client, user := User, room := Room} = State) ->
    leave(User, Room),
    {stop, normal, State};
%% The gateway drains: its clients are told to connect to another one.
handle_info({wireline, drain, _Node, _Time}, State) -> {noreply, State};
handle_info({wireline, error, _Client, Error}, State) ->
    logger:error("a message was refused: ~ts", [live_room_protocol:format_error(Error)]),
    {noreply, State};
handle_info(_, State) -> {noreply, State}.

handle_call(_, _, State) -> {reply, {error, unknown_request}, State}.

handle_cast(_, State) -> {noreply, State}.

%% Every message but the first needs a login.
handle(#ping{}, Header, #{client := Client} = State) ->
    Client ! {Header, #pong{}},
    State;
handle(#login{token = <<"let-me-in">>, name = Name}, Header, #{client := Client, user := none} = State) ->
    case room_hall:log_in(Name, Client) of
        {ok, User} ->
            step(Client, [
                {state, {User#user.id, Name, none}},
                {send, {Header, #welcome{result = welcome, user_id = User#user.id}}}
            ]),
            State#{user := User};
        taken ->
            Client ! {Header, #welcome{result = name_taken, user_id = 0}},
            State
    end;
handle(#login{}, Header, #{client := Client, user := none} = State) ->
    Client ! {Header, #welcome{result = wrong_token, user_id = 0}},
    State;
handle(_, _, #{client := Client, user := none} = State) ->
    step(Client, [{kick, no_login}]),
    State;
handle(#enter_room{room = Room}, Header, #{client := Client, user := User, room := Old} = State) ->
    Users = room_hall:enter(User, Room),
    leave(User, Old),
    %% One step: nobody's message comes between the list of users and the room.
    step(Client, [{leave, {room, Old}} || Old =/= none] ++ [
        {send, {Header, #room_entered{room = Room, users = Users}}},
        {join, {room, Room}},
        {state, {User#user.id, User#user.name, Room}}
    ]),
    tell(#user_entered{user = User}, Room, [Client]),
    State#{room := Room};
handle(#say{text = Text}, _, #{user := User, room := Room} = State) ->
    tell(#said{user = User, text = Text}, Room, []),
    State;
handle(#send_gift{gift = Gift, count = Count}, _, #{user := User, room := Room} = State) ->
    tell(#gift_sent{user = User, gift = Gift, count = Count}, Room, []),
    State;
handle(#kick_user{name = Name}, _, #{user := #user{name = <<"admin">>}} = State) ->
    case room_hall:client(Name) of
        {ok, Other} -> step(Other, [{send, #goodbye{reason = kicked}}, {kick, kicked}]);
        none -> ok
    end,
    State;
handle(_, _, State) -> State.

step(Client, Actions) -> Client ! {wireline, Actions}.

leave(_, none) -> ok;
leave(User, Room) -> tell(#user_left{user = User}, Room, []).

%% Sends a message to all members of a room, at whichever gateway they are. Each gateway encodes it once.
tell(_, none, _) -> ok;
tell(Message, Room, Except) ->
    [G ! {publish, {room, Room}, Message, #{except => Except}} || G <- pg:get_members(wireline_gateways)],
    ok.
