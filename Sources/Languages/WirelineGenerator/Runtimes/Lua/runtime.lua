-- SPDX-License-Identifier: Apache-2.0

-- The runtime of generated Lua, with all that a protocol can need. It is read by Lua 5.1 to 5.4 and LuaJIT.
--
-- Comments mark its regions. Those inside of others stay for a feature, or with `!` without it. Regions inside of a line stand between
-- block comments. Lines with a bar and text in a block comment are code that stands there without the feature. Of the region `pieces`,
-- generated modules have what they call. The generator replaces the names in capitals by their values, and prints what stands outside
-- of regions for each protocol in its own way.
--
-- The functions of the tables `r` and `w` read and write. They raise an error with the path of the names that they are in (`at` with
-- `index`, up to `top`) and of the field `f`, and the offset; what programs call catches it.

-- #region beginning
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

-- What is being read or written: the names, the indices in lists, and how deeply values may still nest.
local at, index, top, depth = {}, {}, 0, 0

-- What is read: a string, where the packet begins in it, the next byte and the last one; where the packet surely ends, and how long it
-- may be.
local r, input, start, here, stop, bound, largest = {}, "", 1, 1, 0, huge, MAXIMUM_SIZE

-- What is written: pieces, and how many there are.
local w, pieces, used = {}, {}, 0

local wire_error = {}
function wire_error.__tostring(e)
  return (e.path ~= "" and e.path .. ": " or "") .. e.kind .. (e.offset and " at offset " .. e.offset or "")
end

local function fault(kind, path, offset)
  return setmetatable({ kind = kind, path = path, offset = offset }, wire_error)
end

local function path_of(f)
  local path = ""
  for i = 1, top do
    local step = at[i]
    if step ~= "" then path = path .. (path ~= "" and "." or "") .. step end
    if index[i] then path = path .. "[" .. index[i] .. "]" end
  end
  return f and f ~= "" and path .. (path ~= "" and "." or "") .. f or path
end

local function fail(kind, f, p) error(fault(kind, path_of(f), p - start), 0) end

local function refuse(kind, f) error(fault(kind, path_of(f)), 0) end
-- #endregion

-- What the generator prints. In globals, for a chunk has room for 200 local variables.
MAXIMUM_DEPTH, MAXIMUM_SIZE, MAXIMUM_INFLATED, MAXIMUM_NESTED = 32, 1048576, 1048576, 8
FRAME_START, FRAME_END, FRAME_OPENING, FRAME_CLOSING, FRAME_CONTENT = 126, 126, "~", "~", "[^~]"
FRAME_SPECIAL, FRAME_ESCAPABLE = "[}~]", "[}~]"
FRAME_ESCAPES, FRAME_ESCAPED = { [125] = { [2] = "~", [1] = "}" } }, { ["~"] = "}\2", ["}"] = "}\1" }
RULE_PACKETS, RULE_OPAQUE = 1, 2
read, write, verify, fix, ids, aliases, only_sender, header_fields = {}, {}, {}, {}, {}, {}, {}, {}
unwrap, wrap, state_names = {}, {}, {}
senders, changes = { client = {}, server = {} }, { client = {}, server = {} }
layered = { names = {}, lasting = {}, inflating = {}, keys = {}, by_program = {}, options = {}, shapes = {} }
layered.settable_fields, layered.id_fields = {}, {}

function shape_of(sender, connection, nested) return 0 end

function layered.open_layer(n, work, header, s) return s end

function layered.seal_layer(n, work, header, s) return s end

-- #region pieces
-- Goes over n bytes, and returns their place.
function r.take(n, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  here = here + n
  return here - n - start
end

-- Goes into a value; deeper than the limit is an error.
function r.deeper(f)
  if depth == 0 then fail("too_deep", f, here) end
  depth = depth - 1
end

-- Goes into n bytes; returns where those around them end.
function r.inside(n, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  local outer = stop
  stop = here + n - 1
  return outer
end

function r.outside(outer) here, stop = stop + 1, outer end

-- Whether an item follows in a list to the end.
function r.another(i, most)
  if here > stop then return false end
  if i >= most and most >= 0 then
    index[top] = false
    fail("too_long", "", here)
  end
  return true
end

-- Whether an item follows in a list that a byte ends.
function r.anotherUntil(i, most, ending)
  index[top] = false
  if here > stop then fail("truncated", "", here) end
  if byte(input, here) == ending then
    here = here + 1
    return false
  end
  if i >= most and most >= 0 then fail("too_long", "", here) end
  return true
end

function r.ended() if here <= stop then fail("trailing_bytes", "", here) end end

-- A count that was read at p.
local function limited(n, most, f, p)
  if n > most and most >= 0 then fail("too_long", f, p) end
  return n
end

-- A count by an earlier field.
function r.counted(n, most, f)
  if n < 0 then fail("length_too_small", f, here) end
  return limited(n, most, f, here)
end

-- Integers beyond 53 bits: numbers as far as the interpreter has exact ones, and else decimal digits.

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

-- Two numbers, the lower one of 32 bits, from 7 or 8 bytes at p.
local pair = native and function(s, p, n, little)
  if little then
    local low, high = unpack(n == 8 and "<I4I4" or "<I4I3", s, p)
    return high, low
  end
  return unpack(n == 8 and ">I4I4" or ">I3I4", s, p)
end or function(s, p, n, little)
  -- A loop would begin traces of its own in LuaJIT.
  local a, b, c, d, e, f, g, h = byte(s, p, p + n - 1)
  if little then a, b, c, d, e, f, g, h = h or 0, g, f, e, d, c, b, a
  elseif n == 7 then a, b, c, d, e, f, g, h = 0, a, b, c, d, e, f, g end
  return ((a * 256 + b) * 256 + c) * 256 + d, ((e * 256 + f) * 256 + g) * 256 + h
end

-- An integer of 7 or 8 bytes at p.
local function wide_at(s, p, n, little, is_signed)
  local high, low = pair(s, p, n, little)
  if not is_signed then return unsigned(high, low) end
  if n == 7 and high > 8388607 then high = high + 4278190080 end
  return signed(high, low)
end

function r.wide(n, little, is_signed, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  here = here + n
  return wide_at(input, here - n, n, little, is_signed)
end

-- An integer of 7 or 8 bytes, as two numbers.
function r.halves(n, little, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  here = here + n
  return pair(input, here - n, n, little)
end

-- Some bits of an integer of 64 bits in two's complement, which is two numbers.
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

local function bits_of(v, shift, width, is_signed)
  local high, low = halves(v)
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

local function sign(v, span) return v >= span / 2 and v - span or v end

-- A number of n bytes.
function r.number(format, n, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  local v
  v, here = unpack(format, input, here)
  return v
end

function r.bool(f)
  if here > stop then fail("truncated", f, here) end
  local v = byte(input, here)
  if v > 1 then fail("invalid_boolean", f, here) end
  here = here + 1
  return v == 1
end

-- A count by a prefix of n bytes.
function r.count(format, n, most, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  local v, q = unpack(format, input, here)
  if v > most and most >= 0 then fail("too_long", f, here) end
  here = q
  return v
end

-- A count with a sign that was read at p; -1 where the value is absent.
local function present_count(n, most, f, p)
  if n < -1 then fail("out_of_range", f, p) end
  return limited(n, most, f, p)
end

function r.countOrAbsent(format, n, most, f)
  local p = here
  return present_count(r.number(format, n, f), most, f, p)
end

-- The number that 16 bits stand for.
local function value16(n)
  local exponent, fraction = floor(n / 1024) % 32, n % 1024
  local v
  if exponent == 31 then v = fraction == 0 and huge or 0 / 0
  elseif exponent == 0 then v = fraction / 16777216
  else v = (fraction + 1024) * 2 ^ (exponent - 25) end
  return n > 32767 and -v or v
end

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

-- Unsigned LEB128 of at most so many bytes, up to 7.
function r.varint(most, f)
  local v, scale, p = 0, 1, here
  for i = 0, most do
    if i == most then fail("varint_too_long", f, p) end
    if p + i > stop then fail("truncated", f, p) end
    local x = byte(input, p + i)
    -- #region shortest
    if x == 0 and i > 0 then fail("varint_not_shortest", f, p) end
    -- #endregion
    if x < 128 then
      here = p + i + 1
      return v + x * scale
    end
    v, scale = v + (x - 128) * scale, scale * 128
  end
end

-- Unsigned LEB128 of at most so many bytes and 64 bits, as two numbers.
local function varint_halves(most, f)
  local low, high, scale, p = 0, 0, 1, here
  for i = 0, most do
    if i == most then fail("varint_too_long", f, p) end
    if p + i > stop then fail("truncated", f, p) end
    local x = byte(input, p + i)
    if i == 9 and x > 1 then fail("varint_too_long", f, p) end
    -- #region shortest
    if x == 0 and i > 0 then fail("varint_not_shortest", f, p) end
    -- #endregion
    if i == 5 then scale = 1 end
    if i < 5 then low = low + x % 128 * scale else high = high + x % 128 * scale end
    if x < 128 then
      here = p + i + 1
      return high * 8 + floor(low / 4294967296), low % 4294967296
    end
    scale = scale * 128
  end
end

function r.wideVarint(most, f) return unsigned(varint_halves(most, f)) end

function r.signedVarint(most, f) return signed(varint_halves(most, f)) end

function r.wideZigzag(most, f)
  local high, low = varint_halves(most, f)
  local h, l = floor(high / 2), floor(low / 2) + high % 2 * 2147483648
  if low % 2 == 1 then return signed(4294967295 - h, 4294967295 - l) end
  return unsigned(h, l)
end

function r.varint32(most, f)
  local p, v = here, r.varint(most, f)
  if v > 4294967295 then fail("varint_too_long", f, p) end
  return v > 2147483647 and v - 4294967296 or v
end

function r.zigzag(most, f)
  local v = r.varint(most, f)
  return v % 2 == 1 and -floor((v + 1) / 2) or floor(v / 2)
end

-- A count that is a varint, and where it began.
local function varint_count(f)
  local p, n = here, r.varint(5, f)
  if n > 4294967295 then fail("varint_too_long", f, p) end
  return n, p
end

function r.countVarint(most, f)
  local n, p = varint_count(f)
  return limited(n, most, f, p)
end

local function zigzag_count(f)
  local n, p = varint_count(f)
  return n % 2 == 1 and -floor((n + 1) / 2) or floor(n / 2), p
end

function r.countZigzag(most, f)
  local n, p = zigzag_count(f)
  return limited(n, most, f, p)
end

function r.countOrAbsentZigzag(most, f)
  local n, p = zigzag_count(f)
  return present_count(n, most, f, p)
end

local function wide_varint_bytes(high, low)
  local text = ""
  while high > 0 or low > 127 do
    text = text .. char(low % 128 + 128)
    high, low = floor(high / 128), floor(low / 128) + high % 128 * 33554432
  end
  return text .. char(low)
end

local function varint_bytes(v)
  if type(v) ~= "number" or v < 0 or v >= 9007199254740992 then return wide_varint_bytes(halves(v)) end
  if v < 128 then return char(v) end
  local text = ""
  repeat
    text = text .. char(v % 128 + 128)
    v = floor(v / 128)
  until v < 128
  return text .. char(v)
end

local function zigzag_halves(high, low)
  local last = high >= 2147483648 and 1 or 0
  if last == 1 then high, low = 4294967295 - high, 4294967295 - low end
  return high * 2 + floor(low / 2147483648), low * 2 % 4294967296 + last
end

function w.zigzagBits(v)
  if type(v) == "number" and v > -2147483648 and v < 2147483648 then return v < 0 and -2 * v - 1 or 2 * v end
  return unsigned(zigzag_halves(halves(v)))
end

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

function r.blob(n, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  here = here + n
  return sub(input, here - n, here - 1)
end

function r.text(n, f)
  if stop - here + 1 < n then fail("truncated", f, here) end
  local p = here
  here = p + n
  local t = sub(input, p, here - 1)
  if not is_utf8(t) then fail("invalid_utf8", f, p + utf8_flaw(t) - 1) end
  return t
end

-- How many bytes there are up to the end.
function r.rest(most, f) return limited(stop - here + 1, most, f, here) end

-- How many bytes there are up to a byte of 0.
function r.terminated(most, f)
  local q = find(input, "\0", here, true)
  if not q or q > stop then fail("missing_terminator", f, here) end
  return limited(q - here, most, f, here)
end

-- Text in so many bytes, which the byte `pad` fills.
function r.fixedText(n, pad, f)
  local t = r.blob(n, f)
  if pad == 0 then t = sub(t, 1, (find(t, "\0", 1, true) or n + 1) - 1)
  else
    local last = n
    while last > 0 and byte(t, last) == pad do last = last - 1 end
    t = sub(t, 1, last)
  end
  if not is_utf8(t) then fail("invalid_utf8", f, here - n + utf8_flaw(t) - 1) end
  return t
end

-- Two digits in each of so many bytes.
function r.digits(n, f)
  local parts = {}
  r.take(n, f)
  for i = here - n, here - 1 do
    local x = byte(input, i)
    if x > 159 or x % 16 > 9 then fail("invalid_digit", f, i) end
    parts[#parts + 1] = string.format("%02x", x)
  end
  return concat(parts)
end

-- Verifies bytes at a place.
function r.sameBytes(place, expected, f)
  for i = 1, #expected do
    local p = start + place + i - 1
    if byte(input, p) ~= byte(expected, i) then fail("wrong_constant", f, p) end
  end
end

-- Verifies bytes, of which only the first ones count.
function r.constantText(n, expected, f) r.sameBytes(r.take(n, f), expected, f) end

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

-- The text of n units at p. Half of a surrogate pair is refused where it stands.
local function units(p, n, little, f)
  local parts, i = {}, 0
  while i < n do
    local c = unit(input, p + 2 * i, little)
    if c >= 55296 and c < 57344 then
      local d = c < 56320 and i + 1 < n and unit(input, p + 2 * i + 2, little) or 0
      if d < 56320 or d > 57343 then fail("invalid_utf16", f, p + 2 * i) end
      c, i = 65536 + (c - 55296) * 1024 + d - 56320, i + 1
    end
    parts[#parts + 1], i = utf8_char(c), i + 1
  end
  return concat(parts)
end

-- Text of n units of 16 bits.
function r.utf16(n, little, f)
  r.take(2 * n, f)
  return units(here - 2 * n, n, little, f)
end

-- How many units there are up to the end.
function r.restUnits(most, f)
  local n = stop - here + 1
  limited(floor(n / 2), most, f, here)
  if n % 2 == 1 then fail("truncated", f, stop) end
  return floor(n / 2)
end

-- How many units there are up to one of 0.
function r.terminatedUnits(most, f)
  local n = 0
  while here + 2 * n < stop do
    if unit(input, here + 2 * n) == 0 then return limited(n, most, f, here) end
    n = n + 1
  end
  fail("missing_terminator", f, here)
end

-- Text in so many bytes, which the unit `pad` fills.
function r.fixedUTF16(count, pad, little, f)
  local p, n = here, 0
  r.take(count, f)
  if pad == 0 then
    while 2 * n < count and unit(input, p + 2 * n, little) ~= 0 do n = n + 1 end
  else
    n = floor(count / 2)
    while n > 0 and unit(input, p + 2 * n - 2, little) == pad do n = n - 1 end
  end
  return units(p, n, little, f)
end

-- Lines of `key:value` up to the end: the keys in order, and the value of each key.
function r.properties(strict, f)
  r.rest(65535, f)
  local found, n = {}, 0
  while here <= stop do
    local p = here
    local ending = math.min(find(input, "\n", p, true) or stop + 1, stop + 1)
    local line = r.text(ending - p, f)
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
    here = ending + 1
  end
  here = stop + 1
  return found
end

-- What takes packets apart, and checks what is around a payload.

-- The bytes of the whole packet, by one of its lengths.
function r.packetSize(length, difference, least, place)
  local size = length + difference
  if size < least then error(fault("length_too_small", "", place), 0) end
  if size > largest then error(fault("packet_too_long", "", place), 0) end
  return size
end

-- The same, by a length that may be negative.
function r.packetSizeSigned(length, difference, least, place)
  return r.packetSize(length, difference, math.max(least, difference), place)
end

function r.sameSize(size, other, f, place)
  if size ~= other then fail("length_mismatch", f, start + place) end
  return size
end

-- The packet surely ends after so many bytes.
function r.last(size)
  bound = math.min(bound, start + size - 1)
  stop = math.min(stop, bound)
end

-- How many bytes there are from the packet's first one on.
local function available() return #input - start + 1 end

-- A header that has not arrived whole, with zeros after it, and where it begins.
function r.headed(n) return sub(input, start) .. rep("\0", n - available()), 1 end

-- What is returned if more bytes are needed for a packet of a size.
local function wanting(size) return nil, size - available() end

-- Whether bytes of the header are there; if the packet is known to end before them, they are missing.
function r.arrived(n, f)
  if stop - here + 1 >= n then return true end
  if stop >= bound then fail("truncated", f, here) end
  return false
end

-- Whether a varint of the header is there, or cannot be one.
function r.varintArrived(n)
  for i = 0, n - 1 do
    if here + i > stop then return stop >= bound end
    if byte(input, here + i) < 128 then return true end
  end
  return true
end

function r.onlyPacket(total) if available() > total then error(fault("trailing_bytes", "", total), 0) end end

local function refuse_packet(kind) error(fault(kind, ""), 0) end

function w.verifyHeader(good, kind, f)
  if good then return end
  top = top + 1
  at[top], index[top] = "packet", false
  refuse(kind, f)
end

local function copied(t)
  local copy = {}
  for key, v in pairs(t) do copy[key] = v end
  return copy
end

-- Whether lengths cannot hold a packet, so that another form of the header may.
local function does_not_fit(e)
  local kind = getmetatable(e) == wire_error and e.kind
  return kind == "packet_too_long" or kind == "length_too_small" or kind == "invalid_message_id"
end

-- A packet with the first value with which all lengths can hold it, or the error of the last one. With a given value, the first call
-- counts.
local function fitting_packet(fitted, id, payload, h, given, values)
  for i = 1, #values - 1 do
    local ok, packet = pcall(fitted, id, payload, h, values[i])
    if ok then return packet end
    if given ~= nil or not does_not_fit(packet) then error(packet, 0) end
  end
  return fitted(id, payload, h, values[#values])
end

-- Bytes with others in their place from p on.
local function replaced(t, p, bytes) return sub(t, 1, p - 1) .. bytes .. sub(t, p + #bytes) end

-- The bytes from one place to another one, of which some are zeros: places and numbers of bytes.
function r.zeroed(from, to, ...)
  local zeros, t = { ... }, sub(input, start + from, start + to - 1)
  for i = 1, #zeros, 2 do t = replaced(t, zeros[i] - from + 1, rep("\0", zeros[i + 1])) end
  return t
end

-- Checksums.

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

-- A number of a closed enum. What its type cannot hold is refused by the check of that.
local function known_case(check, v, cases, low, high, f)
  if not cases[v] then
    check(v, low, high, f)
    refuse("unknown_case", f)
  end
  return v
end

local function bit_of(v, f)
  if type(v) ~= "boolean" then refuse("wrong_type", f) end
  return v and 1 or 0
end

local function boolean_of(v, f)
  if type(v) ~= "boolean" then refuse("wrong_type", f) end
  return v
end

local quiet_nan = native and unpack(">d", "\127\248\0\0\0\0\0\0", 1) or 0 / 0

-- A NaN is written as the quiet one.
local function float64(v, f)
  if type(v) ~= "number" then refuse("wrong_type", f) end
  return v == v and v or quiet_nan
end

-- The bits of the nearest number of 16 bits, in one step; a tie goes to the number whose last bit is 0.
local function float16(v, f)
  v = float64(v, f)
  if v ~= v then return 32256 end
  local top_bit = (v < 0 or v == 0 and 1 / v < 0) and 32768 or 0
  -- As a float: the least integer has no positive one.
  v = math.abs(v + 0.0)
  if v == huge then return top_bit + 31744 end
  if v >= 65520 then refuse("number_too_large", f) end
  local exponent, scaled = 0, v * 16777216
  while scaled >= 2048 do exponent, scaled = exponent + 1, scaled / 2 end
  local whole_part = floor(scaled)
  local rest = scaled - whole_part
  if rest > 0.5 or rest == 0.5 and whole_part % 2 == 1 then whole_part = whole_part + 1 end
  return top_bit + exponent * 1024 + whole_part
end

local function ranged16(n, low, high, f)
  local v = value16(n)
  if not (v >= low and v <= high) then refuse("float_out_of_range", f) end
  return n
end

local function float32(v, f)
  v = float64(v, f)
  if (v >= 3.4028235677973366e38 or v <= -3.4028235677973366e38) and v ~= huge and v ~= -huge then
    refuse("number_too_large", f)
  end
  return v
end

-- A float as it is written in 4 bytes.
local short = native and function(v) return (unpack(">f", pack(">f", v), 1)) end or function(v)
  return f32(byte(f32_bytes(v), 1, 4))
end

local function ranged(v, low, high, f)
  if not (v >= low and v <= high) then refuse("float_out_of_range", f) end
  return v
end

local function ranged32(v, low, high, f)
  ranged(short(v), low, high, f)
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

-- Begins to write bytes.
function w.open() pieces, used = {}, 0 end

-- All bytes that were written.
function w.taken()
  local n, all = used, pieces
  pieces = nil
  return n == 1 and all[1] or concat(all, "", 1, n)
end

-- How many bytes stand after a piece.
function w.since(piece)
  local n = 0
  for i = piece + 1, used do n = n + #pieces[i] end
  return n
end

-- Puts another piece after one.
local function insert(piece, t)
  table.insert(pieces, piece + 1, t)
  used = used + 1
end

-- Puts a number of units in the place of the piece before them, or as a varint after a piece.
function w.countUnits(format, piece, n, most, f)
  if n > most and most >= 0 then refuse("too_long", f) end
  pieces[piece] = pack(format, n)
end

function w.countVarintUnits(scale, piece, n, most, f)
  if n > most and most >= 0 then refuse("too_long", f) end
  insert(piece, varint_bytes(n * scale))
end

-- The same for the bytes that stand after a piece.
function w.count(format, piece, most, f) w.countUnits(format, piece, w.since(piece), most, f) end

function w.countVarint(scale, piece, most, f) w.countVarintUnits(scale, piece, w.since(piece), most, f) end

-- Puts a varint at a place; what follows moves.
function w.insertVarint(place, v) insert(place, varint_bytes(v)) end

-- Refuses an item, which is the pieces after one, that begins with the byte that ends the list.
function w.notStop(first, ending)
  local i = first + 1
  while pieces[i] == "" do i = i + 1 end
  if i <= used and byte(pieces[i]) == ending then refuse("embedded_terminator", "") end
end

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

local function utf16_of(v, little, f)
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
  return concat(parts)
end

local function with_varint(scale, t) return varint_bytes(#t * scale) .. t end

local function append(t)
  used = used + 1
  pieces[used] = t
  return #t
end

function w.appendUTF16(v, little, f) return floor(append(utf16_of(v, little, f)) / 2) end

function w.limit(n, most, f)
  if n > most and most >= 0 then refuse("too_long", f) end
  return n
end

function w.notLess(n, least, f)
  if n < least then refuse("length_too_small", f) end
  return n
end

function w.exactly(n, count, f)
  if n ~= count then refuse("wrong_item_count", f) end
  return n
end

-- Fills n bytes up with zeros.
function w.fillUp(n, count, f)
  if n > count then refuse("too_long", f) end
  append(rep("\0", count - n))
end

local function has_unit(t, first, c, little)
  for i = first, #t, 2 do if unit(t, i, little) == c then return true end end
  return false
end

local function not_less(t, least, f)
  if #t < least then refuse("length_too_small", f) end
  return t
end

local function exactly(t, n, f)
  if #t ~= n then refuse("wrong_item_count", f) end
  return t
end

-- Text with a byte of 0 after it.
local function ended(t, f)
  if find(t, "\0", 1, true) then refuse("embedded_terminator", f) end
  return t .. "\0"
end

-- Text filled up with a byte that must not end it; up to a NUL it must not have one.
local function padded(t, n, filler, f)
  if #t > n then refuse("too_long", f) end
  if filler == 0 and find(t, "\0", 1, true) or byte(t, -1) == filler then refuse("embedded_terminator", f) end
  return t .. rep(char(filler), n - #t)
end

-- Ends UTF-16, which is the last piece, with a unit of 0.
function w.terminate(_, _, f)
  if has_unit(pieces[used], 1, 0) then refuse("embedded_terminator", f) end
  append("\0\0")
end

-- Fills UTF-16, which is the last piece, with units that must not end it; up to a NUL it must not have one.
function w.padText(n, count, filler, _, little, f)
  if n > count then refuse("too_long", f) end
  local t = pieces[used]
  if has_unit(t, filler == 0 and 1 or math.max(1, #t - 1), filler, little) then refuse("embedded_terminator", f) end
  append(rep(little and char(filler, 0) or char(0, filler), floor(count - n)))
end

local function digits_of(v, n, f)
  if type(v) ~= "string" then refuse("wrong_type", f) end
  if find(v, "[^0-9]") then refuse("invalid_digit", f) end
  if #v ~= 2 * n then refuse("wrong_item_count", f) end
  return (string.gsub(v, "..", function(pair_of_digits) return char(tonumber(pair_of_digits, 16)) end))
end

local function check_table(v, f) if type(v) ~= "table" then refuse("wrong_type", f) end end

function w.deeper(f)
  if depth == 0 then refuse("too_deep", f) end
  depth = depth - 1
end

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
  local t = concat(lines, "\n")
  if #t > 65535 then refuse("too_long", f) end
  return t
end

-- Whether a value is set, which it must be exactly if a condition holds.
function w.isPresent(is_set, holds, f)
  if is_set ~= holds then refuse("presence", f) end
  return is_set
end

-- The first field of several that is not set, where nothing that is set may follow; "" for none.
function w.gap(before, is_set, f)
  if not is_set then return before ~= "" and before or f end
  if before ~= "" then refuse("gap_before_optional", before) end
  return before
end

function w.putTrailing(v, gap)
  bytes_of(v, nil, "trailing")
  if gap ~= "" and v ~= "" then refuse("gap_before_optional", gap) end
  append(v)
end

-- The count of several fields, which must be the same.
function w.agreed(before, n, more, f)
  if before ~= -2147483648 and before ~= n + more then refuse("wrong_item_count", f) end
  return n + more
end

local function filled(n, make)
  local items = {}
  for i = 1, n do items[i] = make() end
  return items
end

-- The marks around packets and their escapes.

-- The bytes of escapes, by their first and second one.
local escapes = FRAME_ESCAPES

local escaped = FRAME_ESCAPED

-- What has arrived of a packet between marks: its bytes, unescaped, and how many were read for them.
local function new_frame() return { parts = {}, n = 0, count = 0, inside = false, first = nil } end

local function frame_fault(kind, offset) error(fault(kind, "packet.frame", offset), 0) end

local function add_to(frame, t)
  if frame.n + #t > MAXIMUM_SIZE then frame_fault("packet_too_long", 0) end
  frame.parts[#frame.parts + 1] = t
  frame.n = frame.n + #t
end

-- Reads up to the end of the next packet; returns the position after what was read, and whether the end has come. Marks
-- with nothing between them are passed over.
local function unframe(s, p, frame)
  while p <= #s do
    local x = byte(s, p)
    local first = frame.first
    if not frame.inside then
      if x ~= FRAME_START then frame_fault("wrong_constant", 0) end
      frame.inside, p, frame.count = true, p + 1, frame.count + 1
    elseif first then
      local t = escapes[first][x]
      if not t then frame_fault("invalid_escape", frame.n) end
      add_to(frame, t)
      frame.first, p, frame.count = nil, p + 1, frame.count + 1
    elseif x == FRAME_END then
      p, frame.count = p + 1, frame.count + 1
      -- #region !sameMarks
      --| frame.inside = frame.n > 0
      -- #endregion
      if frame.n > 0 then return p, true end
    elseif escapes[x] then
      frame.first, p, frame.count = x, p + 1, frame.count + 1
    elseif x == FRAME_START then frame_fault("invalid_escape", frame.n)
    else
      local stop = (find(s, FRAME_SPECIAL, p) or #s + 1) - 1
      add_to(frame, sub(s, p, stop))
      frame.count = frame.count + stop - p + 1
      p = stop + 1
    end
  end
  return p, false
end

-- Whether a stream may not end here: after a mark that ends packets and begins them, nothing has begun.
local function inside_frame(frame) return frame.inside--[[sameMarks{]] and (frame.n > 0 or frame.first ~= nil)--[[}]] end

-- A packet between its marks.
local function framed(packet)
  return FRAME_OPENING .. --[[escapes{]]string.gsub(packet, FRAME_ESCAPABLE, escaped)--[[}]]--[[!escapes{packet}]] .. FRAME_CLOSING
end
-- #endregion

-- #region transforms
function layered.refuse_layer(kind, n) error(fault(kind, layered.names[n]), 0) end

-- Something that the program has not given to the connection.
function layered.unavailable(n, missing)
  local e = fault("layer_unavailable", layered.names[n])
  e.missing = missing
  error(e, 0)
end
-- #region keys

function layered.key_of(name, n, work)
  return work.connection.keys[work.sender][name] or layered.unavailable(n, "keys." .. name)
end

-- The exclusive or of two bytes as a character. A row is made when its byte first comes.
layered.xor_rows = {}

function layered.xor_row(a)
  local row = {}
  for b = 0, 255 do row[b] = char(exclusive(a, b)) end
  layered.xor_rows[a] = row
  return row
end

-- Bytes that are made in pieces: a table of all of them would take many times as much memory.
function layered.in_pieces(count, fill)
  local pieces = {}
  for first = 1, count, 4096 do
    local parts = {}
    fill(parts, first, math.min(first + 4095, count))
    pieces[#pieces + 1] = concat(parts)
  end
  return concat(pieces)
end

-- Bytes with the exclusive or of others, of which there are as many or more.
function layered.xor(s, stream)
  local rows, row_of = layered.xor_rows, layered.xor_row
  return layered.in_pieces(#s, function(parts, first, last)
    for p = first, last do
      local a = byte(stream, p)
      parts[p - first + 1] = (rows[a] or row_of(a))[byte(s, p)]
    end
  end)
end
-- #endregion
-- #region xor

function layered.xor_key(s, key, n, work) return layered.xor(s, rep(key, floor(#s / #key) + 1)) end
-- #endregion
-- #region rc4

-- The keystream goes on from packet to packet.
function layered.rc4(s, key, n, work)
  local rows, row_of = layered.xor_rows, layered.xor_row
  local held, box, i, j = work.streams[n], {}, 0, 0
  if held then
    for k = 0, 255 do box[k] = held.box[k] end
    i, j = held.i, held.j
  else
    for k = 0, 255 do box[k] = k end
    for k = 0, 255 do
      j = (j + box[k] + byte(key, k % #key + 1)) % 256
      box[k], box[j] = box[j], box[k]
    end
    j = 0
  end
  local t = layered.in_pieces(#s, function(parts, first, last)
    for p = first, last do
      i = (i + 1) % 256
      local x = box[i]
      j = (j + x) % 256
      local y = box[j]
      box[i], box[j] = y, x
      local a = box[(x + y) % 256]
      parts[p - first + 1] = (rows[a] or row_of(a))[byte(s, p)]
    end
  end)
  work.streams[n] = { box = box, i = i, j = j }
  return t
end
-- #endregion
-- #region aes

-- Blocks of 16 bytes, each encrypted or decrypted for itself.
function layered.aes_blocks(key, blocks, encrypts, n, work)
  local aes = work.connection.aes or layered.unavailable(n, "aes")
  return aes(key, blocks, encrypts)
end
-- #endregion
-- #region aes_ctr

-- The keystream of counters from the first one on, of which some bytes were used before.
function layered.aes_ctr(s, key, first, used, n, work)
  if s == "" then return s end
  local a, b, c, d = unpack(">I4I4I4I4", first, 1)
  local blocks, skipped = {}, used % 16
  d = d + floor(used / 16)
  for i = 1, floor((skipped + #s + 15) / 16) do
    c, d = c + floor(d / 4294967296), d % 4294967296
    b, c = b + floor(c / 4294967296), c % 4294967296
    a, b = (a + floor(b / 4294967296)) % 4294967296, b % 4294967296
    blocks[i] = pack(">I4I4I4I4", a, b, c, d)
    d = d + 1
  end
  return layered.xor(s, sub(layered.aes_blocks(key, concat(blocks), true, n, work), skipped + 1))
end

-- The keystream goes on from packet to packet.
function layered.aes_ctr_lasting(s, key, first, n, work)
  local used = work.streams[n] or 0
  work.streams[n] = used + #s
  return layered.aes_ctr(s, key, first, used, n, work)
end
-- #endregion
-- #region aes_cbc

function layered.open_cbc(s, key, first, n, work)
  if s == "" or #s % 16 ~= 0 then layered.refuse_layer("invalid_layer", n) end
  local t = layered.xor(layered.aes_blocks(key, s, false, n, work), first .. s)
  local filler = byte(t, -1)
  if filler < 1 or filler > 16 or sub(t, -filler) ~= rep(char(filler), filler) then layered.refuse_layer("invalid_layer", n) end
  return sub(t, 1, -filler - 1)
end

function layered.seal_cbc(s, key, first, n, work)
  local filler, blocks = 16 - #s % 16, {}
  s = s .. rep(char(filler), filler)
  for p = 1, #s, 16 do
    first = layered.aes_blocks(key, layered.xor(sub(s, p, p + 15), first), true, n, work)
    blocks[#blocks + 1] = first
  end
  return concat(blocks)
end
-- #endregion
-- #region program

-- A layer of the program: one for each sender.
function layered.layer_of(name, n, work)
  local own = work.connection.layers[work.sender]
  if not own[name] then
    local make = work.connection.makers[name] or layered.unavailable(n, "layers." .. name)
    own[name] = make(work.sender)
  end
  return own[name]
end

function layered.open_own(s, header, name, n, work)
  local content, kind = layered.layer_of(name, n, work):open(s, header, work.left)
  if content then return content end
  layered.refuse_layer((kind == "inflated_too_long" or kind == "trailing_bytes") and kind or "invalid_layer", n)
end

function layered.seal_own(s, header, name, n, work)
  return layered.layer_of(name, n, work):seal(s, header) or layered.refuse_layer("invalid_layer", n)
end
-- #endregion
-- #endregion

-- #region changing
local function number_of(v)
  if v == nil or v == false then return 0 end
  return v == true and 1 or v
end

local function check_states(states)
  top = 0
  for name in pairs(states) do
    if not state_names[name] then refuse("unknown_state", "state." .. tostring(name)) end
  end
end

-- What a message does to the states, for the packets after it.
local function change(connection, sender, id)
  local found = changes[sender][id]
  if found then connection.states[found[1]] = found[2] end
end
-- #endregion

-- #region states
local function unwrap_next(s, position, sender, connection)
  local packet, after = unwrap[shape_of(sender, connection)](s, position, senders[sender])
  if packet then change(connection, sender, packet.id) end
  return packet, after
end

local function wrap_next(id, payload, header, sender, connection)
  local packet = wrap[shape_of(sender, connection)](id, payload, header)
  change(connection, sender, id)
  return packet
end

--- What the packets of a connection depend on, in both directions: encode, decode and both splitters share it.
-- states has numbers, true and false, by the schema's names; a state that is not there is 0. Messages set states, and so
-- may the program.
function M.connection(states)
  local connection = { states = {} }
  for name, v in pairs(states or {}) do connection.states[name] = v end
  return connection
end
-- #endregion

-- #region layered
-- What goes on through all packets in one. Only if all of it was right, the connection takes it over.
function layered.new_work(sender, connection)
  return {
    sender = sender, connection = connection, left = MAXIMUM_INFLATED, packets = 0, ids = {},
    streams = copied(connection.streams[sender]),
  }
end

function layered.commit(work)
  for i = 1, #work.ids do change(work.connection, work.sender, work.ids[i]) end
  work.connection.streams[work.sender] = work.streams
end

-- The fields of an opened packet; offsets count from the first byte inside the innermost layer.
function layered.part_of(reads, s, origin)
  local ok, part = pcall(reads, s, 1)
  if ok and part then return part end
  if ok then error(fault("truncated", "", #s - origin), 0) end
  if getmetatable(part) == wire_error and part.offset then part.offset = part.offset - origin end
  error(part, 0)
end

-- Takes a layer whose keystream goes on. Inner packets are sealed first and opened last, so none may use it again.
function layered.use_stream(n, streams)
  if not layered.lasting[n] then return end
  if streams[n] then layered.refuse_layer("invalid_layer", n) end
  streams[n] = true
end

function layered.use_bytes(n, work, count)
  if not layered.inflating[n] then return end
  if count > work.left then layered.refuse_layer("inflated_too_long", n) end
  work.left = work.left - count
end

-- #region packets
function layered.check_level(level)
  if level >= MAXIMUM_NESTED then error(fault("too_deep", ""), 0) end
end

function layered.count_packet(work)
  if work.packets >= 65536 then error(fault("too_long", "packets"), 0) end
  work.packets = work.packets + 1
end

-- Calls a function for a packet inside another one; its errors say which one it is.
function layered.for_packet(i, call, ...)
  local ok, packet, after = pcall(call, ...)
  if ok then return packet, after end
  if getmetatable(packet) == wire_error then
    packet.path = "packets[" .. i .. "]" .. (packet.path ~= "" and "." or "") .. packet.path
  end
  error(packet, 0)
end

-- #endregion
-- The packet at a position, out of its layers, and the position after it; nil if more bytes are needed.
function layered.open_packet(s, position, level, work, streams)
  local shape = layered.shapes[shape_of(work.sender, work.connection, level > 0)]
  local found, more = shape.read_outer(s, position)
  if not found then return nil, more end
  local after, header, rules, counter = found.after, found.header, found.rules, shape.counter
  local count, count_at = found.count, found.count_at
  local data, content = sub(s, position, found.body - 1), sub(s, found.body, found.stop - 1)
  local trailer, origin, size = sub(s, found.stop, after - 1), 0, nil
  for _, section in ipairs(shape.sections) do
    for _, n in ipairs(section.layers) do
      if rules[n] then
        if count and count - counter.constant > MAXIMUM_INFLATED then layered.refuse_layer("inflated_too_long", n) end
        layered.use_stream(n, streams)
        content = layered.open_layer(n, work, header, content)
        layered.use_bytes(n, work, #content)
        origin = #data
        if counter and n >= counter.first then size = #content end
      end
    end
    if section.read then
      local s_inside = data .. content
      local part = layered.part_of(section.read, s_inside, origin)
      header, rules = part.header, part.rules
      data, content = sub(s_inside, 1, part.body - 1), sub(s_inside, part.body, part.stop - 1)
      if not count and part.count then count, count_at = part.count, part.count_at - origin end
    end
  end
  if count and count ~= (size and size + counter.constant or 0) then
    error(fault("length_mismatch", counter.path, count_at), 0)
  end
  local flat = data .. content .. trailer
  local part = layered.part_of(shape.read_flat, flat, origin)
  -- #region packets
  if part.rules[RULE_PACKETS] then
    layered.check_level(level)
    local packets = layered.open_packets(content, level + 1, work, streams)
    return { id = part.id, header = part.header, packets = packets, size = after - position }, after
  end
  -- #endregion
  -- A part of a message sets no state.
  local is_part = part.rules[RULE_OPAQUE]
  if not is_part then work.ids[#work.ids + 1] = part.id end
  local name = senders[work.sender][part.id]
  if is_part or not name then
    return { id = part.id, header = part.header, payload = content, size = after - position }, after
  end
  input, start, top, at[1] = flat, 1, 1, "packet"
  -- #region depth
  depth = MAXIMUM_DEPTH
  -- #endregion
  -- #region fixedHeaders
  if verify[name] then verify[name](part.header, part.places) end
  -- #endregion
  start, here, stop, at[1] = 1 + origin, part.body, part.stop - 1, name
  local message = read[name](part.header)
  return { name = name, id = part.id, header = part.header, message = message, size = after - position }, after
end

local function unwrap_next(s, position, sender, connection)
  local work = layered.new_work(sender, connection)
  local packet, after = layered.open_packet(s, position, 0, work, {})
  if packet then layered.commit(work) end
  return packet, after
end

-- #region packets
-- #region frames
function layered.open_inner(content, p, level, work, streams)
  local frame = new_frame()
  local after, is_whole = unframe(content, p, frame)
  if not is_whole then error(fault("truncated", "", #content - p + 1), 0) end
  local packet = layered.open_packet(concat(frame.parts), 1, level, work, copied(streams))
  if not packet then error(fault("truncated", "", frame.n), 0) end
  packet.size = frame.count
  return packet, after
end
-- #endregion
-- #region !frames
--| function layered.open_inner(content, p, level, work, streams)
--|   local packet, after = layered.open_packet(content, p, level, work, copied(streams))
--|   if not packet then error(fault("truncated", "", #content - p + 1), 0) end
--|   return packet, after
--| end
-- #endregion

function layered.open_packets(content, level, work, streams)
  local packets, p = {}, 1
  while not (--[[frames{]]not find(content, FRAME_CONTENT, p)--[[}]]--[[!frames{p > #content}]]) do
    layered.count_packet(work)
    packets[#packets + 1], p = layered.for_packet(#packets, layered.open_inner, content, p, level, work, streams)
  end
  return packets
end

-- #endregion
local none = {}

local function check_header(header)
  top, at[1] = 1, "packet"
  if type(header) ~= "table" then refuse("wrong_type") end
  for key in pairs(header) do
    if not header_fields[key] then refuse("invalid_header_field", tostring(key)) end
  end
end

function layered.chosen(header, names)
  local fields = {}
  for i = 1, #names do fields[names[i]] = header[names[i]] end
  return fields
end

function layered.joined_fields(fields, others)
  local all = copied(fields)
  for name, v in pairs(others) do all[name] = v end
  return all
end

-- The fields of a packet that are known before its layers are sealed, and which rules hold.
function layered.part_without(shape, id, fields)
  return layered.part_of(shape.read_flat, shape.write_flat(id, "", fields), 0)
end

-- The fields of a section and what is after them. Fields before are written for their conditions only.
function layered.written(section, fields, content)
  if not section.write then return content end
  local s = section.write(0, content, layered.chosen(fields, section.fields))
  return sub(s, layered.part_of(section.read, s, 0).first)
end

-- A whole packet of a payload; content_kind says what it must be, if that is known.
function layered.sealed(id, payload, header, content_kind, level, work, streams)
  local shape = layered.shapes[shape_of(work.sender, work.connection, level > 0)]
  local settable, counter = layered.chosen(header, layered.settable_fields), shape.counter
  -- #region threshold
  -- Whether there is a layer depends on how much there is without one.
  if counter and counter.is_settable and settable[counter.field] == nil then
    local bare, threshold = layered.part_without(shape, id, settable).header, work.connection.threshold
    if bare[counter.field] ~= nil then settable[counter.field] = 0 end
    if threshold and settable[counter.field] then
      local given = layered.joined_fields(layered.chosen(bare, layered.id_fields), settable)
      local count = #layered.written(shape.sections[#shape.sections], given, payload)
      settable[counter.field] = count >= threshold and 1 or 0
    end
  end
  -- #endregion
  local part = layered.part_without(shape, id, settable)
  local rules, fields = part.rules, part.header
  local has_packets, is_part = rules[RULE_PACKETS], rules[RULE_OPAQUE]
  if content_kind then
    if (content_kind == "packets") ~= has_packets then error(fault("presence", "packets"), 0) end
    if not has_packets and is_part then error(fault("presence", "opaque"), 0) end
  end
  if not has_packets and not is_part then work.ids[#work.ids + 1] = id end
  local given, content = layered.joined_fields(layered.chosen(fields, layered.id_fields), settable), payload
  -- #region counter
  -- Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.
  local function set_count(count)
    local field = counter and counter.field
    counter = nil
    if not field or fields[field] == nil then return end
    local changed = layered.part_without(shape, id, layered.joined_fields(settable, { [field] = count })).rules
    for i, rule in ipairs(rules) do
      if changed[i] ~= rule then error(fault("length_too_small", shape.counter.path), 0) end
    end
    fields[field], given[field] = count, count
  end
  -- #endregion
  for i = #shape.sections, 1, -1 do
    local section = shape.sections[i]
    -- #region counter
    -- From here on the layers are around the field.
    if counter and section.layers[1] < counter.first then set_count(0) end
    -- #endregion
    content = layered.written(section, given, content)
    for k = #section.layers, 1, -1 do
      local n = section.layers[k]
      if rules[n] then
        layered.use_stream(n, streams)
        -- #region counter
        set_count(#content + (counter and counter.constant or 0))
        -- #endregion
        layered.use_bytes(n, work, #content)
        content = layered.seal_layer(n, work, fields, content)
      end
    end
  end
  -- #region counter
  set_count(0)
  -- #endregion
  return --[[frames{]]framed(--[[}]]shape.write_outer(0, content, layered.chosen(given, shape.outer_fields))--[[frames{]])--[[}]]
end

-- #region packets
function layered.seal_item(item, level, work, streams)
  if type(item) ~= "table" then error(fault("wrong_type", ""), 0) end
  local message = item.message
  if message == nil then message = item.packets and item or item.payload end
  return layered.seal(item.name or item.id, message, item.header, level, work, streams)
end

-- Packets inside of one, which have layers of their own.
function layered.seal_packets(packets, level, work, streams)
  layered.check_level(level)
  if type(packets) ~= "table" then error(fault("wrong_type", "packets"), 0) end
  local parts = {}
  for i = 1, #packets do
    layered.count_packet(work)
    local used = {}
    parts[i] = layered.for_packet(i - 1, layered.seal_item, packets[i], level + 1, work, used)
    for n in pairs(used) do streams[n] = true end
  end
  return concat(parts)
end

-- #endregion
-- A whole packet; adds the layers whose keystream goes on that it uses.
function layered.seal(name, message, header, level, work, streams)
  if header then check_header(header) else header = none end
  if not ids[name] then name = aliases[name] or name end
  top, at[1] = 1, name
  -- #region depth
  depth = MAXIMUM_DEPTH
  -- #endregion
  local id = ids[name]
  if id then
    if type(message) ~= "table" then refuse("wrong_type") end
    -- #region fixedHeaders
    if fix[name] then header = fix[name](header) end
    -- #endregion
    local payload = write[name](message, header)
    return layered.sealed(id, payload, header, "message", level, work, streams)
  end
  if not (type(name) == "number"--[[wideIDs{]] or find(name, "^%d+$")--[[}]]) then error(fault("unknown_message", tostring(name)), 0) end
  top = 0
  local number = --[[wideIDs{]]canonical(name, "id")--[[}]]--[[!wideIDs{integer(name, -huge, huge, "id")}]]
  if --[[wideIDs{]]less(number, 0)--[[}]]--[[!wideIDs{number < 0}]] then refuse_packet("invalid_message_id") end
  -- #region packets
  if type(message) == "table" and message.packets ~= nil then
    local t = layered.seal_packets(message.packets, level, work, streams)
    return layered.sealed(number, t, header, "packets", level, work, streams)
  end
  -- #endregion
  bytes_of(message, nil, "payload")
  return layered.sealed(number, message, header, nil, level, work, streams)
end

-- #region packets
-- The name of the message, or of the first one in its packets.
function layered.first_name(name, message)
  while not (ids[name] or aliases[name]) and type(message) == "table" do
    local item = type(message.packets) == "table" and message.packets[1]
    if type(item) ~= "table" then break end
    name, message = item.name or item.id, item.message or item
  end
  return aliases[name] or name
end

-- #endregion
local function send(name, message, header, sender, connection)
  local side = sender or only_sender[--[[packets{]]layered.first_name(name, message)--[[}]]--[[!packets{aliases[name] or name}]]]--[[!dependsOnSender{ or "client"}]]
  -- #region dependsOnSender
  if not side then error(fault("needs_sender", ""), 0) end
  -- #endregion
  local work = layered.new_work(side, connection or M.connection())
  local packet = layered.seal(name, message, header, 0, work, {})
  layered.commit(work)
  return packet
end

-- #region keys
-- Sets a key for the packets of one sender, or of both. Their keystreams begin anew. Returns true, or nil and an error.
function layered.set_key(connection, name, key, sender)
  if sender and not senders[sender] then error("the sender is \"client\" or \"server\"", 2) end
  local about = layered.keys[name]
  if not about then return nil, fault("unknown_key", "key." .. tostring(name)) end
  local fits = false
  for _, range in ipairs(about.counts) do
    fits = fits or type(key) == "string" and #key >= range[1] and #key <= range[2]
  end
  if not fits then return nil, fault("wrong_key", "key." .. name) end
  for each_sender in pairs(senders) do
    if not sender or sender == each_sender then
      connection.keys[each_sender][name] = key
      for _, n in ipairs(about.layers) do connection.streams[each_sender][n] = nil end
    end
  end
  return true
end

-- #endregion
-- The text says what to give, too.
layered.text_of_fault = wire_error.__tostring
function wire_error.__tostring(e)
  return layered.text_of_fault(e) .. (e.missing and "; the connection has no " .. e.missing or "")
end

--- What the packets of a connection depend on, in both directions: encode, decode and both splitters share it.
-- states has numbers, true and false, by the schema's names; a state that is not there is 0. Messages set states, and so
-- may the program. The options are:
-- #region keys
-- keys: those of both senders, by name; see set_key, which sets one, or a new one.
-- #endregion
-- #region program
-- layers: a function each for LAYER_NAMES, as far as they are needed. It is given the sender, and returns a table:
--   open(self, sealed, header, limit) returns the content; nil and "inflated_too_long" if that is longer than the limit;
--   nil and "trailing_bytes" if bytes follow its end; and nil if it is damaged.
--   seal(self, content, header) returns the sealed bytes.
-- #endregion
-- #region aes
-- aes: a function (key, blocks, encrypts) that returns blocks of 16 bytes, each encrypted or decrypted for itself.
-- #endregion
-- #region threshold
-- threshold: from how many bytes on a content gets a layer that asks for its count; without it none does.
-- #endregion
-- What is not given is an error when a packet needs it: layer_unavailable.
function M.connection(states, options)
  local connection = { states = copied(states or {}), streams = { client = {}, server = {} } }
  options = options or {}
  for name in pairs(options) do
    if not layered.options[name] then error("a connection has no option " .. tostring(name), 2) end
  end
  -- #region program
  connection.makers, connection.layers = options.layers or {}, { client = {}, server = {} }
  for name in pairs(connection.makers) do
    if not layered.by_program[name] then error("no layer of the schema needs a function " .. tostring(name), 2) end
  end
  -- #endregion
  -- #region aes
  connection.aes = options.aes
  -- #endregion
  -- #region threshold
  connection.threshold = options.threshold
  -- #endregion
  -- #region keys
  connection.keys, connection.set_key = { client = {}, server = {} }, layered.set_key
  for name, key in pairs(options.keys or {}) do
    local ok, e = layered.set_key(connection, name, key)
    if not ok then return nil, e end
  end
  -- #endregion
  return connection
end
-- #endregion

-- #region receiving
-- #region frames
local function unframed(frame, sender--[[connection{]], connection--[[}]])
  local s = concat(frame.parts)
  -- #region connection
  local packet = unwrap_next(s, 1, sender, connection)
  -- #endregion
  -- #region !connection
  -- #region dependsOnSender
  --| local packet = (sender == "server" and unwrap_server or unwrap_client)(s, 1, senders[sender])
  -- #endregion
  -- #region !dependsOnSender
  --| local packet = unwrap(s, 1, senders[sender])
  -- #endregion
  -- #endregion
  if not packet then error(fault("truncated", "", #s), 0) end
  packet.size = frame.count
  return packet
end

local function take_frame(s, position, frame, sender--[[connection{]], connection--[[}]])
  local after, is_whole = unframe(s, position, frame)
  if is_whole then return unframed(frame, sender--[[connection{]], connection--[[}]]), after end
end

-- #endregion
--- The packet that a string begins with, or has at a position, which the "client" or the "server" has sent.
-- Returns a table (name, id, header, message; payload if the message is unknown; size) and the position after it; nil if
-- more bytes are needed, and how many if that is known, as the third result; or nil and an error with kind, path and
-- offset. After an error, the start of the next packet is unknown.
-- #region connection
-- Without a connection it is the first packet of one.
-- #endregion
function M.decode(s, sender, position--[[connection{]], connection--[[}]])
  -- #region connection
  if not senders[sender] then error("the sender is \"client\" or \"server\"", 2) end
  connection = connection or M.connection()
  -- #endregion
  -- #region !connection
  --| local names = senders[sender]
  --| if not names then error("the sender is \"client\" or \"server\"", 2) end
  -- #endregion
  -- #region frames
  local ok, packet, after = pcall(take_frame, s, position or 1, new_frame(), sender--[[connection{]], connection--[[}]])
  -- #endregion
  -- #region !frames
  -- #region connection
  --| local ok, packet, after = pcall(unwrap_next, s, position or 1, sender, connection)
  -- #endregion
  -- #region !connection
  -- #region dependsOnSender
  --| local ok, packet, after = pcall((sender == "server" and unwrap_server or unwrap_client), s, position or 1, names)
  -- #endregion
  -- #region !dependsOnSender
  --| local ok, packet, after = pcall(unwrap, s, position or 1, names)
  -- #endregion
  -- #endregion
  -- #endregion
  if ok then
    if packet then return packet, after end
    return nil, nil, after
  end
  -- An error of another kind is the caller's.
  if getmetatable(packet) ~= wire_error then error(packet, 0) end
  return nil, packet
end
-- #endregion

-- #region sending
local none = {}

local function check_header(header)
  top, at[1] = 1, "packet"
  if type(header) ~= "table" then refuse("wrong_type") end
  for key in pairs(header) do
    if not header_fields[key] then refuse("invalid_header_field", tostring(key)) end
  end
end

local function send(name, message, header, sender--[[connection{]], connection--[[}]])
  if header then check_header(header) else header = none end
  if not ids[name] then name = aliases[name] or name end
  top, at[1] = 1, name
  -- #region depth
  depth = MAXIMUM_DEPTH
  -- #endregion
  local id, payload = ids[name], message
  if id then
    if type(message) ~= "table" then refuse("wrong_type") end
    -- #region fixedHeaders
    if fix[name] then header = fix[name](header) end
    -- #endregion
    payload = write[name](message, header)
  else
    if not (type(name) == "number"--[[wideIDs{]] or find(name, "^%d+$")--[[}]]) then error(fault("unknown_message", tostring(name)), 0) end
    top = 0
    id = --[[wideIDs{]]canonical(name, "id")--[[}]]--[[!wideIDs{integer(name, -huge, huge, "id")}]]
    bytes_of(payload, nil, "payload")
    if --[[wideIDs{]]less(id, 0)--[[}]]--[[!wideIDs{id < 0}]] then refuse_packet("invalid_message_id") end
  end
  -- #region sender
  local side = sender or only_sender[name]--[[!dependsOnSender{ or "client"}]]
  -- #region dependsOnSender
  if not side then error(fault("needs_sender", ""), 0) end
  -- #endregion
  -- #endregion
  -- #region connection
  return --[[frames{]]framed(--[[}]]wrap_next(id, payload, header, side, connection or M.connection())--[[frames{]])--[[}]]
  -- #endregion
  -- #region !connection
  -- #region dependsOnSender
  --| return --[[frames{]]framed(--[[}]](side == "server" and wrap_server or wrap_client)(id, payload, header)--[[frames{]])--[[}]]
  -- #endregion
  -- #region !dependsOnSender
  --| return --[[frames{]]framed(--[[}]]wrap(id, payload, header)--[[frames{]])--[[}]]
  -- #endregion
  -- #endregion
end
-- #endregion

-- #region encode
--- A whole packet of a message, by its name in the schema; nil and an error if a value cannot be written.
-- What a caller can set of the header is taken from the third argument, which may be that of the packet that is answered.
-- A message that the schema does not know is its ID and a string.
-- #region packets
-- A packet that holds others is its ID and a table with packets, each as decode returns it.
-- #endregion
-- #region dependsOnSender
-- A message that both sides send needs the sender: their packets differ.
-- #endregion
-- #region connection
-- Without a connection it is the first packet of one.
-- #endregion
function M.encode(name, message, header--[[sender{]], sender--[[}]]--[[connection{]], connection--[[}]])
  local ok, packet = pcall(send, name, message, header--[[sender{]], sender--[[}]]--[[connection{]], connection--[[}]])
  if ok then return packet end
  if getmetatable(packet) ~= wire_error then error(packet, 0) end
  return nil, packet
end
-- #endregion

-- #region splitting
--- Finds the packets in a stream, however they are merged and split.
-- push(string) takes what has arrived; next() returns a packet, nil if more bytes are needed, or nil and an error, and then
-- always that; finish() says that the stream has ended: true, or nil and an error inside a packet.
function M.splitter(sender--[[connection{]], connection--[[}]])
  if not senders[sender] then error("the sender is \"client\" or \"server\"", 2) end
  -- #region connection
  connection = connection or M.connection()
  -- #endregion
  -- #region frames
  local buffer, position, pieces, held, failure = "", 1, {}, 0, nil
  local frame = new_frame()
  -- #endregion
  -- #region !frames
  --| local buffer, position, pieces, held, needed, failure = "", 1, {}, 0, 1, nil
  -- #region connection
  --| local shape
  -- #endregion
  -- #endregion
  local splitter = {}
  function splitter:push(s) pieces[#pieces + 1], held = s, held + #s end
  --[[packets{]]local function next_packet--[[}]]--[[!packets{function splitter:next}]]()
    if failure then return nil, failure end
    -- #region frames
    local ok, packet = pcall(function()
      while true do
        local whole
        if position > #buffer then
          if held == 0 then return nil end
          buffer, position, pieces, held = concat(pieces), 1, {}, 0
        end
        position, whole = unframe(buffer, position, frame)
        if whole then
          local done = frame
          frame = new_frame()
          return unframed(done, sender--[[connection{]], connection--[[}]])
        end
      end
    end)
    if ok then return packet end
    if getmetatable(packet) ~= wire_error then error(packet, 0) end
    failure = packet
    return nil, failure
    -- #endregion
    -- #region !frames
    -- #region connection
    --| -- How much is needed depends on the shape of the packet, which the other side's packets may change.
    --| local now = shape_of(sender, connection)
    --| if now ~= shape then shape, needed = now, 1 end
    -- #endregion
    --| local left = #buffer - position + 1
    --| local packet, following, more
    --| -- What is held is joined only for a packet that may be whole then, so that no byte is copied often.
    --| if left > 0 and left >= needed then
    --|   packet, following, more = M.decode(buffer, sender, position--[[connection{]], connection--[[}]])
    --|   if not packet and not following then needed = left + (more or 1) end
    --| end
    --| if not packet and not following and held > 0 and left + held >= needed then
    --|   buffer, position, pieces, held = sub(buffer, position) .. concat(pieces), 1, {}, 0
    --|   packet, following, more = M.decode(buffer, sender, position--[[connection{]], connection--[[}]])
    --|   if not packet and not following then needed = #buffer + (more or 1) end
    --| end
    --| if packet then
    --|   position, needed = following, 1
    --|   return packet
    --| end
    --| failure = following
    --| return nil, failure
    -- #endregion
  end
  -- #region packets
  -- Packets in another one come one by one in its place; the next of them is the last one here.
  local inner = {}
  function splitter:next()
    while true do
      local packet = table.remove(inner)
      local e
      if not packet then packet, e = next_packet() end
      if not packet or not packet.packets then return packet, e end
      for i = #packet.packets, 1, -1 do inner[#inner + 1] = packet.packets[i] end
    end
  end
  -- #endregion
  function splitter:finish()
    -- #region frames
    if not failure and inside_frame(frame) then failure = fault("end_of_stream", "", frame.n) end
    -- #endregion
    -- #region !frames
    --| if not failure and #buffer - position + 1 + held > 0 then failure = fault("end_of_stream", "", #buffer - position + 1 + held) end
    -- #endregion
    if failure then return nil, failure end
    return true
  end
  return splitter
end
-- #endregion

-- #region flags
--- Whether flags have all bits of a mask.
function M.has(v, mask)
  local high, low = halves(v)
  local mask_high, mask_low = halves(mask)
  return covers(high, mask_high) and covers(low, mask_low)
end
-- #endregion

return M
