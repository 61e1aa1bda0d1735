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

    private static let everything = [
        reading, writing, headers + varints + prefixed, fixedText, utf16Text, sizedValues, unions, conditions, presence,
        checksums, layers, transforms,
    ].joined(separator: "\n\n")

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

    /// The functions for errors, and those that read values.
    private static let reading = #"""
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

        boolean_byte(<<X>>) -> X =< 1 orelse {invalid_boolean, X}.

        %% The bool whose byte stands so many bytes after the start of B.
        boolean_at(0, _, _, _, _, _) -> false;
        boolean_at(1, _, _, _, _, _) -> true;
        boolean_at(X, Offset, B, E, N, P) -> fail({invalid_boolean, X}, [N | P], E - byte_size(B) + Offset).

        count_varint(B, Max, E, N, P) ->
            case varint(B, 5, E, N, P) of
                {C, _} when C > 16#FFFFFFFF -> fail({varint_too_long, 5}, [N | P], E - byte_size(B));
                {C, _} when C > Max -> fail({too_long, C, Max}, [N | P], E - byte_size(B));
                {C, R} -> {C, R}
            end.

        count_zigzag(B, Max, E, N, P) ->
            case count_varint(B, infinity, E, N, P) of
                {C, _} when C band 1 =:= 1 ->
                    fail({out_of_range, bnot (C bsr 1), -1, 16#7FFFFFFF}, [N | P], E - byte_size(B));
                {C, _} when C bsr 1 > Max -> fail({too_long, C bsr 1, Max}, [N | P], E - byte_size(B));
                {C, R} -> {C bsr 1, R}
            end.

        %% What follows the zigzag number -1, which says that a value is absent; none for another number.
        after_absent(B, E, N, P) ->
            case varint(B, 5, E, N, P) of
                {1, R} -> R;
                _ -> none
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
        """#
}
