-- SPDX-License-Identifier: Apache-2.0

-- Loads a module, and names the globals that it makes.

local before, made = {}, {}
for name in pairs(_G) do before[name] = true end
dofile(arg[1])
for name in pairs(_G) do if not before[name] then made[#made + 1] = name end end
print(#made == 0 and "none" or table.concat(made, " "))
