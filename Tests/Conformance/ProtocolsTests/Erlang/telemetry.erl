%% SPDX-License-Identifier: Apache-2.0
%%
%% Protocols/Telemetry: little-endian, start and end bytes, a length that leaves the start out, a CRC-32 behind the payload.
-module(telemetry).
-export([decode/2, encode/1, line/1, random/0]).

decode(_, <<16#55, 16#AA, Length:16/little, Replay, Priority:8/signed, Kind:16, Sequence:16/little, Bytes/binary>>) ->
    N = Length - 13,
    <<Payload:N/binary, Checksum:32/little, 16#0D>> = Bytes,
    Checksum = erlang:crc32(Payload),
    {{boolean(Replay), Priority, Sequence}, fields(Kind, Payload)}.

boolean(0) -> false;
boolean(1) -> true.

fields(16#0101, <<Address:6/binary, Bytes/binary>>) ->
    [Model, B1] = binary:split(Bytes, <<0>>),
    [Batch, <<Count, B2/binary>>] = binary:split(B1, <<0>>),
    {Features, B3} = items(Count, fun(B) -> list_to_tuple(binary:split(B, <<0>>)) end, B2),
    {N, B4} = leb128(B3),
    <<Note:N/binary>> = B4,
    {hello, Address, Model, Batch, Features, Note};
fields(16#8101, <<Time:64/little, B1/binary>>) ->
    {Interval, B2} = leb128(B1),
    {Budget, <<>>} = leb128(B2),
    {welcome, Time, Interval, Budget};
fields(16#0201, <<Quality, Latitude:64/little, Longitude:64/little, Altitude:24/little-signed, Speed:32/little,
                  Gear/signed, Alarms:32/little>>) ->
    {position, Quality, Latitude, Longitude, Altitude, Speed, Gear, Alarms};
fields(16#0202, B0) ->
    {Battery, <<Tracks, B1/binary>>} = items(3, fun cell/1, B0),
    {TrackList, <<Gears:32/little, B2/binary>>} = items(Tracks, fun track/1, B1),
    {GearList, <<Counters:16, B3/binary>>} = items(Gears, fun(<<G/signed, R/binary>>) -> {G, R} end, B2),
    {CounterList, <<N:16, Raw:N/binary, B4/binary>>} = items(Counters, fun(<<C:32, R/binary>>) -> {C, R} end, B3),
    {report, Battery, TrackList, GearList, CounterList, Raw, sizes(B4)};
fields(16#0301, <<Kind, Bytes/binary>>) -> {remarks, Kind, [Text || <<N, Text:N/binary>> <= Bytes]};
fields(16#0302, <<>>) -> {labels, []};
fields(16#0302, Bytes) ->
    {labels, [list_to_tuple(binary:split(L, <<":">>)) || L <- binary:split(Bytes, <<"\n">>, [global])]};
fields(16#8301, <<Brightness:32/little, Volume, Coldest:16/little-signed, Threshold:64/little, Mask:32/little,
                  L1:16/little, L2:16/little, Count, B1/binary>>) ->
    {Reference, <<3, First, Second:16/little>>} = items(Count, fun cell/1, B1),
    {settings, Brightness, Volume, Coldest, Threshold, Mask, [L1, L2], Reference, {First, Second}}.

cell(<<Millivolts:16/little, Celsius/signed, Rest/binary>>) -> {{Millivolts, Celsius}, Rest}.

track(<<Seconds:24/little, Bytes/binary>>) ->
    {Count, B1} = leb128(Bytes),
    {Points, Rest} = items(Count, fun(<<A:32/little-signed, B:32/little-signed, R/binary>>) -> {{A, B}, R} end, B1),
    {{Seconds, Points}, Rest}.

sizes(<<Count, B0/binary>>) ->
    Small = fun(<<3, First, Second:16/little, R/binary>>) -> {{First, Second}, R} end,
    {Smalls, <<N:32/little, Wide:N/binary, B1/binary>>} = items(Count, Small, B0),
    {M, B2} = leb128(B1),
    <<Long:M/binary>> = B2,
    <<T, Text:T/binary, Alarm:32/little>> = Long,
    {Smalls, wide(Wide), {Text, Alarm}}.

wide(<<>>) -> {};
wide(<<Yes>>) -> {boolean(Yes)};
wide(<<Yes, Number:64/little>>) -> {boolean(Yes), Number}.

items(0, _, Bytes) -> {[], Bytes};
items(Count, Read, Bytes) ->
    {Item, B1} = Read(Bytes),
    {Items, Rest} = items(Count - 1, Read, B1),
    {[Item | Items], Rest}.

leb128(<<0:1, Low:7, Rest/binary>>) -> {Low, Rest};
leb128(<<1:1, Low:7, Bytes/binary>>) ->
    {High, Rest} = leb128(Bytes),
    {High bsl 7 bor Low, Rest}.

to_leb128(N) when N < 128 -> <<N>>;
to_leb128(N) -> <<1:1, N:7, (to_leb128(N bsr 7))/binary>>.

encode({{Replay, Priority, Sequence}, Value}) ->
    Payload = iolist_to_binary(payload(Value)),
    <<16#AA55:16/little, (13 + byte_size(Payload)):16/little, (bit(Replay)), Priority:8, (kind(Value)):16,
      Sequence:16/little, Payload/binary, (erlang:crc32(Payload)):32/little, 16#0D>>.

bit(false) -> 0;
bit(true) -> 1.

kind(Value) ->
    case element(1, Value) of
        hello -> 16#0101; welcome -> 16#8101; position -> 16#0201; report -> 16#0202; remarks -> 16#0301;
        labels -> 16#0302; settings -> 16#8301
    end.

payload({hello, Address, Model, Batch, Features, Note}) ->
    [Address, Model, 0, Batch, 0, length(Features), [[F, 0] || F <- Features], to_leb128(byte_size(Note)), Note];
payload({welcome, Time, Interval, Budget}) -> [<<Time:64/little>>, to_leb128(Interval), to_leb128(Budget)];
payload({position, Quality, Latitude, Longitude, Altitude, Speed, Gear, Alarms}) ->
    <<Quality, Latitude:64/little, Longitude:64/little, Altitude:24/little, Speed:32/little, Gear, Alarms:32/little>>;
payload({report, Battery, Tracks, Gears, Counters, Raw, {Smalls, Wide, {Text, Alarm}}}) ->
    [[cell_bytes(C) || C <- Battery], length(Tracks), [track_bytes(T) || T <- Tracks],
     <<(length(Gears)):32/little>>, [<<G>> || G <- Gears], <<(length(Counters)):16>>, [<<C:32>> || C <- Counters],
     <<(byte_size(Raw)):16, Raw/binary>>, length(Smalls), [small_bytes(S) || S <- Smalls], wide_bytes(Wide),
     to_leb128(5 + byte_size(Text)), byte_size(Text), Text, <<Alarm:32/little>>];
payload({remarks, Kind, Remarks}) -> [Kind | [[byte_size(R), R] || R <- Remarks]];
payload({labels, Labels}) -> lists:join($\n, [[Key, $:, Value] || {Key, Value} <- Labels]);
payload({settings, Brightness, Volume, Coldest, Threshold, Mask, [L1, L2], Reference, Small}) ->
    [<<Brightness:32/little, Volume, Coldest:16/little, Threshold:64/little, Mask:32/little, L1:16/little, L2:16/little>>,
     length(Reference), [cell_bytes(C) || C <- Reference], small_bytes(Small)].

cell_bytes({Millivolts, Celsius}) -> <<Millivolts:16/little, Celsius>>.

track_bytes({Seconds, Points}) ->
    [<<Seconds:24/little>>, to_leb128(length(Points)), [<<A:32/little, B:32/little>> || {A, B} <- Points]].

small_bytes({First, Second}) -> <<3, First, Second:16/little>>.

wide_bytes({}) -> <<0:32>>;
wide_bytes({Yes}) -> <<1:32/little, (bit(Yes))>>;
wide_bytes({Yes, Number}) -> <<9:32/little, (bit(Yes)), Number:64/little>>.

line({{Replay, Priority, Sequence}, Value}) ->
    Payload = iolist_to_binary(payload(Value)),
    Header = [
        {<<"start">>, 16#AA55}, {<<"length">>, 13 + byte_size(Payload)}, {<<"is_replay">>, Replay},
        {<<"priority">>, Priority}, {<<"kind">>, kind(Value)}, {<<"sequence">>, Sequence},
        {<<"checksum">>, erlang:crc32(Payload)}, {<<"end">>, 16#0D}
    ],
    {Name, Fields} = named(Value),
    line:text(Name, kind(Value), Header, Fields, <<>>).

named({hello, Address, Model, Batch, Features, Note}) ->
    {<<"Hello">>, [{<<"address">>, binary_to_list(Address)}, {<<"model">>, {text, Model}}, {<<"batch">>, {bytes, Batch}},
                   {<<"features">>, [{text, F} || F <- Features]}, {<<"note">>, {text, Note}}]};
named({welcome, Time, Interval, Budget}) ->
    {<<"Welcome">>, [{<<"time">>, Time}, {<<"interval">>, Interval}, {<<"budget">>, Budget}]};
named({position, Quality, Latitude, Longitude, Altitude, Speed, Gear, Alarms}) ->
    {<<"Position">>, [
        {<<"quality">>, line:named(Quality, [{0, <<"invalid">>}, {1, <<"good">>}])},
        {<<"latitude">>, {float64, Latitude}}, {<<"longitude">>, {float64, Longitude}}, {<<"altitude">>, Altitude},
        {<<"speed">>, {float32, Speed}}, {<<"gear">>, line:named(Gear, gears())}, {<<"alarms">>, line:flags(Alarms, alarms())}
    ]};
named({report, Battery, Tracks, Gears, Counters, Raw, {Smalls, Wide, {Text, Alarm}}}) ->
    Sizes = [
        {<<"small">>, [small_line(S) || S <- Smalls]}, {<<"wide">>, wide_line(Wide)},
        {<<"long">>, {object, [{<<"text">>, {text, Text}}, {<<"alarm">>, line:flags(Alarm, alarms())}]}}
    ],
    {<<"Report">>, [
        {<<"battery">>, [cell_line(C) || C <- Battery]}, {<<"tracks">>, [track_line(T) || T <- Tracks]},
        {<<"gears">>, [line:named(G, gears()) || G <- Gears]}, {<<"counters">>, Counters}, {<<"raw">>, {bytes, Raw}},
        {<<"sizes">>, {object, Sizes}}
    ]};
named({remarks, Kind, Remarks}) -> {<<"Remarks">>, [{<<"kind">>, Kind}, {<<"remarks">>, [{text, R} || R <- Remarks]}]};
named({labels, Labels}) -> {<<"Labels">>, [{<<"labels">>, {object, [{K, {text, V}} || {K, V} <- Labels]}}]};
named({settings, Brightness, Volume, Coldest, Threshold, Mask, Limits, Reference, Small}) ->
    {<<"Settings">>, [
        {<<"brightness">>, {float32, Brightness}}, {<<"volume">>, Volume}, {<<"coldest">>, Coldest},
        {<<"threshold">>, {float64, Threshold}}, {<<"mask">>, line:flags(Mask, alarms())}, {<<"limits">>, Limits},
        {<<"reference">>, [cell_line(C) || C <- Reference]}, {<<"small">>, small_line(Small)}
    ]}.

cell_line({Millivolts, Celsius}) -> {object, [{<<"millivolts">>, Millivolts}, {<<"celsius">>, Celsius}]}.

track_line({Seconds, Points}) ->
    Lines = [{object, [{<<"latitude">>, A}, {<<"longitude">>, B}]} || {A, B} <- Points],
    {object, [{<<"seconds">>, Seconds}, {<<"points">>, Lines}]}.

small_line({First, Second}) -> {object, [{<<"first">>, First}, {<<"second">>, Second}]}.

wide_line({}) -> {object, []};
wide_line({Yes}) -> {object, [{<<"yes">>, Yes}]};
wide_line({Yes, Number}) -> {object, [{<<"yes">>, Yes}, {<<"number">>, {float64, Number}}]}.

gears() -> [{-1, <<"reverse">>}, {0, <<"neutral">>}, {1, <<"first">>}, {2, <<"second">>}].
alarms() -> [{1, <<"overheated">>}, {2, <<"speeding">>}, {4, <<"towed">>}, {16#80000000, <<"crash">>}].

random() ->
    {Sender, Value} = random_value(),
    {Sender, {{dice:coin(), dice:signed(8), dice:unsigned(16)}, Value}}.

random_value() ->
    case rand:uniform(7) of
        1 -> {client, {hello, rand:bytes(6), dice:text(16, [0]), no_nul(dice:bytes(20)),
                       dice:list(5, fun() -> dice:text(40, [0]) end), dice:text(300)}};
        2 -> {server, {welcome, dice:unsigned(64), dice:unsigned(dice:between(1, 64)), dice:between(1, 100000)}};
        3 -> {client, {position, dice:between(0, 1), within(90), within(180), dice:signed(24), dice:float(),
                       dice:signed(8), dice:unsigned(32)}};
        4 -> {client, random_report()};
        5 -> {client, {remarks, dice:unsigned(8), dice:list(6, fun() -> dice:text(60) end)}};
        6 -> Keys = lists:usort(dice:list(6, fun() -> <<"k", (dice:text(30, [$:, $\n]))/binary>> end)),
             {dice:one_of([client, server]), {labels, [{Key, dice:text(60, [$\n])} || Key <- Keys]}};
        7 -> <<Brightness:32>> = <<(dice:one_of([0.0, 1.0, rand:uniform()])):32/float>>,
             {server, {settings, Brightness, dice:unsigned(8), dice:signed(16), dice:double(), dice:unsigned(32),
                       [dice:unsigned(16), dice:unsigned(16)], dice:list(6, fun random_cell/0), random_small()}}
    end.

random_report() ->
    Wide = dice:one_of([{}, {dice:coin()}, {dice:coin(), dice:double()}]),
    Point = fun() -> {dice:signed(32), dice:signed(32)} end,
    {report, [random_cell() || _ <- lists:seq(1, 3)], dice:list(4, fun() -> {dice:unsigned(24), dice:list(9, Point)} end),
     dice:list(4, fun() -> dice:signed(8) end), dice:list(9, fun() -> dice:unsigned(32) end), dice:bytes(60),
     {dice:list(5, fun random_small/0), Wide, {dice:text(200), dice:unsigned(32)}}}.

random_cell() -> {dice:unsigned(16), dice:signed(8)}.

random_small() -> {dice:unsigned(8), dice:unsigned(16)}.

%% The bits of a number from -Limit to Limit.
within(Limit) ->
    <<Bits:64>> = <<(dice:one_of([-Limit, Limit, 0, (rand:uniform() - 0.5) * 2 * Limit])):64/float>>,
    Bits.

no_nul(Bytes) -> binary:replace(Bytes, <<0>>, <<1>>, [global]).
