// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The transforms of layers: zlib and crypto of Erlang/OTP, XOR and RC4, and what the program gives.
    static let transforms = #"""
        %% A layer of the program's own.
        opened_by_program(Key, Name, B, Header, {Sender, _}, Left, Context) ->
            #{open := Open} = Layer = own_layer(Key, Name, Sender, Context),
            case Open(B, Header, Left) of
                {ok, Content} when byte_size(Content) =< Left -> {Content, Context};
                {ok, Content, Next} when byte_size(Content) =< Left ->
                    {Content, put_own_layer(Key, Sender, maps:merge(Layer, Next), Context)};
                {error, Reason} when Reason =/= inflated_too_long ->
                    fail_without_offset({invalid_layer, Reason}, [Name, packet]);
                _ -> fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet])
            end.

        sealed_by_program(Key, Name, B, Header, {Sender, _}, Context) ->
            #{seal := Seal} = Layer = own_layer(Key, Name, Sender, Context),
            case Seal(B, Header) of
                {ok, Sealed} -> {iolist_to_binary(Sealed), Context};
                {ok, Sealed, Next} ->
                    {iolist_to_binary(Sealed), put_own_layer(Key, Sender, maps:merge(Layer, Next), Context)};
                {error, Reason} -> fail_without_offset({invalid_layer, Reason}, [Name, packet])
            end.

        %% XOR, RC4 and AES in counter mode are the same in both directions.
        xor_layer(Key, Name, B, {Sender, _}, Context) ->
            {xor_with_key(B, key(Key, Name, Sender, 1, 65536, Context)), Context}.

        rc4_layer(Key, Name, B, {Sender, _} = Place, Context) ->
            Bytes = key(Key, Name, Sender, 1, 256, Context),
            {Data, Stream} = rc4_bytes(B, stream(Place, Context, fun() -> rc4_begin(Bytes) end), []),
            {Data, put_stream(Place, Stream, Context)}.

        %% The keystream goes on from packet to packet.
        aes_ctr_layer(Key, Vector, Name, B, {Sender, _} = Place, Context) ->
            Count = stream(Place, Context, fun() -> 0 end),
            Start = key(Vector, Name, Sender, 16, 16, Context),
            {aes_ctr(Key, Start, Count, Name, B, Sender, Context), put_stream(Place, Count + byte_size(B), Context)}.

        %% Each packet begins with a field of its header.
        aes_ctr_packet(Key, Start, Name, B, {Sender, _}, Context) ->
            {aes_ctr(Key, Start, 0, Name, B, Sender, Context), Context}.

        opened_aes_cbc(Key, Start, Name, B, {Sender, _}, Context) ->
            B =/= <<>> andalso byte_size(B) rem 16 =:= 0 orelse
                fail_without_offset({invalid_layer, broken_block}, [Name, packet]),
            {aes_unpadded(aes_cbc(false, Key, Start, Name, B, Sender, Context), Name), Context}.

        sealed_aes_cbc(Key, Start, Name, B, {Sender, _}, Context) ->
            Count = 16 - byte_size(B) rem 16,
            Padded = <<B/binary, (binary:copy(<<Count>>, Count))/binary>>,
            {aes_cbc(true, Key, Start, Name, Padded, Sender, Context), Context}.

        %% Where a keystream goes on.
        stream(Place, Context, Begin) ->
            case Context of
                #{streams := #{Place := Stream}} -> Stream;
                _ -> Begin()
            end.

        put_stream(Place, Stream, Context) ->
            Streams = maps:get(streams, Context, #{}),
            Context#{streams => Streams#{Place => Stream}}.

        key(Key, Name, Sender, Least, Most, Context) ->
            Bytes =
                case Context of
                    #{keys := #{Key := #{Sender := B}}} -> B;
                    #{keys := #{Key := B}} when is_binary(B) -> B;
                    _ -> fail_without_offset({layer_unavailable, {key, Key}}, [Name, packet])
                end,
            byte_size(Bytes) >= Least andalso byte_size(Bytes) =< Most orelse
                fail_without_offset({wrong_key, Key, byte_size(Bytes)}, [Name, packet]),
            Bytes.

        %% What the program gives for brotli and for layers of its own.
        own_layer(Key, Name, Sender, Context) ->
            case Context of
                #{layers := #{Key := #{Sender := Layer}}} -> Layer;
                #{layers := #{Key := #{open := _, seal := _} = Layer}} -> Layer;
                _ -> fail_without_offset({layer_unavailable, {transform, Key}}, [Name, packet])
            end.

        put_own_layer(Key, Sender, Layer, #{layers := Layers} = Context) ->
            Senders =
                case Layers of
                    #{Key := #{open := _} = Both} -> #{cs => Both, sc => Both};
                    #{Key := Each} -> Each
                end,
            Context#{layers := Layers#{Key := Senders#{Sender => Layer}}}.

        inflated(B, Bits, Left, Name) ->
            case inflate(B, Bits, error, Left) of
                {ok, Content} -> Content;
                _ -> not_inflated(inflate(B, Bits, cut, Left), B, Bits, Name)
            end.

        %% Finds what is wrong: a stream after which others follow is one that ends well if they are cut.
        -spec not_inflated({ok, binary()} | atom(), binary(), integer(), binary()) -> no_return().
        not_inflated({ok, _}, B, Bits, Name) ->
            fail_without_offset({trailing_bytes, byte_size(B) - stream_size(B, Bits)}, [Name, packet]);
        not_inflated(too_long, _, _, Name) ->
            fail_without_offset({inflated_too_long, max_inflated()}, [Name, packet]);
        not_inflated(Fault, _, _, Name) -> fail_without_offset({invalid_layer, Fault}, [Name, packet]).

        inflate(B, Bits, AtEnd, Left) ->
            with_inflation(Bits, AtEnd, fun(Z) ->
                try inflate_part(Z, zlib:safeInflate(Z, B), Left, []) of
                    too_long -> too_long;
                    Content -> end_inflation(Z, Content)
                catch
                    error:data_error -> damaged;
                    error:{need_dictionary, _} -> damaged
                end
            end).

        inflate_part(Z, {Progress, Data}, Left, Parts) ->
            case iolist_size(Data) of
                Size when Size > Left -> too_long;
                Size when Progress =:= continue ->
                    inflate_part(Z, zlib:safeInflate(Z, []), Left - Size, [Parts, Data]);
                _ -> iolist_to_binary([Parts, Data])
            end;
        inflate_part(_, {need_dictionary, _, _}, _, _) -> error(data_error).

        end_inflation(Z, Content) ->
            try
                zlib:inflateEnd(Z),
                {ok, Content}
            catch
                error:data_error -> cut
            end.

        with_inflation(Bits, AtEnd, Do) ->
            Z = zlib:open(),
            try
                ok = zlib:inflateInit(Z, Bits, AtEnd),
                Do(Z)
            after
                zlib:close(Z)
            end.

        %% How many bytes a stream has after which others follow: zlib says only that there are some.
        stream_size(B, Bits) -> stream_size(B, Bits, 0, 1024).

        stream_size(B, Bits, Start, Step) ->
            Taken = with_inflation(Bits, error, fun(Z) ->
                skip_inflated(Z, binary:part(B, 0, Start)),
                steps_inflated(Z, B, Start, Step)
            end),
            case Step of
                1 -> Taken;
                _ -> stream_size(B, Bits, Taken, 1)
            end.

        skip_inflated(Z, B) -> drop_inflated(Z, zlib:safeInflate(Z, B)).

        drop_inflated(Z, {continue, _}) -> drop_inflated(Z, zlib:safeInflate(Z, []));
        drop_inflated(_, _) -> ok.

        steps_inflated(_, B, Start, _) when Start >= byte_size(B) -> byte_size(B);
        steps_inflated(Z, B, Start, Step) ->
            Count = min(Step, byte_size(B) - Start),
            try skip_inflated(Z, binary:part(B, Start, Count)) of
                ok -> steps_inflated(Z, B, Start + Count, Step)
            catch
                error:data_error -> Start
            end.

        deflated(B, Bits, Context) ->
            Level =
                case Context of
                    #{layers := #{zlib_level := L}} -> L;
                    _ -> default
                end,
            Z = zlib:open(),
            try
                ok = zlib:deflateInit(Z, Level, deflated, Bits, 8, default),
                iolist_to_binary(zlib:deflate(Z, B, finish))
            after
                zlib:close(Z)
            end.

        xor_with_key(B, Key) ->
            Count = byte_size(B) div byte_size(Key),
            Rest = binary:part(Key, 0, byte_size(B) rem byte_size(Key)),
            xor_equally_long(B, <<(binary:copy(Key, Count))/binary, Rest/binary>>).

        xor_equally_long(B, Stream) ->
            Bits = bit_size(B),
            <<X:Bits>> = B,
            <<Y:Bits>> = Stream,
            <<(X bxor Y):Bits>>.

        %% RC4: the table and the two indices.
        rc4_begin(Key) -> rc4_mix(Key, 0, 0, list_to_tuple(lists:seq(0, 255))).

        rc4_mix(_, 256, _, Table) -> {Table, 0, 0};
        rc4_mix(Key, I, J, Table) ->
            X = element(I + 1, Table),
            K = (J + X + binary:at(Key, I rem byte_size(Key))) band 255,
            rc4_mix(Key, I + 1, K, setelement(K + 1, setelement(I + 1, Table, element(K + 1, Table)), X)).

        rc4_bytes(<<>>, Stream, Data) -> {list_to_binary(lists:reverse(Data)), Stream};
        rc4_bytes(<<V, R/binary>>, {Table, I, J}, Data) ->
            Next = (I + 1) band 255,
            X = element(Next + 1, Table),
            K = (J + X) band 255,
            Y = element(K + 1, Table),
            Mixed = setelement(K + 1, setelement(Next + 1, Table, Y), X),
            rc4_bytes(R, {Mixed, Next, K}, [V bxor element(((X + Y) band 255) + 1, Mixed) | Data]).

        aes_cbc(IsEncrypting, Key, Start, Name, B, Sender, Context) ->
            Bytes = aes_key(Key, Name, Sender, Context),
            Cipher = aes_cipher(cbc, byte_size(Bytes)),
            Options = [{encrypt, IsEncrypting}, {padding, none}],
            with_crypto(Name, fun() -> crypto:crypto_one_time(Cipher, Bytes, Start, B, Options) end).

        %% - Count: how many bytes of the keystream were used before.
        aes_ctr(Key, <<First:128>>, Count, Name, B, Sender, Context) ->
            Bytes = aes_key(Key, Name, Sender, Context),
            Cipher = aes_cipher(ctr, byte_size(Bytes)),
            Skipped = Count rem 16,
            Block = <<(First + Count div 16):128>>,
            Input = <<0:(8 * Skipped), B/binary>>,
            Data = with_crypto(Name, fun() -> crypto:crypto_one_time(Cipher, Bytes, Block, Input, true) end),
            bytes_between(Data, Skipped, byte_size(Data)).

        aes_cipher(cbc, 16) -> aes_128_cbc;
        aes_cipher(cbc, 24) -> aes_192_cbc;
        aes_cipher(cbc, 32) -> aes_256_cbc;
        aes_cipher(ctr, 16) -> aes_128_ctr;
        aes_cipher(ctr, 24) -> aes_192_ctr;
        aes_cipher(ctr, 32) -> aes_256_ctr.

        aes_key(Key, Name, Sender, Context) ->
            case key(Key, Name, Sender, 16, 32, Context) of
                Bytes when byte_size(Bytes) rem 8 =:= 0 -> Bytes;
                Bytes -> fail_without_offset({wrong_key, Key, byte_size(Bytes)}, [Name, packet])
            end.

        with_crypto(Name, Do) ->
            try
                Do()
            catch
                error:undef -> fail_without_offset({layer_unavailable, {library, crypto}}, [Name, packet]);
                error:{notsup, _, _} -> fail_without_offset({layer_unavailable, {library, crypto}}, [Name, packet])
            end.

        aes_unpadded(B, Name) ->
            Count = binary:last(B),
            Size = byte_size(B) - Count,
            case Count >= 1 andalso Count =< 16 andalso binary:part(B, Size, Count) =:= binary:copy(<<Count>>, Count) of
                true -> binary:part(B, 0, Size);
                false -> fail_without_offset({invalid_layer, wrong_padding}, [Name, packet])
            end.
        """#
}
