// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions for fields of the packet with a condition.
    static let presence = #"""
        count_if(true, Count) -> Count;
        count_if(false, _) -> 0.

        bit_if(true) -> 1;
        bit_if(false) -> 0.

        most(true, Max, _) -> Max;
        most(false, Max, Size) -> min(Max, Size).

        %% The size of a packet by one of its lengths, which must agree with an earlier one.
        agreeing_size(Size, undefined, _, _, _, _) -> Size;
        agreeing_size(Size, Other, Length, Difference, Name, Offset) ->
            same_size(Size, Other, Length, Difference, Name, Offset),
            Size.

        %% A packet in which no length is there has an empty payload.
        size_or(undefined, Size, Max) when Size =< Max -> Size;
        size_or(undefined, Size, Max) -> fail({packet_too_long, Size, Size, Max}, [], 0);
        size_or(Size, _, _) -> Size.

        append_id(true, Id, Width, Bits) -> (Id bsl Width) bor Bits;
        append_id(false, Id, _, _) -> Id.

        header_fields(Fields, Header) ->
            lists:foldl(
                fun({true, Key, Value}, H) -> H#{Key => Value};
                   ({false, _, _}, H) -> H
                end, Header, Fields).

        %% What stands for a field that is not there, and so must not be set.
        absent(Key, Header, Name, Nothing) ->
            case maps:is_key(Key, Header) of
                true -> fail_without_offset({presence, set}, [Name, packet]);
                false -> Nothing
            end.

        bytes_of(true, Bytes) -> Bytes;
        bytes_of(false, _) -> <<>>.
        """#
}
