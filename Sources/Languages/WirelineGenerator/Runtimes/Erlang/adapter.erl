%% SPDX-License-Identifier: Apache-2.0

%% Asks generated Erlang on behalf of `wire conform`: it converts JSON to records and back. For its marks see runtime.erl. It is
%% complete as a module, and generated code has it as a script.

-module(adapter).
-export([main/1]).

-define(KNOWN_STATES, []).
-define(KNOWN_LAYERS, []).
-define(SERVER_KEYS, []).
-define(GENERATED_MODULE, adapter).
-define(TABLES_OF_SCHEMA, <<"{}">>).

%% #region all
main(["echo", Port]) ->
    load(),
    echo(list_to_integer(Port));
main(_) ->
    load(),
    load_tables(),
    ok = io:setopts(standard_io, [binary, {encoding, latin1}]),
    lines().

%% Compiles the module beside this script into memory.
load() ->
    Folder = filename:dirname(filename:absname(escript:script_name())),
    File = filename:join(Folder, atom_to_list(?GENERATED_MODULE) ++ ".erl"),
    {ok, Name, Code} = compile:file(File, [binary, report, {i, Folder}]),
    {module, Name} = code:load_binary(Name, File, Code).

%% The schema. Each table is a list of tuples.

load_tables() ->
    Tables = json(?TABLES_OF_SCHEMA),
    Load = fun(Name, Row) -> persistent_term:put({?MODULE, Name}, [Row(Item) || Item <- member(Name, Tables, [])]) end,
    Load(<<"header">>, fun(Field) -> {name(Field), own(Field), type(Field), member(<<"settable">>, Field, false)} end),
    Load(<<"messages">>, fun(Message) ->
        Keeps = member(<<"trailing">>, Message, null) =/= null,
        {name(Message), member(<<"other">>, Message, null), member(<<"id">>, Message, 0), own(Message),
         fields(Message), Keeps}
    end),
    Load(<<"structures">>, fun(Structure) -> {own(Structure), fields(Structure)} end),
    %% #region unions
    Load(<<"unions">>, fun(Union) ->
        Arms = [{name(Arm), own(Arm), type(Arm)} || Arm <- member(<<"arms">>, Union, [])],
        {of_type(member(<<"tag">>, Union, null)), Arms}
    end),
    %% #endregion
    Load(<<"enumerations">>, fun cases/1),
    Load(<<"flags">>, fun cases/1).

name(Item) -> member(<<"name">>, Item, null).

own(Item) -> binary_to_atom(member(<<"own">>, Item, <<>>), utf8).

type(Item) -> of_type(member(<<"type">>, Item, null)).

of_type(null) -> none;
of_type({[{<<"list">>, Type}]}) -> {list, of_type(Type)};
of_type({[{Kind, Index}]}) -> {binary_to_atom(Kind, utf8), Index};
of_type(Name) -> binary_to_atom(Name, utf8).

fields(Item) ->
    [{name(Field), type(Field), member(<<"optional">>, Field, false)} || Field <- member(<<"fields">>, Item, [])].

cases(Item) ->
    Cases = [{name(Case), own(Case), number(member(<<"value">>, Case, 0))} || Case <- member(<<"cases">>, Item, [])],
    {member(<<"wide">>, Item, false), Cases}.

table(Name) -> persistent_term:get({?MODULE, Name}).

header() -> table(<<"header">>).

messages() -> table(<<"messages">>).

structure(Index) -> lists:nth(Index + 1, table(<<"structures">>)).

choice({enum, Index}) -> lists:nth(Index + 1, table(<<"enumerations">>));
choice({flags, Index}) -> lists:nth(Index + 1, table(<<"flags">>)).

names(Type) -> element(2, choice(Type)).
%% #region unions

union(Index) -> lists:nth(Index + 1, table(<<"unions">>)).
%% #endregion

lines() ->
    case file:read_line(standard_io) of
        {ok, Line} ->
            ok = file:write(standard_io, [reply(Line), $\n]),
            lines();
        eof -> ok
    end.

reply(Line) ->
    try json(Line) of
        Request ->
            Id = member(<<"id">>, Request, null),
            try answer(member(<<"ask">>, Request, null), member(<<"from">>, Request, <<"client">>), Request) of
                Members -> text({[{<<"id">>, Id} | Members]})
            catch
                throw:{refused, Kind, Path} ->
                    text({[{<<"id">>, Id}, {<<"reply">>, <<"error">>}, {<<"error">>, Kind}, {<<"field">>, Path}]})
            end
    catch
        throw:no_json -> text({[{<<"id">>, null}, {<<"reply">>, <<"skip">>}, {<<"text">>, <<"this is no JSON">>}]})
    end.

answer(<<"decode">>, From, Request) ->
    Bytes = binary:decode_hex(member(<<"hex">>, Request, <<>>)),
    %% #region context
    case ?GENERATED_MODULE:decode(context(From, Request), side(From), Bytes) of
        {ok, Header, Message, Rest, _} ->
    %% #endregion
    %% #region !context
    %%| case ?GENERATED_MODULE:decode(side(From), Bytes) of
    %%|     {ok, Header, Message, Rest} ->
    %% #endregion
            Count = byte_size(Bytes) - byte_size(Rest),
            [{<<"reply">>, <<"ok">>}, {<<"count">>, Count}, {<<"line">>, line(Header, Message)}];
        {more, Count} -> [{<<"reply">>, <<"more">>}, {<<"count">>, Count}];
        {error, Error} -> error_members(Error)
    end;
%% #region distinct
answer(<<"encode">>, From, Request) ->
%% #endregion
%% #region !distinct
%%| answer(<<"encode">>, _, Request) ->
%% #endregion
    Line = member(<<"line">>, Request, {[]}),
    {Header, Message} = message(Line),
    %% #region context
    case ?GENERATED_MODULE:encode(context(From, Request), Header, Message) of
        {ok, Data, _} -> [{<<"reply">>, <<"ok">>}, {<<"hex">>, string:lowercase(binary:encode_hex(iolist_to_binary(Data)))}];
    %% #endregion
    %% #region !context
    %% #region distinct
    %%| case ?GENERATED_MODULE:encode(#{from => side(From)}, Header, Message) of
    %% #endregion
    %% #region !distinct
    %%| case ?GENERATED_MODULE:encode(Header, Message) of
    %% #endregion
    %%|     {ok, Data} -> [{<<"reply">>, <<"ok">>}, {<<"hex">>, string:lowercase(binary:encode_hex(iolist_to_binary(Data)))}];
    %% #endregion
        {error, Error} -> error_members(in_message(Line, Error))
    end;
answer(_, _, _) -> [{<<"reply">>, <<"skip">>}, {<<"text">>, <<"this question is not known">>}].

%% A fault of the header, or of the packet as a whole, is one of the message that was to be written.
in_message(Line, #{path := Path} = Error) -> Error#{path => named(Path, Line)}.

named(Path, Line) ->
    Name = member(<<"message">>, Line, null),
    case {[element(1, M) || M <- messages(), element(1, M) =:= Name orelse element(2, M) =:= Name], Path} of
        {[Known | _], <<>>} -> Known;
        {[Known | _], <<"packet.", _/binary>>} when Known =/= <<"packet">> -> <<Known/binary, ".", Path/binary>>;
        {[Known | _], Content} when Content =:= <<"packets">>; Content =:= <<"opaque">> ->
            <<Known/binary, ".", Path/binary>>;
        {[], <<"packets[", Place/binary>>} -> named_inside(string:split(Place, <<"]">>), member(<<"packets">>, Line, []));
        _ -> Path
    end.

named_inside([Index, Rest], Packets) ->
    Inner = case Rest of <<".", Path/binary>> -> Path; _ -> <<>> end,
    Name = named(Inner, lists:nth(binary_to_integer(Index) + 1, Packets)),
    <<"packets[", Index/binary, "]", (if Name =:= <<>> -> <<>>; true -> <<".", Name/binary>> end)/binary>>.

%% #region layered
error_members(#{reason := {layer_unavailable, {transform, Name}}}) ->
    [{<<"reply">>, <<"skip">>}, {<<"text">>, <<"no transform ", (atom_to_binary(Name, utf8))/binary>>}];
%% #endregion
error_members(#{reason := Reason, path := Path} = Error) ->
    Kind = if is_tuple(Reason) -> element(1, Reason); true -> Reason end,
    [{<<"reply">>, <<"error">>}, {<<"error">>, atom_to_binary(Kind, utf8)}]
        ++ [{<<"field">>, Path} || Path =/= <<>>]
        ++ [{<<"offset">>, Offset} || {ok, Offset} <- [maps:find(offset, Error)], is_integer(Offset)]
        ++ [{<<"text">>, unicode:characters_to_binary(?GENERATED_MODULE:format_error(Error))}].

side(<<"server">>) -> sc;
side(_) -> cs.
%% #region context

%% The states of a question are numbers; those that are not there are 0.
context(From, Request) ->
    {Members} = member(<<"state">>, Request, {[]}),
    Keys = ?KNOWN_STATES,
    %% #region keys
    keys(member(<<"keys">>, Request, {[]}), #{from => side(From), state => maps:from_list([{state_key(lists:keyfind(Name, 1, Keys), Name), V} || {Name, V} <- Members])}).
    %% #endregion
    %% #region !keys
    %%| #{from => side(From), state => maps:from_list([{state_key(lists:keyfind(Name, 1, Keys), Name), V} || {Name, V} <- Members])}.
    %% #endregion

state_key({_, Key}, _) -> Key;
state_key(false, Name) -> Name.
%% #region keys

keys({Members}, Context) ->
    lists:foldl(fun({Name, Key}, C) -> key(Name, binary:decode_hex(Key), both, C) end, Context, Members).

key(<<"client.", Name/binary>>, Key, both, Context) -> key(Name, Key, cs, Context);
key(<<"server.", Name/binary>>, Key, both, Context) -> key(Name, Key, sc, Context);
key(Name, Key, Whose, Context) ->
    {_, Known} = lists:keyfind(Name, 1, ?KNOWN_LAYERS),
    ?GENERATED_MODULE:set_key(Context, Known, Key, Whose).
%% #endregion
%% #endregion


%% Records to JSON

line(Header, {unknown, Id, Payload}) ->
    {[{<<"message">>, null}, {<<"id">>, Id}, {<<"header">>, header_line(Header)}, {<<"payload">>, hex(Payload)}]};
%% #region packets
line(Header, {packets, Id, Messages}) ->
    {[{<<"message">>, null}, {<<"id">>, Id}, {<<"header">>, header_line(Header)},
      {<<"packets">>, [line(H, M) || {H, M} <- Messages]}]};
%% #endregion
line(Header, Message) ->
    {Name, _, Id, _, Fields, Keeps} = lists:keyfind(element(1, Message), 4, messages()),
    Values = tl(tuple_to_list(Message)),
    Trailing = [{<<"trailing">>, hex(T)} || Keeps, T <- [lists:last(Values)], T =/= <<>>],
    {[{<<"message">>, Name}, {<<"id">>, Id}, {<<"header">>, header_line(Header)},
      {<<"fields">>, object(Fields, Values)} | Trailing]}.

%% #region absences
header_line(Header) -> {[{Name, show(Type, maps:get(Key, Header))} || {Name, Key, Type, _} <- header(), is_map_key(Key, Header)]}.
%% #endregion
%% #region !absences
%%| header_line(Header) -> {[{Name, show(Type, maps:get(Key, Header))} || {Name, Key, Type, _} <- header()]}.
%% #endregion

object(Fields, Values) ->
    {[{Name, show(Type, Value)} || {{Name, Type, _}, Value} <- lists:zip(Fields, lists:sublist(Values, length(Fields))),
        Value =/= undefined]}.

show(integer, Value) -> Value;
show(wide, Value) -> Value;
%% #region float16
show(float16, Value) -> show_float(Value);
%% #endregion
show(float32, Value) -> show_float(Value);
show(float64, Value) -> show_float(Value);
show(boolean, Value) -> Value;
show(string, Value) -> Value;
show(bytes, Value) -> base64:encode(Value);
show(properties, Value) -> {Value};
show({enum, _} = Type, Value) -> show_name(names(Type), Value);
show({flags, _} = Type, Values) -> [show_name(names(Type), V) || V <- Values];
show({list, Type}, Values) -> [show(Type, V) || V <- Values];
show({structure, Index}, Value) ->
    {_, Fields} = structure(Index),
    %% #region unions
    object(Fields, tl(tuple_to_list(Value)));
show({union, Index}, Value) ->
    {Tag, Arms} = union(Index),
    case Value of
        {Arm, Number, Bytes} ->
            {Name, _, kept} = lists:keyfind(Arm, 2, Arms),
            {[{Name, {[{<<"tag">>, show(Tag, Number)}, {<<"bytes">>, base64:encode(Bytes)}]}}]};
        {Arm, Inner} ->
            {Name, _, Type} = lists:keyfind(Arm, 2, Arms),
            {[{Name, show(Type, Inner)}]};
        Arm ->
            {Name, _, none} = lists:keyfind(Arm, 2, Arms),
            {[{Name, null}]}
    end.
    %% #endregion
    %% #region !unions
    %%| object(Fields, tl(tuple_to_list(Value))).
    %% #endregion

show_float(infinity) -> <<"Infinity">>;
show_float(neg_infinity) -> <<"-Infinity">>;
show_float({nan, _}) -> <<"NaN">>;
show_float(Value) -> Value.

show_name(Names, Value) ->
    case lists:keyfind(Value, 2, Names) of
        {Name, _, _} -> Name;
        false -> Value
    end.

hex(Bytes) -> string:lowercase(binary:encode_hex(Bytes)).

%% JSON to records

%% #region packets
message({Members} = Line) ->
    case lists:keyfind(<<"packets">>, 1, Members) of
        {_, Packets} when is_list(Packets) ->
            Id = id(Line),
            Places = lists:zip(lists:seq(0, length(Packets) - 1), Packets),
            Inner = [inner_message(integer_to_binary(N), Packet) || {N, Packet} <- Places],
            {settable(Line, <<"header.">>), {packets, Id, Inner}};
        _ -> one_message(Line)
    end.

inner_message(Position, Line) ->
    try
        message(Line)
    catch
        throw:{refused, Kind, Path} ->
            throw({refused, Kind, <<"packets[", Position/binary, "].", Path/binary>>})
    end.

one_message(Line) ->
%% #endregion
%% #region !packets
%%| message(Line) ->
%% #endregion
    case member(<<"message">>, Line, null) of
        null ->
            Id = id(Line),
            Payload = bytes(member(<<"payload">>, Line, <<>>)),
            {settable(Line, <<"header.">>), {unknown, Id, Payload}};
        Name ->
            Message = known(Name, Line),
            {settable(Line, <<Name/binary, ".header.">>), Message}
    end.

%% The header fields that a caller can set.
settable(Line, Path) ->
    Header = member(<<"header">>, Line, {[]}),
    maps:from_list([{Key, read(Type, Value, <<Path/binary, Name/binary>>)} ||
        {Name, Key, Type, true} <- header(), Value <- [member(Name, Header, absent)], Value =/= absent]).

known(Name, Line) ->
    case [M || M <- messages(), element(1, M) =:= Name orelse element(2, M) =:= Name] of
        [{_, _, _, Record, Fields, Keeps} | _] ->
            Values = values(Fields, member(<<"fields">>, Line, {[]}), Name),
            Trailing = [bytes(member(<<"trailing">>, Line, <<>>)) || Keeps],
            list_to_tuple([Record | Values] ++ Trailing);
        [] -> refuse(unknown_message, Name)
    end.

values(Fields, {Members} = Object, Path) ->
    [refuse(unknown_key, Path) || {Name, _} <- Members, lists:keyfind(Name, 1, Fields) =:= false],
    [field(Type, member(Name, Object, absent), Optional, <<Path/binary, ".", Name/binary>>) ||
        {Name, Type, Optional} <- Fields];
values(_, _, Path) -> refuse(wrong_kind, Path).

field(_, Value, true, _) when Value =:= absent; Value =:= null -> undefined;
field(_, absent, false, Path) -> refuse(missing, Path);
field(Type, Value, _, Path) -> read(Type, Value, Path).

read(integer, Value, Path) -> integer(Value, false, Path);
read(wide, Value, Path) -> integer(Value, true, Path);
%% #region float16
read(float16, <<"NaN">>, _) -> {nan, 16#7E00};
read(float16, Value, Path) -> read(float32, Value, Path);
%% #endregion
read(float32, <<"NaN">>, _) -> {nan, 16#7FC00000};
read(float64, <<"NaN">>, _) -> {nan, 16#7FF8000000000000};
read(Float, <<"Infinity">>, _) when Float =:= float32; Float =:= float64 -> infinity;
read(Float, <<"-Infinity">>, _) when Float =:= float32; Float =:= float64 -> neg_infinity;
read(Float, Value, Path) when Float =:= float32; Float =:= float64 ->
    case if is_integer(Value) -> float_of(integer_to_binary(Value)); true -> Value end of
        too_large -> refuse(number_too_large, Path);
        minus_zero -> -0.0;
        Number when is_float(Number) -> Number;
        _ -> refuse(wrong_kind, Path)
    end;
read(boolean, Value, _) when is_boolean(Value) -> Value;
read(string, Value, _) when is_binary(Value) -> Value;
read(bytes, Value, Path) when is_binary(Value) ->
    try base64:decode(Value) catch error:_ -> refuse(wrong_kind, Path) end;
read(properties, {Members}, _) -> Members;
read({enum, _} = Type, Value, Path) -> read_case(choice(Type), Value, Path);
read({flags, _} = Type, Values, Path) when is_list(Values) -> [read_name(choice(Type), V, Path) || V <- Values];
read({list, Type}, Values, Path) when is_list(Values) ->
    Places = [integer_to_binary(N) || N <- lists:seq(0, length(Values) - 1)],
    [read(Type, Value, <<Path/binary, "[", N/binary, "]">>) || {N, Value} <- lists:zip(Places, Values)];
read({structure, Index}, Value, Path) ->
    {Record, Fields} = structure(Index),
    list_to_tuple([Record | values(Fields, Value, Path)]);
%% #region unions
read({union, Index}, {[{Name, Value}]}, Path) ->
    {Tag, Arms} = union(Index),
    Inner = <<Path/binary, ".", Name/binary>>,
    case lists:keyfind(Name, 1, Arms) of
        {_, Arm, none} when Value =:= null -> Arm;
        {_, _, none} -> refuse(wrong_kind, Inner);
        {_, Arm, kept} ->
            [Number, Bytes] = values([{<<"tag">>, Tag, false}, {<<"bytes">>, bytes, false}], Value, Inner),
            {Arm, Number, Bytes};
        {_, Arm, Type} -> {Arm, read(Type, Value, Inner)};
        false -> refuse(unknown_key, Path)
    end;
read({union, _}, {_}, Path) -> refuse(not_one_arm, Path);
%% #endregion
read(_, _, Path) -> refuse(wrong_kind, Path).

read_name({IsWide, Names}, Value, Path) ->
    case lists:keyfind(Value, 1, Names) of
        {_, Name, _} -> Name;
        false ->
            is_binary(Value) andalso not is_integer_text(Value) andalso refuse(unknown_name, Path),
            integer(Value, IsWide, Path)
    end.

%% A case that JSON gives by its number is its atom here.
read_case({_, Names} = Choice, Value, Path) ->
    Case = read_name(Choice, Value, Path),
    case lists:keyfind(Case, 3, Names) of
        {_, Name, _} -> Name;
        false -> Case
    end.

%% An integer; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits.
integer(Value, _, Path) when is_integer(Value) ->
    if Value >= 1 bsl 127; Value < -(1 bsl 127) -> refuse(number_too_large, Path); true -> Value end;
integer(minus_zero, _, _) -> 0;
integer(Value, true, Path) when is_binary(Value) ->
    is_integer_text(Value) orelse refuse(not_an_integer, Path),
    integer(binary_to_integer(Value), true, Path);
integer(Value, _, Path) when is_float(Value); Value =:= too_large -> refuse(not_an_integer, Path);
integer(_, _, Path) -> refuse(wrong_kind, Path).

is_integer_text(Text) -> re:run(Text, "^-?(0|[1-9][0-9]*)$", [dollar_endonly, {capture, none}]) =:= match.

number(Value) -> integer(Value, true, <<"id">>).

id(Line) ->
    case number(member(<<"id">>, Line, 0)) of
        Id when Id >= 0, Id < 1 bsl 64 -> Id;
        _ -> refuse(out_of_range, <<"id">>)
    end.

bytes(Text) ->
    try binary:decode_hex(Text) catch error:_ -> refuse(wrong_kind, <<>>) end.

-spec refuse(atom(), binary()) -> no_return().
refuse(Kind, Path) -> throw({refused, atom_to_binary(Kind, utf8), Path}).

%% JSON (RFC 8259). An object is {[{Name, Value}]}.

member(Name, {Members}, Default) ->
    case lists:keyfind(Name, 1, Members) of
        {_, Value} -> Value;
        false -> Default
    end;
member(_, _, Default) -> Default.

json(Text) ->
    case value(space(Text)) of
        {Value, Rest} ->
            case space(Rest) of
                <<>> -> Value;
                _ -> throw(no_json)
            end
    end.

space(<<C, Rest/binary>>) when C =:= $\s; C =:= $\t; C =:= $\n; C =:= $\r -> space(Rest);
space(Rest) -> Rest.

value(<<"{", Rest/binary>>) -> members(space(Rest), []);
value(<<"[", Rest/binary>>) -> items(space(Rest), []);
value(<<"\"", Rest/binary>>) -> chars(Rest, []);
value(<<"true", Rest/binary>>) -> {true, Rest};
value(<<"false", Rest/binary>>) -> {false, Rest};
value(<<"null", Rest/binary>>) -> {null, Rest};
value(Text) -> number(Text, 0).

members(<<"}", Rest/binary>>, []) -> {{[]}, Rest};
members(<<"\"", Text/binary>>, Found) ->
    {Name, Behind} = chars(Text, []),
    <<":", Rest/binary>> = space(Behind),
    {Value, Next} = value(space(Rest)),
    case space(Next) of
        <<",", More/binary>> -> members(space(More), [{Name, Value} | Found]);
        <<"}", More/binary>> -> {{lists:reverse(Found, [{Name, Value}])}, More};
        _ -> throw(no_json)
    end;
members(_, _) -> throw(no_json).

items(<<"]", Rest/binary>>, []) -> {[], Rest};
items(Text, Found) ->
    {Value, Next} = value(Text),
    case space(Next) of
        <<",", More/binary>> -> items(space(More), [Value | Found]);
        <<"]", More/binary>> -> {lists:reverse(Found, [Value]), More};
        _ -> throw(no_json)
    end.

chars(<<"\"", Rest/binary>>, Found) -> {iolist_to_binary(lists:reverse(Found)), Rest};
chars(<<"\\u", A:4/binary, "\\u", B:4/binary, Rest/binary>>, Found) ->
    case {binary_to_integer(A, 16), binary_to_integer(B, 16)} of
        {High, Low} when High >= 16#D800, High < 16#DC00, Low >= 16#DC00, Low < 16#E000 ->
            chars(Rest, [<<(16#10000 + (High - 16#D800) * 16#400 + Low - 16#DC00)/utf8>> | Found]);
        {Code, _} -> chars(<<"\\u", B/binary, Rest/binary>>, [<<Code/utf8>> | Found])
    end;
chars(<<"\\u", A:4/binary, Rest/binary>>, Found) -> chars(Rest, [<<(binary_to_integer(A, 16))/utf8>> | Found]);
chars(<<"\\", C, Rest/binary>>, Found) -> chars(Rest, [escaped(C) | Found]);
chars(<<C, Rest/binary>>, Found) -> chars(Rest, [C | Found]);
chars(<<>>, _) -> throw(no_json).

escaped($b) -> $\b;
escaped($f) -> $\f;
escaped($n) -> $\n;
escaped($r) -> $\r;
escaped($t) -> $\t;
escaped(C) -> C.

number(Text, Count) ->
    case Text of
        <<_:Count/binary, C, _/binary>> when C >= $0, C =< $9; C =:= $-; C =:= $+; C =:= $.; C =:= $e; C =:= $E ->
            number(Text, Count + 1);
        <<Digits:Count/binary, Rest/binary>> when Count > 0 -> {number_value(Digits), Rest};
        _ -> throw(no_json)
    end.

%% The sign of -0 is that of a float.
number_value(<<"-0">>) -> minus_zero;
number_value(Digits) ->
    case re:run(Digits, "^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$", [dollar_endonly, {capture, all, index}]) of
        {match, [_]} -> binary_to_integer(Digits);
        {match, _} -> float_of(Digits);
        nomatch -> throw(no_json)
    end.

float_of(Digits) ->
    %% Erlang wants a point.
    [Head | Tail] = re:split(Digits, "(?=[eE])"),
    Point = case binary:match(Head, <<".">>) of nomatch -> <<".0">>; _ -> <<>> end,
    try binary_to_float(iolist_to_binary([Head, Point, Tail])) catch error:badarg -> too_large end.

text({Members}) ->
    ["{", lists:join(",", [[quoted(Name), ":", text(Value)] || {Name, Value} <- Members]), "}"];
text(Items) when is_list(Items) -> ["[", lists:join(",", [text(Item) || Item <- Items]), "]"];
text(Value) when is_binary(Value) -> quoted(Value);
text(Value) when is_integer(Value), abs(Value) < 1 bsl 53 -> integer_to_binary(Value);
text(Value) when is_integer(Value) -> quoted(integer_to_binary(Value));
text(Value) when is_float(Value) -> io_lib:format("~w", [Value]);
text(Value) when is_atom(Value) -> atom_to_binary(Value, utf8).

quoted(Text) -> [$", [escape(C) || <<C>> <= Text], $"].

escape($") -> "\\\"";
escape($\\) -> "\\\\";
escape(C) when C < 16#20 -> io_lib:format("\\u~4.16.0b", [C]);
escape(C) -> C.

%% An echo server

echo(Port) ->
    Options = [binary, {packet, raw}, {active, false}, {reuseaddr, true}, {nodelay, true}, {ip, {127, 0, 0, 1}}],
    {ok, Listener} = gen_tcp:listen(Port, Options),
    {ok, Found} = inet:port(Listener),
    spawn_link(fun() -> accept(Listener) end),
    io:format("listening on 127.0.0.1:~b~n", [Found]),
    until_end().

until_end() ->
    case io:get_line("") of
        eof -> ok;
        _ -> until_end()
    end.

accept(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Connection = spawn(fun() -> receive go -> serve(Socket, <<>>) end end),
    _ = gen_tcp:controlling_process(Socket, Connection),
    Connection ! go,
    accept(Listener).

serve(Socket, Buffer) ->
    case ?GENERATED_MODULE:decode(cs, Buffer) of
        {ok, Header, Message, Rest} ->
            %% #region layers
            %% #region packets
            {ok, Packet} = case ?GENERATED_MODULE:encode(#{from => sc}, maps:with(?SERVER_KEYS, Header), case Message of
                    {packets, Id, Inner} -> {packets, Id, [{maps:with(?SERVER_KEYS, H), M} || {H, M} <- Inner]};
                    _ -> Message
                end) of
            %% #endregion
            %% #region !packets
            %%| {ok, Packet} = case ?GENERATED_MODULE:encode(#{from => sc}, maps:with(?SERVER_KEYS, Header), Message) of
            %% #endregion
                {ok, Echo, _} -> {ok, Echo};
                Fault -> Fault
            end,
            %% #endregion
            %% #region !layers
            %% #region distinct
            %% #region states
            %%| {ok, Packet} = case ?GENERATED_MODULE:encode(#{from => sc}, maps:with(?SERVER_KEYS, Header), Message) of {ok, Echo, _} -> {ok, Echo}; Fault -> Fault end,
            %% #endregion
            %% #region !states
            %%| {ok, Packet} = ?GENERATED_MODULE:encode(#{from => sc}, maps:with(?SERVER_KEYS, Header), Message),
            %% #endregion
            %% #endregion
            %% #region !distinct
            %%| {ok, Packet} = ?GENERATED_MODULE:encode(?GENERATED_MODULE:settable(Header), Message),
            %% #endregion
            %% #endregion
            _ = gen_tcp:send(Socket, Packet),
            serve(Socket, Rest);
        {more, _} ->
            case gen_tcp:recv(Socket, 0) of
                {ok, Bytes} -> serve(Socket, <<Buffer/binary, Bytes/binary>>);
                {error, _} -> gen_tcp:close(Socket)
            end;
        {error, _} -> gen_tcp:close(Socket)
    end.
%% #endregion
