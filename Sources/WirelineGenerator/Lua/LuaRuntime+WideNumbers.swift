// SPDX-License-Identifier: Apache-2.0

extension LuaRuntime {
    /// The functions for integers beyond 53 bits: numbers as far as the interpreter has exact ones, and else decimal digits.
    static let wideNumbers = #"""
        local function decimal(high, low)
          local parts, text = { floor(high / 65536), high % 65536, floor(low / 65536), low % 65536 }, ""
          repeat
            local rest, left = 0, 0
            for i = 1, 4 do
              local x = rest * 65536 + parts[i]
              parts[i], rest = floor(x / 10000000), x % 10000000
              left = left + parts[i]
            end
            text = string.format(left > 0 and "%07d" or "%d", rest) .. text
          until left == 0
          return text
        end

        -- An integer of 64 bits without a sign.
        local function unsigned(high, low)
          if high < exact then return high * 4294967296 + low end
          return decimal(high, low)
        end

        -- An integer of 64 bits in two's complement.
        local function signed(high, low)
          if high < 2147483648 then return unsigned(high, low) end
          high, low = 4294967295 - high, 4294967295 - low
          if high < exact and (native or high < 2097151 or low < 4294967295) then return -(high * 4294967296 + low) - 1 end
          low = low + 1
          if low == 4294967296 then high, low = high + 1, 0 end
          return "-" .. decimal(high, low)
        end

        -- The number in decimal digits, of which the upper part may be too large.
        local function magnitude(v, first)
          local high, low = 0, 0
          for i = first, #v do
            low = low * 10 + byte(v, i) - 48
            high, low = high * 10 + floor(low / 4294967296), low % 4294967296
          end
          return high, low
        end

        -- An integer in two's complement, as two numbers of 32 bits.
        local function halves(v)
          if type(v) == "number" then
            local low = v % 4294967296
            return floor((v - low) / 4294967296) % 4294967296, low
          end
          if byte(v) ~= 45 then return magnitude(v, 1) end
          local high, low = magnitude(v, 2)
          high, low = 4294967295 - high, 4294967296 - low
          if low == 4294967296 then high, low = high + 1, 0 end
          return high, low
        end

        -- The only form of an integer, which a program may give in two.
        local function canonical(v, f)
          if type(v) == "number" then
            if v ~= v or v == huge or v == -huge or floor(v) ~= v then refuse("out_of_range", f) end
            if native then
              v = floor(v)
              if math.type(v) ~= "integer" then refuse("out_of_range", f) end
            elseif v > 9007199254740991 or v < -9007199254740991 then refuse("out_of_range", f) end
            return v
          end
          if type(v) ~= "string" or not find(v, "^%-?%d+$") then refuse("wrong_type", f) end
          local sign, digits = string.match(v, "^(%-?)0*(%d+)$")
          if #digits > 20 then refuse("out_of_range", f) end
          local high, low = magnitude(digits, 1)
          if sign == "" then
            if high > 4294967295 then refuse("out_of_range", f) end
            return unsigned(high, low)
          end
          if high > 2147483648 or high == 2147483648 and low > 0 then refuse("out_of_range", f) end
          return signed(halves("-" .. digits))
        end

        -- Compares integers. Digits are beyond all numbers.
        local function less(a, b)
          if type(a) == "number" and type(b) == "number" then return a < b end
          local x = type(a) == "number" and 0 or byte(a) == 45 and -1 or 1
          local y = type(b) == "number" and 0 or byte(b) == 45 and -1 or 1
          if x ~= y then return x < y end
          if a == b then return false end
          if #a ~= #b then return (#a < #b) == (x > 0) end
          return (a < b) == (x > 0)
        end

        -- Two numbers, the lower one of 32 bits, from 7 or 8 bytes.
        local function pair(s, p, e, n, little, f)
          local q = taken(p, e, n, f)
          if little then
            local low, high = unpack(n == 8 and "<I4I4" or "<I4I3", s, p)
            return high, low, q
          end
          local high, low = unpack(n == 8 and ">I4I4" or ">I3I4", s, p)
          return high, low, q
        end

        -- An integer of 7 or 8 bytes.
        local function whole(high, low, n, is_signed)
          if not is_signed then return unsigned(high, low) end
          if n == 7 and high > 8388607 then high = high + 4278190080 end
          return signed(high, low)
        end

        local function wide(s, p, e, n, little, is_signed, f)
          local high, low, q = pair(s, p, e, n, little, f)
          return whole(high, low, n, is_signed), q
        end

        local function wide_within(p, f, low, high, v, q)
          if less(v, low) or less(high, v) then fail("out_of_range", f, p) end
          return v, q
        end

        -- Some bits of an integer of 64 bits.
        local function bits(high, low, shift, width, is_signed)
          if shift >= 32 then high, low, shift = 0, high, shift - 32 end
          local scale, rest = floor(2 ^ shift), floor(2 ^ (32 - shift))
          low = floor(low / scale) + high % scale * rest
          high = floor(high / scale)
          if width <= 32 then
            local span = floor(2 ^ width)
            low = low % span
            return is_signed and low >= span / 2 and low - span or low
          end
          local span = floor(2 ^ (width - 32))
          high = high % span
          if not is_signed then return unsigned(high, low) end
          if high >= span / 2 then high = high + 4294967296 - span end
          return signed(high, low)
        end

        local function id_bits(id, shift, width, is_signed)
          local high, low = halves(id)
          return bits(high, low, shift, width, is_signed)
        end

        -- Two numbers of 32 bits, moved up.
        local function shifted(high, low, n)
          if n >= 32 then high, low, n = low, 0, n - 32 end
          if n >= 32 then return 0, 0 end
          local scale, rest = floor(2 ^ n), floor(2 ^ (32 - n))
          return high * scale % 4294967296 + floor(low / rest), low % rest * scale
        end

        -- The lowest bits of an integer, as two numbers.
        local function lowest(v, width)
          local high, low = halves(v)
          if width <= 32 then return 0, low % floor(2 ^ width) end
          return high % floor(2 ^ (width - 32)), low
        end

        -- The integer of fields that share bytes: values, how far each is moved up, and their widths.
        local function joined(parts)
          local high, low = 0, 0
          for i = 1, #parts do
            local part = parts[i]
            local h, l = lowest(part[1], part[3])
            h, l = shifted(h, l, part[2])
            high, low = high + h, low + l
          end
          return high, low
        end

        -- An ID of parts: whether each is there, its value and its width.
        local function wide_id(parts)
          local high, low = 0, 0
          for i = 1, #parts, 3 do
            if parts[i] then
              local h, l = lowest(parts[i + 1], parts[i + 2])
              high, low = shifted(high, low, parts[i + 2])
              high, low = high + h, low + l
            end
          end
          return unsigned(high, low)
        end

        local function shared(a, b)
          while a > 0 and b > 0 do
            if a % 2 == 1 and b % 2 == 1 then return true end
            a, b = floor(a / 2), floor(b / 2)
          end
          return false
        end

        local function covers(a, b)
          while b > 0 do
            if b % 2 == 1 and a % 2 == 0 then return false end
            a, b = floor(a / 2), floor(b / 2)
          end
          return true
        end

        -- Whether two integers have a bit in common.
        local function shares(a, b)
          local high, low = halves(a)
          local other_high, other_low = halves(b)
          return shared(high, other_high) or shared(low, other_low)
        end
        """#
}
