// SPDX-License-Identifier: Apache-2.0

extension LuaRuntime {
    /// The functions that take packets apart and check what is around a payload.
    static func packets(_ parameters: LuaRuntimeParameters) -> String {
        #"""
        -- The bytes of the whole packet, by one of its lengths.
        local function packet_size(length, difference, least, offset\#(parameters.hasLayers ? ", most" : ""))
          local size = length + difference
          if size < least then error(fault("length_too_small", "", offset), 0) end
          if size > \#(parameters.hasLayers ? "(most or \(parameters.maximumPacketByteCount))" : "\(parameters.maximumPacketByteCount)") then error(fault("packet_too_long", "", offset), 0) end
          return size
        end

        local function same_size(size, other, f, offset)
          if size ~= other then fail("length_mismatch", f, start + offset) end
          return size
        end

        -- A header that has not arrived whole, with zeros after it, and where it begins.
        local function headed(s, size, n) return sub(s, start) .. rep("\0", n - size), 1 end

        -- Whether bytes of the header are there; if the packet is known to end before them, they are missing.
        local function arrived(p, e, last, n, f)
          if e - p + 1 >= n then return true end
          if e >= last then fail("truncated", f, p) end
          return false
        end

        -- Whether a varint of the header is there, or cannot be one.
        local function varint_arrived(s, p, e, last, n)
          for i = 0, n - 1 do
            if p + i > e then return e >= last end
            if byte(s, p + i) < 128 then return true end
          end
          return true
        end

        local function refuse_packet(kind) error(fault(kind, ""), 0) end

        local function length_field(v, low, high, is_wide, f)
          if is_wide and less(high, v) or not is_wide and v > high then refuse("packet_too_long", f) end
          if is_wide and less(v, low) or not is_wide and v < low then refuse("length_too_small", f) end
        end

        local function same_header(v, expected, f)
          if v == nil then return end
          if type(v) ~= type(expected) and type(v) ~= "boolean" and type(expected) ~= "boolean" then v = canonical(v, f) end
          if v == expected then return end
          top = top + 1
          at[top] = "packet"
          refuse("wrong_constant", f)
        end

        local function copied(t)
          local copy = {}
          for key, v in pairs(t) do copy[key] = v end
          return copy
        end

        -- A value that has not been checked, as far as it can be written.
        local function clamped(v, low, high, is_wide)
          if is_wide then
            local ok, n = pcall(canonical, v)
            if not ok then return low end
            return less(n, low) and low or less(high, n) and high or n
          end
          if type(v) ~= "number" or v ~= v then return 0 end
          return floor(math.min(high, math.max(low, v)))
        end

        -- Whether lengths cannot hold a packet, so that another form of the header may.
        local function does_not_fit(e)
          local kind = getmetatable(e) == wire_error and e.kind
          return kind == "packet_too_long" or kind == "length_too_small" or kind == "invalid_message_id"
        end

        local function replaced(s, p, bytes) return sub(s, 1, p - 1) .. bytes .. sub(s, p + #bytes) end

        -- Bytes from p to e, of which some are zeros: places and numbers of bytes.
        local function zeroed(s, p, e, ...)
          local zeros, t = { ... }, sub(s, p, e)
          for i = 1, #zeros, 2 do t = replaced(t, zeros[i] - p + 1, rep("\0", zeros[i + 1])) end
          return t, 1, #t
        end
        """#
    }

    /// The functions that compute checksums of bytes.
    static let checksums = #"""
        -- The exclusive or of two numbers of 4 bits.
        local nibbles = {}
        for a = 0, 15 do
          for b = 0, 15 do
            local v = 0
            for _, bit in ipairs({ 1, 2, 4, 8 }) do
              if floor(a / bit) % 2 ~= floor(b / bit) % 2 then v = v + bit end
            end
            nibbles[a * 16 + b] = v
          end
        end

        -- The exclusive or of two bytes.
        local function exclusive(a, b)
          local c, d = a % 16, b % 16
          return nibbles[a - c + (b - d) / 16] * 16 + nibbles[c * 16 + d]
        end

        -- The remainders of each byte, by polynomial: four lists, of which the first has the least significant bytes.
        local crc_tables = {}

        local function crc_table(polynomial)
          local made = crc_tables[polynomial]
          if made then return made end
          made = { {}, {}, {}, {} }
          for i = 0, 255 do
            local x = { i, 0, 0, 0 }
            for _ = 1, 8 do
              local carry = x[1] % 2
              for k = 1, 4 do x[k] = floor(x[k] / 2) + (k < 4 and x[k + 1] % 2 * 128 or 0) end
              if carry == 1 then
                for k = 1, 4 do x[k] = exclusive(x[k], floor(polynomial / 256 ^ (k - 1)) % 256) end
              end
            end
            for k = 1, 4 do made[k][i] = floor(x[k]) end
          end
          crc_tables[polynomial] = made
          return made
        end

        -- A CRC whose bytes begin with the least significant bit; all bytes of the first number are the same.
        local function reflected_crc(s, p, e, polynomial, first, width)
          local t = crc_table(polynomial)
          local t1, t2, t3, t4 = t[1], t[2], t[3], t[4]
          local a, b, c, d = first, first, width == 4 and first or 0, width == 4 and first or 0
          for i = p, e do
            local x = exclusive(a, byte(s, i))
            a, b, c, d = exclusive(b, t1[x]), exclusive(c, t2[x]), exclusive(d, t3[x]), t4[x]
          end
          return a, b, c, d
        end

        local function crc32(s, p, e)
          local a, b, c, d = reflected_crc(s, p, e, 3988292384, 255, 4)
          return ((255 - d) * 256 + 255 - c) * 65536 + (255 - b) * 256 + 255 - a
        end

        local function crc32c(s, p, e)
          local a, b, c, d = reflected_crc(s, p, e, 2197175160, 255, 4)
          return ((255 - d) * 256 + 255 - c) * 65536 + (255 - b) * 256 + 255 - a
        end

        local function crc16_arc(s, p, e)
          local a, b = reflected_crc(s, p, e, 40961, 0, 2)
          return b * 256 + a
        end

        local function crc16_modbus(s, p, e)
          local a, b = reflected_crc(s, p, e, 40961, 255, 2)
          return b * 256 + a
        end

        local function crc16_kermit(s, p, e)
          local a, b = reflected_crc(s, p, e, 33800, 0, 2)
          return b * 256 + a
        end

        local function crc16_x25(s, p, e)
          local a, b = reflected_crc(s, p, e, 33800, 255, 2)
          return (255 - b) * 256 + 255 - a
        end

        -- A CRC of 16 bits whose bytes begin with the most significant bit.
        local function ccitt(s, p, e, first)
          local high, low = first, first
          for i = p, e do
            high = exclusive(high, byte(s, i))
            for _ = 1, 8 do
              local carry = high > 127
              high, low = high * 2 % 256 + (low > 127 and 1 or 0), low * 2 % 256
              if carry then high, low = exclusive(high, 16), exclusive(low, 33) end
            end
          end
          return high * 256 + low
        end

        local function crc16_ccitt_false(s, p, e) return ccitt(s, p, e, 255) end

        local function crc16_xmodem(s, p, e) return ccitt(s, p, e, 0) end

        local function adler32(s, p, e)
          local x, y = 1, 0
          for i = p, e do
            x = (x + byte(s, i)) % 65521
            y = (y + x) % 65521
          end
          return y * 65536 + x
        end

        local function sum8(s, p, e)
          local x = 0
          for i = p, e do x = (x + byte(s, i)) % 256 end
          return x
        end

        local function xor8(s, p, e)
          local x = 0
          for i = p, e do x = exclusive(x, byte(s, i)) end
          return x
        end
        """#
}
