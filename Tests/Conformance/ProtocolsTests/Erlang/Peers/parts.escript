#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%
%% Checks that a part of a message, which is not read, sets no state, whatever its ID; and that the message does.
%%
%%   parts.escript FILE     the module of a protocol with layers and the state `phase`
-mode(compile).

main([File]) ->
    {ok, Module, Code} = compile:file(File, [binary, return_errors, {i, filename:dirname(File)}]),
    {module, Module} = code:load_binary(Module, File, Code),
    {0, 0, First} = sent(Module, {#{from => cs}, #{}}, 2, <<"part">>, 8),
    {1, 1, _} = sent(Module, First, 2, <<>>, 0),
    io:format("as expected~n").

%% The states of both ends after a packet, and their contexts.
sent(Module, {Sender, Receiver}, Id, Payload, Kind) ->
    {ok, Packet, Sent} = Module:encode(Sender, #{kind => Kind}, {unknown, Id, Payload}),
    {ok, _, _, <<>>, Received} = Module:decode(Receiver, cs, iolist_to_binary(Packet)),
    {phase(Sent), phase(Received), {Sent, Received}}.

phase(#{state := #{phase := Phase}}) -> Phase;
phase(_) -> 0.
