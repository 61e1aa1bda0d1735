#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! +pc unicode
%%
%% Runs scripts one after another. It reads a line for each: the script and its arguments, with tabs between. A byte 0 is
%% the answer; before it stands what a script wrote, and why it failed.
-mode(compile).

main([]) -> serve(#{}).

serve(Loaded) ->
    case io:get_line("") of
        eof -> ok;
        Line ->
            [Script | Arguments] = string:split(string:trim(Line, trailing, "\n"), "\t", all),
            Known = load(Script, Loaded),
            #{Script := Module} = Known,
            {_, Monitor} = spawn_monitor(fun() -> Module:main(Arguments) end),
            receive
                {'DOWN', Monitor, process, _, normal} -> ok;
                {'DOWN', Monitor, process, _, Reason} -> io:format("~tp~n", [Reason])
            end,
            io:put_chars([0]),
            serve(Known)
    end.

load(Script, Loaded) when is_map_key(Script, Loaded) -> Loaded;
load(Script, Loaded) ->
    {ok, Parts} = escript:extract(Script, [compile_source]),
    {source, Code} = lists:keyfind(source, 1, Parts),
    {ok, {Module, _}} = beam_lib:chunks(Code, []),
    {module, Module} = code:load_binary(Module, Script, Code),
    Loaded#{Script => Module}.
