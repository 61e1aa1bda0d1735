#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0
%%! +pc unicode
%%
%% Erlang's own view of terms.
%%
%%   terms.escript echo IN OUT          reads terms and writes them again: a byte 1 and the term, or 0 for a refusal
%%   terms.escript make COUNT SEED OUT  makes random terms: for each one its bytes, then its text
%%   terms.escript parse IN OUT         reads terms as text and writes their bytes; nothing for a refusal
%%   terms.escript compare IN OUT       for each two terms three bytes: whether <, == and =:= hold
%%
%% Files hold frames: a 32-bit big-endian count and so many bytes.
-mode(compile).

main(["echo", In, Out]) -> write(Out, [echo(B) || B <- frames(In)]);
main(["make", Count, Seed, Out]) ->
    rand:seed(exsss, list_to_integer(Seed)),
    write(Out, lists:append([made(term(4)) || _ <- lists:seq(1, list_to_integer(Count))]));
main(["parse", In, Out]) -> write(Out, [parse(T) || T <- frames(In)]);
main(["compare", In, Out]) -> write(Out, compare(frames(In))).

echo(Bytes) ->
    try binary_to_term(Bytes) of
        Term -> [1, bytes(Term)]
    catch error:badarg -> [0]
    end.

made(Term) -> [bytes(Term), unicode:characters_to_binary(io_lib:format("~0tp", [Term]))].

parse(Text) ->
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text) ++ "."),
    case erl_parse:parse_term(Tokens) of
        {ok, Term} -> bytes(Term);
        {error, _} -> []
    end.

compare([A, B | Rest]) ->
    {X, Y} = {binary_to_term(A), binary_to_term(B)},
    [[bit(X < Y), bit(X == Y), bit(X =:= Y)] | compare(Rest)];
compare([]) -> [].

bit(true) -> 1;
bit(false) -> 0.

%% Atoms in UTF-8, as OTP 26 writes them.
bytes(Term) -> term_to_binary(Term, [{minor_version, 2}]).

%% Random terms, at most Depth deep.
term(0) -> leaf(rand:uniform(12));
term(Depth) ->
    case rand:uniform(20) of
        1 -> [term(Depth - 1) || _ <- count()];
        2 -> [term(Depth - 1) | atom()];
        3 -> maps:from_list([{term(Depth - 1), term(Depth - 1)} || _ <- count()]);
        4 -> list_to_tuple([number() || _ <- lists:seq(1, 200 + rand:uniform(100))]);
        5 -> X = term(Depth - 1), fun() -> X end;
        6 -> {number(), [term(Depth - 1), 1]};
        N when N < 12 -> list_to_tuple([term(Depth - 1) || _ <- count()]);
        N -> leaf(N - 8)
    end.

count() -> lists:seq(1, rand:uniform(5) - 1).

leaf(1) -> number();
leaf(2) -> atom();
leaf(3) -> rand:bytes(rand:uniform(20) - 1);
leaf(4) -> list_to_binary(text());
leaf(5) -> <<(rand:uniform(1 bsl 30)):(rand:uniform(30))>>;
leaf(6) -> text();
leaf(7) -> [number() || _ <- count()];
leaf(8) -> identifier(88, <<(rand:uniform(1 bsl 30)):32, (rand:uniform(9) - 1):32>>);
leaf(9) -> identifier(120, <<(rand:uniform(1 bsl 60)):64>>);
leaf(10) ->
    Words = rand:uniform(5),
    Node = node_name(),
    Bytes = << <<(rand:uniform(1 bsl 18)):32>> || _ <- lists:seq(1, Words) >>,
    binary_to_term(<<131, 90, Words:16, Node/binary, (rand:uniform(9)):32, Bytes/binary>>);
leaf(11) -> fun lists:sum/1;
leaf(12) -> erlang:make_fun(atom(), atom(), rand:uniform(256) - 1).

identifier(Tag, Numbers) ->
    Node = node_name(),
    binary_to_term(<<131, Tag, Node/binary, Numbers/binary, (rand:uniform(9)):32>>).

node_name() ->
    <<131, Node/binary>> = bytes(lists:nth(rand:uniform(3), ['a@127.0.0.1', 'node b@host', 'c@10.0.0.4'])),
    Node.

number() ->
    Sign = lists:nth(rand:uniform(2), [1, -1]),
    case rand:uniform(6) of
        1 -> Sign * rand:uniform();
        2 -> Sign * rand:uniform() * math:pow(10, rand:uniform(600) - 300);
        3 -> float(rand:uniform(1 bsl 60));
        _ -> Sign * (rand:uniform(1 bsl rand:uniform(130)) - 1)
    end.

atom() ->
    lists:nth(rand:uniform(9), [ok, 'a b', 'Name', '', 'end', 'it\'s', 'line\n', list_to_atom([16#4E2D]), list_to_atom([16#E5])]).

text() -> [lists:nth(rand:uniform(8), "ab\"\\\n\t~ ") || _ <- count()].

frames(File) ->
    {ok, Bytes} = file:read_file(File),
    split(Bytes).

split(<<Count:32, Frame:Count/binary, Rest/binary>>) -> [Frame | split(Rest)];
split(<<>>) -> [].

write(File, Frames) -> ok = file:write_file(File, [[<<(iolist_size(F)):32>>, F] || F <- Frames]).
