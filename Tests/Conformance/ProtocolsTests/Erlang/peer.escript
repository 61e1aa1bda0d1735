#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%
%% The other implementation: packets written and read in Erlang's bit syntax, by hand.
%%
%%   peer.escript echo MODULE IN OUT            reads packets and writes them again
%%   peer.escript make MODULE COUNT SEED OUT    makes random ones
%%   peer.escript unpack BYTES IN OUT           takes a stream of {packet, BYTES} apart and puts it together again
%%   peer.escript pack BYTES COUNT SEED OUT     makes a random one
%%   peer.escript judge FOLDER MODULE IN OUT    puts cases to a generated module: see judge.erl
%%   peer.escript encode FOLDER MODULE IN OUT   lets a generated module encode terms: see judge.erl
%%   peer.escript dialyze FOLDER OUT            says what Dialyzer thinks of the modules in a folder
%%
%% Files hold frames: a 32-bit big-endian count and so many bytes. A packet's frame begins with one byte that says who
%% sends it, 0 the client and 1 the server; after it stands a frame with the line of JSON that says what it is.
-mode(compile).

main(["echo", Module, In, Out]) ->
    M = load(Module),
    write(Out, [answer(M, From, Packet) || <<From, Packet/binary>> <- frames(In)]);
main(["make", Module, Count, Seed, Out]) ->
    M = load(Module),
    rand:seed(exsss, list_to_integer(Seed)),
    write(Out, [invent(M) || _ <- lists:seq(1, list_to_integer(Count))]);
main(["unpack", Bytes, In, Out]) ->
    N = list_to_integer(Bytes),
    [Stream] = frames(In),
    Payloads = unpack(N, Stream),
    Payloads = over_tcp(N, Stream, length(Payloads)),
    write(Out, [frame(pack(N, Payloads)) | [frame(P) || P <- Payloads]]);
main(["pack", Bytes, Count, Seed, Out]) ->
    load("dice"),
    N = list_to_integer(Bytes),
    rand:seed(exsss, list_to_integer(Seed)),
    Most = min(65535, (1 bsl (8 * N)) - 1),
    Payloads = [<<>>, rand:bytes(Most) | [rand:bytes(dice:count(Most)) || _ <- lists:seq(1, list_to_integer(Count))]],
    Stream = pack(N, Payloads),
    Stream = from_tcp(N, Payloads),
    write(Out, [frame(Stream) | [frame(P) || P <- Payloads]]);
main(["judge", Folder, Module, In, Out]) ->
    load("judge"),
    write(Out, [frame(Answer) || Answer <- judge:cases(compile_in(Folder, Module), frames(In))]);
main(["encode", Folder, Module, In, Out]) ->
    load("judge"),
    write(Out, [frame(Answer) || Answer <- judge:encoded(compile_in(Folder, Module), frames(In))]);
main(["dialyze", Folder, Out]) ->
    write(Out, [frame(Answer) || Answer <- dialyze(Folder)]).

%% The number of modules comes first, then what is wrong with them. Of the library only what generated code uses is
%% looked at: all of it would take a minute.
dialyze(Folder) ->
    Files = filelib:wildcard(filename:join(Folder, "*.erl")),
    Options = [debug_info, report, warnings_as_errors, {i, Folder}, {outdir, Folder}],
    [{ok, _} = compile:file(File, Options) || File <- Files],
    Table = filename:join(Folder, "plt"),
    Library = [code:which(M) || M <- [lists, maps, binary, unicode, io_lib]],
    [] = dialyzer:run([{analysis_type, plt_build}, {files, Library}, {output_plt, Table}]),
    Beams = [filename:rootname(File) ++ ".beam" || File <- Files],
    Found = dialyzer:run([{analysis_type, succ_typings}, {files, Beams}, {init_plt, Table}, {warnings, [unmatched_returns]}]),
    [integer_to_list(length(Files)) | [dialyzer:format_warning(W) || W <- Found]].

answer(M, From, Packet) ->
    Value = M:decode(sender(From), Packet),
    [frame([From, M:encode(Value)]), frame(M:line(Value))].

invent(M) ->
    {Sender, Value} = M:random(),
    [frame([sender_byte(Sender), M:encode(Value)]), frame(M:line(Value))].

sender(0) -> client;
sender(1) -> server.

sender_byte(client) -> 0;
sender_byte(server) -> 1.

%% {packet, N}

pack(N, Payloads) ->
    iolist_to_binary([<<(byte_size(P)):N/unit:8, P/binary>> || P <- Payloads]).

unpack(_, <<>>) -> [];
unpack(N, Stream) ->
    {ok, Payload, Rest} = erlang:decode_packet(N, Stream, []),
    [Payload | unpack(N, Rest)].

%% What gen_tcp with {packet, N} receives when these bytes are sent.
over_tcp(N, Stream, Count) ->
    {Framed, Raw} = pair(N),
    Sender = spawn_link(fun() -> receive go -> ok end, ok = gen_tcp:send(Raw, Stream) end),
    ok = gen_tcp:controlling_process(Raw, Sender),
    Sender ! go,
    [begin {ok, Payload} = gen_tcp:recv(Framed, 0), Payload end || _ <- lists:seq(1, Count)].

%% What goes over the wire when gen_tcp with {packet, N} sends these.
from_tcp(N, Payloads) ->
    {Framed, Raw} = pair(N),
    Sender = spawn_link(fun() ->
        receive go -> ok end,
        [ok = gen_tcp:send(Framed, P) || P <- Payloads]
    end),
    ok = gen_tcp:controlling_process(Framed, Sender),
    Sender ! go,
    {ok, Stream} = gen_tcp:recv(Raw, lists:sum([N + byte_size(P) || P <- Payloads])),
    Stream.

pair(N) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {packet, N}, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listener),
    {ok, Raw} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {packet, raw}, {active, false}]),
    {ok, Framed} = gen_tcp:accept(Listener),
    {Framed, Raw}.

%% Files

frames(File) ->
    {ok, Bytes} = file:read_file(File),
    [Frame || <<N:32, Frame:N/binary>> <= Bytes].

frame(Data) ->
    Bytes = iolist_to_binary(Data),
    <<(byte_size(Bytes)):32, Bytes/binary>>.

write(File, Frames) -> ok = file:write_file(File, Frames).

%% Compiles the modules beside this script into memory.
load(Module) ->
    Name = list_to_atom(Module),
    case code:is_loaded(Name) of
        {file, _} -> ok;
        false -> lists:foreach(fun compile_file/1, filelib:wildcard(filename:join(filename:dirname(?FILE), "*.erl")))
    end,
    Name.

%% Compiles one module of another folder into memory.
compile_in(Folder, Module) -> compile_file(filename:join(Folder, Module ++ ".erl")).

compile_file(File) ->
    {ok, Name, Code} = compile:file(File, [binary, report, warnings_as_errors, {i, filename:dirname(File)}]),
    {module, Name} = code:load_binary(Name, File, Code),
    Name.
