-- SPDX-License-Identifier: Apache-2.0

-- Asks functions of the runtime, whose file is the argument: each line has a word, and the bytes that it gets. The functions are local
-- there, so what asks them stands at the end of the same chunk.

local file = assert(io.open(arg[1]))
local runtime = string.gsub(file:read("*a"), "return M%s*$", "")
file:close()

local asking = [[
local sums = {
  crc32 = crc32, crc32c = crc32c, adler32 = adler32, sum8 = sum8, xor8 = xor8, crc16_arc = crc16_arc, crc16_modbus = crc16_modbus,
  crc16_kermit = crc16_kermit, crc16_x25 = crc16_x25, crc16_ccitt_false = crc16_ccitt_false, crc16_xmodem = crc16_xmodem,
}

local function answer(word, b)
  if sums[word] then return sums[word](b, 1, #b) end
  if word == "f16" then return value16(byte(b, 1) * 256 + byte(b, 2)) * 16777216 end
  if word == "text" then return (string.gsub(r.text(#b, "f"), ".", function(c) return string.format("%02x", byte(c)) end)) end
  return r[word](5, "f")
end

for line in io.lines() do
  local word, digits = string.match(line, "^(%S+) (%x+)$")
  input = string.gsub(digits, "%x%x", function(pair) return char(tonumber(pair, 16)) end)
  start, here, stop, top = 1, 1, #input, 0
  local ok, v = pcall(answer, word, input)
  print(not ok and v.kind or type(v) == "string" and v or string.format("%.0f", v))
end
]]

assert((loadstring or load)(runtime .. asking))()
