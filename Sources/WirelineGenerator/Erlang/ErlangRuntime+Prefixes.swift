// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// The functions that differ by the prefix of a string, of bytes or of a list.
    static let prefixed: String = {
        let fixed = [
            ("uint8", 1, ":8"), ("uint16_big", 2, ":16"), ("uint16_little", 2, ":16/little"), ("uint32_big", 4, ":32"),
            ("uint32_little", 4, ":32/little"),
        ]
        let signed = [
            ("int16_big", 2, ":16"), ("int16_little", 2, ":16/little"), ("int32_big", 4, ":32"),
            ("int32_little", 4, ":32/little"),
        ]
        let counts = fixed.map { name, width, bits in
            """


            count_\(name)(<<C\(bits), R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
            count_\(name)(<<C\(bits), _/binary>> = B, Max, E, N, P) ->
                fail({too_long, C, Max}, [N | P], E - byte_size(B));
            count_\(name)(B, _, E, N, P) -> cut(B, \(width), E, N, P).
            """
        }
        let signedCounts = signed.map(signedCount)
        let varying = [("varint", "leb128(byte_size(V))"), ("zigzag", "leb128(2 * byte_size(V))")]
        let texts =
            ((fixed + signed).map { ($0.0, "<<(byte_size(V)):\($0.2.dropFirst())>>") } + varying)
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
        return (counts + signedCounts + texts).joined()
    }()

    /// Returns the function for a prefix with a sign, which is not that of an absent value.
    private static func signedCount(_ name: String, _ width: Int, _ bits: String) -> String {
        let number = "C\(bits)\(bits.contains("/") ? "-" : "/")signed"
        let most = (1 << (8 * width - 1)) - 1
        return """


            count_\(name)(<<\(number), _/binary>> = B, _, E, N, P) when C < 0 ->
                fail({out_of_range, C, -1, \(most)}, [N | P], E - byte_size(B));
            count_\(name)(<<\(number), R/binary>>, Max, _, _, _) when C =< Max -> {C, R};
            count_\(name)(<<\(number), _/binary>> = B, Max, E, N, P) ->
                fail({too_long, C, Max}, [N | P], E - byte_size(B));
            count_\(name)(B, _, E, N, P) -> cut(B, \(width), E, N, P).
            """
    }
}
