%% The application: rooms whose clients are processes of `wire gateway`.
-module(room_app).
-behaviour(application).
-export([start/2, stop/1]).

start(_Type, _Args) ->
    case application:get_env(room, page) of
        {ok, Folder} ->
            {ok, Port} = application:get_env(room, port),
            {ok, Chosen} = room_page:start(Folder, Port),
            io:format("page on http://127.0.0.1:~b~n", [Chosen]);
        undefined -> ok
    end,
    room_sup:start_link().

stop(_State) -> ok.
