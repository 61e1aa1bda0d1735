-- SPDX-License-Identifier: Apache-2.0

-- Takes part in conversations whose packets have layers. Each line of input is one: {"keys":{"session":"00ff"},"seed":7,"packets":
-- [{"from":"client","hex":"00…"}],"bad":{"from":"client","hex":"00…"}}. The packets are read one by one, and by splitters of both sides,
-- cut in many ways. What was read is written again, by a new connection; that is printed, and the error of the packet that ends it.

local folder = string.match(arg[0], "^.*/")
local wire, packages = dofile(arg[1]), dofile(folder .. "packages.lua")
-- The layers and options that the module needs.
local needed = {}
for name in string.gmatch(arg[2], "[%w_]+") do needed[name] = true end

local function bytes(hex)
  return (string.gsub(hex, "%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function hex(s) return (string.gsub(s, ".", function(c) return string.format("%02x", string.byte(c)) end)) end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b or a ~= a and b ~= b end
  for key, v in pairs(a) do if not same(v, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

local function connection(line)
  local options, layers = {}, {}
  for name, make in pairs(packages.layers) do if needed[name] then layers[name] = make end end
  if next(layers) then options.layers = layers end
  if needed.aes then options.aes = packages.aes end
  local members = string.match(line, '"keys":(%b{})')
  for name, key in string.gmatch(members, '"([%w_]+)":"(%x+)"') do
    options.keys = options.keys or {}
    options.keys[name] = bytes(key)
  end
  return assert(wire.connection(nil, options))
end

-- The packets in a packet in its place, in their order.
local function flat(packets, found)
  found = found or {}
  for _, packet in ipairs(packets) do
    if packet.packets then flat(packet.packets, found) else found[#found + 1] = packet end
  end
  return found
end

local function next_random(state) return state * 48271 % 2147483647 end

-- Both sides' splitters of one connection get the packets in their order, in pieces whose sizes a function gives.
local function split(line, packets, size)
  local own, splitters, found = connection(line), {}, {}
  for _, from in ipairs({ "client", "server" }) do splitters[from] = wire.splitter(from, own) end
  for _, packet in ipairs(packets) do
    local splitter, p = splitters[packet.from], 1
    while p <= #packet.bytes do
      local count = size()
      splitter:push(string.sub(packet.bytes, p, p + count - 1))
      p = p + count
      for each in splitter.next, splitter do found[#found + 1] = each end
    end
  end
  return found, splitters
end

local function check(line)
  local packets, expected, reader, writer = {}, {}, connection(line), connection(line)
  local state = tonumber(string.match(line, '"seed":(%d+)'))
  local bad_from, bad_hex = string.match(line, '"bad":{"from":"(%a+)","hex":"(%x+)"')
  for from, text in string.gmatch(string.match(line, '"packets":(%b[])'), '"from":"(%a+)","hex":"(%x+)"') do
    packets[#packets + 1] = { from = from, bytes = bytes(text) }
  end
  local function random_size()
    state = next_random(state)
    return state % 9 + 1
  end
  local written = {}
  for i, packet in ipairs(packets) do
    -- A packet that has not arrived whole, or is broken, changes nothing of the connection.
    local none = wire.decode(string.sub(packet.bytes, 1, -2), packet.from, 1, reader)
    assert(none == nil)
    local whole, after = wire.decode("?" .. packet.bytes .. "?", packet.from, 2, reader)
    assert(whole, tostring(after))
    assert(after == #packet.bytes + 2 and whole.size == #packet.bytes)
    expected[i] = whole
    local given = whole.message or whole.packets and whole or whole.payload
    local again, e = wire.encode(whole.name or whole.id, given, whole.header, packet.from, writer)
    assert(again, tostring(e))
    written[i] = hex(again)
  end
  expected = flat(expected)
  for _, size in ipairs({ function() return 1 end, function() return 1048576 end, random_size }) do
    local found, splitters = split(line, packets, size)
    assert(same(found, expected), "other packets")
    if bad_from then
      splitters[bad_from]:push(bytes(bad_hex))
      local none, e = splitters[bad_from]:next()
      local ended, last = splitters[bad_from]:finish()
      assert(none == nil and ended == nil and e == last)
      written[#packets + 1] = e.kind .. "," .. e.path .. "," .. (e.offset or -1)
    else
      assert(splitters.client:finish() and splitters.server:finish())
    end
  end
  -- Cut inside of the last packet.
  local last = packets[#packets] or { bytes = "" }
  for stop = 1, #last.bytes - 1, math.max(1, math.floor(#last.bytes / 40)) do
    packets[#packets] = { from = last.from, bytes = string.sub(last.bytes, 1, stop) }
    local found, splitters = split(line, packets, function() return 1048576 end)
    local ok, e = splitters[last.from]:finish()
    assert(#found <= #expected)
    assert(not ok and e.kind == "end_of_stream" and e.path == "" or arg[3] == "framed", stop)
  end
  print(table.concat(written, " "))
end

for line in io.lines() do check(line) end
