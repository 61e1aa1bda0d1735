%% The application: rooms whose clients are processes of `wire gateway`.
-module(room_app).
-behaviour(application).
-export([start/2, stop/1]).

start(_Type, _Args) -> room_sup:start_link().

stop(_State) -> ok.
