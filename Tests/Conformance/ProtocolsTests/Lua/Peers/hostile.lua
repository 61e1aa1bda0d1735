-- SPDX-License-Identifier: Apache-2.0

-- Gives bytes that nobody means well with to modules: none raises an error, takes memory for what it only announces, or takes long.

local features, scene = dofile(arg[1]), dofile(arg[2])

local function memory()
  collectgarbage()
  collectgarbage()
  return collectgarbage("count")
end

-- A list of 2^32 - 1 items, and lengths that are only announced.
local before = memory()
for _, name in ipairs({ "client", "server" }) do
  for _, module in ipairs({ features, scene }) do
    local state = 7
    local function random(n)
      state = state * 48271 % 2147483647
      return state % n
    end
    for _ = 1, 4000 do
      local parts = {}
      for i = 1, random(40) do parts[i] = string.char(random(3) == 0 and 255 or random(256)) end
      local s = table.concat(parts)
      local packet, e = module.decode(s, name)
      assert(packet == nil or packet.size <= #s)
      assert(e == nil or type(e) == "number" or type(e.kind) == "string" and e.offset >= 0 and e.offset <= #s)
    end
  end
end
assert(memory() - before < 2000, "bytes took memory")

-- A packet of nearly a mebibyte that comes byte by byte, and many packets that come at once, take linear time.
local large, small = scene.encode(7, string.rep("a", 500000)), scene.encode(7, "")
local started = os.clock()
local splitter, found = scene.splitter("client"), 0
for i = 1, #large do
  splitter:push(string.sub(large, i, i))
  if splitter:next() then found = found + 1 end
end
splitter:push(string.rep(small, 50000))
for _ = 1, 50000 do
  splitter:push(string.sub(small, 1, 1))
  splitter:push(string.sub(small, 2))
  if splitter:next() then found = found + 1 end
end
while splitter:next() do found = found + 1 end
assert(found == 100001 and splitter:finish())
-- Square time would be minutes.
assert(os.clock() - started < 20, "a stream takes long")
print("harmless")
