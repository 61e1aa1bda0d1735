#!/usr/bin/env escript
%% SPDX-License-Identifier: Apache-2.0

%% Asks functions of the runtime, whose file is the argument: each line has a word, and the bytes that it gets.
-mode(compile).

main([File]) ->
    {ok, Name, Code} = compile:file(File, [binary]),
    {module, Name} = code:load_binary(Name, File, Code),
    lines().

lines() ->
    case io:get_line("") of
        eof -> ok;
        Line ->
            [Word, Digits] = string:lexemes(Line, " \n"),
            io:format("~s~n", [answer(Word, binary:decode_hex(list_to_binary(Digits)))]),
            lines()
    end.

answer(Word, Bytes) ->
    try word(Word, Bytes) of
        Number when is_integer(Number) -> integer_to_list(Number);
        Text -> string:lowercase(binary:encode_hex(Text))
    catch
        throw:{error, #{reason := Reason}} when is_tuple(Reason) -> atom_to_list(element(1, Reason));
        throw:{error, #{reason := Reason}} -> atom_to_list(Reason)
    end.

%% Generated code calls these two of Erlang's own.
word("crc32", B) -> erlang:crc32(B);
word("adler32", B) -> erlang:adler32(B);
word("varint", B) -> element(1, runtime:varint(B, 5, byte_size(B), <<"f">>, []));
word("zigzag", B) -> element(1, runtime:zigzag(B, 5, byte_size(B), <<"f">>, []));
word("text", B) -> element(1, runtime:text({byte_size(B), B}, byte_size(B), <<"f">>, []));
word("f16", <<Bits:16>>) -> trunc(runtime:float16(Bits) * 16777216);
word(Word, B) -> apply(runtime, list_to_atom(Word), [B]).
