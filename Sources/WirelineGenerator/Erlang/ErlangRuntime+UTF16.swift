// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions for text in UTF-16.
    static let utf16Text = #"""
        %% Text of C units of 16 bits, as UTF-8.
        utf16_text({C, B}, Order, E, N, P) ->
            Size = 2 * C,
            case B of
                <<F:Size/binary, R/binary>> -> {from_utf16(F, Order, E - byte_size(R) - Size, N, P), R};
                _ -> cut(B, Size, E, N, P)
            end.

        %% Half of a surrogate pair is refused where it stands.
        from_utf16(F, Order, At, N, P) ->
            case unicode:characters_to_binary(F, {utf16, Order}, utf8) of
                V when is_binary(V) -> V;
                {_, _, Rest} -> fail(invalid_utf16, [N | P], At + byte_size(F) - iolist_size(Rest))
            end.

        terminated_utf16(B, Max, Order, E, N, P) ->
            case units(B, 0) of
                none -> fail(missing_terminator, [N | P], E - byte_size(B));
                C when C > Max -> fail({too_long, C, Max}, [N | P], E - byte_size(B));
                C ->
                    {V, <<0:16, R/binary>>} = utf16_text({C, B}, Order, E, N, P),
                    {V, R}
            end.

        rest_utf16(B, Max, Order, E, N, P) ->
            C = byte_size(B) div 2,
            C =< Max orelse fail({too_long, C, Max}, [N | P], E - byte_size(B)),
            2 * C =:= byte_size(B) orelse fail({truncated, 2, 1}, [N | P], E - 1),
            utf16_text({C, B}, Order, E, N, P).

        fixed_utf16(B, Count, Pad, Order, E, N, P) ->
            case B of
                <<F:Count/binary, R/binary>> ->
                    {from_utf16(unpadded_units(F, Pad, Order), Order, E - byte_size(R) - Count, N, P), R};
                _ -> cut(B, Count, E, N, P)
            end.

        %% How many units there are before one of 0.
        units(<<0:16, _/binary>>, C) -> C;
        units(<<_:16, R/binary>>, C) -> units(R, C + 1);
        units(_, _) -> none.

        unpadded_units(F, 0, _) ->
            case units(F, 0) of
                none -> F;
                C -> binary:part(F, 0, 2 * C)
            end;
        unpadded_units(F, Pad, Order) ->
            Size = byte_size(F) - 2,
            case F of
                <<V:Size/binary, Pad:16/big>> when Order =:= big -> unpadded_units(V, Pad, Order);
                <<V:Size/binary, Pad:16/little>> when Order =:= little -> unpadded_units(V, Pad, Order);
                _ -> F
            end.

        utf16_value(V, Max, Order, N, P) ->
            B = unicode:characters_to_binary(string_value(V, N, P), utf8, {utf16, Order}),
            C = byte_size(B) div 2,
            C =< Max orelse fail_without_offset({too_long, C, Max}, [N | P]),
            B.

        put_terminated_utf16(V, Max, Order, N, P) ->
            B = utf16_value(V, Max, Order, N, P),
            _ = without_nul(V, N, P),
            [B, 0, 0].

        put_fixed_utf16(V, Count, Pad, Order, N, P) ->
            B = utf16_value(V, Count div 2, Order, N, P),
            case unpadded_units(B, Pad, Order) of
                B -> [B, binary:copy(unicode:characters_to_binary([Pad], unicode, {utf16, Order}), (Count - byte_size(B)) div 2)];
                _ -> fail_without_offset(embedded_terminator, [N | P])
            end.
        """#
}
