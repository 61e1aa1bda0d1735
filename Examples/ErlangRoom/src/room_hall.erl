%% Who is here, under which name, and in which room. A player that ends is taken out.
-module(room_hall).
-behaviour(gen_server).
-export([start_link/0, log_in/2, restore/3, enter/2, client/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).
-include("live_room_protocol.hrl").

start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

%% Gives the caller, which is a player, a name.
-spec log_in(binary(), pid()) -> {ok, #user{}} | taken.
log_in(Name, Client) -> gen_server:call(?MODULE, {log_in, Name, Client}).

%% The caller takes the place of a player that was lost.
-spec restore(#user{}, non_neg_integer() | none, pid()) -> ok.
restore(User, Room, Client) -> gen_server:call(?MODULE, {restore, User, Room, Client}).

%% Moves the caller to a room, and returns all who are in it.
-spec enter(#user{}, non_neg_integer()) -> [#user{}].
enter(User, Room) -> gen_server:call(?MODULE, {enter, User, Room}).

%% The client of a name.
-spec client(binary()) -> {ok, pid()} | none.
client(Name) -> gen_server:call(?MODULE, {client, Name}).

%% The state: the next ID, and the players by name: {User, Room, Client, Player}.
init([]) -> {ok, {1, #{}}}.

handle_call({log_in, Name, Client}, {Player, _}, {Next, Users}) ->
    case Users of
        #{Name := _} -> {reply, taken, {Next, Users}};
        _ ->
            User = #user{id = Next, name = Name},
            {reply, {ok, User}, {Next + 1, add(User, none, Client, Player, Users)}}
    end;
handle_call({restore, #user{id = Id} = User, Room, Client}, {Player, _}, {Next, Users}) ->
    {reply, ok, {max(Next, Id + 1), add(User, Room, Client, Player, Users)}};
handle_call({enter, #user{name = Name} = User, Room}, _, {Next, Users}) ->
    #{Name := {_, _, Client, Player}} = Users,
    Changed = Users#{Name := {User, Room, Client, Player}},
    {reply, lists:sort([U || {U, R, _, _} <- maps:values(Changed), R =:= Room]), {Next, Changed}};
handle_call({client, Name}, _, {_, Users} = State) ->
    case Users of
        #{Name := {_, _, Client, _}} -> {reply, {ok, Client}, State};
        _ -> {reply, none, State}
    end.

handle_cast(_, State) -> {noreply, State}.

handle_info({'DOWN', _, process, Player, _}, {Next, Users}) ->
    {noreply, {Next, maps:filter(fun(_, {_, _, _, P}) -> P =/= Player end, Users)}};
handle_info(_, State) -> {noreply, State}.

add(#user{name = Name} = User, Room, Client, Player, Users) ->
    _ = monitor(process, Player),
    Users#{Name => {User, Room, Client, Player}}.
