%% SPDX-License-Identifier: Apache-2.0
%%
%% Random values, with a liking for the ends of what is possible.
-module(dice).
-export([unsigned/1, signed/1, between/2, count/1, coin/0, one_of/1, list/2, text/1, text/2, bytes/1, double/0, float/0]).

unsigned(Bits) -> between(0, (1 bsl Bits) - 1).

signed(Bits) -> between(-(1 bsl (Bits - 1)), (1 bsl (Bits - 1)) - 1).

between(Low, High) ->
    case rand:uniform(8) of
        1 -> Low;
        2 -> High;
        3 -> min(High, Low + rand:uniform(300));
        _ -> Low + rand:uniform(High - Low + 1) - 1
    end.

%% More often small than not.
count(Most) -> rand:uniform(rand:uniform(Most + 1)) - 1.

coin() -> rand:uniform(2) =:= 1.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

list(Most, Make) -> [Make() || _ <- lists:seq(1, count(Most))].

bytes(Most) -> rand:bytes(count(Most)).

%% UTF-8 of at most so many bytes.
text(Most) -> text(Most, []).

%% UTF-8 without some characters.
text(Most, Without) ->
    Characters = list(min(Most, 40), fun character/0),
    cut(unicode:characters_to_binary([C || C <- Characters, not lists:member(C, Without)]), Most).

character() ->
    case rand:uniform(6) of
        1 -> rand:uniform(16#80) - 1;
        2 -> one_of([0, $\n, $", $\\, 16#7F, 16#85, 16#202E, 16#2028, 16#FEFF, 16#FFFE, 16#301, 16#10FFFF]);
        3 -> 16#4E00 + rand:uniform(16#5000) - 1;
        4 -> 16#1F300 + rand:uniform(16#300) - 1;
        _ -> 16#20 + rand:uniform(95) - 1
    end.

%% Whole characters only.
cut(Text, Most) when byte_size(Text) =< Most -> Text;
cut(Text, Most) ->
    case unicode:characters_to_binary(binary:part(Text, 0, Most)) of
        {incomplete, Whole, _} -> Whole;
        Whole -> Whole
    end.

%% The bits of a float: any finite one, an infinity, or the one NaN that JSON can name.
double() ->
    case rand:uniform(16) of
        1 -> 16#7FF8000000000000;
        2 -> one_of([16#7FF0000000000000, 16#FFF0000000000000, 16#8000000000000000, 1]);
        3 -> <<Bits:64>> = <<(signed(32)):64/float>>, Bits;
        _ -> unsigned(1) bsl 63 bor between(0, 16#7FEFFFFFFFFFFFFF)
    end.

float() ->
    case rand:uniform(16) of
        1 -> 16#7FC00000;
        2 -> one_of([16#7F800000, 16#FF800000, 16#80000000, 1]);
        3 -> <<Bits:32>> = <<(signed(16)):32/float>>, Bits;
        _ -> unsigned(1) bsl 31 bor between(0, 16#7F7FFFFF)
    end.
