-- SPDX-License-Identifier: Apache-2.0

-- Runs programs one after another. Each line of input is one: what it reads, what it writes, its file and its arguments, with tabs
-- between.

local list = {}
for line in io.lines() do list[#list + 1] = line end

function print(...)
  local texts = { ... }
  for i = 1, select("#", ...) do texts[i] = tostring(texts[i]) end
  io.write(table.concat(texts, "\t"), "\n")
end

for _, line in ipairs(list) do
  local words = {}
  for word in string.gmatch(line, "[^\t]+") do words[#words + 1] = word end
  io.input(words[1])
  io.output(words[2])
  arg = { [0] = words[3] }
  for i = 4, #words do arg[i - 3] = words[i] end
  local ok, fault = pcall(dofile, words[3])
  if not ok then io.write(tostring(fault), "\n") end
  io.input():close()
  io.output():close()
end
