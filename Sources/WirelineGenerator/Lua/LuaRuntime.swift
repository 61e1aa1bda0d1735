// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What of the runtime depends on the schema.
struct LuaRuntimeParameters {
    /// How deeply values may nest; nil if none can nest too deeply.
    var maximumDepth: Int?
    var maximumPacketByteCount: Int
    /// The forms of varints that are read.
    var varintForms: VarintForms
    /// Whether IDs are beyond 53 bits.
    var hasWideIDs: Bool
    /// Whether the sender of a packet to write must be known.
    var dependsOnSender: Bool
    /// Whether messages fix fields of the header.
    var fixesHeader: Bool
    var hasFlags: Bool
    /// The marks around packets.
    var framing: PacketFraming?
    /// The states of a connection, and the shapes of its packets, as lines; empty if packets depend on none.
    var context: String
    /// How packets are opened and sealed; nil without layers.
    var layers: LayerPlan?

    var hasLayers: Bool { layers != nil }

    /// Whether packets depend on a connection.
    var hasConnection: Bool { !context.isEmpty }
}

/// The runtime of generated Lua, in pieces: see ``RuntimeText``.
///
/// Functions that read raise an error with the path of the names that they are in (`at`, up to `top`) and of the field `f`, and the
/// offset; what programs call catches it. They return the value and the position after it.
enum LuaRuntime {
    /// The pieces that a file may contain.
    static func text(_ parameters: LuaRuntimeParameters) -> RuntimeText {
        var text = [
            reading, wideNumbers, numbers, floats, varints, utf8, texts, utf16, values, packets(parameters), checksums,
            writing, writingTexts, writingValues, frames(parameters),
        ].joined(separator: "\n\n")
        if parameters.varintForms == .any {
            text = text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.contains("varint_not_shortest") }.joined(separator: "\n")
        }
        return RuntimeText(text, lineComment: "--") { line in
            for start in ["local function ", "local "] where line.hasPrefix(start) {
                return String(line.dropFirst(start.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            }
            return nil
        }
    }

    /// What each file begins with.
    static let beginning = #"""
        local M = {}

        local byte, char, sub, find, floor, rep = string.byte, string.char, string.sub, string.find, math.floor, string.rep
        local concat, huge = table.concat, math.huge
        local type, pairs, pcall, error, getmetatable = type, pairs, pcall, error, getmetatable
        -- Lua 5.3 and later have integers, and functions for bytes. Libraries for older ones imitate the functions only.
        local native = 9007199254740993 % 2 == 1
        -- Up to where numbers are exact, in units of 2^32: 2^63 - 1, or 2^53 - 1 where all numbers are floats.
        local exact = native and 2147483648 or 2097152

        local unpackers, packers = {}, {}
        local unpack = native and string.unpack or function(format, s, p) return unpackers[format](s, p) end
        local pack = native and string.pack or function(format, ...) return packers[format](...) end

        -- Where the packet begins that is being read, what is being read or written, and how deeply values may still nest.
        local start, at, top, depth = 1, {}, 0, 0

        local wire_error = {}
        function wire_error.__tostring(e)
          return (e.path ~= "" and e.path .. ": " or "") .. e.kind .. (e.offset and " at offset " .. e.offset or "")
        end

        local function fault(kind, path, offset)
          return setmetatable({ kind = kind, path = path, offset = offset }, wire_error)
        end

        local function path_of(f)
          local path = ""
          for i = 1, top + 1 do
            local step = at[i]
            if i > top then step = f end
            if type(step) == "number" then path = path .. "[" .. step .. "]"
            elseif step then path = path .. (path ~= "" and "." or "") .. step end
          end
          return path
        end

        local function fail(kind, f, p) error(fault(kind, path_of(f), p - start), 0) end

        local function refuse(kind, f) error(fault(kind, path_of(f)), 0) end

        """#

    static let reading = #"""
        -- Finds which of some fields is cut off.
        local function cut(p, e, ...)
          local fields = { ... }
          for i = 1, #fields, 2 do
            if e - p + 1 < fields[i + 1] then fail("truncated", fields[i], p) end
            p = p + fields[i + 1]
          end
        end

        local function taken(p, e, n, f)
          if e - p + 1 < n then fail("truncated", f, p) end
          return p + n
        end

        local function skip(n, v, p) return v, p + n end

        -- Goes into a value; deeper than the limit is an error.
        local function deeper(p, f)
          if depth == 0 then fail("too_deep", f, p) end
          depth = depth - 1
        end

        -- Goes into n bytes: where they begin, and where they end.
        local function inside(e, f, n, p) return p, taken(p, e, n, f) - 1 end

        local function sized(s, e, f, read, n, p)
          local after = taken(p, e, n, f)
          return read(s, p, after - 1, f), after
        end

        -- So many items. Room is made for each when it has been read, and never for those that are only announced.
        local function list(s, e, f, read, n, p)
          local items = {}
          top = top + 1
          at[top] = f
          for i = 1, n do items[i], p = read(s, p, e, i - 1) end
          top = top - 1
          return items, p
        end

        -- Items up to the end of the bytes.
        local function list_to_end(s, p, e, f, most, read)
          local items, n = {}, 0
          top = top + 1
          at[top] = f
          while p <= e do
            if n >= most then fail("too_long", nil, p) end
            items[n + 1], p = read(s, p, e, n)
            n = n + 1
          end
          top = top - 1
          return items, p
        end

        -- Items up to a byte where an item would begin.
        local function list_until(s, p, e, f, stop, most, read)
          local items, n = {}, 0
          top = top + 1
          at[top] = f
          while true do
            if p > e then fail("truncated", nil, p) end
            if byte(s, p) == stop then break end
            if n >= most then fail("too_long", nil, p) end
            items[n + 1], p = read(s, p, e, n)
            n = n + 1
          end
          top = top - 1
          return items, p + 1
        end

        -- A count that was read at p.
        local function limited(p, f, most, n, q)
          if n > most then fail("too_long", f, p) end
          return n, q
        end

        -- A count by an earlier field.
        local function counted(p, f, most, n)
          if n < 0 then fail("length_too_small", f, p) end
          return limited(p, f, most, n, p)
        end

        -- A count with a sign, which was read at p; -1 where the value is absent.
        local function count_or_absent(p, f, most, n, q)
          if n < -1 then fail("out_of_range", f, p) end
          return limited(p, f, most, n, q)
        end
        """#

    static let numbers = #"""
        local function sign(v, span) return v >= span / 2 and v - span or v end

        local function number(s, p, e, format, n, f)
          if e - p + 1 < n then fail("truncated", f, p) end
          return unpack(format, s, p)
        end

        local function truth_of(p, f, v)
          if v > 1 then fail("invalid_boolean", f, p) end
          return v == 1
        end

        local function truth(s, p, e, f)
          if p > e then fail("truncated", f, p) end
          return truth_of(p, f, byte(s, p)), p + 1
        end

        -- A number that was read at p.
        local function within(p, f, low, high, v, q)
          if v < low or v > high then fail("out_of_range", f, p) end
          return v, q
        end

        -- A float that was read at p; a NaN is in no range.
        local function float_within(p, f, low, high, v, q)
          if not (v >= low and v <= high) then fail("float_out_of_range", f, p) end
          return v, q
        end

        -- A number of an enum without others.
        local function known(p, f, cases, v, q)
          if not cases[v] then fail("unknown_case", f, p) end
          return v, q
        end

        local function constant(p, f, expected, v, q)
          if v ~= expected then fail("wrong_constant", f, p) end
          return q
        end
        """#

    static let floats = #"""
        local function f32(a, b, c, d)
          local exponent, fraction = a % 128 * 2 + floor(b / 128), (b % 128 * 256 + c) * 256 + d
          local v
          if exponent == 255 then v = fraction == 0 and huge or 0 / 0
          elseif exponent == 0 then v = math.ldexp(fraction, -149)
          else v = math.ldexp(fraction + 8388608, exponent - 150) end
          return a > 127 and -v or v
        end

        local function f64(a, b, c, d, e, f, g, h)
          local exponent = a % 128 * 16 + floor(b / 16)
          local fraction = (((((b % 16 * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g) * 256 + h
          local v
          if exponent == 2047 then v = fraction == 0 and huge or 0 / 0
          elseif exponent == 0 then v = math.ldexp(fraction, -1074)
          else v = math.ldexp(fraction + 4503599627370496, exponent - 1075) end
          return a > 127 and -v or v
        end

        -- The exponent and the fraction of a float, as one integer, for so many bits of fraction.
        local function float_bits(v, width, least)
          if v == 0 then return 0, 0 end
          local fraction, exponent = math.frexp(v)
          local unit = math.max(exponent - width - 1, least)
          local n = math.ldexp(fraction, exponent - unit)
          local whole_part = floor(n)
          local rest = n - whole_part
          if rest > 0.5 or rest == 0.5 and whole_part % 2 == 1 then whole_part = whole_part + 1 end
          return unit - least, whole_part
        end

        local function f32_bytes(v)
          if v ~= v then return "\127\192\0\0" end
          local top_bit = (v < 0 or 1 / v < 0) and 128 or 0
          v = math.abs(v)
          local bits = 2139095040
          if v < huge then
            local unit, fraction = float_bits(v, 23, -149)
            bits = unit * 8388608 + fraction
          end
          return char(top_bit + floor(bits / 16777216), floor(bits / 65536) % 256, floor(bits / 256) % 256, bits % 256)
        end

        local function f64_bytes(v)
          if v ~= v then return "\127\248\0\0\0\0\0\0" end
          local top_bit = (v < 0 or 1 / v < 0) and 128 or 0
          v = math.abs(v)
          local high, low = 2146435072, 0
          if v < huge then
            local unit, fraction = float_bits(v, 52, -1074)
            high, low = unit * 1048576 + floor(fraction / 4294967296), fraction % 4294967296
          end
          return char(
            top_bit + floor(high / 16777216), floor(high / 65536) % 256, floor(high / 256) % 256, high % 256,
            floor(low / 16777216), floor(low / 65536) % 256, floor(low / 256) % 256, low % 256)
        end
        """#

    static let varints = #"""
        -- Unsigned LEB128 of at most so many bytes, up to 7.
        local function varint(s, p, e, most, f)
          local v, scale = 0, 1
          for i = 0, most do
            if i == most then fail("varint_too_long", f, p) end
            if p + i > e then fail("truncated", f, p) end
            local x = byte(s, p + i)
            if x == 0 and i > 0 then fail("varint_not_shortest", f, p) end
            if x < 128 then return v + x * scale, p + i + 1 end
            v, scale = v + (x - 128) * scale, scale * 128
          end
        end

        -- Unsigned LEB128 of at most so many bytes and 64 bits, as two numbers.
        local function varint_halves(s, p, e, most, f)
          local low, high, scale = 0, 0, 1
          for i = 0, most do
            if i == most then fail("varint_too_long", f, p) end
            if p + i > e then fail("truncated", f, p) end
            local x = byte(s, p + i)
            if i == 9 and x > 1 then fail("varint_too_long", f, p) end
            if x == 0 and i > 0 then fail("varint_not_shortest", f, p) end
            if i == 5 then scale = 1 end
            if i < 5 then low = low + x % 128 * scale else high = high + x % 128 * scale end
            if x < 128 then return high * 8 + floor(low / 4294967296), low % 4294967296, p + i + 1 end
            scale = scale * 128
          end
        end

        local function wide_varint(s, p, e, most, f)
          local high, low, q = varint_halves(s, p, e, most, f)
          return unsigned(high, low), q
        end

        local function signed_varint(s, p, e, most, f)
          local high, low, q = varint_halves(s, p, e, most, f)
          return signed(high, low), q
        end

        local function wide_zigzag(s, p, e, most, f)
          local high, low, q = varint_halves(s, p, e, most, f)
          local h, l = floor(high / 2), floor(low / 2) + high % 2 * 2147483648
          if low % 2 == 1 then return signed(4294967295 - h, 4294967295 - l), q end
          return unsigned(h, l), q
        end

        local function varint32(s, p, e, most, f)
          local v, q = varint(s, p, e, most, f)
          if v > 4294967295 then fail("varint_too_long", f, p) end
          return v > 2147483647 and v - 4294967296 or v, q
        end

        local function zigzag(s, p, e, most, f)
          local v, q = varint(s, p, e, most, f)
          return v % 2 == 1 and -floor((v + 1) / 2) or floor(v / 2), q
        end

        local function count_varint(s, p, e, most, f)
          local n, q = varint(s, p, e, 5, f)
          if n > 4294967295 then fail("varint_too_long", f, p) end
          return limited(p, f, most, n, q)
        end

        local function count_zigzag(s, p, e, f)
          local n, q = count_varint(s, p, e, 4294967295, f)
          return n % 2 == 1 and -floor((n + 1) / 2) or floor(n / 2), q
        end

        local function varint_bytes(v)
          if v < 128 then return char(v) end
          local text = ""
          repeat
            text = text .. char(v % 128 + 128)
            v = floor(v / 128)
          until v < 128
          return text .. char(v)
        end

        local function wide_varint_bytes(high, low)
          local text = ""
          while high > 0 or low > 127 do
            text = text .. char(low % 128 + 128)
            high, low = floor(high / 128), floor(low / 128) + high % 128 * 33554432
          end
          return text .. char(low)
        end

        local function zigzag_bits(v) return v < 0 and -2 * v - 1 or 2 * v end

        local function zigzag_halves(high, low)
          local last = high >= 2147483648 and 1 or 0
          if last == 1 then high, low = 4294967295 - high, 4294967295 - low end
          return high * 2 + floor(low / 2147483648), low * 2 % 4294967296 + last
        end
        """#
}
