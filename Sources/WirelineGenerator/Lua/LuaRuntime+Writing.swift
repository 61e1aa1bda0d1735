// SPDX-License-Identifier: Apache-2.0

extension LuaRuntime {
    /// The functions that check numbers, and those that write integers of 7 and 8 bytes.
    static let writing = #"""
        local function integer(v, low, high, f)
          if type(v) ~= "number" then refuse("wrong_type", f) end
          -- Of a NaN, too, something is left.
          if v < low or v > high or v % 1 ~= 0 then refuse("out_of_range", f) end
          return v
        end

        local function wide_integer(v, low, high, f)
          v = canonical(v, f)
          if less(v, low) or less(high, v) then refuse("out_of_range", f) end
          return v
        end

        -- A number if it is right; else it is refused later.
        local function fitting(check, v, low, high)
          local ok, n = pcall(check, v, low, high)
          return ok and n or 0
        end

        local function known_case(v, cases, f, is_canonical)
          if not is_canonical and type(v) ~= "number" then refuse("wrong_type", f) end
          if not cases[v] then refuse("unknown_case", f) end
          return v
        end

        -- A tag that no arm has: of another one a reader would take the bytes for the value of that arm.
        local function other_tag(v, tags, f) if tags[v] then refuse("known_case", f) end end

        local function bit_of(v, f)
          if type(v) ~= "boolean" then refuse("wrong_type", f) end
          return v and 1 or 0
        end

        local quiet_nan = native and unpack(">d", "\127\248\0\0\0\0\0\0", 1) or 0 / 0

        -- A NaN is written as the quiet one.
        local function float64(v, f)
          if type(v) ~= "number" then refuse("wrong_type", f) end
          return v == v and v or quiet_nan
        end

        local function float32(v, f)
          v = float64(v, f)
          if (v >= 3.4028235677973366e38 or v <= -3.4028235677973366e38) and v ~= huge and v ~= -huge then
            refuse("number_too_large", f)
          end
          return v
        end

        local function ranged(v, is_short, low, high, f)
          local written = v
          if is_short then written = unpack(">f", pack(">f", v), 1) end
          if not (written >= low and written <= high) then refuse("float_out_of_range", f) end
          return v
        end

        -- The lowest 7 or 8 bytes of two numbers of 32 bits.
        local function wide_bytes(n, little, high, low)
          local t = char(
            floor(high / 16777216), floor(high / 65536) % 256, floor(high / 256) % 256, high % 256,
            floor(low / 16777216), floor(low / 65536) % 256, floor(low / 256) % 256, low % 256)
          t = sub(t, 9 - n)
          return little and string.reverse(t) or t
        end
        """#

    /// The functions that write text and bytes.
    static let writingTexts = #"""
        local function bytes_of(v, most, f)
          if type(v) ~= "string" then refuse("wrong_type", f) end
          if most and #v > most then refuse("too_long", f) end
          return v
        end

        local function text_of(v, most, f)
          if type(v) ~= "string" then refuse("wrong_type", f) end
          if not is_utf8(v) then refuse("invalid_utf8", f) end
          if most and #v > most then refuse("too_long", f) end
          return v
        end

        local function utf16_of(v, little, most, f)
          text_of(v, nil, f)
          local parts, n, i = {}, 0, 1
          local function add(c)
            n = n + 1
            parts[n] = little and char(c % 256, floor(c / 256)) or char(floor(c / 256), c % 256)
          end
          while i <= #v do
            local x, y, z, w = byte(v, i, i + 3)
            if x < 128 then
              add(x)
              i = i + 1
            elseif x < 224 then
              add(x % 32 * 64 + y % 64)
              i = i + 2
            elseif x < 240 then
              add(x % 16 * 4096 + y % 64 * 64 + z % 64)
              i = i + 3
            else
              local c = x % 8 * 262144 + y % 64 * 4096 + z % 64 * 64 + w % 64 - 65536
              add(55296 + floor(c / 1024))
              add(56320 + c % 1024)
              i = i + 4
            end
          end
          if n > most then refuse("too_long", f) end
          return concat(parts)
        end

        local function at_most(t, most, f)
          if #t > most then refuse("too_long", f) end
          return t
        end

        local function not_less(t, least, f)
          if #t < least then refuse("length_too_small", f) end
          return t
        end

        local function exactly(t, n, f)
          if #t ~= n then refuse("wrong_item_count", f) end
          return t
        end

        local function filled_up(t, n, f) return at_most(t, n, f) .. rep("\0", n - #t) end

        local function with_varint(scale, t) return varint_bytes(#t * scale) .. t end

        local function with_units(format, t) return pack(format, floor(#t / 2)) .. t end

        local function with_varint_units(scale, t) return varint_bytes(floor(#t / 2) * scale) .. t end

        local function ended(t, f)
          if find(t, "\0", 1, true) then refuse("embedded_terminator", f) end
          return t .. "\0"
        end

        local function has_unit(t, first, c, little)
          for i = first, #t, 2 do if unit(t, i, little) == c then return true end end
          return false
        end

        local function ended_units(t, f)
          if has_unit(t, 1, 0) then refuse("embedded_terminator", f) end
          return t .. "\0\0"
        end

        -- Fills text with a byte that must not end it; up to a NUL it must not have one.
        local function padded(t, n, filler, f)
          at_most(t, n, f)
          local ends_early = filler == 0 and find(t, "\0", 1, true) or byte(t, -1) == filler
          if ends_early then refuse("embedded_terminator", f) end
          return t .. rep(char(filler), n - #t)
        end

        local function padded_units(t, n, filler, little, f)
          if #t > n then refuse("too_long", f) end
          local first = filler == 0 and 1 or math.max(1, #t - 1)
          if has_unit(t, first, filler, little) then refuse("embedded_terminator", f) end
          return t .. rep(little and char(filler, 0) or char(0, filler), floor((n - #t) / 2))
        end

        local function digits_of(v, n, f)
          if type(v) ~= "string" then refuse("wrong_type", f) end
          if find(v, "[^0-9]") then refuse("invalid_digit", f) end
          exactly(v, 2 * n, f)
          return (string.gsub(v, "..", function(pair_of_digits) return char(tonumber(pair_of_digits, 16)) end))
        end
        """#

    /// The functions that write lists, properties and what may be absent.
    static let writingValues = #"""
        local function check_table(v, f) if type(v) ~= "table" then refuse("wrong_type", f) end end

        local function sink(f)
          if depth == 0 then refuse("too_deep", f) end
          depth = depth - 1
        end

        -- The bytes of items, and how many there are.
        local function each(v, most, f, write)
          check_table(v, f)
          local n, parts = #v, {}
          if n > most then refuse("too_long", f) end
          top = top + 1
          at[top] = f
          for i = 1, n do parts[i] = write(v[i], i - 1) end
          top = top - 1
          return concat(parts), n
        end

        -- Items, and the byte that ends them; none begins with it.
        local function each_until(v, most, stop, f, write)
          return each(v, most, f, function(item, i)
            local t = write(item, i)
            if byte(t) == stop then refuse("embedded_terminator", i) end
            return t
          end) .. char(stop)
        end

        local function exact_items(v, n, f)
          check_table(v, f)
          if #v ~= n then refuse("wrong_item_count", f) end
          return v
        end

        local function not_fewer(v, least, most, f)
          check_table(v, f)
          if #v > most then refuse("too_long", f) end
          if #v < least then refuse("length_too_small", f) end
          return v
        end

        local function listed(format, t, n) return pack(format, n) .. t end

        local function listed_varint(scale, t, n) return varint_bytes(n * scale) .. t end

        local function properties_of(v, f)
          check_table(v, f)
          local lines, seen = {}, {}
          for i = 1, #v do
            local key = v[i]
            local value = v[key]
            if type(key) ~= "string" or type(value) ~= "string" then refuse("wrong_type", f) end
            if seen[key] then refuse("duplicate_key", f) end
            if key == "" or find(key, "[:\n]") or find(value, "\n", 1, true) then refuse("invalid_property", f) end
            lines[i], seen[key] = text_of(key, nil, f) .. ":" .. text_of(value, nil, f), true
          end
          -- A value whose key has no place in the order would not be written.
          for key in pairs(v) do if type(key) == "string" and not seen[key] then refuse("wrong_type", f) end end
          return at_most(concat(lines, "\n"), 65535, f)
        end

        -- Whether a condition holds; a value is set exactly then.
        local function present(v, holds, f)
          if (v ~= nil) ~= holds then refuse("presence", f) end
          return holds
        end

        -- The first field of several that is not set, where nothing that is set may follow.
        local function gap_after(gap, v, f)
          if v == nil then return gap or f end
          if gap then refuse("gap_before_optional", gap) end
        end

        local function trailing_of(v, gap)
          if v == nil then return "" end
          bytes_of(v, nil, "trailing")
          if gap and v ~= "" then refuse("gap_before_optional", gap) end
          return v
        end

        -- The count of several fields, which must be the same.
        local function agreed(before, n, f)
          if before and before ~= n then refuse("wrong_item_count", f) end
          return n
        end

        local function filled(n, make)
          local items = {}
          for i = 1, n do items[i] = make() end
          return items
        end
        """#
}
