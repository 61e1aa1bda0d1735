// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// The lines that verify a checksum of any kind and range.
    static let verifyingAnyChecksum = #"""
                    local computed = checksums[field.sum](covered_bytes(reader, field, payload_start, payload_end, packet_end))
                    if high ~= 0 or low ~= computed then
                        fail(reader, "wrong_checksum", field.called .. " " .. hexadecimal(high, low) .. place(reader, at)
                            .. ", but " .. field.owner .. " is " .. hexadecimal(0, computed))
                    end
        """#

    /// Computes checksums of strings.
    ///
    /// - Parameters:
    ///   - otherByteCount: The bytes that another field of fixed width adds to the ones before it.
    ///   - skippingAbsent: The line that replaces a field which is not there.
    static func checksums(otherByteCount: String, skippingAbsent: String) -> String {
        #"""
        -- MARK: Checksums

        local function xor_16(left, right)
            return xor_byte(floor(left / 256), floor(right / 256)) * 256 + xor_byte(left % 256, right % 256)
        end

        -- The remainders that a byte adds to a CRC whose bytes begin with the least significant bit: 16 bits each, the high
        -- ones first.
        local function reflected_table(high_polynomial, low_polynomial)
            if not XOR then make_crc_table() end
            local list = {}
            for index = 0, 255 do
                local high, low = 0, index
                for _ = 1, 8 do
                    local odd = low % 2
                    low = floor(low / 2) + high % 2 * 32768
                    high = floor(high / 2)
                    if odd == 1 then high, low = xor_16(high, high_polynomial), xor_16(low, low_polynomial) end
                end
                list[index] = { high, low }
            end
            return list
        end

        local function reflected_crc(high_polynomial, low_polynomial, high_start, low_start, is_inverted)
            local list
            return function(bytes)
                list = list or reflected_table(high_polynomial, low_polynomial)
                local high, low = high_start, low_start
                for index = 1, #bytes do
                    local entry = list[xor_byte(low % 256, string.byte(bytes, index))]
                    low = xor_16(floor(low / 256) + high % 256 * 256, entry[2])
                    high = xor_16(floor(high / 256), entry[1])
                end
                if is_inverted then high, low = high_start - high, low_start - low end
                return high * 65536 + low
            end
        end

        -- A CRC of 16 bits with the polynomial 0x1021, whose bytes begin with the most significant bit.
        local function ccitt_crc(start)
            local list
            return function(bytes)
                if not list then
                    if not XOR then make_crc_table() end
                    list = {}
                    for index = 0, 255 do
                        local value = index * 256
                        for _ = 1, 8 do
                            local is_over = value >= 32768
                            value = value * 2 % 65536
                            if is_over then value = xor_16(value, 0x1021) end
                        end
                        list[index] = value
                    end
                end
                local value = start
                for index = 1, #bytes do
                    value = xor_16(list[xor_byte(floor(value / 256), string.byte(bytes, index))], value % 256 * 256)
                end
                return value
            end
        end

        local checksums = {
            crc32 = reflected_crc(0xEDB8, 0x8320, 65535, 65535, true),
            crc32c = reflected_crc(0x82F6, 0x3B78, 65535, 65535, true),
            crc16_arc = reflected_crc(0, 0xA001, 0, 0),
            crc16_modbus = reflected_crc(0, 0xA001, 0, 65535),
            crc16_kermit = reflected_crc(0, 0x8408, 0, 0),
            crc16_x25 = reflected_crc(0, 0x8408, 0, 65535, true),
            crc16_ccitt_false = ccitt_crc(65535),
            crc16_xmodem = ccitt_crc(0),
        }

        function checksums.adler32(bytes)
            local low, high = 1, 0
            for index = 1, #bytes do
                low = (low + string.byte(bytes, index)) % 65521
                high = (high + low) % 65521
            end
            return high * 65536 + low
        end

        function checksums.sum8(bytes)
            local sum = 0
            for index = 1, #bytes do sum = (sum + string.byte(bytes, index)) % 256 end
            return sum
        end

        function checksums.xor8(bytes)
            if not XOR then make_crc_table() end
            local value = 0
            for index = 1, #bytes do value = xor_byte(value, string.byte(bytes, index)) end
            return value
        end

        -- The bytes that a checksum covers, with zeros for itself and for later ones. The parts of a packet are the fields of
        -- the header, the payload, and the fields of the trailer.
        local function covered_bytes(reader, field, payload_start, payload_end, packet_end)
            local edges, at = { reader.start }, reader.start
            for _, other in ipairs(layout.header) do
                \#(skippingAbsent)if other.kind[1] == "varint" then
                    while string.byte(reader.data, at + 1) >= 128 do at = at + 1 end
                    at = at + 1
                else
                    at = at + \#(otherByteCount)
                end
                edges[#edges + 1] = at
            end
            edges[#edges + 1], at = payload_end, payload_end
            for _, other in ipairs(layout.trailer) do
                \#(skippingAbsent)at = at + \#(otherByteCount)
                edges[#edges + 1] = at
            end
            local pieces, start = {}, edges[field.first]
            for _, part in ipairs(field.zeros) do
                pieces[#pieces + 1] = string.sub(reader.data, start + 1, edges[part])
                pieces[#pieces + 1] = string.rep("\0", edges[part + 1] - edges[part])
                start = edges[part + 1]
            end
            pieces[#pieces + 1] = string.sub(reader.data, start + 1, edges[field.last + 1])
            return table.concat(pieces)
        end

        """#
    }
}
