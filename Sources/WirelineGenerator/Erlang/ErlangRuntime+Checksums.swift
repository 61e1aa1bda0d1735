// SPDX-License-Identifier: Apache-2.0

extension ErlangRuntime {
    /// Checksums that Erlang has no function for, of iodata.
    ///
    /// The tables have the remainders of half a byte, so that they are short.
    static let checksums = #"""
        crc32c(Data) -> reflected_crc(iolist_to_binary(Data), 16#FFFFFFFF, castagnoli()) bxor 16#FFFFFFFF.

        crc16_arc(Data) -> reflected_crc(iolist_to_binary(Data), 0, crc_ibm()).

        crc16_modbus(Data) -> reflected_crc(iolist_to_binary(Data), 16#FFFF, crc_ibm()).

        crc16_kermit(Data) -> reflected_crc(iolist_to_binary(Data), 0, crc_ccitt_reflected()).

        crc16_x25(Data) -> reflected_crc(iolist_to_binary(Data), 16#FFFF, crc_ccitt_reflected()) bxor 16#FFFF.

        crc16_ccitt_false(Data) -> crc16(iolist_to_binary(Data), 16#FFFF, crc_ccitt()).

        crc16_xmodem(Data) -> crc16(iolist_to_binary(Data), 0, crc_ccitt()).

        sum8(Data) -> sum_bytes(iolist_to_binary(Data), 0).

        xor8(Data) -> xor_bytes(iolist_to_binary(Data), 0).

        %% A CRC whose bytes begin with the least significant bit.
        reflected_crc(<<Byte, Rest/binary>>, Crc, Table) ->
            Half = element((Crc bxor Byte) band 15 + 1, Table) bxor (Crc bsr 4),
            reflected_crc(Rest, element((Half bxor (Byte bsr 4)) band 15 + 1, Table) bxor (Half bsr 4), Table);
        reflected_crc(<<>>, Crc, _) -> Crc.

        %% A CRC of 16 bits whose bytes begin with the most significant bit.
        crc16(<<High:4, Low:4, Rest/binary>>, Crc, Table) ->
            Half = (element(((Crc bsr 12) bxor High) + 1, Table) bxor (Crc bsl 4)) band 16#FFFF,
            crc16(Rest, (element(((Half bsr 12) bxor Low) + 1, Table) bxor (Half bsl 4)) band 16#FFFF, Table);
        crc16(<<>>, Crc, _) -> Crc.

        sum_bytes(<<Byte, Rest/binary>>, Sum) -> sum_bytes(Rest, (Sum + Byte) band 255);
        sum_bytes(<<>>, Sum) -> Sum.

        xor_bytes(<<Byte, Rest/binary>>, Xor) -> xor_bytes(Rest, Xor bxor Byte);
        xor_bytes(<<>>, Xor) -> Xor.

        castagnoli() ->
            {16#00000000, 16#105EC76F, 16#20BD8EDE, 16#30E349B1, 16#417B1DBC, 16#5125DAD3, 16#61C69362, 16#7198540D,
             16#82F63B78, 16#92A8FC17, 16#A24BB5A6, 16#B21572C9, 16#C38D26C4, 16#D3D3E1AB, 16#E330A81A, 16#F36E6F75}.

        crc_ibm() ->
            {16#0000, 16#CC01, 16#D801, 16#1400, 16#F001, 16#3C00, 16#2800, 16#E401,
             16#A001, 16#6C00, 16#7800, 16#B401, 16#5000, 16#9C01, 16#8801, 16#4400}.

        crc_ccitt_reflected() ->
            {16#0000, 16#1081, 16#2102, 16#3183, 16#4204, 16#5285, 16#6306, 16#7387,
             16#8408, 16#9489, 16#A50A, 16#B58B, 16#C60C, 16#D68D, 16#E70E, 16#F78F}.

        crc_ccitt() ->
            {16#0000, 16#1021, 16#2042, 16#3063, 16#4084, 16#50A5, 16#60C6, 16#70E7,
             16#8108, 16#9129, 16#A14A, 16#B16B, 16#C18C, 16#D1AD, 16#E1CE, 16#F1EF}.
        """#
}
