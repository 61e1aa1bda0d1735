#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%
%% Runs the Erlang examples of the protocol Scene.
%%
%%   scene.escript GENERATED EXAMPLES serve       prints the server's port; ends with its input
%%   scene.escript GENERATED EXAMPLES call PORT   sends two messages to an echo server, and prints what came back
-mode(compile).

main([Generated, Examples | Command]) ->
    [load(Generated, filename:join(Folder, File)) ||
        {Folder, File} <- [{Generated, "scene_protocol.erl"}, {Examples, "scene_server.erl"}, {Examples, "scene_client.erl"}]],
    run(Command).

run(["serve"]) ->
    {ok, Port} = scene_server:start(0),
    io:format("~b~n", [Port]),
    eof = io:get_line("");
run(["call", Port]) ->
    {ok, Client} = scene_client:connect({127, 0, 0, 1}, list_to_integer(Port)),
    Messages = [{cs_20001, 7, 2, <<"hi">>, <<>>}, {unknown, 999, <<1, 2, 3>>}],
    [io:format("~0tp~n", [scene_client:call(Client, Message, cs)]) || Message <- Messages],
    ok = scene_client:close(Client).

load(Generated, File) ->
    {ok, Name, Code} = compile:file(File, [binary, report, warnings_as_errors, {i, Generated}]),
    {module, Name} = code:load_binary(Name, File, Code).
