// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions that open and seal packets with layers.
    ///
    /// They pass on what changes from packet to packet: the context, how many bytes layers may still make of the outermost
    /// packet, how many packets were in it so far, the IDs of its messages, the last one first, and layers whose keystream
    /// goes on: on opening those of the packets around, on sealing those of the packets inside.
    static let layers = #"""
        open_packet(Sender, Depth, B, St0) ->
            Shape = shape(Sender, Depth > 0, element(1, St0)),
            {_, H, P, End, Rest, _, Count, Rules} = unwrap_outer(Shape, B),
            Fields = #{
                header => H, bytes => bytes_between(B, 0, End - byte_size(P)), content => P, rules => Rules,
                count => Count, start => 0, inside => none
            },
            {Opened, St} = lists:foldl(
                fun(Section, {O, S}) -> open_section(Sender, Section, O, S) end, {Fields, St0}, sections(Shape)
            ),
            #{bytes := Bytes, content := Content, start := Start} = Opened,
            same_content_count(Opened, counter(Shape)),
            Trailer = bytes_between(B, End, byte_size(B) - byte_size(Rest)),
            Flat = <<Bytes/binary, Content/binary, Trailer/binary>>,
            {Id, Header, _, _, _, _, _, Known} = moved(Start, fun() -> unwrap_flat(Shape, {Sender, Start}, Flat) end),
            ContentEnd = byte_size(Bytes) - Start + byte_size(Content),
            {Message, Next} = open_content(Sender, Depth, Id, Header, Content, ContentEnd, Known, St),
            {Header, Message, Rest, Next}.

        open_section(Sender, {Layers, Inside}, Opened, St) ->
            {O, S} = lists:foldl(
                fun(N, {O1, S1}) ->
                    case element(N, maps:get(rules, O1)) of
                        true -> open_layer(Sender, N, O1, S1);
                        false -> {O1, S1}
                    end
                end,
                {Opened, St},
                Layers
            ),
            {opened_fields(Inside, O), S}.

        open_layer(Sender, N, #{header := H, bytes := Bytes, content := Sealed, count := Count} = O, St) ->
            {Kind, Name} = layer(N),
            {Context, Left, Packets, Ids, Streams} = St,
            content_count_within(Count, Name),
            AllStreams = with_stream(N, Name, Streams),
            {Content, Next} = opened_layer(Kind, Name, Sealed, H, {Sender, N}, Left, Context),
            Made = made(Kind, Content),
            {
                O#{content := Content, start := byte_size(Bytes), inside := counted_size(N, Content, maps:get(inside, O))},
                {Next, Left - Made, Packets, Ids, AllStreams}
            }.

        %% The layers with a layer whose keystream goes on from packet to packet. Inner packets are sealed first and opened
        %% last, so the two ends would use it in another order if it were there twice.
        with_stream(N, Name, Streams) ->
            case {is_lasting(N), lists:member(N, Streams)} of
                {true, true} -> fail_without_offset({invalid_layer, nested_keystream}, [Name, packet]);
                {true, false} -> [N | Streams];
                {false, _} -> Streams
            end.

        %% The fields that stand inside of a layer.
        opened_fields(none, O) -> O;
        opened_fields({Unwrap, _, _}, #{bytes := Bytes, content := Content, start := Start, count := Outer} = O) ->
            Whole = <<Bytes/binary, Content/binary>>,
            {_, H, P, End, _, _, Count, Rules} = moved(Start, fun() -> unwrap_whole(Unwrap, Whole) end),
            O#{
                header := H, bytes := bytes_between(Whole, 0, End - byte_size(P)), content := P, rules := Rules,
                count := content_count(Outer, Count, Start)
            }.

        content_count(none, {V, Offset}, Start) -> {V, Offset - Start};
        content_count(Count, _, _) -> Count.

        %% A count over the limit is refused before anything is made.
        content_count_within({V, _}, Name) ->
            V - content_constant() =< max_inflated() orelse
                fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet]);
        content_count_within(none, _) -> true.

        same_content_count(#{count := {V, Offset}, inside := Inside}, {_, Name, _}) ->
            Expected =
                case Inside of
                    none -> 0;
                    _ -> Inside + content_constant()
                end,
            V =:= Expected orelse fail({length_mismatch, V, Expected}, [Name, packet], Offset);
        same_content_count(_, _) -> true.

        %% Whole packets, bytes that are not read, or a message.
        open_content(Sender, Depth, Id, Header, Content, End, Rules, St) ->
            {Context, Left, Packets, Ids, Streams} = St,
            case {element(tuple_size(Rules) - 1, Rules), element(tuple_size(Rules), Rules)} of
                {true, _} ->
                    require_depth(Depth),
                    {Messages, Next} = open_packets(Sender, Depth + 1, Content, 0, St),
                    {{packets, Id, Messages}, Next};
                % A part of a message sets no state.
                {_, true} -> {{unknown, Id, Content}, St};
                _ -> {content_message(Sender, Id, Content, End, Header), {Context, Left, Packets, [Id | Ids], Streams}}
            end.

        require_depth(Depth) ->
            Depth < max_nested() orelse fail_without_offset({too_deep, max_nested()}, []).

        open_packets(Sender, Depth, B, Index, {Context, Left, Packets, Ids, Streams} = St) ->
            case ends_packets(B) of
                true -> {[], St};
                false ->
                    require_packet_count(Packets),
                    {Header, Message, Rest, S} = inner_packet(Index, byte_size(B), fun() ->
                        next_packet(Sender, Depth, B, {Context, Left, Packets + 1, Ids, Streams})
                    end),
                    {More, Next} = open_packets(Sender, Depth, Rest, Index + 1, setelement(5, S, Streams)),
                    {[{Header, Message} | More], Next}
            end.

        require_packet_count(Count) ->
            Count < 65536 orelse throw({error, #{reason => {too_long, Count + 1, 65536}, path => <<"packets">>}}).

        %% Does something with a packet inside of another one, whose errors get its place.
        inner_packet(Index, Size, Do) ->
            try
                Do()
            catch
                throw:{more, Count} ->
                    throw({error, inner_fault(Index, #{reason => {truncated, Count, 0}, path => <<>>, offset => Size})});
                throw:{error, Error} -> throw({error, inner_fault(Index, Error)})
            end.

        inner_fault(Index, #{path := Path} = Error) ->
            Place = <<"packets[", (integer_to_binary(Index))/binary, "]">>,
            Dot =
                case Path of
                    <<>> -> <<>>;
                    _ -> <<".">>
                end,
            Error#{path := <<Place/binary, Dot/binary, Path/binary>>}.

        %% Does something with the fields before a layer and its content: offsets count from the content.
        moved(Start, Do) ->
            try
                Do()
            catch
                throw:{error, #{offset := Offset} = Error} -> throw({error, Error#{offset := Offset - Start}})
            end.

        seal(Sender, Depth, Header, {packets, Id, Items}, St) when is_integer(Id), Id >= 0, is_list(Items) ->
            require_depth(Depth),
            {Packets, Next} = seal_all(Sender, Depth + 1, Items, 0, St),
            seal_packet(Sender, Depth, packets, Id, Packets, Header, Next);
        seal(Sender, Depth, Header, Message, St) ->
            {Id, Payload} = message_payload(Message, Header),
            Kind =
                case Message of
                    {unknown, _, _} -> any;
                    _ -> message
                end,
            seal_packet(Sender, Depth, Kind, Id, Payload, completed_header(Message, Header), St).

        seal_all(_, _, [], _, St) -> {[], St};
        seal_all(Sender, Depth, [Item | Items], Index, {Context, Left, Packets, Ids, Streams}) ->
            require_packet_count(Packets),
            {Header, Message} =
                case Item of
                    {H, M} when is_map(H) -> {H, M};
                    _ -> {#{}, Item}
                end,
            {Packet, St} = inner_packet(Index, 0, fun() ->
                seal(Sender, Depth, Header, Message, {Context, Left, Packets + 1, Ids, []})
            end),
            {More, Next} = seal_all(Sender, Depth, Items, Index + 1, setelement(5, St, Streams ++ element(5, St))),
            {[Packet | More], Next}.

        seal_packet(Sender, Depth, Kind, Id, Payload, Given, St) ->
            Shape = shape(Sender, Depth > 0, element(1, St)),
            only_settable(Given, settable_keys()),
            Header = with_content_count(counter(Shape), Shape, Sender, Id, Given, Payload, element(1, St)),
            {Known, Rules} = known_fields(Shape, Sender, Id, Header),
            require_kind(Kind, element(tuple_size(Rules) - 1, Rules), element(tuple_size(Rules), Rules)),
            Fields = #{
                given => maps:merge(maps:with(id_keys(), Known), Header), known => Known, rules => Rules,
                content => Payload, count => counter(Shape),
                try_count => fun(Key, V) -> known_fields(Shape, Sender, Id, Header#{Key => V}) end
            },
            {Context, Left, Packets, Ids, Streams} = St,
            Begun =
                case {element(tuple_size(Rules) - 1, Rules), element(tuple_size(Rules), Rules)} of
                    {false, false} -> {Context, Left, Packets, [Id | Ids], Streams};
                    _ -> St
                end,
            {Sealed, Next} = lists:foldr(
                fun(Section, {S, S1}) -> seal_section(Sender, Section, S, S1) end, {Fields, Begun}, sections(Shape)
            ),
            #{content := Content, given := All} = set_content_count(none, Sealed),
            {framed_packet(wrap_outer(Shape, Content, All)), Next}.

        %% The fields of a packet that are known before its layers are sealed, and which conditions hold.
        known_fields(Shape, Sender, Id, Header) ->
            B = iolist_to_binary(wrap_flat(Shape, Id, Header)),
            {_, Known, _, _, _, _, _, Rules} = unwrap_flat(Shape, {Sender, 0}, B),
            {Known, Rules}.

        require_kind(any, _, _) -> true;
        require_kind(Kind, HasPackets, IsOpaque) ->
            (Kind =:= packets) =:= HasPackets orelse wrong_kind(HasPackets, <<"packets">>),
            HasPackets orelse not IsOpaque orelse wrong_kind(IsOpaque, <<"opaque">>).

        -spec wrong_kind(true | false, binary()) -> no_return().
        wrong_kind(true, Line) -> throw({error, #{reason => {presence, not_set}, path => Line}});
        wrong_kind(false, Line) -> throw({error, #{reason => {presence, set}, path => Line}}).

        %% The header with a number for a field that counts the content, if layers ask for it: 0 for a packet without them.
        with_settable_count({Key, _, true}, Shape, Sender, Id, Header, Payload, Context) when not is_map_key(Key, Header) ->
            case {known_fields(Shape, Sender, Id, Header), Context} of
                {{Known, _}, _} when not is_map_key(Key, Known) -> Header;
                {{Known, _}, #{layers := #{threshold := Least}}} ->
                    Given = maps:merge(maps:with([Key | id_keys()], Known), Header),
                    {_, Inside} = lists:last(sections(Shape)),
                    Count = iolist_size(sealed_fields(Inside, Given, Payload)),
                    Header#{Key => bit_if(Count >= Least)};
                _ -> Header#{Key => 0}
            end;
        with_settable_count(_, _, _, _, Header, _, _) -> Header.

        seal_section(Sender, {Layers, Inside}, Fields0, St) ->
            #{content := Content, given := Given} = Fields = count_around(Layers, Fields0),
            lists:foldr(
                fun(N, {F, S}) ->
                    case element(N, maps:get(rules, F)) of
                        true -> seal_layer(Sender, N, F, S);
                        false -> {F, S}
                    end
                end,
                {Fields#{content := sealed_fields(Inside, Given, Content)}, St},
                Layers
            ).

        seal_layer(Sender, N, Fields, {Context, Left, Packets, Ids, Streams}) ->
            {Kind, Name} = layer(N),
            AllStreams = with_stream(N, Name, Streams),
            #{content := Data, known := Known} = F = set_content_count(counted, Fields),
            Content = iolist_to_binary(Data),
            Made = made(Kind, Content),
            Made =< Left orelse fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet]),
            {Sealed, Next} = sealed_layer(Kind, Name, Content, Known, {Sender, N}, Context),
            {F#{content := Sealed}, {Next, Left - Made, Packets, Ids, AllStreams}}.

        %% What a section's fields and what follows them are in bytes. Fields before are written for their conditions only.
        sealed_fields(none, _, Content) -> Content;
        sealed_fields({Unwrap, Wrap, Keys}, Given, Content) ->
            B = iolist_to_binary(Wrap(0, Content, maps:with(Keys, Given))),
            {_, _, _, _, _, Start, _, _} = Unwrap(B),
            bytes_between(B, Start, byte_size(B)).

        %% Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.
        set_content_count(Layers, #{count := {Key, Name, _}, known := Known, rules := Rules, given := Given} = Fields) when
            is_map_key(Key, Known)
        ->
            Count =
                case Layers of
                    none -> 0;
                    counted -> iolist_size(maps:get(content, Fields)) + content_constant()
                end,
            {_, Same} = (maps:get(try_count, Fields))(Key, Count),
            Same =:= Rules orelse fail_without_offset({length_too_small, Count, 1}, [Name, packet]),
            Fields#{count := none, known := Known#{Key := Count}, given := Given#{Key => Count}};
        set_content_count(_, Fields) -> Fields#{count := none}.
        """#
}
