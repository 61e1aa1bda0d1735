// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions for values with a number of items or bytes that no prefix says.
    static let sizedValues = #"""
        %% What must have so many bytes.
        exact(V, Count, _, _) when byte_size(V) =:= Count -> V;
        exact(V, Count, N, P) -> fail_without_offset({wrong_item_count, byte_size(V), Count}, [N | P]).

        %% What must have at least so many bytes.
        at_least(V, Count, _, _) when byte_size(V) >= Count -> V;
        at_least(V, Count, N, P) -> fail_without_offset({length_too_small, byte_size(V), Count}, [N | P]).

        %% The number of items or bytes that an earlier field says.
        field_count(C, _, B, E, N, P) when C < 0 -> fail({length_too_small, C, 0}, [N | P], E - byte_size(B));
        field_count(C, Max, B, _, _, _) when C =< Max -> {C, B};
        field_count(C, Max, B, E, N, P) -> fail({too_long, C, Max}, [N | P], E - byte_size(B)).

        %% The number for several fields, which must be the same; Add is what a reader adds to it.
        agreed(none, C, _, _, _) -> C;
        agreed(C, C, _, _, _) -> C;
        agreed(D, C, Add, N, P) -> fail_without_offset({wrong_item_count, C + Add, D + Add}, [N | P]).

        %% An item that must not begin with the byte which ends its list.
        not_beginning_with(Byte, <<Byte, _/binary>>, N, P) -> fail_without_offset(embedded_terminator, [N | P]);
        not_beginning_with(_, V, _, _) -> V.

        %% What may have so many bytes, and zeros after it.
        filled(V, Count, N, P) -> [limited(V, Count, N, P), binary:copy(<<0>>, Count - byte_size(V))].
        """#
}
