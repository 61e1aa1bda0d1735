-- SPDX-License-Identifier: Apache-2.0

-- Loads modules.

for i = 1, #arg do assert(type(dofile(arg[i]).decode) == "function") end
print("loaded")
