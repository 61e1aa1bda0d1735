%% The member of the group that gateways ask to own their clients. Each client gets a process of its own.
-module(room_gate).
-behaviour(gen_server).
-export([start_link/0, init/1, handle_call/3, handle_cast/2, handle_info/2]).

start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).

init([]) ->
    ok = pg:join(room, self()),
    {ok, none}.

%% `open`: a new client. `resume`: one whose player was lost; it has not noticed.
handle_info({wireline, Event, Client, Info}, State) when Event =:= open; Event =:= resume ->
    case supervisor:start_child(room_players, [Client, Info]) of
        {ok, Player} -> Client ! {wireline, {owner, Player}};
        %% The gateway asks again.
        {error, _} -> ok
    end,
    {noreply, State};
%% A client that has gone before it had an owner, and everything else.
handle_info(_, State) -> {noreply, State}.

handle_call(_, _, State) -> {reply, {error, unknown_request}, State}.

handle_cast(_, State) -> {noreply, State}.
