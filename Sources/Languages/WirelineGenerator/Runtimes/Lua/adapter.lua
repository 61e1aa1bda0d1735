-- SPDX-License-Identifier: Apache-2.0

-- Asks generated Lua on behalf of `wire conform`: it converts JSON to messages and back. For its marks see runtime.lua.

-- What follows stands for the generated module, and for the tables that the generator makes.
local wire = {}
local senders_differ, has_wide_ids = false, false
local has_connection = false
local CONNECTION_OPTIONS = nil

-- #region json
-- JSON, in which objects keep the order of their members, and integers all digits

local null = {}
local object_type, array_type, digits_type, float_type = {}, {}, {}, {}
object_type.__index = object_type

local function object() return setmetatable({ keys = {}, members = {} }, object_type) end

function object_type:get(key) return self.members[key] end

function object_type:set(key, v)
  if self.members[key] == nil then self.keys[#self.keys + 1] = key end
  self.members[key] = v
end

local function array() return setmetatable({}, array_type) end
local function float(v) return setmetatable({ value = v }, float_type) end
local function is_object(v) return getmetatable(v) == object_type end
local function is_array(v) return getmetatable(v) == array_type end
local function is_digits(v) return getmetatable(v) == digits_type end
local function is_float(v) return getmetatable(v) == float_type end

-- The number of decimal digits; beyond 53 bits it keeps them, and those of -0, whose sign is that of a float.
local function number_from(digits)
  local v = tonumber(digits)
  if v >= -9007199254740991 and v <= 9007199254740991 and digits ~= "-0" then return v end
  return setmetatable({ digits = digits }, digits_type)
end

-- LuaJIT reads no exponent of many digits.
local function float_from(text)
  local short = string.gsub(string.gsub(text, "([eE][-+]?)0+(%d)", "%1%2"), "([eE][-+]?)%d%d%d%d%d%d+", "%199999")
  return float(tonumber(short))
end

local function integer_text(v)
  if is_digits(v) then return v.digits end
  if type(v) == "string" then return v end
  return string.format(math.type and math.type(v) == "integer" and "%d" or "%.0f", v)
end

local function utf8_of(c)
  if c < 128 then return string.char(c) end
  local text, most = "", 64
  while c >= most do
    text, c = string.char(128 + c % 64) .. text, math.floor(c / 64)
    most = most / 2
  end
  return string.char((most == 32 and 192 or most == 16 and 224 or 240) + c) .. text
end

local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function parse_string(text, p)
  local parts = {}
  while true do
    local q = string.find(text, '["\\]', p)
    parts[#parts + 1] = string.sub(text, p, q - 1)
    if string.sub(text, q, q) == '"' then return table.concat(parts), q + 1 end
    local mark = string.sub(text, q + 1, q + 1)
    p = q + 2
    if mark == "u" then
      local c = tonumber(string.sub(text, p, p + 3), 16)
      p = p + 4
      if c >= 55296 and c < 56320 then
        c = 65536 + (c - 55296) * 1024 + tonumber(string.sub(text, p + 2, p + 5), 16) - 56320
        p = p + 6
      end
      parts[#parts + 1] = utf8_of(c)
    else
      parts[#parts + 1] = escapes[mark] or mark
    end
  end
end

local function parse_value(text, p)
  p = string.find(text, "%S", p)
  local mark = string.sub(text, p, p)
  if mark == '"' then return parse_string(text, p + 1) end
  if mark == "[" or mark == "{" then
    local made, close = mark == "[" and array() or object(), mark == "[" and "]" or "}"
    p = string.find(text, "%S", p + 1)
    while string.sub(text, p, p) ~= close do
      if string.sub(text, p, p) == "," then p = p + 1 end
      local key, v
      if mark == "{" then
        key, p = parse_value(text, p)
        p = string.find(text, ":", p, true) + 1
      end
      v, p = parse_value(text, p)
      if key then made:set(key, v) else made[#made + 1] = v end
      p = string.find(text, "%S", p)
    end
    return made, p + 1
  end
  local digits = string.match(text, "^%-?%d+", p)
  if digits and not string.find(text, "^[.eE]", p + #digits) then return number_from(digits), p + #digits end
  local number_text = string.match(text, "^%-?%d[-+0-9.eE]*", p)
  if number_text then return float_from(number_text), p + #number_text end
  for word, v in pairs({ ["true"] = true, ["false"] = false }) do
    if string.sub(text, p, p + #word - 1) == word then return v, p + #word end
  end
  if string.sub(text, p, p + 3) == "null" then return null, p + 4 end
  error("no JSON")
end

local function parse(text) return (parse_value(text, 1)) end

local function print_string(v)
  return '"' .. string.gsub(v, '[%c"\\]', function(c) return string.format("\\u%04x", string.byte(c)) end) .. '"'
end

local function print_float(v)
  if v ~= v then return '"NaN"' end
  if v == math.huge then return '"Infinity"' end
  if v == -math.huge then return '"-Infinity"' end
  if v == 0 and 1 / v < 0 then return "-0.0" end
  return string.format("%.17g", v)
end

local function print_json(v)
  if v == null then return "null" end
  if type(v) == "boolean" then return tostring(v) end
  if type(v) == "string" then return print_string(v) end
  if is_float(v) then return print_float(v.value) end
  if type(v) == "number" then
    local text = integer_text(v)
    if v > 9007199254740991 or v < -9007199254740991 then return print_string(text) end
    return text
  end
  if is_digits(v) then return print_string(v.digits) end
  local parts = {}
  if is_array(v) then
    for i = 1, #v do parts[i] = print_json(v[i]) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for i, key in ipairs(v.keys) do parts[i] = print_string(key) .. ":" .. print_json(v.members[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

local function hex(s) return (string.gsub(s, ".", function(c) return string.format("%02x", string.byte(c)) end)) end

local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local function base64(s)
  local parts = {}
  for i = 1, #s, 3 do
    local a, b, c = string.byte(s, i, i + 2)
    local v = (a * 256 + (b or 0)) * 256 + (c or 0)
    local text = ""
    for k = 3, 0, -1 do
      local place = math.floor(v / 64 ^ k) % 64 + 1
      text = text .. string.sub(alphabet, place, place)
    end
    parts[#parts + 1] = c and text or b and string.sub(text, 1, 3) .. "=" or string.sub(text, 1, 2) .. "=="
  end
  return table.concat(parts)
end

-- The bytes of text that `base64` makes; nil for other text.
local function unbase64(text)
  local parts = {}
  for quad in string.gmatch(text, "....") do
    local v = 0
    for k = 1, 4 do
      local mark = string.sub(quad, k, k)
      v = v * 64 + (string.find(alphabet, mark, 1, true) or 1) - 1
    end
    local bytes = string.char(math.floor(v / 65536) % 256, math.floor(v / 256) % 256, v % 256)
    parts[#parts + 1] = string.sub(bytes, 1, 3 - #string.gsub(quad, "[^=]", ""))
  end
  local s = table.concat(parts)
  return base64(s) == text and s or nil
end
-- #endregion

local tables = parse("{}")

-- #region all
-- Messages to JSON

local function refuse(kind, path) error({ refused = true, kind = kind, path = path }, 0) end

local show

local function fields(list, values)
  local shown = object()
  for _, f in ipairs(list) do
    local v = values[f:get("own")]
    if v ~= nil then shown:set(f:get("name"), show(f:get("type"), v)) end
  end
  return shown
end

-- The bits of an integer without a sign, the lowest one first.
local function bits_of(v)
  local digits, bits = integer_text(v), {}
  while digits ~= "" do
    local halved, rest = {}, 0
    for digit in string.gmatch(digits, "%d") do
      local x = rest * 10 + tonumber(digit)
      halved[#halved + 1], rest = string.format("%d", math.floor(x / 2)), x % 2
    end
    digits = string.gsub(table.concat(halved), "^0+", "")
    bits[#bits + 1] = rest == 1
  end
  return bits
end

local function number_of(bits)
  local digits = { 0 }
  for i = 64, 1, -1 do
    local carry = bits[i] and 1 or 0
    for k = 1, #digits do
      local x = digits[k] * 2 + carry
      digits[k], carry = x % 10, x > 9 and 1 or 0
    end
    if carry == 1 then digits[#digits + 1] = 1 end
  end
  return number_from(string.reverse((string.gsub(table.concat(digits, ","), "[^%d]", ""))))
end

local function name(cases, v)
  for _, c in ipairs(cases) do
    if integer_text(c:get("value")) == integer_text(v) then return c:get("name") end
  end
  return v
end

-- The names of the masks that lie wholly inside and add a bit, and one number for the bits that are left.
local function names(cases, v)
  local bits, left, found = bits_of(v), bits_of(v), array()
  local some_left = false
  for _, c in ipairs(cases) do
    local is_inside, adds = true, false
    local mask = bits_of(c:get("value"))
    for i = 1, 64 do
      if mask[i] and not bits[i] then is_inside = false end
      if mask[i] and left[i] then adds = true end
    end
    if is_inside and adds then
      found[#found + 1] = c:get("name")
      for i = 1, 64 do left[i] = left[i] and not mask[i] end
    end
  end
  for i = 1, 64 do some_left = some_left or left[i] end
  if some_left then found[#found + 1] = number_of(left) end
  return found
end

function show(type_of, v)
  if type(type_of) == "table" and type_of ~= null then
    local item, index = type_of:get("list"), nil
    if item then
      local items = array()
      for i = 1, #v do items[i] = show(item, v[i]) end
      return items
    end
    index = type_of:get("structure")
    if index then return fields(tables:get("structures")[index + 1]:get("fields"), v) end
    index = type_of:get("enum")
    if index then return name(tables:get("enumerations")[index + 1]:get("cases"), v) end
    index = type_of:get("flags")
    if index then return names(tables:get("flags")[index + 1]:get("cases"), v) end
    local union = tables:get("unions")[type_of:get("union") + 1]
    for _, arm in ipairs(union:get("arms")) do
      if arm:get("own") == v.kind then
        local shown, own = object(), arm:get("type")
        if own == "kept" then
          local kept = object()
          kept:set("tag", show(union:get("tag"), v.tag))
          kept:set("bytes", base64(v.bytes))
          shown:set(arm:get("name"), kept)
        else
          shown:set(arm:get("name"), own == null and null or show(own, v.value))
        end
        return shown
      end
    end
  end
  if type_of == "bytes" then return base64(v) end
  if type_of == "float32" or type_of == "float64" then return float(v) end
  if type_of == "properties" then
    local shown = object()
    for i = 1, #v do shown:set(v[i], v[v[i]]) end
    return shown
  end
  return v
end

local function message_named(list_name)
  for _, m in ipairs(tables:get("messages")) do
    if m:get("name") == list_name or m:get("other") == list_name then return m end
  end
end

local line_of

function line_of(packet)
  local header, shown = object(), object()
  for _, f in ipairs(tables:get("header")) do
    local v = packet.header[f:get("own")]
    if v ~= nil then header:set(f:get("name"), show(f:get("type"), v)) end
  end
  shown:set("message", packet.name or null)
  shown:set("id", packet.id)
  shown:set("header", header)
  if packet.packets then
    local inner = array()
    for i, each_packet in ipairs(packet.packets) do inner[i] = line_of(each_packet) end
    shown:set("packets", inner)
    return shown
  elseif not packet.name then
    shown:set("payload", hex(packet.payload))
    return shown
  end
  local known = message_named(packet.name)
  shown:set("fields", fields(known:get("fields"), packet.message))
  local trailing = known:get("trailing") ~= null and packet.message[known:get("trailing")]
  if trailing then shown:set("trailing", hex(trailing)) end
  return shown
end

-- JSON to messages

local read

local function is_integer_text(v) return v == "0" or v == "-0" or string.find(v, "^%-?[1-9]%d*$") ~= nil end

-- An integer; if its type has more than 53 bits, it may be a string in JSON. None is beyond 128 bits.
local function integer(v, wide, path)
  if type(v) == "string" and wide then
    if not is_integer_text(v) then refuse("not_an_integer", path) end
    v = number_from(v)
  end
  if is_float(v) then refuse("not_an_integer", path) end
  if not is_digits(v) and type(v) ~= "number" then refuse("wrong_kind", path) end
  if not is_digits(v) then return v end
  local magnitude = string.gsub(v.digits, "^%-", "")
  local most = magnitude == v.digits and "170141183460469231731687303715884105727" or "170141183460469231731687303715884105728"
  if #magnitude > #most or #magnitude == #most and magnitude > most then refuse("number_too_large", path) end
  if magnitude == "0" then return 0 end
  return wide and v.digits or tonumber(v.digits)
end

local function number(choice, v, path)
  for _, c in ipairs(choice:get("cases")) do
    if c:get("name") == v then return integer(c:get("value"), true, path) end
  end
  if type(v) == "string" and not is_integer_text(v) then refuse("unknown_name", path) end
  return integer(v, choice:get("wide"), path)
end

local function values(list, given, path)
  if not is_object(given) then refuse("wrong_kind", path) end
  for _, key in ipairs(given.keys) do
    local found = false
    for _, f in ipairs(list) do found = found or f:get("name") == key end
    if not found then refuse("unknown_key", path) end
  end
  local made = {}
  for _, f in ipairs(list) do
    local v, place = given:get(f:get("name")), path .. "." .. f:get("name")
    if v == nil or v == null and f:get("optional") then
      if not f:get("optional") and not f:get("since") then refuse("missing", place) end
    else
      made[f:get("own")] = read(f:get("type"), v, place)
    end
  end
  return made
end

local function choice(union, v, path)
  if not is_object(v) or #v.keys ~= 1 then refuse("not_one_arm", path) end
  local key = v.keys[1]
  local value, place = v:get(key), path .. "." .. key
  for _, arm in ipairs(union:get("arms")) do
    if arm:get("name") == key then
      local own = arm:get("type")
      if own == null then
        if value ~= null then refuse("wrong_kind", place) end
        return { kind = arm:get("own") }
      end
      if own ~= "kept" then return { kind = arm:get("own"), value = read(own, value, place) } end
      if not is_object(value) then refuse("wrong_kind", place) end
      for _, name_of_part in ipairs({ "tag", "bytes" }) do
        if value:get(name_of_part) == nil then refuse("missing", place .. "." .. name_of_part) end
      end
      local bytes = read("bytes", value:get("bytes"), place .. ".bytes")
      return { kind = arm:get("own"), tag = read(union:get("tag"), value:get("tag"), place .. ".tag"), bytes = bytes }
    end
  end
  refuse("unknown_key", path)
end

function read(type_of, v, path)
  if type(type_of) == "table" and type_of ~= null then
    local item, index = type_of:get("list"), nil
    if item then
      if not is_array(v) then refuse("wrong_kind", path) end
      local items = {}
      for i = 1, #v do items[i] = read(item, v[i], path .. "[" .. (i - 1) .. "]") end
      return items
    end
    index = type_of:get("structure")
    if index then return values(tables:get("structures")[index + 1]:get("fields"), v, path) end
    index = type_of:get("enum")
    if index then return number(tables:get("enumerations")[index + 1], v, path) end
    index = type_of:get("flags")
    if index then
      if not is_array(v) then refuse("wrong_kind", path) end
      local bits = {}
      for i = 1, #v do
        local some = bits_of(number(tables:get("flags")[index + 1], v[i], path))
        for k = 1, 64 do bits[k] = bits[k] or some[k] end
      end
      return integer(number_of(bits), true, path)
    end
    return choice(tables:get("unions")[type_of:get("union") + 1], v, path)
  end
  if type_of == "integer" or type_of == "wide" then return integer(v, type_of == "wide", path) end
  if type_of == "float32" or type_of == "float64" then
    if v == "NaN" then return 0 / 0 end
    if v == "Infinity" then return math.huge end
    if v == "-Infinity" then return -math.huge end
    local number = is_float(v) and v.value or is_digits(v) and tonumber(v.digits .. ".0") or v
    if type(number) ~= "number" then refuse("wrong_kind", path) end
    if math.abs(number) == math.huge then refuse("number_too_large", path) end
    return number
  end
  if type_of == "properties" then
    if not is_object(v) then refuse("wrong_kind", path) end
    local made = {}
    for i, key in ipairs(v.keys) do made[i], made[key] = key, v:get(key) end
    return made
  end
  if type_of == "bytes" then
    local made = type(v) == "string" and unbase64(v)
    if not made then refuse("wrong_kind", path) end
    return made
  end
  if type(v) ~= (type_of == "boolean" and "boolean" or "string") then refuse("wrong_kind", path) end
  return v
end

local function bytes(text)
  if not string.find(text, "^%x*$") or #text % 2 == 1 then refuse("wrong_kind", "") end
  return (string.gsub(text, "%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

-- #region layers
-- Layers

local function absent(name) error({ skipped = name }, 0) end

local function absent_layer(name)
  local function skip() absent(name) end
  return function() return { open = skip, seal = skip } end
end

local function found(name)
  local ok, package_table = pcall(require, name)
  return ok and package_table or absent(name)
end
-- #region inflating

-- What the package lua-zlib has. Bytes are given one by one, so that no more than the limit is made.
local function zlib_layer(window)
  local layer = {}
  function layer:open(sealed, _, limit)
    local inflate, parts, size, at_end = found("zlib").inflate(window), {}, 0, false
    for p = 1, #sealed do
      if at_end then return nil, "trailing_bytes" end
      local ok, part, ended = pcall(inflate, string.sub(sealed, p, p))
      if not ok then return nil end
      parts[p], size, at_end = part, size + #part, ended
      if size > limit then return nil, "inflated_too_long" end
    end
    return at_end and table.concat(parts) or nil
  end
  function layer:seal(content) return (found("zlib").deflate(-1, window)(content, "finish")) end
  return function() return layer end
end
-- #endregion
-- #region aes

-- What the package lua-luaossl has.
local function aes(key, blocks, encrypts)
  local cipher = found("openssl.cipher").new("aes-" .. 8 * #key .. "-ecb")
  if encrypts then cipher:encrypt(key, nil, false) else cipher:decrypt(key, nil, false) end
  return assert(cipher:update(blocks)) .. assert(cipher:final())
end
-- #endregion

-- #endregion
-- #region layers
-- The states of a question begin anew, and so do its keys.
-- #endregion
-- #region !layers
--| -- The states of a question begin anew.
-- #endregion
local function connection_of(request)
  local states = {}
  local given = request:get("state") or object()
  for _, name in ipairs(given.keys) do states[name] = integer(given:get(name), true, "state." .. name) end
  -- #region layers
  local connection = wire.connection(states, { CONNECTION_OPTIONS })
  -- #region keys
  local keys = request:get("keys") or object()
  for _, name in ipairs(keys.keys) do
    local sender, own = string.match(name, "^(%a+)%.(.+)$")
    if sender ~= "client" and sender ~= "server" then sender, own = nil, name end
    local ok, e = connection:set_key(own, bytes(keys:get(name)), sender)
    if not ok then refuse(e.kind, e.path) end
  end
  -- #endregion
  return connection
  -- #endregion
  -- #region !layers
  --| return wire.connection(states)
  -- #endregion
end

-- Answers

local function settable(line, path)
  local given, header = line:get("header") or object(), {}
  for _, f in ipairs(tables:get("header")) do
    local v = given:get(f:get("name"))
    if f:get("settable") and v ~= nil then header[f:get("own")] = read(f:get("type"), v, path .. f:get("name")) end
  end
  return header
end

-- A packet as `decode` returns it, at a path.
local packet_of

function packet_of(line, path)
  local own = line:get("message")
  if own == nil or own == null then
    local id = integer(line:get("id") or 0, true, path .. "id")
    local digits, most = integer_text(id), "18446744073709551615"
    local fits = not string.find(digits, "^%-") and (#digits < #most or #digits == #most and digits <= most)
    if not fits then refuse("out_of_range", path .. "id") end
    local packet = { id = has_wide_ids and id or tonumber(id) }
    packet.header = settable(line, path .. "header.")
    if is_array(line:get("packets")) then
      packet.packets = {}
      for i, inner in ipairs(line:get("packets")) do packet.packets[i] = packet_of(inner, path .. "packets[" .. (i - 1) .. "].") end
    else
      packet.payload = bytes(line:get("payload") or "")
    end
    return packet
  end
  local known = message_named(own)
  if not known then refuse("unknown_message", path .. own) end
  local message = values(known:get("fields"), line:get("fields") or object(), path .. own)
  local trailing = line:get("trailing")
  if known:get("trailing") ~= null and trailing and trailing ~= null then
    message[known:get("trailing")] = bytes(trailing)
  end
  return { name = known:get("name"), message = message, header = settable(line, path .. own .. ".header.") }
end

-- A fault of the header, or of the packet as a whole, is one of the message that was to be written.
local function named(path, given)
  if not given.name then
    local i, rest = string.match(path, "^packets%[(%d+)%]%.?(.*)$")
    if not i or not given.packets then return path end
    rest = named(rest, given.packets[i + 1])
    return "packets[" .. i .. "]" .. (rest ~= "" and "." or "") .. rest
  end
  if path == "" then return given.name end
  local is_of_packet = string.find(path, "^packet%.") and given.name ~= "packet"
  return (path == "packets" or path == "opaque" or is_of_packet) and given.name .. "." .. path or path
end

local function encode(line, sender, connection)
  local given = packet_of(line, "")
  local message = given.message or given.packets and given or given.payload
  local packet, e = wire.encode(given.name or given.id, message, given.header, senders_differ and sender or nil, connection)
  if e then e.path = named(e.path, given) end
  return packet, e
end

local function failure(id, e)
  local reply = object()
  reply:set("id", id)
  reply:set("reply", "error")
  reply:set("error", e.kind)
  if e.path ~= "" then reply:set("field", e.path) end
  if e.offset then reply:set("offset", e.offset) end
  if not e.refused then reply:set("text", tostring(e)) end
  return reply
end

local function answer(id, request)
  local ask, sender, reply = request:get("ask"), request:get("from") == "server" and "server" or "client", object()
  reply:set("id", id)
  local connection = has_connection and connection_of(request) or nil
  if ask == "decode" then
    local packet, e = wire.decode(bytes(request:get("hex") or ""), sender, 1, connection)
    if not packet then
      if e then return failure(id, e) end
      reply:set("reply", "more")
      return reply
    end
    reply:set("reply", "ok")
    reply:set("count", packet.size)
    reply:set("line", line_of(packet))
  elseif ask == "encode" then
    local packet, e = encode(request:get("line") or object(), sender, connection)
    if not packet then return failure(id, e) end
    reply:set("reply", "ok")
    reply:set("hex", hex(packet))
  else
    reply:set("reply", "skip")
    reply:set("text", "this question is not known")
  end
  return reply
end

for text in io.lines() do
  local is_json, request = pcall(parse, text)
  local reply
  if is_json and is_object(request) then
    local id = request:get("id") or null
    local ok, result = pcall(answer, id, request)
    if not ok then
      if type(result) ~= "table" or not (result.refused or result.skipped) then error(result, 0) end
      if result.refused then
        result = failure(id, result)
      else
        local lacking = result.skipped
        result = object()
        result:set("id", id)
        result:set("reply", "skip")
        result:set("text", "this script does not have " .. lacking)
      end
    end
    reply = result
  else
    reply = object()
    reply:set("id", null)
    reply:set("reply", "skip")
    reply:set("text", "this is no JSON")
  end
  io.write(print_json(reply), "\n")
  io.flush()
end
-- #endregion
