%% The gate is started last: gateways ask it as soon as it is in the group, and then all others must be there.
-module(room_sup).
-behaviour(supervisor).
-export([start_link/0, start_players/0, init/1]).

start_link() -> supervisor:start_link({local, ?MODULE}, ?MODULE, room).

start_players() -> supervisor:start_link({local, room_players}, ?MODULE, players).

init(room) ->
    Children = [
        #{id => pg, start => {pg, start_link, []}},
        #{id => room_hall, start => {room_hall, start_link, []}},
        #{id => room_players, start => {?MODULE, start_players, []}, type => supervisor},
        #{id => room_gate, start => {room_gate, start_link, []}}
    ],
    {ok, {#{strategy => rest_for_one}, Children}};
init(players) ->
    %% A player that has failed is not started again: the gateway asks the gate, with `resume`.
    Player = #{id => player, start => {room_player, start_link, []}, restart => temporary},
    {ok, {#{strategy => simple_one_for_one}, [Player]}}.
