// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions for `char[n]` and `bcd[n]`.
    static let fixedText = #"""
        %% Text in so many bytes; Pad fills what it does not need.
        fixed_text(B, Count, Pad, E, N, P) ->
            case B of
                <<F:Count/binary, R/binary>> ->
                    V = unpadded(F, Pad),
                    {utf8(V, E - byte_size(R) - Count + byte_size(V), N, P), R};
                _ -> cut(B, Count, E, N, P)
            end.

        %% Up to the first NUL, or without the other byte at the end.
        unpadded(F, 0) -> hd(binary:split(F, <<0>>));
        unpadded(F, Pad) ->
            Size = byte_size(F) - 1,
            case F of
                <<V:Size/binary, Pad>> -> unpadded(V, Pad);
                _ -> F
            end.

        %% Two decimal digits in each of so many bytes.
        digits(B, Count, E, N, P) ->
            case B of
                <<F:Count/binary, R/binary>> ->
                    _ = decimal(F, E - byte_size(R), N, P),
                    {<< <<($0 + X)>> || <<X:4>> <= F >>, R};
                _ -> cut(B, Count, E, N, P)
            end.

        decimal(<<H:4, L:4, R/binary>>, E, N, P) when H =< 9, L =< 9 -> decimal(R, E, N, P);
        decimal(<<X, R/binary>>, E, N, P) -> fail({invalid_digit, X}, [N | P], E - byte_size(R) - 1);
        decimal(<<>>, _, _, _) -> ok.

        %% What follows a text that is always the same; of its field, only the bytes of Text are looked at.
        constant_text(B, Count, Text, E, N, P) ->
            case B of
                <<F:Count/binary, R/binary>> ->
                    _ = same_text(F, Text, E - byte_size(B), N, P),
                    R;
                _ -> cut(B, Count, E, N, P)
            end.

        same_text(<<X, F/binary>>, <<X, T/binary>>, At, N, P) -> same_text(F, T, At + 1, N, P);
        same_text(<<X, _/binary>>, <<Y, _/binary>>, At, N, P) -> fail({wrong_constant, X, Y}, [N | P], At);
        same_text(_, <<>>, _, _, _) -> ok.

        put_fixed_text(V, Count, Pad, N, P) ->
            _ = limited(string_value(V, N, P), Count, N, P),
            case unpadded(V, Pad) of
                V -> [V, binary:copy(<<Pad>>, Count - byte_size(V))];
                _ -> fail_without_offset(embedded_terminator, [N | P])
            end.

        put_digits(V, Count, N, P) when is_binary(V) ->
            case << <<X>> || <<X>> <= V, X < $0 orelse X > $9 >> of
                <<>> when byte_size(V) =:= 2 * Count -> << <<(X - $0):4>> || <<X>> <= V >>;
                <<>> -> fail_without_offset({wrong_item_count, byte_size(V), 2 * Count}, [N | P]);
                <<X, _/binary>> -> fail_without_offset({invalid_digit, X}, [N | P])
            end;
        put_digits(_, _, N, P) -> fail_without_offset({wrong_type, string}, [N | P]).

        put_bytes(V, Count, _, _) when is_binary(V), byte_size(V) =:= Count -> V;
        put_bytes(V, Count, N, P) when is_binary(V) ->
            fail_without_offset({wrong_item_count, byte_size(V), Count}, [N | P]);
        put_bytes(_, _, N, P) -> fail_without_offset({wrong_type, bytes}, [N | P]).
        """#
}
