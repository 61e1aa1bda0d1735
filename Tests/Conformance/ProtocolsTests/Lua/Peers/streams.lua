-- SPDX-License-Identifier: Apache-2.0

-- Sends streams through a generated splitter, cut in many ways. Each line of input is a stream:
-- {"from":"client","state":null,"packets":["00…"],"ends":[0,15],"bad":"00…","seed":7}. The stream may end at the places `ends`.

local wire = dofile(arg[1])

local function bytes(hex)
  return (string.gsub(hex, "%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b or a ~= a and b ~= b end
  for key, v in pairs(a) do if not same(v, b[key]) then return false end end
  for key in pairs(b) do if a[key] == nil then return false end end
  return true
end

local function whole(all) return { all } end

local function singly(all)
  local parts = {}
  for i = 1, #all do parts[i] = string.sub(all, i, i) end
  return parts
end

-- Pieces of random lengths, by a seed; some are empty.
local function pieces(all, seed)
  local parts, state, at = {}, seed, 1
  while at <= #all do
    state = state * 48271 % 2147483647
    parts[#parts + 1] = string.sub(all, at, at + state % 9 - 1)
    at = at + state % 9
  end
  return parts
end

-- A new connection with the states of a stream; nil if the protocol has no states.
local function connection(line)
  local members = string.match(line, '"state":(%b{})')
  if not members then return nil end
  local states = {}
  -- Beyond 53 bits a number is a string in JSON.
  for name, v in string.gmatch(members, '"([%w_]+)":"?(%-?%d+)') do states[name] = #v < 16 and tonumber(v) or v end
  return wire.connection(states)
end

local function split(parts, from, own)
  local splitter, found, failure = wire.splitter(from, own), {}, nil
  for _, part in ipairs(parts) do
    splitter:push(part)
    while true do
      local packet, e = splitter:next()
      failure = e
      if not packet then break end
      found[#found + 1] = packet
    end
    if failure then
      -- It stays failed.
      local packet, e = splitter:next()
      local ended, last = splitter:finish()
      assert(not packet and e == failure and not ended and last == failure)
      break
    end
  end
  return splitter, found, failure
end

local function check(line)
  local from, seed = string.match(line, '"from":"(%a+)"'), tonumber(string.match(line, '"seed":(%d+)'))
  local packets, ends = {}, {}
  for hex in string.gmatch(string.match(line, '"packets":%[([^%]]*)%]'), "%x+") do packets[#packets + 1] = bytes(hex) end
  for place in string.gmatch(string.match(line, '"ends":%[([^%]]*)%]'), "%d+") do ends[tonumber(place)] = true end
  local bad = string.match(line, '"bad":"(%x+)"')
  local all, expected, position, own = table.concat(packets), {}, 1, connection(line)
  while position <= #all do expected[#expected + 1], position = assert(wire.decode(all, from, position, own)) end
  assert(#expected == #packets)
  for _, cut in ipairs({ whole, singly, pieces }) do
    local splitter, found, failure = split(cut(all, seed), from, connection(line))
    assert(not failure and same(found, expected))
    assert(splitter:finish())
    if bad then
      local faulty = all .. bytes(bad)
      local _, before, fault = split(cut(faulty, seed), from, connection(line))
      local packet, e = wire.decode(faulty, from, #all + 1, own)
      assert(same(before, expected) and fault and not packet and same(e, fault))
    end
  end
  for stop = 0, #all do
    local splitter = split({ string.sub(all, 1, stop) }, from, connection(line))
    local ok, e = splitter:finish()
    assert(ends[stop] and ok or not ends[stop] and not ok and e.kind == "end_of_stream" and e.path == "", stop)
  end
end

local count = 0
for line in io.lines() do
  check(line)
  count = count + 1
end
print(count .. " streams")
