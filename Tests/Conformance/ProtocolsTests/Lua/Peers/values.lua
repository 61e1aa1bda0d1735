-- SPDX-License-Identifier: Apache-2.0

-- Values that only Lua's own programs can give: of other types, integers as digits, tables with holes in their meaning.

local features, scene = dofile(arg[1]), dofile(arg[2])
local has_integers = 9007199254740993 % 2 == 1

local function numbers(name, v)
  local m = {
    u8 = 1, u16 = 2, u24 = 3, u32 = 4, u64 = 5, i8 = 6, i16 = 7, i24 = 8, i32 = 9, i64 = 10, f32 = 0.5, f64 = 0.25, yes = true,
    v = 300,
  }
  m[name] = v
  return m
end

local function refused(module, kind, path, ...)
  local bytes, e = module.encode(...)
  assert(bytes == nil and e.kind == kind and e.path == path and e.offset == nil, tostring(e))
  assert(tostring(e) == (path ~= "" and path .. ": " or "") .. kind)
end

-- What is written, and read again: the only form of it.
local function kept(name, v, expected)
  local packet = assert(features.decode(assert(features.encode("Cs_1", numbers(name, v))), "client"))
  assert(packet.message[name] == expected and type(packet.message[name]) == type(expected), tostring(packet.message[name]))
end

-- Integers beyond what the interpreter holds are digits, others never.
local most = has_integers and math.maxinteger or "9223372036854775807"
kept("u64", "18446744073709551615", "18446744073709551615")
kept("u64", "9223372036854775808", "9223372036854775808")
kept("u64", "9223372036854775807", most)
kept("u64", has_integers and math.tointeger("9007199254740992") or "9007199254740992", has_integers and math.tointeger("9007199254740992") or "9007199254740992")
kept("u64", "9007199254740991", 9007199254740991)
kept("u64", "007", 7)
kept("u64", "0", 0)
kept("i64", "-9223372036854775808", has_integers and math.mininteger or "-9223372036854775808")
kept("i64", "-9007199254740991", -9007199254740991)
kept("i64", "-1", -1)
kept("i64", -1, -1)
kept("v", "18446744073709551615", "18446744073709551615")
if not has_integers then refused(features, "out_of_range", "Cs_1.u64", "Cs_1", numbers("u64", 9007199254740992)) end
for _, v in ipairs({ "18446744073709551616", "99999999999999999999999", "-1", -1, 0.5, 1 / 0, 0 / 0 }) do
  refused(features, "out_of_range", "Cs_1.u64", "Cs_1", numbers("u64", v))
end
for _, v in ipairs({ "9223372036854775808", "-9223372036854775809" }) do
  refused(features, "out_of_range", "Cs_1.i64", "Cs_1", numbers("i64", v))
end
for _, v in ipairs({ "", "-", "0x10", "1e3", " 1", "1.0", true, {} }) do
  refused(features, "wrong_type", "Cs_1.u64", "Cs_1", numbers("u64", v))
end

-- Numbers are not made of anything else.
refused(features, "out_of_range", "Cs_1.u8", "Cs_1", numbers("u8", 256))
refused(features, "out_of_range", "Cs_1.u8", "Cs_1", numbers("u8", 1.5))
refused(features, "out_of_range", "Cs_1.u32", "Cs_1", numbers("u32", 0 / 0))
refused(features, "wrong_type", "Cs_1.u8", "Cs_1", numbers("u8", "1"))
refused(features, "wrong_type", "Cs_1.yes", "Cs_1", numbers("yes", 1))
refused(features, "wrong_type", "Cs_1.f64", "Cs_1", numbers("f64", "1"))
refused(features, "number_too_large", "Cs_1.f32", "Cs_1", numbers("f32", 3.5e38))
for _, v in ipairs({ 65520, -65520, 1e300, has_integers and math.mininteger or -2 ^ 63 }) do
  refused(features, "number_too_large", "Halves.alone", "Halves", { alone = v })
end
kept("f32", 3.4028234663852886e38, 3.4028234663852886e38)
kept("f32", 1 / 0, 1 / 0)
for _, v in ipairs({ 0 / 0, -(0 / 0) }) do
  local bytes = features.encode("Cs_1", numbers("f32", v))
  assert(string.find(bytes, "\0\0\192\127", 1, true), "a NaN is not the quiet one")
  bytes = features.encode("Cs_1", numbers("f64", v))
  assert(string.find(bytes, "\0\0\0\0\0\0\248\127", 1, true), "a NaN is not the quiet one")
end

-- Text that is no UTF-8: also what some interpreters take for it.
for _, text in ipairs({ "\255", "\237\160\128", "\192\128", "\244\144\128\128", "a\128", "\226\130", "\240\159\152" }) do
  refused(scene, "invalid_utf8", "Cs_20001.message", "Cs_20001", { SceneId = 1, Line = 2, message = text })
end
assert(scene.encode("Cs_20001", { SceneId = 1, Line = 2, message = "\237\159\191\238\128\128\244\143\191\191\0" }))

-- Properties have an order, and a value for each key.
refused(features, "wrong_type", "Lines.lines", "Lines", { kind = 1, lines = { a = "b" } })
refused(features, "wrong_type", "Lines.lines", "Lines", { kind = 1, lines = { "a" } })
refused(features, "duplicate_key", "Lines.lines", "Lines", { kind = 1, lines = { "a", "a", a = "b" } })
refused(features, "invalid_property", "Lines.lines", "Lines", { kind = 1, lines = { "a:", ["a:"] = "b" } })

-- Messages, headers and trailing bytes.
refused(scene, "unknown_message", "Nothing", "Nothing", {})
refused(scene, "wrong_type", "Cs_20001", "Cs_20001", "text")
refused(scene, "wrong_type", "payload", 7, {})
refused(scene, "invalid_message_id", "", 65536, "")
refused(scene, "invalid_message_id", "", -1, "")
refused(scene, "invalid_header_field", "packet.lenght", "Cs_20001", {}, { lenght = 1 })
refused(scene, "wrong_type", "Cs_20001.trailing", "Cs_20001", { SceneId = 1, Line = 2, message = "", trailing = 1 })
refused(scene, "too_long", "Cs_20001.message", "Cs_20001", { SceneId = 1, Line = 2, message = string.rep("a", 65536) })
assert(not pcall(scene.decode, "", "nobody") and not pcall(scene.splitter, nil))

-- A packet at a position, and how many bytes are needed.
local bytes = scene.encode(7, "abc")
local packet, following = scene.decode("xx" .. bytes .. "yy", "client", 3)
assert(packet.name == nil and packet.id == 7 and packet.payload == "abc" and packet.size == 9 and following == 12)
local none, e, more = scene.decode("xx" .. string.sub(bytes, 1, 6), "client", 3)
assert(none == nil and e == nil and more == 3)
-- A header that was read may be written again, with what is computed.
assert(scene.encode(7, "abcdef", packet.header) == scene.encode(7, "abcdef"))

-- Enums have both ways, flags have masks.
assert(features.Mood.angry == 1 and features.Mood[1] == "angry")
assert(features.has(32771, features.Rights.both) and not features.has(1, features.Rights.both) and features.seats == 4)
assert(features.has("18446744073709551615", "9223372036854775808") and not features.has(1, "9223372036854775808"))
assert(features.least == (has_integers and math.mininteger or "-9223372036854775808"))
print("right")
