// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions for headers and trailers.
    static let headers = #"""
        %% The parts of a packet that has arrived whole.
        unwrap_whole(Unwrap, Packet) ->
            try
                Unwrap(Packet)
            catch
                throw:{more, Count} -> fail({truncated, Count, 0}, [], byte_size(Packet))
            end.

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
