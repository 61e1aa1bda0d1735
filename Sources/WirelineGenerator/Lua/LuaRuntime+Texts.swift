// SPDX-License-Identifier: Apache-2.0

extension LuaRuntime {
    /// The functions that verify UTF-8, by what each version is fast at.
    static let utf8 = #"""
        local first_high = jit and function(t, i)
          for k = i or 1, #t do if byte(t, k) > 127 then return k end end
        end or function(t, i) return find(t, "[\128-\255]", i) end

        -- Where the first byte is that cannot be UTF-8 (Unicode 16, table 3-7); nil where there is none.
        local function utf8_flaw(t)
          local i, n = first_high(t), #t
          while i and i <= n do
            local x, y, z, w = byte(t, i, i + 3)
            if x < 128 then i = first_high(t, i)
            elseif x < 194 or x > 244 or not y then return i
            elseif y < (x == 224 and 160 or x == 240 and 144 or 128) or y > (x == 237 and 159 or x == 244 and 143 or 191) then
              return i
            elseif x < 224 then i = i + 2
            elseif not z or z < 128 or z > 191 then return i
            elseif x < 240 then i = i + 3
            elseif not w or w < 128 or w > 191 then return i
            else i = i + 4 end
          end
        end

        -- Whether text is UTF-8. Lua 5.3 takes halves of surrogate pairs, which begin with 237, for characters.
        local is_utf8 = native and (not utf8.len("\237\160\128") and utf8.len or function(t)
          return utf8.len(t) and not find(t, "\237", 1, true) or not utf8_flaw(t)
        end) or function(t) return not utf8_flaw(t) end
        """#

    /// The functions that read text, digits and bytes.
    static let texts = #"""
        local function blob(s, e, f, n, p)
          if e - p + 1 < n then fail("truncated", f, p) end
          return sub(s, p, p + n - 1), p + n
        end

        local function text(s, e, f, n, p)
          if e - p + 1 < n then fail("truncated", f, p) end
          local t = sub(s, p, p + n - 1)
          if not is_utf8(t) then fail("invalid_utf8", f, p + utf8_flaw(t) - 1) end
          return t, p + n
        end

        -- How many bytes there are up to the end.
        local function rest(p, e, f, most) return limited(p, f, most, e - p + 1, p) end

        -- How many bytes there are up to a byte of 0.
        local function terminated(s, p, e, f, most)
          local q = find(s, "\0", p, true)
          if not q or q > e then fail("missing_terminator", f, p) end
          return limited(p, f, most, q - p, p)
        end

        -- Text in so many bytes, which the byte `pad` fills.
        local function fixed_text(s, e, f, pad, n, p)
          local t = blob(s, e, f, n, p)
          if pad == 0 then t = sub(t, 1, (find(t, "\0", 1, true) or n + 1) - 1)
          else
            local last = n
            while last > 0 and byte(t, last) == pad do last = last - 1 end
            t = sub(t, 1, last)
          end
          if not is_utf8(t) then fail("invalid_utf8", f, p + utf8_flaw(t) - 1) end
          return t, p + n
        end

        -- Two digits in each of so many bytes.
        local function digits(s, p, e, n, f)
          local after, parts = taken(p, e, n, f), {}
          for i = p, after - 1 do
            local x = byte(s, i)
            if x > 159 or x % 16 > 9 then fail("invalid_digit", f, i) end
            parts[#parts + 1] = string.format("%02x", x)
          end
          return concat(parts), after
        end

        -- Verifies bytes, of which only the first ones count.
        local function same(s, p, e, expected, n, f)
          local after = taken(p, e, n, f)
          for i = 1, #expected do
            if byte(s, p + i - 1) ~= byte(expected, i) then fail("wrong_constant", f, p + i - 1) end
          end
          return after
        end
        """#

    /// The functions that read text in UTF-16.
    static let utf16 = #"""
        local function utf8_char(c)
          if c < 128 then return char(c) end
          if c < 2048 then return char(192 + floor(c / 64), 128 + c % 64) end
          if c < 65536 then return char(224 + floor(c / 4096), 128 + floor(c / 64) % 64, 128 + c % 64) end
          return char(240 + floor(c / 262144), 128 + floor(c / 4096) % 64, 128 + floor(c / 64) % 64, 128 + c % 64)
        end

        local function unit(s, p, little)
          local a, b = byte(s, p, p + 1)
          return little and b * 256 + a or a * 256 + b
        end

        -- Half of a surrogate pair is refused where it stands.
        local function units(s, p, n, little, f)
          local parts, i = {}, 0
          while i < n do
            local c = unit(s, p + 2 * i, little)
            if c >= 55296 and c < 57344 then
              local d = c < 56320 and i + 1 < n and unit(s, p + 2 * i + 2, little) or 0
              if d < 56320 or d > 57343 then fail("invalid_utf16", f, p + 2 * i) end
              c, i = 65536 + (c - 55296) * 1024 + d - 56320, i + 1
            end
            parts[#parts + 1], i = utf8_char(c), i + 1
          end
          return concat(parts)
        end

        -- Text of n units of 16 bits.
        local function utf16(s, e, little, f, n, p)
          local after = taken(p, e, 2 * n, f)
          return units(s, p, n, little, f), after
        end

        -- How many units there are up to the end.
        local function rest_units(p, e, f, most)
          local n = e - p + 1
          limited(p, f, most, floor(n / 2))
          if n % 2 == 1 then fail("truncated", f, e) end
          return floor(n / 2), p
        end

        -- How many units there are up to one of 0.
        local function terminated_units(s, p, e, f, most)
          local n = 0
          while p + 2 * n < e do
            if unit(s, p + 2 * n) == 0 then return limited(p, f, most, n, p) end
            n = n + 1
          end
          fail("missing_terminator", f, p)
        end

        -- Text in so many bytes, which the unit `pad` fills.
        local function fixed_utf16(s, p, e, little, f, pad, count)
          local after, n = taken(p, e, count, f), 0
          if pad == 0 then
            while 2 * n < count and unit(s, p + 2 * n, little) ~= 0 do n = n + 1 end
          else
            n = floor(count / 2)
            while n > 0 and unit(s, p + 2 * n - 2, little) == pad do n = n - 1 end
          end
          return units(s, p, n, little, f), after
        end
        """#

    /// The functions that read properties.
    static let values = #"""
        -- Lines of `key:value` up to the end: the keys in order, and the value of each key.
        local function properties(s, p, e, strict, f)
          rest(p, e, f, 65535)
          local found, n = {}, 0
          while p <= e do
            local stop = math.min(find(s, "\n", p, true) or e + 1, e + 1)
            local line = text(s, e, f, stop - p, p)
            local colon = find(line, ":", 1, true)
            local key, value = line, ""
            if colon then key, value = sub(line, 1, colon - 1), sub(line, colon + 1) end
            if strict and (not colon or key == "") then fail("invalid_property", f, p) end
            if strict and found[key] then fail("duplicate_key", f, p) end
            if key ~= "" then
              if not found[key] then
                n = n + 1
                found[n] = key
              end
              found[key] = value
            end
            p = stop + 1
          end
          return found, e + 1
        end
        """#
}
