// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions that check values and make their bytes.
    static let writing = #"""
        integer(V, Min, Max, _, _) when is_integer(V), V >= Min, V =< Max -> V;
        integer(V, Min, Max, N, P) when is_integer(V) -> fail_without_offset({out_of_range, V, Min, Max}, [N | P]);
        integer(_, _, _, N, P) -> fail_without_offset({wrong_type, integer}, [N | P]).

        boolean(true, _, _) -> 1;
        boolean(false, _, _) -> 0;
        boolean(_, N, P) -> fail_without_offset({wrong_type, boolean}, [N | P]).

        float32_bits(infinity, _, _) -> 16#7F800000;
        float32_bits(neg_infinity, _, _) -> 16#FF800000;
        float32_bits({nan, Bits}, _, _)
          when is_integer(Bits), Bits >= 0, Bits =< 16#FFFFFFFF, Bits band 16#7FFFFFFF > 16#7F800000 -> Bits;
        float32_bits(V, N, P) ->
            case real(V, N, P) of
                %% From here on the nearest float32 would be infinite.
                F when abs(F) >= 3.4028235677973366e38 -> fail_without_offset(number_too_large, [N | P]);
                F ->
                    <<Bits:32>> = <<F:32/float>>,
                    Bits
            end.

        float64_bits(infinity, _, _) -> 16#7FF0000000000000;
        float64_bits(neg_infinity, _, _) -> 16#FFF0000000000000;
        float64_bits({nan, Bits}, _, _)
          when is_integer(Bits), Bits >= 0, Bits =< 16#FFFFFFFFFFFFFFFF,
               Bits band 16#7FFFFFFFFFFFFFFF > 16#7FF0000000000000 -> Bits;
        float64_bits(V, N, P) ->
            <<Bits:64>> = <<(real(V, N, P)):64/float>>,
            Bits.

        real(V, _, _) when is_float(V) -> V;
        real(V, N, P) when is_integer(V) ->
            try
                float(V)
            catch
                error:badarg -> fail_without_offset(number_too_large, [N | P])
            end;
        real(_, N, P) -> fail_without_offset({wrong_type, float}, [N | P]).

        float32_within(Bits, Min, Max, N, P) ->
            F = float32(Bits),
            in_range(F, Min, Max) orelse fail_without_offset({float_out_of_range, F, Min, Max}, [N | P]),
            Bits.

        float64_within(Bits, Min, Max, N, P) ->
            F = float64(Bits),
            in_range(F, Min, Max) orelse fail_without_offset({float_out_of_range, F, Min, Max}, [N | P]),
            Bits.

        enumeration(V, Min, Max, N, P) when is_integer(V) -> integer(V, Min, Max, N, P);
        enumeration(V, _, _, N, P) when is_atom(V) -> fail_without_offset({unknown_name, V}, [N | P]);
        enumeration(_, _, _, N, P) -> fail_without_offset({wrong_type, enumeration}, [N | P]).

        closed({unknown, V}, N, P) when is_integer(V) -> fail_without_offset({unknown_case, V}, [N | P]);
        closed({unknown, V}, N, P) when is_atom(V) -> fail_without_offset({unknown_name, V}, [N | P]);
        closed({unknown, _}, N, P) -> fail_without_offset({wrong_type, enumeration}, [N | P]);
        closed(V, _, _) -> V.

        bits(V, Masks, Max, N, P) when length(V) >= 0 -> bits(V, 0, Masks, Max, N, P);
        bits(_, _, _, N, P) -> fail_without_offset({wrong_type, flags}, [N | P]).

        bits([], V, _, _, _, _) -> V;
        bits([Bits | T], V, Masks, Max, N, P) when is_integer(Bits) ->
            Value = V bor integer(Bits, 0, Max, N, P),
            case lists:any(fun is_integer/1, T) of
                false -> bits(T, Value, Masks, Max, N, P);
                true -> fail_without_offset({repeated_flag, Bits}, [N | P])
            end;
        bits([Name | T], V, Masks, Max, N, P) when is_atom(Name) ->
            case lists:keyfind(Name, 1, Masks) of
                false -> fail_without_offset({unknown_name, Name}, [N | P]);
                {_, Mask} ->
                    lists:member(Name, T) andalso fail_without_offset({repeated_flag, Name}, [N | P]),
                    bits(T, V bor Mask, Masks, Max, N, P)
            end;
        bits(_, _, _, _, N, P) -> fail_without_offset({wrong_type, flags}, [N | P]).

        string_value(V, N, P) when is_binary(V) ->
            case flaw(V) of
                <<>> -> V;
                R -> fail_without_offset({invalid_utf8, utf8_fault(R)}, [N | P])
            end;
        string_value(_, N, P) -> fail_without_offset({wrong_type, string}, [N | P]).

        bytes_value(V, _, _) when is_binary(V) -> V;
        bytes_value(_, N, P) -> fail_without_offset({wrong_type, bytes}, [N | P]).

        limited(V, Max, _, _) when byte_size(V) =< Max -> V;
        limited(V, Max, N, P) -> fail_without_offset({too_long, byte_size(V), Max}, [N | P]).

        without_nul(V, N, P) ->
            case binary:match(V, <<0>>) of
                nomatch -> V;
                _ -> fail_without_offset(embedded_terminator, [N | P])
            end.

        %% length/1 fails in a guard, and does no harm there, for what is no proper list.
        list_value(V, Max, _, _) when length(V) =< Max -> V;
        list_value(V, Max, N, P) when length(V) > Max -> fail_without_offset({too_long, length(V), Max}, [N | P]);
        list_value(_, _, N, P) -> fail_without_offset({wrong_type, list}, [N | P]).

        item_count(V, Count, N, P) ->
            case length(list_value(V, infinity, N, P)) of
                Count -> V;
                Other -> fail_without_offset({wrong_item_count, Other, Count}, [N | P])
            end.

        leb128(V) when V < 16#80 -> <<V>>;
        leb128(V) -> <<1:1, V:7, (leb128(V bsr 7))/binary>>.

        leb128_size(V) when is_integer(V), V >= 16#80 -> 1 + leb128_size(V bsr 7);
        leb128_size(_) -> 1.

        property_list(V, N, P) ->
            Lines = property_lines(list_value(V, infinity, N, P), #{}, [], N, P),
            Text = iolist_to_binary(lists:join($\n, Lines)),
            limited(Text, 65535, N, P).

        property_lines([{K, V} | T], Keys, Lines, N, P) when is_binary(K), is_binary(V) ->
            _ = {string_value(K, N, P), string_value(V, N, P)},
            Line = <<K/binary, $:, V/binary>>,
            case K =:= <<>> orelse binary:match(K, [<<":">>, <<"\n">>]) =/= nomatch orelse
                 binary:match(V, <<"\n">>) =/= nomatch of
                true -> fail_without_offset({invalid_property, Line}, [N | P]);
                false when is_map_key(K, Keys) -> fail_without_offset({duplicate_key, K}, [N | P]);
                false -> property_lines(T, Keys#{K => true}, [Line | Lines], N, P)
            end;
        property_lines([], _, Lines, _, _) -> lists:reverse(Lines);
        property_lines(_, _, _, N, P) -> fail_without_offset({wrong_type, properties}, [N | P]).

        %% The first field of several that is not set, where nothing that is set may follow.
        gap(none, Name, undefined, _) -> Name;
        gap(none, _, _, _) -> none;
        gap(Name, _, undefined, _) -> Name;
        gap(Name, _, _, P) -> fail_without_offset(gap_before_optional, [Name | P]).

        no_gap(Name, _, <<>>) -> Name;
        no_gap(none, _, _) -> none;
        no_gap(Name, P, _) -> fail_without_offset(gap_before_optional, [Name | P]).
        """#
}
