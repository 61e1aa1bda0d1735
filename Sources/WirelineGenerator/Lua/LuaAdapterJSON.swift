// SPDX-License-Identifier: Apache-2.0

/// The part of an adapter that reads and writes JSON, in which objects keep the order of their members, and integers all digits.
enum LuaAdapterJSON {
    static let text = #"""
        -- JSON, in which objects keep the order of their members, and integers all digits

        local null = {}
        local object_type, array_type, digits_type, float_type = {}, {}, {}, {}
        object_type.__index = object_type

        local function object() return setmetatable({ keys = {}, members = {} }, object_type) end

        function object_type:get(key) return self.members[key] end

        function object_type:set(key, v)
          if self.members[key] == nil then self.keys[#self.keys + 1] = key end
          self.members[key] = v
        end

        local function array() return setmetatable({}, array_type) end
        local function float(v) return setmetatable({ value = v }, float_type) end
        local function is_object(v) return getmetatable(v) == object_type end
        local function is_array(v) return getmetatable(v) == array_type end
        local function is_digits(v) return getmetatable(v) == digits_type end
        local function is_float(v) return getmetatable(v) == float_type end

        -- The number of decimal digits; beyond 53 bits it keeps them.
        local function number_from(digits)
          local v = tonumber(digits)
          if v >= -9007199254740991 and v <= 9007199254740991 then return v end
          return setmetatable({ digits = digits }, digits_type)
        end

        local function integer_text(v)
          if is_digits(v) then return v.digits end
          if type(v) == "string" then return v end
          return string.format(math.type and math.type(v) == "integer" and "%d" or "%.0f", v)
        end

        local function utf8_of(c)
          if c < 128 then return string.char(c) end
          local text, most = "", 64
          while c >= most do
            text, c = string.char(128 + c % 64) .. text, math.floor(c / 64)
            most = most / 2
          end
          return string.char((most == 32 and 192 or most == 16 and 224 or 240) + c) .. text
        end

        local escapes = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

        local function parse_string(text, p)
          local parts = {}
          while true do
            local q = string.find(text, '["\\]', p)
            parts[#parts + 1] = string.sub(text, p, q - 1)
            if string.sub(text, q, q) == '"' then return table.concat(parts), q + 1 end
            local mark = string.sub(text, q + 1, q + 1)
            p = q + 2
            if mark == "u" then
              local c = tonumber(string.sub(text, p, p + 3), 16)
              p = p + 4
              if c >= 55296 and c < 56320 then
                c = 65536 + (c - 55296) * 1024 + tonumber(string.sub(text, p + 2, p + 5), 16) - 56320
                p = p + 6
              end
              parts[#parts + 1] = utf8_of(c)
            else
              parts[#parts + 1] = escapes[mark] or mark
            end
          end
        end

        local function parse_value(text, p)
          p = string.find(text, "%S", p)
          local mark = string.sub(text, p, p)
          if mark == '"' then return parse_string(text, p + 1) end
          if mark == "[" or mark == "{" then
            local made, close = mark == "[" and array() or object(), mark == "[" and "]" or "}"
            p = string.find(text, "%S", p + 1)
            while string.sub(text, p, p) ~= close do
              if string.sub(text, p, p) == "," then p = p + 1 end
              local key, v
              if mark == "{" then
                key, p = parse_value(text, p)
                p = string.find(text, ":", p, true) + 1
              end
              v, p = parse_value(text, p)
              if key then made:set(key, v) else made[#made + 1] = v end
              p = string.find(text, "%S", p)
            end
            return made, p + 1
          end
          local digits = string.match(text, "^%-?%d+", p)
          if digits and not string.find(text, "^[.eE]", p + #digits) then return number_from(digits), p + #digits end
          local number_text = string.match(text, "^%-?%d[-+0-9.eE]*", p)
          if number_text then return float(tonumber(number_text)), p + #number_text end
          for word, v in pairs({ ["true"] = true, ["false"] = false }) do
            if string.sub(text, p, p + #word - 1) == word then return v, p + #word end
          end
          if string.sub(text, p, p + 3) == "null" then return null, p + 4 end
          error("no JSON")
        end

        local function parse(text) return (parse_value(text, 1)) end

        local function print_string(v)
          return '"' .. string.gsub(v, '[%c"\\]', function(c) return string.format("\\u%04x", string.byte(c)) end) .. '"'
        end

        local function print_float(v)
          if v ~= v then return '"NaN"' end
          if v == math.huge then return '"Infinity"' end
          if v == -math.huge then return '"-Infinity"' end
          if v == 0 and 1 / v < 0 then return "-0.0" end
          return string.format("%.17g", v)
        end

        local function print_json(v)
          if v == null then return "null" end
          if type(v) == "boolean" then return tostring(v) end
          if type(v) == "string" then return print_string(v) end
          if is_float(v) then return print_float(v.value) end
          if type(v) == "number" then
            local text = integer_text(v)
            if v > 9007199254740991 or v < -9007199254740991 then return print_string(text) end
            return text
          end
          if is_digits(v) then return print_string(v.digits) end
          local parts = {}
          if is_array(v) then
            for i = 1, #v do parts[i] = print_json(v[i]) end
            return "[" .. table.concat(parts, ",") .. "]"
          end
          for i, key in ipairs(v.keys) do parts[i] = print_string(key) .. ":" .. print_json(v.members[key]) end
          return "{" .. table.concat(parts, ",") .. "}"
        end

        local function hex(s) return (string.gsub(s, ".", function(c) return string.format("%02x", string.byte(c)) end)) end

        local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

        local function base64(s)
          local parts = {}
          for i = 1, #s, 3 do
            local a, b, c = string.byte(s, i, i + 2)
            local v = (a * 256 + (b or 0)) * 256 + (c or 0)
            local text = ""
            for k = 3, 0, -1 do
              local place = math.floor(v / 64 ^ k) % 64 + 1
              text = text .. string.sub(alphabet, place, place)
            end
            parts[#parts + 1] = c and text or b and string.sub(text, 1, 3) .. "=" or string.sub(text, 1, 2) .. "=="
          end
          return table.concat(parts)
        end

        -- The bytes of text that `base64` makes; nil for other text.
        local function unbase64(text)
          local parts = {}
          for quad in string.gmatch(text, "....") do
            local v = 0
            for k = 1, 4 do
              local mark = string.sub(quad, k, k)
              v = v * 64 + (string.find(alphabet, mark, 1, true) or 1) - 1
            end
            local bytes = string.char(math.floor(v / 65536) % 256, math.floor(v / 256) % 256, v % 256)
            parts[#parts + 1] = string.sub(bytes, 1, 3 - #string.gsub(quad, "[^=]", ""))
          end
          local s = table.concat(parts)
          return base64(s) == text and s or nil
        end

        """#
}
