// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The runtime functions of generated modules.
///
/// A module contains only the functions that it calls, directly or indirectly, because Erlang warns about unused ones.
///
/// Readers take `E`, `N` and `P`. `E` is the offset of the end of `B` in the packet. `N` is the name or index of the
/// value, and `P` is the list of names that contain it, innermost first.
enum ErlangRuntime {
    /// Returns the functions that a module's code needs, in a fixed order.
    ///
    /// - Parameter forms: The forms of varints that they read.
    static func functions(for code: [String], _ forms: VarintForms) -> (text: String, names: Set<String>) {
        var needed: Set<String> = []
        var waiting = Array(code.reduce(into: Set<String>()) { $0.formUnion(ErlangTokens.calls(of: $1)) })
        while let word = waiting.popLast() {
            guard let functions = byName[word], needed.insert(word).inserted else { continue }
            for function in functions { waiting += ErlangTokens.calls(of: function.text) }
        }
        let functions = all.filter { needed.contains($0.name) }
        let texts = functions.map { $0.reading(forms) + "\n" }
        return (texts.joined(separator: "\n"), needed)
    }

    /// Returns each function with one of the names, with its arity.
    static func signatures(of names: Set<String>) -> [String] {
        all.filter { names.contains($0.name) }.map { "\($0.name)/\($0.arity)" }
    }

    private struct Function {
        let name: String
        let arity: Int
        let text: String

        /// Returns the text without the refusal of forms that are accepted.
        func reading(_ forms: VarintForms) -> String {
            guard forms == .any else { return text }
            return text.split(separator: "\n").filter { !$0.contains("fail(varint_not_shortest") }
                .joined(separator: "\n")
                .replacing("%% Unsigned LEB128 in its shortest form,", with: "%% Unsigned LEB128 in any form,")
        }
    }

    private static let everything = [source + varints + prefixed, fixedText, checksums].joined(separator: "\n\n")

    private static let all: [Function] = everything.split(separator: "\n\n").map { chunk in
        let lines = chunk.split(separator: "\n")
        let first = lines.first { line in ("a"..."z").contains(line.first ?? " ") } ?? ""
        return Function(name: String(first.prefix { $0 != "(" }), arity: arity(of: first), text: String(chunk))
    }

    /// Returns the number of parameters in a function's head.
    private static func arity(of head: Substring) -> Int {
        if head.drop(while: { $0 != "(" }).hasPrefix("()") { return 0 }
        var (depth, count) = (0, 1)
        for byte in head.utf8 {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return count }
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"): depth -= 1
            case UInt8(ascii: ","): if depth == 1 { count += 1 }
            default: break
            }
        }
        return count
    }

    /// The functions by name; those of different arities share an entry.
    private static let byName = Dictionary(grouping: all, by: \.name)

    /// The functions that differ by the prefix of a string, of bytes or of a list.
    private static let prefixed: String = {
        let fixed = [
            ("uint8", 1, ":8"), ("uint16_big", 2, ":16"), ("uint16_little", 2, ":16/little"), ("uint32_big", 4, ":32"),
            ("uint32_little", 4, ":32/little"),
        ]
        let counts = fixed.map { name, width, bits in
            """


            count_\(name)(<<C\(bits), R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
            count_\(name)(<<C\(bits), _/binary>> = B, Max, E, N, P) ->
                fail({too_long, C, Max}, [N | P], E - byte_size(B));
            count_\(name)(B, _, E, N, P) -> cut(B, \(width), E, N, P).
            """
        }
        let texts =
            (fixed.map { ($0.0, "<<(byte_size(V)):\($0.2.dropFirst())>>") } + [("varint", "leb128(byte_size(V))")])
            .map { name, prefix in
                """


                text_\(name)(B, Max, E, N, P) -> text(count_\(name)(B, Max, E, N, P), E, N, P).

                bytes_\(name)(B, Max, E, N, P) -> bytes(count_\(name)(B, Max, E, N, P), E, N, P).

                put_text_\(name)(V, Max, N, P) ->
                    _ = limited(string_value(V, N, P), Max, N, P),
                    [\(prefix), V].

                put_bytes_\(name)(V, Max, N, P) ->
                    _ = limited(bytes_value(V, N, P), Max, N, P),
                    [\(prefix), V].
                """
            }
        return (counts + texts).joined()
    }()

    private static let source = #"""
        -spec more(pos_integer(), non_neg_integer()) -> no_return().
        more(Needed, Size) -> throw({more, Needed - Size}).

        -spec fail(reason(), [binary() | non_neg_integer() | packet], non_neg_integer()) -> no_return().
        fail(Reason, Path, Offset) -> throw({error, (fault(Reason, Path))#{offset => Offset}}).

        -spec fail_without_offset(reason(), [binary() | non_neg_integer() | packet]) -> no_return().
        fail_without_offset(Reason, Path) -> throw({error, fault(Reason, Path)}).

        fault(Reason, Path) ->
            case lists:reverse(Path) of
                [] -> #{reason => Reason, path => <<>>};
                [packet | Names] -> #{reason => Reason, path => joined(Names, <<"packet">>)};
                [Message | Names] -> #{reason => Reason, message => Message, path => joined(Names, Message)}
            end.

        joined([Index | Names], Text) when is_integer(Index) ->
            joined(Names, <<Text/binary, $[, (integer_to_binary(Index))/binary, $]>>);
        joined([Name | Names], Text) -> joined(Names, <<Text/binary, $., Name/binary>>);
        joined([], Text) -> Text.

        -spec cut(binary(), pos_integer(), non_neg_integer(), binary() | non_neg_integer(), list()) -> no_return().
        cut(B, Count, E, N, P) -> fail({truncated, Count, byte_size(B)}, [N | P], E - byte_size(B)).

        %% Finds what is wrong with fields of which the last are cut off.
        -spec cut_run([{binary(), pos_integer()}, ...], binary(), non_neg_integer(), list()) -> no_return().
        cut_run([{Name, Count} | Fields], B, E, P) ->
            case B of
                <<_:Count/binary, R/binary>> -> cut_run(Fields, R, E, P);
                _ -> cut(B, Count, E, Name, P)
            end.

        %% The same where a field before the cut may be wrong.
        -spec cut_checked([{binary(), pos_integer(), fun((binary()) -> true | reason())}, ...],
                          binary(), non_neg_integer(), list()) -> no_return().
        cut_checked([{Name, Count, Check} | Fields], B, E, P) ->
            case B of
                <<V:Count/binary, R/binary>> ->
                    case Check(V) of
                        true -> cut_checked(Fields, R, E, P);
                        Reason -> fail(Reason, [Name | P], E - byte_size(B))
                    end;
                _ -> cut(B, Count, E, Name, P)
            end.

        any_bytes(_) -> true.

        zero_or_one(<<X>>) -> X =< 1 orelse {invalid_boolean, X}.

        %% The bool whose byte stands so many bytes behind the start of B.
        boolean_at(0, _, _, _, _, _) -> false;
        boolean_at(1, _, _, _, _, _) -> true;
        boolean_at(X, Offset, B, E, N, P) -> fail({invalid_boolean, X}, [N | P], E - byte_size(B) + Offset).

        count_varint(B, Max, E, N, P) ->
            case varint(B, 5, E, N, P) of
                {C, _} when C > 16#FFFFFFFF -> fail({varint_too_long, 5}, [N | P], E - byte_size(B));
                {C, _} when C > Max -> fail({too_long, C, Max}, [N | P], E - byte_size(B));
                {C, R} -> {C, R}
            end.

        %% Unsigned LEB128 in its shortest form, of at most so many bytes and 64 bits.
        varint(B, Max, E, N, P) -> varint(B, 0, 0, Max, B, E, N, P).

        varint(_, Max, _, Max, B, E, N, P) -> fail({varint_too_long, Max}, [N | P], E - byte_size(B));
        varint(<<>>, I, _, _, B, E, N, P) -> fail({truncated, I + 1, byte_size(B)}, [N | P], E - byte_size(B));
        varint(<<X, _/binary>>, 9, _, Max, B, E, N, P) when X > 1 ->
            fail({varint_too_long, Max}, [N | P], E - byte_size(B));
        varint(<<0, _/binary>>, I, _, _, B, E, N, P) when I > 0 -> fail(varint_not_shortest, [N | P], E - byte_size(B));
        varint(<<0:1, X:7, R/binary>>, I, V, _, _, _, _, _) -> {V bor (X bsl (7 * I)), R};
        varint(<<1:1, X:7, R/binary>>, I, V, Max, B, E, N, P) ->
            varint(R, I + 1, V bor (X bsl (7 * I)), Max, B, E, N, P).

        within({V, R}, Min, Max, _, _, _, _) when V >= Min, V =< Max -> {V, R};
        within({V, _}, Min, Max, B, E, N, P) -> fail({out_of_range, V, Min, Max}, [N | P], E - byte_size(B)).

        bytes({C, B}, E, N, P) ->
            case B of
                <<V:C/binary, R/binary>> -> {V, R};
                _ -> fail({truncated, C, byte_size(B)}, [N | P], E - byte_size(B))
            end.

        text(Counted, E, N, P) ->
            {V, R} = bytes(Counted, E, N, P),
            {utf8(V, E - byte_size(R), N, P), R}.

        terminated_bytes(B, Max, E, N, P) ->
            case binary:match(B, <<0>>) of
                {C, _} when C =< Max ->
                    <<V:C/binary, 0, R/binary>> = B,
                    {V, R};
                {C, _} -> fail({too_long, C, Max}, [N | P], E - byte_size(B));
                nomatch -> fail(missing_terminator, [N | P], E - byte_size(B))
            end.

        terminated_text(B, Max, E, N, P) ->
            {V, R} = terminated_bytes(B, Max, E, N, P),
            {utf8(V, E - byte_size(R) - 1, N, P), R}.

        rest_bytes(B, Max, _, _, _) when byte_size(B) =< Max -> {B, <<>>};
        rest_bytes(B, Max, E, N, P) -> fail({too_long, byte_size(B), Max}, [N | P], E - byte_size(B)).

        rest_text(B, Max, E, N, P) ->
            {V, R} = rest_bytes(B, Max, E, N, P),
            {utf8(V, E, N, P), R}.

        utf8(V, E, N, P) ->
            case flaw(V) of
                <<>> -> V;
                R -> fail({invalid_utf8, utf8_fault(R)}, [N | P], E - byte_size(R))
            end.

        %% What follows the last good character; seven characters of ASCII a step.
        flaw(<<X:56, R/binary>>) when X band 16#80808080808080 =:= 0 -> flaw(R);
        flaw(<<_/utf8, R/binary>>) -> flaw(R);
        flaw(R) -> R.

        %% Unicode 16, table 3-7.
        utf8_fault(<<X, _/binary>>) when X =:= 16#C0; X =:= 16#C1 -> overlong;
        utf8_fault(<<X, _/binary>>) when X >= 16#F5, X =< 16#F7 -> above_unicode;
        utf8_fault(<<X, _/binary>>) when X < 16#C2; X > 16#F7 -> unexpected_byte;
        utf8_fault(<<16#E0, X, _/binary>>) when X >= 16#80, X < 16#A0 -> overlong;
        utf8_fault(<<16#F0, X, _/binary>>) when X >= 16#80, X < 16#90 -> overlong;
        utf8_fault(<<16#ED, X, _/binary>>) when X >= 16#A0, X =< 16#BF -> surrogate;
        utf8_fault(<<16#F4, X, _/binary>>) when X >= 16#90, X =< 16#BF -> above_unicode;
        utf8_fault(_) -> truncated.

        %% Lines of key:value, in order.
        properties(B, _, E, N, P) when byte_size(B) > 65535 ->
            fail({too_long, byte_size(B), 65535}, [N | P], E - byte_size(B));
        properties(B, Mode, E, N, P) -> {properties(B, Mode, [], #{}, E, N, P), <<>>}.

        properties(<<>>, _, Keys, Values, _, _, _) -> [{K, maps:get(K, Values)} || K <- lists:reverse(Keys)];
        properties(B, Mode, Keys, Values, E, N, P) ->
            {Line, R} =
                case binary:split(B, <<"\n">>) of
                    [L, T] -> {L, T};
                    [L] -> {L, <<>>}
                end,
            Offset = E - byte_size(B),
            _ = utf8(Line, Offset + byte_size(Line), N, P),
            case property(binary:split(Line, <<":">>), Mode) of
                {K, _} when Mode =:= strict, is_map_key(K, Values) -> fail({duplicate_key, K}, [N | P], Offset);
                {K, V} when is_map_key(K, Values) -> properties(R, Mode, Keys, Values#{K := V}, E, N, P);
                {K, V} -> properties(R, Mode, [K | Keys], Values#{K => V}, E, N, P);
                none -> properties(R, Mode, Keys, Values, E, N, P);
                invalid -> fail({invalid_property, Line}, [N | P], Offset)
            end.

        property([K, V], _) when K =/= <<>> -> {K, V};
        property(_, strict) -> invalid;
        property([K], _) when K =/= <<>> -> {K, <<>>};
        property(_, _) -> none.

        float32(Bits) ->
            case <<Bits:32>> of
                <<F:32/float>> -> F;
                <<16#7F800000:32>> -> infinity;
                <<16#FF800000:32>> -> neg_infinity;
                _ -> {nan, Bits}
            end.

        float64(Bits) ->
            case <<Bits:64>> of
                <<F:64/float>> -> F;
                <<16#7FF0000000000000:64>> -> infinity;
                <<16#FFF0000000000000:64>> -> neg_infinity;
                _ -> {nan, Bits}
            end.

        %% Of what Erlang has no float for, nothing is in any range.
        in_range(F, Min, Max) when is_float(F) -> F >= Min andalso F =< Max;
        in_range(_, _, _) -> false.

        %% The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.
        mask_names([{Name, Mask} | Masks], V, Shown) when V band Mask =:= Mask, Mask band bnot Shown =/= 0 ->
            [Name | mask_names(Masks, V, Shown bor Mask)];
        mask_names([_ | Masks], V, Shown) -> mask_names(Masks, V, Shown);
        mask_names([], V, Shown) when V band bnot Shown =:= 0 -> [];
        mask_names([], V, Shown) -> [V band bnot Shown].

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

        %% A field of a header that may not have arrived; Last is where the packet ends, as far as it is known.
        header_part(B, Start, Count, Last, Name) ->
            Size = byte_size(B),
            End = min(Size, Last),
            From = min(Start, End),
            if
                From + Count =< End -> binary:part(B, From, Count);
                Size < Last -> more(Start + Count, Size);
                true -> fail({truncated, Count, End - From}, [Name, packet], From)
            end.

        header_varint(B, Start, Max, Last, Name) ->
            Size = byte_size(B),
            End = min(Size, Last),
            From = min(Start, End),
            try varint(binary:part(B, From, End - From), Max, End, Name, [packet]) of
                {V, R} -> {V, End - From - byte_size(R)}
            catch
                throw:{error, #{reason := {truncated, _, _}}} when Size < Last -> more(1, 0)
            end.

        %% The bytes of the whole packet, by one of its lengths.
        packet_size(Length, Difference, Min, Max, Offset) ->
            case Length + Difference of
                Size when Size < Min -> fail({length_too_small, Length, Min - Difference}, [], Offset);
                Size when Size > Max -> fail({packet_too_long, Length, Size, Max}, [], Offset);
                Size -> Size
            end.

        same_size(Size, Size, _, _, _, _) -> ok;
        same_size(_, Size, Length, Difference, Name, Offset) ->
            fail({length_mismatch, Length, Size - Difference}, [Name, packet], Offset).

        same_length(Length, Length, _, _) -> ok;
        same_length(Length, Expected, Name, Offset) -> fail({length_mismatch, Length, Expected}, [Name, packet], Offset).

        same_constant(V, V, _, _) -> ok;
        same_constant(V, Expected, Name, Offset) -> fail({wrong_constant, V, Expected}, [Name, packet], Offset).

        same_checksum(V, V, _, _) -> ok;
        same_checksum(V, Computed, Name, Offset) -> fail({wrong_checksum, V, Computed}, [Name, packet], Offset).

        bytes_between(B, Start, End) -> binary:part(B, Start, End - Start).

        header_boolean(0, _, _) -> false;
        header_boolean(1, _, _) -> true;
        header_boolean(V, Name, Offset) -> fail({invalid_boolean, V}, [Name, packet], Offset).

        length_field(V, Min, Max, _, _) when V >= Min, V =< Max -> V;
        length_field(V, _, Max, Size, Name) when V > Max ->
            fail_without_offset({packet_too_long, V, Size, Max - V + Size}, [Name, packet]);
        length_field(V, Min, _, _, Name) -> fail_without_offset({length_too_small, V, Min}, [Name, packet]).

        only_settable(Header, Keys) ->
            case maps:keys(maps:without(Keys, Header)) of
                [] -> ok;
                [Key | _] -> fail_without_offset({invalid_header_field, Key}, [])
            end.
        """#
}
