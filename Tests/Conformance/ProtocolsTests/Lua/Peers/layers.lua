-- SPDX-License-Identifier: Apache-2.0

-- Checks what a program sees of layers: functions and keys that it must give, their limits, and packets in packets.

local wire, game = dofile(arg[1]), dofile(arg[2])

-- Takes the place of brotli: each byte is there twice.
local function doubling()
  local layer = {}
  function layer:open(sealed, _, limit)
    local content = string.gsub(sealed, "(.)%1", "%1")
    if #content * 2 ~= #sealed or string.gsub(content, ".", "%0%0") ~= sealed then return nil end
    if #content > limit then return nil, "inflated_too_long" end
    return content
  end
  function layer:seal(content) return (string.gsub(content, ".", "%0%0")) end
  return layer
end

local function boundless()
  local layer = doubling()
  function layer:open(_, _, limit) return string.rep("\0", limit + 1) end
  return layer
end

local function followed()
  local layer = doubling()
  function layer:open() return nil, "trailing_bytes" end
  return layer
end

local function connection(layer) return wire.connection(nil, { layers = { brotli = layer } }) end

local function refused(kind, path, missing, none, e)
  assert(none == nil and e.kind == kind and e.path == path and e.missing == missing, tostring(e))
  return e
end

-- Names that are not known are the program's faults.
assert(not pcall(wire.connection, nil, { keys = {} }))
assert(not pcall(wire.connection, nil, { layers = { brotly = doubling } }))

local function note(text) return { name = "Notification", message = { Body = text } } end

local last = note("c")
last.header = { Sequence = 7 }
local inside = { id = 5, packets = { note("b"), last }, header = { Version = 2 } }
local layer = { layers = { brotli = doubling, zlib = doubling } }
local sealed = assert(wire.encode(5, { packets = { note("a"), inside } }, { Version = 3 }, nil, wire.connection(nil, layer)))
local opened = assert(wire.decode(sealed, "server", 1, wire.connection(nil, layer)))
assert(opened.name == nil and opened.id == 5 and opened.payload == nil and #opened.packets == 2)
assert(opened.packets[1].name == "Notification" and #opened.packets[2].packets == 2)
local again = assert(wire.encode(opened.id, opened, opened.header, "server", wire.connection(nil, layer)))
assert(again == sealed)

local splitter = wire.splitter("server", wire.connection(nil, layer))
local both, found = sealed .. sealed, {}
for p = 1, #both, 7 do
  splitter:push(string.sub(both, p, p + 6))
  for packet in splitter.next, splitter do found[#found + 1] = packet.message.Body .. packet.header.Sequence end
end
assert(table.concat(found, " ") == "a0 b0 c7 a0 b0 c7" and splitter:finish())

-- What is missing, and what is wrong, has one name in all languages.
local e = refused("layer_unavailable", "packet.brotli", "layers.brotli", wire.decode(sealed, "server"))
assert(tostring(e) == "packet.brotli: layer_unavailable; the connection has no layers.brotli", tostring(e))
refused("layer_unavailable", "packet.brotli", "layers.brotli", wire.encode(5, { packets = {} }, { Version = 3 }))
local damaged = string.sub(sealed, 1, -2) .. string.char((string.byte(sealed, -1) + 1) % 256)
refused("invalid_layer", "packet.brotli", nil, wire.decode(damaged, "server", 1, connection(doubling)))
refused("inflated_too_long", "packet.brotli", nil, wire.decode(sealed, "server", 1, connection(boundless)))
refused("trailing_bytes", "packet.brotli", nil, wire.decode(sealed, "server", 1, connection(followed)))
refused("presence", "packets", nil, wire.encode(5, { packets = {} }, {}, "server", connection(doubling)))
refused("wrong_type", "packets", nil, wire.encode(5, { packets = 1 }, { Version = 3 }, "server", connection(doubling)))
refused("wrong_type", "packets[0]", nil, wire.encode(5, { packets = { 1 } }, { Version = 3 }, "server", connection(doubling)))
refused("wrong_type", "packets[1].Notification.Body", nil, wire.encode(5, { packets = { note("a"), note(1) } }, { Version = 3 }, "server", connection(doubling)))
local deep = { packets = { note("a") } }
for _ = 1, 4 do deep = { packets = { { id = 5, packets = deep.packets, header = { Version = 3 } } } } end
refused("too_deep", "packets[0].packets[0].packets[0].packets[0]", nil, wire.encode(5, deep, { Version = 3 }, "server", connection(doubling)))

-- Keys, which belong to the packets of one sender or of both.
local function with_key(key) return assert(game.connection({ keyed = true }, { keys = { session = key } })) end
local login = { account = "lin", password = "secret", client = 1 }
local own = game.connection({ keyed = true })
refused("layer_unavailable", "packet.session", "keys.session", game.encode("Login", login, nil, "client", own))
refused("unknown_key", "key.other", nil, own:set_key("other", "k"))
refused("wrong_key", "key.session", nil, own:set_key("session", ""))
refused("wrong_key", "key.session", nil, own:set_key("session", 7))
refused("wrong_key", "key.session", nil, game.connection(nil, { keys = { session = "" } }))
assert(not pcall(own.set_key, own, "session", "k", "nobody"))
assert(own:set_key("session", "k", "server"))
refused("layer_unavailable", "packet.session", "keys.session", game.encode("Login", login, nil, "client", own))
assert(own:set_key("session", "k"))
local packet = assert(game.encode("Login", login, nil, "client", own))
assert(packet == game.encode("Login", login, nil, "client", with_key("k")))
assert(game.decode(packet, "client", 1, with_key("k")).message.account == "lin")

-- A program's fault in a function is not taken for a fault of the bytes.
local function faulty() return { open = function() error("a fault") end } end
local ok, text = pcall(wire.decode, sealed, "server", 1, connection(faulty))
assert(not ok and string.find(text, "a fault", 1, true))

-- A mebibyte is enciphered within the time of a script.
local payload = string.rep("0123456789abcdef", 3000)
local start = os.clock()
for _ = 1, 20 do
  local one = assert(game.encode(999, payload, nil, "client", with_key("0123456789abcdef")))
  assert(game.decode(one, "client", 1, with_key("0123456789abcdef")).payload == payload)
end
assert(os.clock() - start < 20)
print("as expected")
