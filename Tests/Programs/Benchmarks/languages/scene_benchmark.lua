-- SPDX-License-Identifier: Apache-2.0
-- Compares the generated module of Scene with code written by hand. Prints CASE IMPLEMENTATION NANOSECONDS a line.
-- The other code calls string.pack and string.unpack once for each packet, and checks nothing. It needs Lua 5.3 or later.

local scene = require("scene_protocol")
local seconds = tonumber(arg[1]) / 1000
local FORMAT = ">I4I2BI4BBBI4s2"

local function measure(case, implementation, work)
  local count = 1
  while true do
    local start = os.clock()
    for _ = 1, count do work() end
    local elapsed = os.clock() - start
    if elapsed >= seconds then
      print(case .. "\t" .. implementation .. "\t" .. elapsed / count * 1e9)
      return
    end
    count = math.max(count + 1, count * math.min(100, seconds / math.max(elapsed, 1e-6) * 1.1) // 1)
  end
end

local function encode_by_hand(m)
  return string.pack(FORMAT, 20 + #m.message, 20001, m.Res, m.SceneId, m.Pos, m.Status, m.Type, m.DefaultCombat, m.message)
end

local function decode_by_hand(bytes) return string.unpack(FORMAT, bytes) end

for _, size in ipairs({ 16, 1024 }) do
  local message = {
    Res = 1, SceneId = 70000, Pos = 2, Status = 10, Type = 3, DefaultCombat = 4000000000, message = ("x"):rep(size),
  }
  local packet = assert(scene.encode("Sc_20001", message))
  assert(packet == encode_by_hand(message), "both write the same bytes")
  local read = assert(scene.decode(packet, "server")).message
  local by_hand = { decode_by_hand(packet) }
  for index, name in ipairs({ "Res", "SceneId", "Pos", "Status", "Type", "DefaultCombat", "message" }) do
    assert(read[name] == message[name] and by_hand[index + 2] == message[name], "both read the same message")
  end
  measure("encode_" .. size, "wireline", function() return scene.encode("Sc_20001", message) end)
  measure("encode_" .. size, "by hand", function() return encode_by_hand(message) end)
  measure("decode_" .. size, "wireline", function() return scene.decode(packet, "server") end)
  measure("decode_" .. size, "by hand", function() return decode_by_hand(packet) end)
end
