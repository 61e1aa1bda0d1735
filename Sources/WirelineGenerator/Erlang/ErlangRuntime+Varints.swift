// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions for integers of variable length with a sign.
    static let varints = #"""


        %% Zigzag numbers: 0, 1, 2, 3 for 0, -1, 1, -2.
        zigzag(B, Max, E, N, P) -> zigzag_value(varint(B, Max, E, N, P)).

        varint32(B, Max, E, N, P) -> varint32_value(varint(B, Max, E, N, P), Max, [N | P], E - byte_size(B)).

        varint64(B, Max, E, N, P) -> varint64_value(varint(B, Max, E, N, P)).

        zigzag_value({V, R}) -> {(V bsr 1) bxor -(V band 1), R}.

        varint32_value({V, _}, Max, Path, Offset) when V > 16#FFFFFFFF -> fail({varint_too_long, Max}, Path, Offset);
        varint32_value({V, R}, _, _, _) when V > 16#7FFFFFFF -> {V - 16#100000000, R};
        varint32_value(Value, _, _, _) -> Value.

        varint64_value({V, R}) when V > 16#7FFFFFFFFFFFFFFF -> {V - 16#10000000000000000, R};
        varint64_value(Value) -> Value.

        zigzag_bits(V) -> (V bsl 1) bxor (V bsr 63).

        %% The width of a number before it is checked.
        zigzag_size(V) when is_integer(V) -> leb128_size(zigzag_bits(clamped(V, 16#7FFFFFFFFFFFFFFF)));
        zigzag_size(_) -> 1.

        varint32_size(V) when is_integer(V) -> leb128_size(clamped(V, 16#7FFFFFFF) band 16#FFFFFFFF);
        varint32_size(_) -> 1.

        varint64_size(V) when is_integer(V) -> leb128_size(clamped(V, 16#7FFFFFFFFFFFFFFF) band 16#FFFFFFFFFFFFFFFF);
        varint64_size(_) -> 1.

        clamped(V, Max) -> max(-Max - 1, min(V, Max)).

        %% The number whose two's complement has these bits.
        signed(V, Width) when V bsr (Width - 1) =:= 1 -> V - (1 bsl Width);
        signed(V, _) -> V.

        header_zigzag(B, Start, Max, Last, Name) -> zigzag_value(header_varint(B, Start, Max, Last, Name)).

        header_varint32(B, Start, Max, Last, Name) ->
            varint32_value(header_varint(B, Start, Max, Last, Name), Max, [Name, packet], Start).

        header_varint64(B, Start, Max, Last, Name) -> varint64_value(header_varint(B, Start, Max, Last, Name)).
        """#
}
