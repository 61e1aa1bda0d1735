// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Integers of 64 bits, masks and CRC-32, for every version of Lua.
    static let numbers = #"""
        -- Integers are two numbers here, high * 2^32 + low, because Lua's own hold 53 bits in many versions: `low` is 0 to
        -- 2^32 - 1, `high` is negative for negative integers.
        local floor = math.floor
        local TWO_32 = 4294967296
        local HALF = { 128, 32768, 8388608, 2147483648 }

        local function integer_at(data, at, width, signed, little)
            local high, low = 0, 0
            for index = 1, width do
                local byte = string.byte(data, at + (little and width + 1 - index or index))
                high = (high * 256 + floor(low / 16777216)) % TWO_32
                low = low % 16777216 * 256 + byte
            end
            if signed and width == 8 and high >= 2147483648 then
                high = high - TWO_32
            elseif signed and width < 8 and low >= HALF[width] then
                high, low = -1, low - 2 * HALF[width] + TWO_32
            end
            return high, low
        end

        local function plus(high, low, number)
            low = low + number
            return high + floor(low / TWO_32), low % TWO_32
        end

        local function is_less(high, low, bound)
            return high < bound[1] or high == bound[1] and low < bound[2]
        end

        local function is_more(high, low, bound)
            return high > bound[1] or high == bound[1] and low > bound[2]
        end

        local function magnitude(high, low)
            if high >= 0 then return "", high, low end
            if low == 0 then return "-", -high, 0 end
            return "-", -high - 1, TWO_32 - low
        end

        local function decimal(high, low)
            local sign
            sign, high, low = magnitude(high, low)
            local limbs = { floor(high / 65536), high % 65536, floor(low / 65536), low % 65536 }
            local text, more = "", true
            while more do
                local rest = 0
                more = false
                for index = 1, 4 do
                    local value = rest * 65536 + limbs[index]
                    limbs[index] = floor(value / 10000)
                    rest = value % 10000
                    more = more or limbs[index] > 0
                end
                text = string.format(more and "%04d" or "%d", rest) .. text
            end
            return sign .. text
        end

        local function hexadecimal(high, low)
            local sign
            sign, high, low = magnitude(high, low)
            local digits = high > 0 and string.format("%X%08X", high, low) or string.format("%X", low)
            return sign .. "0x" .. (#digits % 2 == 0 and "" or "0") .. digits
        end

        -- Whether all bits of a mask are set, of numbers from 0 to 2^32 - 1.
        local function has_bits(number, mask)
            while mask > 0 do
                if mask % 2 == 1 and number % 2 == 0 then return false end
                number, mask = floor(number / 2), floor(mask / 2)
            end
            return true
        end

        local function bits_of(number)
            local digits = {}
            for index = 32, 1, -1 do
                digits[index] = number % 2
                number = floor(number / 2)
            end
            return table.concat(digits)
        end

        -- The last bits of a number, as digits.
        local function last_bits(high, low, width)
            return string.sub(bits_of(high % TWO_32) .. bits_of(low), -width)
        end

        local function from_bits(digits)
            digits = string.rep("0", 64) .. digits
            return tonumber(string.sub(digits, -64, -33), 2), tonumber(string.sub(digits, -32), 2)
        end

        -- zlib's CRC-32 of a part of some bytes; as four bytes, because not every Lua has operators for bits.
        local XOR, CRC
        local function make_crc_table()
            XOR, CRC = {}, {}
            for left = 0, 15 do
                for right = 0, 15 do
                    local value, a, b, place = 0, left, right, 1
                    for _ = 1, 4 do
                        if a % 2 ~= b % 2 then value = value + place end
                        a, b, place = floor(a / 2), floor(b / 2), place * 2
                    end
                    XOR[left * 16 + right] = value
                end
            end
        end

        local function xor_byte(left, right)
            return XOR[floor(left / 16) * 16 + floor(right / 16)] * 16 + XOR[left % 16 * 16 + right % 16]
        end

        local function crc32(data, at, stop)
            if not XOR then make_crc_table() end
            if not CRC[0] then
                for index = 0, 255 do
                    local high, low = 0, index
                    for _ = 1, 8 do
                        local odd = low % 2
                        low = floor(low / 2) + high % 2 * 32768
                        high = floor(high / 2)
                        if odd == 1 then
                            -- 0xEDB88320
                            high = xor_byte(floor(high / 256), 0xED) * 256 + xor_byte(high % 256, 0xB8)
                            low = xor_byte(floor(low / 256), 0x83) * 256 + xor_byte(low % 256, 0x20)
                        end
                    end
                    CRC[index] = { floor(high / 256), high % 256, floor(low / 256), low % 256 }
                end
            end
            local a, b, c, d = 255, 255, 255, 255
            for index = at + 1, stop do
                local entry = CRC[xor_byte(d, string.byte(data, index))]
                a, b, c, d = entry[1], xor_byte(entry[2], a), xor_byte(entry[3], b), xor_byte(entry[4], c)
            end
            return ((255 - a) * 16777216) + ((255 - b) * 65536) + ((255 - c) * 256) + (255 - d)
        end

        """#
}
