-- SPDX-License-Identifier: Apache-2.0

-- Functions for layers, of the packages lua-zlib and lua-luaossl.

local zlib, cipher = require("zlib"), require("openssl.cipher")

local function layer(window)
  local made = {}
  function made:open(sealed, _, limit)
    local inflate, parts, size, at_end = zlib.inflate(window), {}, 0, false
    for p = 1, #sealed do
      if at_end then return nil, "trailing_bytes" end
      local ok, part, ended = pcall(inflate, string.sub(sealed, p, p))
      if not ok then return nil end
      parts[p], size, at_end = part, size + #part, ended
      if size > limit then return nil, "inflated_too_long" end
    end
    return at_end and table.concat(parts) or nil
  end
  function made:seal(content) return (zlib.deflate(6, window)(content, "finish")) end
  return function() return made end
end

local function aes(key, blocks, encrypts)
  local block = cipher.new("aes-" .. 8 * #key .. "-ecb")
  if encrypts then block:encrypt(key, nil, false) else block:decrypt(key, nil, false) end
  return assert(block:update(blocks)) .. assert(block:final())
end

return { layers = { zlib = layer(15), deflate = layer(-15), gzip = layer(31) }, aes = aes }
