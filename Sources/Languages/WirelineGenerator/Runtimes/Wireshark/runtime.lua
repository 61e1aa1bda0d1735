-- SPDX-License-Identifier: Apache-2.0

-- The part of a dissector for Wireshark that is the same for every protocol, with all that a protocol can need.
--
-- It reads packets as `PacketTranslator` does, by the tables before it: the same checks in the same order, and the same error
-- texts. It is written for Lua 5.1 to 5.4: no operators for bits, no integer division, no `goto`.
--
-- Its time and memory do not depend on announced lengths. Every loop takes at least one byte of the input. The tree is
-- limited in size and depth, because Wireshark rejects larger ones.
--
-- Comments mark its regions, which stay for a feature of the protocol, or with `!` without it; the region `complete` is only for
-- this file. Code that cannot stand beside that of a feature is in comments with a bar.

-- The tables that describe the protocol's bytes, which the generator makes.
local protocol = {}

-- #region all
local MOST_ITEMS = 50000   -- in the tree of one piece of a stream; Wireshark itself gives up at a million a frame
local MOST_DEPTH = 100     -- of groups in one another; Wireshark gives up at 500
local UTF_8 = ENC_UTF_8 or 2
local NO_LIMITS = {}
local SEVENS = { [0] = 1, 128, 16384, 2097152, 268435456, 8, 1024, 131072, 16777216, 2147483648 }

-- #region layers
local unpack = table.unpack or unpack

-- #endregion
-- Integers are two numbers here, high * 2^32 + low, because Lua's own hold 53 bits in many versions: `low` is 0 to
-- 2^32 - 1, `high` is negative for negative integers.
local floor = math.floor
local TWO_32 = 4294967296
local HALF = { 128, 32768, 8388608, 2147483648 }

local function integer_at(data, at, width, signed, little)
    local high, low = 0, 0
    for index = 1, width do
        local byte = string.byte(data, at + (little and width + 1 - index or index))
        high = (high * 256 + floor(low / 16777216)) % TWO_32
        low = low % 16777216 * 256 + byte
    end
    if signed and width == 8 and high >= 2147483648 then
        high = high - TWO_32
    elseif signed and width < 8 and low >= HALF[width] then
        high, low = -1, low - 2 * HALF[width] + TWO_32
    end
    return high, low
end

local function plus(high, low, number)
    low = low + number
    return high + floor(low / TWO_32), low % TWO_32
end

local function is_less(high, low, bound)
    return high < bound[1] or high == bound[1] and low < bound[2]
end

local function is_more(high, low, bound)
    return high > bound[1] or high == bound[1] and low > bound[2]
end

local function magnitude(high, low)
    if high >= 0 then return "", high, low end
    if low == 0 then return "-", -high, 0 end
    return "-", -high - 1, TWO_32 - low
end

local function decimal(high, low)
    local sign
    sign, high, low = magnitude(high, low)
    local limbs = { floor(high / 65536), high % 65536, floor(low / 65536), low % 65536 }
    local text, more = "", true
    while more do
        local rest = 0
        more = false
        for index = 1, 4 do
            local value = rest * 65536 + limbs[index]
            limbs[index] = floor(value / 10000)
            rest = value % 10000
            more = more or limbs[index] > 0
        end
        text = string.format(more and "%04d" or "%d", rest) .. text
    end
    return sign .. text
end

local function hexadecimal(high, low)
    local sign
    sign, high, low = magnitude(high, low)
    local digits = high > 0 and string.format("%X%08X", high, low) or string.format("%X", low)
    return sign .. "0x" .. (#digits % 2 == 0 and "" or "0") .. digits
end

-- Whether all bits of a mask are set, of numbers from 0 to 2^32 - 1.
local function has_bits(number, mask)
    while mask > 0 do
        if mask % 2 == 1 and number % 2 == 0 then return false end
        number, mask = floor(number / 2), floor(mask / 2)
    end
    return true
end

local function bits_of(number)
    local digits = {}
    for index = 32, 1, -1 do
        digits[index] = number % 2
        number = floor(number / 2)
    end
    return table.concat(digits)
end

-- The last bits of a number, as digits.
local function last_bits(high, low, width)
    return string.sub(bits_of(high % TWO_32) .. bits_of(low), -width)
end

local function from_bits(digits)
    digits = string.rep("0", 64) .. digits
    return tonumber(string.sub(digits, -64, -33), 2), tonumber(string.sub(digits, -32), 2)
end

-- zlib's CRC-32 of a part of some bytes; as four bytes, because not every Lua has operators for bits.
local XOR, CRC
local function make_crc_table()
    XOR, CRC = {}, {}
    for left = 0, 15 do
        for right = 0, 15 do
            local value, a, b, place = 0, left, right, 1
            for _ = 1, 4 do
                if a % 2 ~= b % 2 then value = value + place end
                a, b, place = floor(a / 2), floor(b / 2), place * 2
            end
            XOR[left * 16 + right] = value
        end
    end
end

local function xor_byte(left, right)
    return XOR[floor(left / 16) * 16 + floor(right / 16)] * 16 + XOR[left % 16 * 16 + right % 16]
end

local function crc32(data, at, stop)
    if not XOR then make_crc_table() end
    if not CRC[0] then
        for index = 0, 255 do
            local high, low = 0, index
            for _ = 1, 8 do
                local odd = low % 2
                low = floor(low / 2) + high % 2 * 32768
                high = floor(high / 2)
                if odd == 1 then
                    -- 0xEDB88320
                    high = xor_byte(floor(high / 256), 0xED) * 256 + xor_byte(high % 256, 0xB8)
                    low = xor_byte(floor(low / 256), 0x83) * 256 + xor_byte(low % 256, 0x20)
                end
            end
            CRC[index] = { floor(high / 256), high % 256, floor(low / 256), low % 256 }
        end
    end
    local a, b, c, d = 255, 255, 255, 255
    for index = at + 1, stop do
        local entry = CRC[xor_byte(d, string.byte(data, index))]
        a, b, c, d = entry[1], xor_byte(entry[2], a), xor_byte(entry[3], b), xor_byte(entry[4], c)
    end
    return ((255 - a) * 16777216) + ((255 - b) * 65536) + ((255 - c) * 256) + (255 - d)
end

-- #region wide
-- The same for integers of 5, 6 and 7 bytes with a sign.
local usual_integer_at = integer_at
function integer_at(data, at, width, signed, little)
    local is_wide = width > 4 and width < 8
    local high, low = usual_integer_at(data, at, width, signed and not is_wide, little)
    if signed and is_wide and high >= HALF[width - 4] then high = high - 2 * HALF[width - 4] end
    return high, low
end

-- #endregion
-- Two protocols cannot have one name: where Wireshark has one of its own, this one is called differently.
local name = protocol.filter
local is_free, proto = pcall(Proto.new, name, protocol.name .. " (Wireline)")
if not is_free then
    name = "wire_" .. name
    proto = Proto.new(name, protocol.name .. " (Wireline, " .. name .. ")")
end

local fields, all = {}, {}
-- #region distinct
local declared = {}
-- #endregion

local function declare(filter, title, kind, about, base, values)
    -- #region distinct
    if declared[filter] then return declared[filter] end
    -- #endregion
    local field = ProtoField.new(title, name .. "." .. filter, kind, values, base, nil, about)
    all[#all + 1] = field
    -- #region distinct
    declared[filter] = field
    -- #endregion
    return field
end

local INTEGERS = {
    [false] = { ftypes.UINT8, ftypes.UINT16, ftypes.UINT24, ftypes.UINT32, [8] = ftypes.UINT64 },
    [true] = { ftypes.INT8, ftypes.INT16, ftypes.INT24, ftypes.INT32, [8] = ftypes.INT64 },
}

local function integer_type(kind)
    return INTEGERS[kind.signed or false][kind.width]
end

for _, enumeration in ipairs(protocol.enumerations) do
    enumeration.names, enumeration.values = {}, {}
    for _, case in ipairs(enumeration.cases) do
        enumeration.names[decimal(case[1], case[2])] = case[3]
        enumeration.values[case[2]] = case[3]
    end
end

-- What is declared of one value, by its kind.
local declare_value = {}

function declare_value.integer(field, filter)
    field.item = declare(filter, field.name, integer_type(field.leaf), field.about, base.DEC)
end

function declare_value.varint(field, filter)
    field.item = declare(filter, field.name, field.leaf.signed and ftypes.INT64 or ftypes.UINT64, field.about, base.DEC)
end

function declare_value.float(field, filter)
    field.item = declare(filter, field.name, field.leaf.width == 4 and ftypes.FLOAT or ftypes.DOUBLE, field.about)
end

function declare_value.boolean(field, filter)
    field.item = declare(filter, field.name, ftypes.BOOLEAN, field.about)
end

function declare_value.enumeration(field, filter)
    local enumeration = protocol.enumerations[field.leaf.index]
    local values = enumeration.width < 8 and enumeration.values or nil
    field.item = declare(filter, field.name, integer_type(enumeration), field.about, base.DEC, values)
end

function declare_value.flags(field, filter)
    local set = protocol.flags[field.leaf.index]
    field.item = declare(filter, field.name, integer_type(set), field.about, base.HEX)
    field.flags = {}
    for index, flag in ipairs(set.cases) do
        field.flags[index] = declare(filter .. "." .. flag[4], flag[3], ftypes.BOOLEAN, flag.about)
    end
end

function declare_value.string(field, filter)
    field.item = declare(filter, field.name, ftypes.STRING, field.about)
    if field.leaf.count then field.length = declare(filter .. ".length", field.name .. " length", ftypes.UINT64, nil, base.DEC) end
end

function declare_value.bytes(field, filter)
    field.item = declare(filter, field.name, ftypes.BYTES, field.about)
    if field.leaf.count then field.length = declare(filter .. ".length", field.name .. " length", ftypes.UINT64, nil, base.DEC) end
end

function declare_value.properties(field, filter)
    field.item = declare(filter, field.name, ftypes.STRING, field.about)
    field.property = declare(filter .. ".property", "Property", ftypes.STRING)
    field.key = declare(filter .. ".key", "Key", ftypes.STRING)
    field.value = declare(filter .. ".value", "Value", ftypes.STRING)
end

function declare_value.structure(field, filter)
    field.item = declare(filter, field.name, ftypes.NONE, field.about)
    if protocol.structures[field.leaf.index].size then
        field.size = declare(filter .. ".size", "Size", ftypes.UINT64, nil, base.DEC)
    end
end

-- #region wide
for width = 5, 7 do
    INTEGERS[false][width], INTEGERS[true][width] = ftypes.UINT64, ftypes.INT64
end

-- Names of numbers that Lua's own hold exactly.
for _, enumeration in ipairs(protocol.enumerations) do
    if enumeration.width > 4 and enumeration.width < 8 then
        enumeration.values = {}
        for _, case in ipairs(enumeration.cases) do
            if case[1] >= -2097152 and case[1] < 2097152 then
                enumeration.values[case[1] * TWO_32 + case[2]] = case[3]
            end
        end
    end
end

-- #endregion
-- #region packedFields
-- #region complete
-- Fields that share bytes. Wireshark shows each one with its bits, by a mask over the bytes of all; if these are more than 4, it shows
-- the value alone, because masks are Lua's numbers.
-- #endregion
local function power(exponent)
    local value = 1
    for _ = 1, exponent do value = value * 2 end
    return value
end

-- A mask has the bits of the field among those of the fields that share its bytes.
local function declare_packed(field, filter, kind, base, values)
    local own = field.kind
    local mask = own.bytes < 5 and (power(own.bits) - 1) * power(own.shift) or nil
    local item = ProtoField.new(field.name, name .. "." .. filter, kind, values, base, mask, field.about)
    all[#all + 1] = item
    return item
end

function declare_value.packed(field, filter)
    local kind, own = field.kind, field.kind.as
    local whole = INTEGERS[kind.signed or false][kind.bytes > 4 and 8 or kind.bytes]
    if own[1] == "bit" then
        field.item = declare_packed(field, filter, ftypes.BOOLEAN, kind.bytes < 5 and 8 * kind.bytes or nil)
    elseif own[1] == "enumeration" then
        local values = kind.bytes < 5 and protocol.enumerations[own.index].values or nil
        field.item = declare_packed(field, filter, whole, base.DEC, values)
    elseif own[1] == "flags" then
        field.item = declare_packed(field, filter, whole, base.HEX)
        field.flags = {}
        for index, flag in ipairs(protocol.flags[own.index].cases) do
            field.flags[index] = declare(filter .. "." .. flag[4], flag[3], ftypes.BOOLEAN, flag.about)
        end
    else
        field.item = declare_packed(field, filter, whole, base.DEC)
    end
end

-- #endregion
-- #region fixedText
function declare_value.char(field, filter)
    field.item = declare(filter, field.name, ftypes.STRING, field.about)
end

declare_value.digits = declare_value.char

-- #endregion
-- #region utf16
function declare_value.utf16(field, filter)
    field.item = declare(filter, field.name, ftypes.STRING, field.about)
    if field.leaf.count then field.length = declare(filter .. ".length", "Length", ftypes.UINT64, nil, base.DEC) end
end

-- #endregion
-- #region padding
function declare_value.padding(field, filter)
    field.item = declare(filter, field.name, ftypes.BYTES, field.about)
end

-- #endregion
-- #region constants
function declare_value.constant(field, filter)
    field.leaf = field.kind.as
    declare_value[field.leaf[1]](field, filter)
end

-- #endregion
-- #region packedConstants
declare_value.packed_constant = declare_value.packed

-- #endregion
-- What numbers in lists are passed over by. Those of a closed enum are looked at; a pattern finds the first byte that is none.
local function set_width(kind)
    local enumeration = kind[1] == "enumeration" and protocol.enumerations[kind.index]
    if enumeration and not enumeration.closed then
        kind.width = enumeration.width
    elseif enumeration and enumeration.width == 1 then
        local known = {}
        -- A case is a number of 64 bits; the byte is its last one.
        for _, case in ipairs(enumeration.cases) do known[#known + 1] = "%" .. string.char(case[2] % 256) end
        kind.width, kind.unknown = 1, "[^" .. table.concat(known):gsub("%%(%w)", "%1") .. "]"
    elseif kind[1] == "flags" then
        kind.width = protocol.flags[kind.index].width
    end
end

-- #region sized
function declare_value.sized(field, filter)
    local content = field.kind.content
    field.leaf = content
    while field.leaf.of do field.leaf = field.leaf.of end
    set_width(field.leaf)
    declare_value[field.leaf[1]](field, filter)
    if content.of then field.list = declare(filter .. ".list", field.name, ftypes.NONE, field.about) end
    if field.kind.size.count then
        field.content_size = declare(filter .. ".content_size", field.name .. " size", ftypes.UINT64, nil, base.DEC)
    end
end

-- #endregion
-- #region counters
-- #region complete
-- Values whose items or bytes an earlier field counts: `@count(n)`, `@size(n - 4)`.
-- #endregion
function declare_value.counted(field, filter)
    local whole = field.kind
    field.kind = whole.as
    field.leaf = field.kind
    while field.leaf.of do field.leaf = field.leaf.of end
    set_width(field.leaf)
    declare_value[field.leaf[1]](field, filter)
    if field.kind.of then field.list = declare(filter .. ".list", field.name, ftypes.NONE, field.about) end
    field.kind = whole
end

-- #endregion
-- #region nullables
-- #region complete
-- Values whose prefix has a sign, and says with -1 that they are absent: `@count(int32)`.
-- #endregion
function declare_value.nullable(field, filter)
    local whole = field.kind
    field.kind = whole.as
    field.leaf = field.kind
    while field.leaf.of do field.leaf = field.leaf.of end
    set_width(field.leaf)
    declare_value[field.leaf[1]](field, filter)
    if field.kind.of then
        field.list = declare(filter .. ".list", field.name, ftypes.NONE, field.about)
        field.count = declare(filter .. ".count", "Items", ftypes.UINT64, nil, base.DEC)
    end
    field.kind = whole
    field.absence = declare(filter .. ".absent", field.name, ftypes.NONE, field.about)
end

-- #endregion
-- #region endedLists
fields.list_end = declare("list_end", "End of the list", ftypes.UINT8, nil, base.HEX)

-- #endregion
-- #region unions
function declare_value.union(field, filter)
    local union = protocol.unions[field.leaf.index]
    field.item = declare(filter, field.name, ftypes.NONE, field.about)
    if union.size then field.size = declare(filter .. ".size", "Size", ftypes.UINT64, nil, base.DEC) end
    if field.tagged then return end
    local kind, values = union.tag, nil
    if kind[1] == "enumeration" then
        kind = protocol.enumerations[kind.index]
        values = kind.width < 8 and kind.values or nil
    end
    local type = kind.width and integer_type(kind) or ftypes.UINT64
    field.tag_item = declare(filter .. ".tag", "Tag", type, nil, base.DEC, values)
end

-- #endregion
local function declare_fields(parent)
    for _, field in ipairs(parent.fields) do
        local filter = parent.filter .. "." .. field.filter
        field.leaf = field.kind
        while field.leaf.of do field.leaf = field.leaf.of end
        set_width(field.leaf)
        declare_value[field.leaf[1]](field, filter)
        if field.kind.of then
            field.list = declare(filter .. ".list", field.name, ftypes.NONE, field.about)
            if field.kind.count then field.count = declare(filter .. ".count", "Items", ftypes.UINT64, nil, base.DEC) end
        end
    end
end

fields.message = declare("message", "Message", ftypes.STRING)
fields.id = declare("id", "ID", ftypes.UINT64, nil, base.DEC)
fields.sender = declare("sender", "Sender", ftypes.STRING)
fields.payload = declare("payload", "Payload", ftypes.BYTES, "Of a message that the protocol does not know")
fields.trailing = declare("trailing", "Trailing bytes", ftypes.BYTES, "After the last field that the protocol knows")
fields.unknown = declare("unknown", "Unknown bytes", ftypes.BYTES, "After the last field of a sized structure")
fields.torn = declare("torn", "Bytes of a packet that is not whole", ftypes.BYTES)
-- #region layers
fields.layer = declare("layer", "Layer", ftypes.STRING, "What the bytes were compressed or enciphered with")
fields.packets = declare("packets", "Packets", ftypes.NONE, "Inside of this packet")
fields.opaque = declare("opaque", "Opaque bytes", ftypes.BYTES, "A part of a message, which is not read")
fields.sealed = declare("sealed", "Sealed bytes", ftypes.BYTES, "Of a layer that could not be opened")
fields.unread = declare("unread", "Unread bytes", ftypes.BYTES, "In place of packets inside of this packet")
fields.partial = declare("partial", "Partial content", ftypes.BYTES, "Of a layer whose stream is broken")
-- #endregion
-- #region distinct
-- #region shapes
-- #region complete
-- The fields depend on who sends a packet, or on more: there are several layouts, and `layout` is that of the packet.
-- #endregion
local layout = protocol.shapes[1]
for _, shape in ipairs(protocol.shapes) do
    declare_fields({ filter = "packet", fields = shape.header })
    declare_fields({ filter = "packet", fields = shape.trailer })
    -- #region layers
    for index, section in ipairs(shape.sections) do
        if section.inside then
            declare_fields({ filter = "packet", fields = section.inside.header })
            section.own = { unpack(section.inside.header, section.first) }
        end
    end
    -- #endregion
end
-- #endregion
-- #region !shapes
--| local layout = protocol.layouts.client
--| for _, sender in ipairs({ "client", "server" }) do
--|     declare_fields({ filter = "packet", fields = protocol.layouts[sender].header })
--|     declare_fields({ filter = "packet", fields = protocol.layouts[sender].trailer })
--| end
-- #endregion
-- #endregion
-- #region !distinct
--| local layout = protocol.layout
--| declare_fields({ filter = "packet", fields = layout.header })
--| declare_fields({ filter = "packet", fields = layout.trailer })
-- #endregion
local messages = { client = {}, server = {} }
for _, message in ipairs(protocol.messages) do
    message.item = declare(message.filter, message.name, ftypes.NONE, message.about)
    declare_fields(message)
    if message.client then messages.client[message.id] = message end
    if message.server then messages.server[message.id] = message end
end
for _, structure in ipairs(protocol.structures) do declare_fields(structure) end
-- #region unions
for _, union in ipairs(protocol.unions) do
    declare_fields(union)
    union.arms = {}
    for _, arm in ipairs(union.empty) do union.arms[decimal(arm.tag[1], arm.tag[2])] = arm end
    for _, arm in ipairs(union.fields) do
        if arm.tag then union.arms[decimal(arm.tag[1], arm.tag[2])] = arm else union.keeps = arm end
    end
end
-- #endregion
proto.fields = all

local experts, faults = {}, {}

local function declare_expert(key, reason, text, group, severity)
    faults[reason] = ProtoExpert.new(name .. "." .. key .. "." .. reason, text, group, severity)
    experts[#experts + 1] = faults[reason]
end

for _, reason in ipairs({
    "truncated", "varint_too_long", "varint_not_shortest", "invalid_boolean", "invalid_utf8", "missing_terminator",
    "trailing_bytes", "too_deep", "out_of_range", "float_out_of_range", "too_long", "unknown_case", "duplicate_key",
    "invalid_property", "length_too_small", "packet_too_long", "length_mismatch", "wrong_constant",
}) do
    declare_expert("error", reason, "Malformed packet: " .. reason, expert.group.MALFORMED, expert.severity.ERROR)
end
declare_expert("error", "wrong_checksum", "Wrong checksum", expert.group.CHECKSUM, expert.severity.ERROR)
declare_expert("note", "unknown_message", "A message that the protocol does not know", expert.group.UNDECODED,
    expert.severity.WARN)
declare_expert("note", "torn_packet", "The rest of this packet is not at hand", expert.group.REASSEMBLE,
    expert.severity.WARN)
declare_expert("note", "hidden_items", "Read, but too much to be shown", expert.group.UNDECODED, expert.severity.NOTE)
-- #region fixedText
declare_expert("error", "invalid_digit", "Malformed packet: invalid_digit", expert.group.MALFORMED,
    expert.severity.ERROR)
-- #endregion
-- #region utf16
declare_expert("error", "invalid_utf16", "Malformed packet: invalid_utf16", expert.group.MALFORMED,
    expert.severity.ERROR)
-- #endregion
-- #region frames
declare_expert("error", "invalid_escape", "Malformed packet: invalid_escape", expert.group.MALFORMED,
    expert.severity.ERROR)
-- #endregion
-- #region layers
declare_expert("error", "invalid_layer", "Malformed packet: invalid_layer", expert.group.MALFORMED,
    expert.severity.ERROR)
declare_expert("error", "inflated_too_long", "Malformed packet: inflated_too_long", expert.group.MALFORMED,
    expert.severity.ERROR)
declare_expert("note", "layer_unavailable", "A layer that cannot be opened here", expert.group.UNDECODED,
    expert.severity.WARN)
-- #endregion
-- #region preferences
declare_expert("note", "wrong_preference", "A preference that cannot be used", expert.group.PROTOCOL,
    expert.severity.WARN)
-- #endregion
proto.experts = experts

-- Reading stops at the first fault, which is thrown as a table: with the reason, the path and what is wrong with it.
local function path_of(reader)
    local text = ""
    for index = 1, reader.level do
        local name = reader.names[index]
        text = text .. ((text == "" or string.sub(name, 1, 1) == "[") and "" or ".") .. name
    end
    return text
end

local function enter(reader, name)
    reader.level = reader.level + 1
    reader.names[reader.level] = name
end

local function leave(reader)
    reader.level = reader.level - 1
end

-- #region layers
local function within(reader, path)
    if not reader.prefix then return path end
    return reader.prefix .. ((path == "" or string.sub(path, 1, 1) == "[") and "" or ".") .. path
end

-- #endregion
local function fail(reader, reason, text, path)
    path = --[[layers{]]within(reader, path or path_of(reader))--[[}]]--[[!layers{path or path_of(reader)}]]
    error({ reason = reason, text = (path == "" and "" or path .. ": ") .. text }, 0)
end

-- #region layers
-- An offset as it is told: from the packet's first byte, or from the first one inside of its layers.
-- #endregion
-- #region !layers
--| -- An offset as it is told: from the packet's first byte.
-- #endregion
local function place(reader, at)
    return " at offset " .. (at - --[[layers{]](reader.origin or reader.start)--[[}]]--[[!layers{reader.start}]])
end

local function counted(number, noun)
    return number .. " " .. noun .. (number == 1 and "" or "s")
end

local function need(reader, count)
    local left = reader.stop - reader.at
    if count <= left then return end
    local verb = left == 1 and "is" or "are"
    fail(reader, "truncated", "needs " .. counted(count, "byte") .. place(reader, reader.at) .. ", " .. left .. " "
        .. verb .. " left")
end

-- Adds an item to the tree, as long as it is not too large for Wireshark.
local function show(reader, tree, field, at, stop, little, value)
    if not tree then return nil end
    if reader.shared.items >= MOST_ITEMS then
        reader.shared.hides = true
        return nil
    end
    reader.shared.items = reader.shared.items + 1
    local range = reader.tvb(at, stop - at)
    if value ~= nil then return tree:add(field, range, value) end
    if little then return tree:add_le(field, range) end
    return tree:add(field, range)
end

local function show_text(reader, tree, field, at, stop)
    if not tree then return nil end
    if reader.shared.items >= MOST_ITEMS then
        reader.shared.hides = true
        return nil
    end
    reader.shared.items = reader.shared.items + 1
    return (tree:add_packet_field(field, reader.tvb(at, stop - at), UTF_8))
end

-- What has others inside it, if the tree is not too deep for more of them.
local function show_group(reader, tree, field, at, stop, label)
    if reader.group_depth >= MOST_DEPTH then
        reader.shared.hides = true
        return nil
    end
    local item = show(reader, tree, field, at, stop)
    if item and label then item:prepend_text(label) end
    return item
end

local function show_unsigned(reader, tree, field, at, stop, high, low)
    return show(reader, tree, field, at, stop, false, UInt64.new(low, high))
end

-- MARK: Numbers

local function varint_at(reader, most)
    local high, low, count = 0, 0, 0
    local where = place(reader, reader.at)
    while true do
        if count >= most then
            fail(reader, "varint_too_long", "the variable-length integer" .. where .. " does not fit "
                .. counted(most, "byte") .. " or 64 bits")
        end
        if reader.at + count >= reader.stop then need(reader, count + 1) end
        local byte = string.byte(reader.data, reader.at + count + 1)
        if count == 9 and byte > 1 then
            fail(reader, "varint_too_long", "the variable-length integer" .. where .. " does not fit "
                .. counted(most, "byte") .. " or 64 bits")
        end
        local bits = byte % 128
        if count < 4 then
            low = low + bits * SEVENS[count]
        elseif count == 4 then
            low, high = low + bits % 16 * 268435456, floor(bits / 16)
        else
            high = high + bits * SEVENS[count]
        end
        count = count + 1
        if byte < 128 then
            if byte == 0 and count > 1 and not protocol.any_varints then
                fail(reader, "varint_not_shortest", "the variable-length integer" .. where
                    .. " is not in its shortest form")
            end
            reader.at = reader.at + count
            return high, low
        end
    end
end

local function check_limit(reader, limits, count, at)
    if limits.limit and count > limits.limit then
        fail(reader, "too_long", count .. " is over the limit of " .. limits.limit .. place(reader, at))
    end
end

-- The number in front of a text, a list or a sized structure.
local function count_at(reader, kind)
    if kind.count ~= "varint" then
        need(reader, kind.count)
        local _, count = integer_at(reader.data, reader.at, kind.count, false, kind.little)
        reader.at = reader.at + kind.count
        return count
    end
    local start = reader.at
    local high, count = varint_at(reader, 5)
    if high > 0 then
        reader.at = start
        fail(reader, "varint_too_long", "the variable-length integer" .. place(reader, start)
            .. " does not fit 5 bytes or 64 bits")
    end
    return count
end

local function check_range(reader, limits, high, low, at)
    if not limits.least then return end
    if is_less(high, low, limits.least) or is_more(high, low, limits.most) then
        fail(reader, "out_of_range", decimal(high, low) .. " is not in " .. decimal(limits.least[1], limits.least[2])
            .. "..." .. decimal(limits.most[1], limits.most[2]) .. place(reader, at))
    end
end

-- MARK: Text

-- The first byte that keeps bytes from being UTF-8 (Unicode 16, table 3-7), and why.
local function utf8_flaw(data, start, stop)
    -- A search would go on after the text.
    data = string.sub(data, start + 1, stop)
    stop = #data
    local at = string.find(data, "[\128-\255]")
    while at and at <= stop do
        local first, second = string.byte(data, at, at + 1)
        local count, least, most, fault = 0, 128, 191, nil
        if first < 128 then
            at = string.find(data, "[\128-\255]", at)
        else
            if first < 192 or first >= 248 then return start + at - 1, "a byte that cannot begin a character" end
            if first < 194 then return start + at - 1, "an overlong form" end
            if first >= 245 then return start + at - 1, "a number above U+10FFFF" end
            if first < 224 then
                count = 2
            elseif first < 240 then
                count = 3
                if first == 224 then least, fault = 160, "an overlong form" end
                if first == 237 then most, fault = 159, "half of a surrogate pair" end
            else
                count = 4
                if first == 240 then least, fault = 144, "an overlong form" end
                if first == 244 then most, fault = 143, "a number above U+10FFFF" end
            end
            for index = 1, count - 1 do
                local byte = at + index <= stop and string.byte(data, at + index) or 0
                if byte < 128 or byte > 191 then return start + at - 1, "a character that breaks off" end
                if index == 1 and (byte < least or byte > most) then return start + at - 1, fault end
            end
            at = at + count
        end
    end
end

local function check_text(reader, at, stop)
    local flaw, fault = utf8_flaw(reader.data, at, stop)
    if flaw then fail(reader, "invalid_utf8", "not UTF-8" .. place(reader, flaw) .. ": " .. fault) end
end

-- Where a text or some bytes begin and end; the prefix stands in front of that, a NUL after it.
local function extent_at(reader, kind, limits)
    local start = reader.at
    local stop = reader.stop
    if kind.ends == "nul" then
        local found = string.find(reader.data, "\0", start + 1, true)
        if not found or found > reader.stop then
            fail(reader, "missing_terminator", "the string" .. place(reader, start) .. " has no terminating NUL")
        end
        stop = found - 1
        check_limit(reader, limits, stop - start, start)
        return start, start, stop, found
    elseif kind.ends == "rest" then
        check_limit(reader, limits, stop - start, start)
        return start, start, stop, stop
    end
    local count = count_at(reader, kind)
    check_limit(reader, limits, count, start)
    need(reader, count)
    return start, reader.at, reader.at + count, reader.at + count
end

-- MARK: Values

local read = {}

local function label(item, text)
    if item and text then item:prepend_text(text) end
end

function read.integer(reader, tree, kind, field, limits, text)
    local at = reader.at
    need(reader, kind.width)
    local high, low = integer_at(reader.data, at, kind.width, kind.signed, kind.little)
    reader.at = at + kind.width
    label(show(reader, tree, field.item, at, reader.at, kind.little), text)
    check_range(reader, limits, high, low, at)
end

-- #region float16
-- The number that 16 bits stand for: Wireshark reads only 32 and 64.
local function half_at(data, at, little)
    local _, bits = integer_at(data, at, 2, false, little)
    local exponent, fraction = floor(bits / 1024) % 32, bits % 1024
    local value
    if exponent == 31 then
        value = fraction == 0 and math.huge or 0 / 0
    elseif exponent == 0 then
        value = fraction / 16777216
    else
        value = (fraction + 1024) * 2 ^ (exponent - 25)
    end
    return bits > 32767 and -value or value
end

-- #endregion
function read.float(reader, tree, kind, field, limits, text)
    local at = reader.at
    need(reader, kind.width)
    reader.at = at + kind.width
    -- #region float16
    local half = kind.width == 2 and half_at(reader.data, at, kind.little) or nil
    -- #endregion
    label(show(reader, tree, field.item, at, reader.at, kind.little--[[float16{]], half--[[}]]), text)
    if limits.lowest then
        local range = reader.tvb(at, kind.width)
        local value = --[[float16{]]half or --[[}]]kind.little and range:le_float() or range:float()
        if not (value >= limits.lowest and value <= limits.highest) then
            fail(reader, "float_out_of_range", string.format("%.9g is not in %.9g...%.9g", value, limits.lowest,
                limits.highest) .. place(reader, at))
        end
    end
end

function read.boolean(reader, tree, kind, field, limits, text)
    local at = reader.at
    need(reader, 1)
    reader.at = at + 1
    label(show(reader, tree, field.item, at, at + 1), text)
    local byte = string.byte(reader.data, at + 1)
    if byte > 1 then
        fail(reader, "invalid_boolean", "a bool is 0 or 1, the byte" .. place(reader, at) .. " is " .. byte)
    end
end

function read.enumeration(reader, tree, kind, field, limits, text)
    local at = reader.at
    local enumeration = protocol.enumerations[kind.index]
    need(reader, enumeration.width)
    local high, low = integer_at(reader.data, at, enumeration.width, enumeration.signed, kind.little)
    reader.at = at + enumeration.width
    local item = show(reader, tree, field.item, at, reader.at, kind.little)
    label(item, text)
    local name = enumeration.names[decimal(high, low)]
    if item and name and enumeration.width == 8 then item:append_text(" (" .. name .. ")") end
    if enumeration.closed and not name then
        fail(reader, "unknown_case", decimal(high, low) .. " is not a case of this closed enum" .. place(reader, at))
    end
end

local function show_flags(reader, tree, set, field, at, stop, high, low)
    local names = {}
    for index, flag in ipairs(set.cases) do
        local is_set = has_bits(high, flag[1]) and has_bits(low, flag[2])
        if is_set then names[#names + 1] = flag[3] end
        local item = show(reader, tree, field.flags[index], at, stop, false, is_set)
        if item then item:set_text(flag[3] .. ": " .. (is_set and "set" or "not set")) end
    end
    if tree and #names > 0 then tree:append_text(" (" .. table.concat(names, ", ") .. ")") end
end

function read.flags(reader, tree, kind, field, limits, text)
    local at = reader.at
    local set = protocol.flags[kind.index]
    need(reader, set.width)
    local high, low = integer_at(reader.data, at, set.width, false, kind.little)
    reader.at = at + set.width
    local item = show(reader, tree, field.item, at, reader.at, kind.little)
    label(item, text)
    show_flags(reader, item, set, field, at, reader.at, high, low)
end

function read.string(reader, tree, kind, field, limits, text)
    local start, at, stop, after = extent_at(reader, kind, limits)
    if at > start then label(show_unsigned(reader, tree, field.length, start, at, 0, stop - at), text) end
    label(show_text(reader, tree, field.item, at, stop), text)
    check_text(reader, at, stop)
    reader.at = after
end

function read.bytes(reader, tree, kind, field, limits, text)
    local start, at, stop, after = extent_at(reader, kind, limits)
    if at > start then label(show_unsigned(reader, tree, field.length, start, at, 0, stop - at), text) end
    label(show(reader, tree, field.item, at, stop), text)
    reader.at = after
end

function read.properties(reader, tree, kind, field)
    local at, stop = reader.at, reader.stop
    local group = show_text(reader, tree, field.item, at, stop)
    if stop - at > 65535 then
        fail(reader, "too_long", (stop - at) .. " is over the limit of 65535" .. place(reader, at))
    end
    local seen = {}
    while at < stop do
        local feed = string.find(reader.data, "\n", at + 1, true)
        local line_end = feed and feed <= stop and feed - 1 or stop
        check_text(reader, at, line_end)
        local line = string.sub(reader.data, at + 1, line_end)
        local colon = string.find(line, ":", 1, true)
        local key = string.sub(line, 1, (colon or #line + 1) - 1)
        if kind.strict and (not colon or key == "") then
            fail(reader, "invalid_property", "a line that is not `key:value`" .. place(reader, at))
        end
        if key ~= "" then
            local item = show_text(reader, group, field.property, at, line_end)
            show_text(reader, item, field.key, at, at + #key)
            show_text(reader, item, field.value, at + (colon or #key), line_end)
        end
        if kind.strict and seen[key] then
            fail(reader, "duplicate_key", "a key that stands twice" .. place(reader, at))
        end
        seen[key] = true
        at = line_end + 1
    end
    reader.at = stop
end

-- What a reader takes for a field that the packet ends before.
local function show_default(reader, tree, field)
    local kind, value = field.kind, field.default
    if value == nil then return end
    if type(value) == "table" then
        local high, low = value[1], value[2]
        local numbers = kind[1] == "enumeration" and protocol.enumerations[kind.index]
            or kind[1] == "flags" and protocol.flags[kind.index] or kind
        if kind[1] ~= "varint" and numbers.width < 8 then
            value = high < 0 and low - TWO_32 or low
        else
            value = (numbers.signed and Int64 or UInt64).new(low, high % TWO_32)
        end
    end
    local item = show(reader, tree, field.item, reader.at, reader.at, false, value)
    if item then item:set_generated() end
end

-- #region tests
-- MARK: Conditions

local compare = {}

compare["=="] = function(high, low, value) return high == value[1] and low == value[2] end
compare["!="] = function(high, low, value) return high ~= value[1] or low ~= value[2] end
compare["<"] = function(high, low, value) return is_less(high, low, value) end
compare["<="] = function(high, low, value) return not is_more(high, low, value) end
compare[">"] = function(high, low, value) return is_more(high, low, value) end
compare[">="] = function(high, low, value) return not is_less(high, low, value) end

local function shares_bit(number, mask)
    while number > 0 and mask > 0 do
        if number % 2 == 1 and mask % 2 == 1 then return true end
        number, mask = floor(number / 2), floor(mask / 2)
    end
    return false
end

compare["&"] = function(high, low, value)
    return shares_bit(high % TWO_32, value[1] % TWO_32) or shares_bit(low, value[2])
end

-- Whether a condition holds; what is absent counts as 0.
local function holds(condition, values)
    local kind = condition[1]
    if kind == "not" then return not holds(condition[2], values) end
    if kind == "and" then return holds(condition[2], values) and holds(condition[3], values) end
    if kind == "or" then return holds(condition[2], values) or holds(condition[3], values) end
    local number = values[condition[2]] or { 0, 0 }
    return compare[kind](number[1], number[2], condition[3])
end

-- #endregion
-- #region operands
-- The number of a value that has been read, by its kind.
local operand = {}

function operand.integer(reader, kind, at)
    return integer_at(reader.data, at, kind.width, kind.signed, kind.little)
end

function operand.boolean(reader, kind, at)
    return integer_at(reader.data, at, 1)
end

function operand.enumeration(reader, kind, at)
    local enumeration = protocol.enumerations[kind.index]
    return integer_at(reader.data, at, enumeration.width, enumeration.signed, kind.little)
end

function operand.flags(reader, kind, at)
    return integer_at(reader.data, at, protocol.flags[kind.index].width, false, kind.little)
end

-- #endregion
-- #region operands
local function read_fields(reader, tree, fields--[[headers{]], header--[[}]])
    local values = --[[headers{]]header or --[[}]]{}
    for _, field in ipairs(fields) do
        if field.absent and reader.at == reader.stop then
            show_default(reader, tree, field)
        -- #region conditions
        elseif not field.when or holds(field.when, values) then
        -- #endregion
        -- #region !conditions
        --| else
        -- #endregion
            local at = reader.at
            enter(reader, field.name)
            -- #region counters
            reader.numbers = values
            -- #endregion
            -- #region tags
            if field.tagged then reader.tag = values[field.tagged] end
            -- #endregion
            read[field.kind[1]](reader, tree, field.kind, field, field)
            leave(reader)
            if field.operand then
                local high, low = operand[field.kind[1]](reader, field.kind, at)
                values[field.name] = { high, low }
            end
        end
    end
end

-- #endregion
-- #region !operands
--| local function read_fields(reader, tree, fields)
--|     for _, field in ipairs(fields) do
--|         if field.absent and reader.at == reader.stop then
--|             show_default(reader, tree, field)
--|         else
--|             enter(reader, field.name)
--|             read[field.kind[1]](reader, tree, field.kind, field, field)
--|             leave(reader)
--|         end
--|     end
--| end

-- #endregion
function read.structure(reader, tree, kind, field, limits, text)
    local structure = protocol.structures[kind.index]
    local start = reader.at
    if reader.depth <= 0 then
        fail(reader, "too_deep", "nested more than " .. protocol.most_depth .. " deep" .. place(reader, start))
    end
    reader.depth = reader.depth - 1
    reader.group_depth = reader.group_depth + 1
    local group = show_group(reader, tree, field.item, start, reader.stop, text)
    if structure.size then
        local count = count_at(reader, structure.size)
        show_unsigned(reader, group, field.size, start, reader.at, 0, count)
        need(reader, count)
        local outer = reader.stop
        reader.stop = reader.at + count
        if group then group:set_len(reader.stop - start) end
        read_fields(reader, group, structure.fields)
        if reader.at < reader.stop then show(reader, group, fields.unknown, reader.at, reader.stop) end
        reader.at, reader.stop = reader.stop, outer
    else
        read_fields(reader, group, structure.fields)
        if group then group:set_len(reader.at - start) end
    end
    reader.group_depth = reader.group_depth - 1
    reader.depth = reader.depth + 1
end

local function read_item(reader, tree, kind, field, position)
    local at = reader.at
    enter(reader, "[" .. position .. "]")
    read[kind[1]](reader, tree, kind, field, NO_LIMITS, "[" .. position .. "] ")
    leave(reader)
    if reader.at == at then
        fail(reader, "trailing_bytes", counted(reader.stop - at, "byte") .. " after the last field"
            .. place(reader, at))
    end
end

-- Numbers that are not shown any more are not looked at either. Returns how many of at most so many are passed over.
-- Without a tree, that begins when so many have been `seen`.
local function pass_over(reader, tree, kind, most, seen)
    if not kind.width or (tree and reader.shared.items or seen) < MOST_ITEMS then return 0 end
    reader.shared.hides = true
    local count = math.min(most, floor((reader.stop - reader.at) / kind.width))
    -- Only these bytes: there may be many short lists before an unknown byte.
    local unknown = kind.unknown and string.find(string.sub(reader.data, reader.at + 1, reader.at + count), kind.unknown)
    if unknown then count = unknown - 1 end
    reader.at = reader.at + count * kind.width
    return count
end

local function read_items(reader, tree, kind, field, count)
    local position = 0
    while position < count do
        position = position + pass_over(reader, tree, kind, count - position, MOST_ITEMS)
        if position == count then return end
        read_item(reader, tree, kind, field, position)
        position = position + 1
    end
end

local function show_list(reader, tree, field, start, text)
    reader.group_depth = reader.group_depth + 1
    return show_group(reader, tree, field.list, start, reader.stop, text)
end

local function end_list(reader, group, start, count)
    reader.group_depth = reader.group_depth - 1
    if group then
        group:set_len(reader.at - start)
        group:append_text(": " .. counted(count, "item"))
    end
end

function read.array(reader, tree, kind, field, limits, text)
    local start = reader.at
    local group = show_list(reader, tree, field, start, text)
    read_items(reader, group, kind.of, field, kind.items)
    end_list(reader, group, start, kind.items)
end

function read.list(reader, tree, kind, field, limits, text)
    local start = reader.at
    local group = show_list(reader, tree, field, start, text)
    if kind.ends == "rest" then
        local position = 0
        while reader.at < reader.stop do
            position = position + pass_over(reader, group, kind.of, (limits.limit or math.huge) - position, position)
            if reader.at == reader.stop then break end
            check_limit(reader, limits, position + 1, reader.at)
            read_item(reader, group, kind.of, field, position)
            position = position + 1
        end
        end_list(reader, group, start, position)
        return
    end
    local count = count_at(reader, kind)
    show_unsigned(reader, group, field.count, start, reader.at, 0, count)
    check_limit(reader, limits, count, start)
    read_items(reader, group, kind.of, field, count)
    end_list(reader, group, start, count)
end

-- #region wide
local show_usual_default = show_default
function show_default(reader, tree, field)
    local kind, value = field.kind, field.default
    local numbers = kind[1] == "enumeration" and protocol.enumerations[kind.index]
        or kind[1] == "flags" and protocol.flags[kind.index] or kind
    if type(value) ~= "table" or not numbers.width or numbers.width < 5 or numbers.width > 7 then
        return show_usual_default(reader, tree, field)
    end
    local number = (numbers.signed and Int64 or UInt64).new(value[2], value[1] % TWO_32)
    local item = show(reader, tree, field.item, reader.at, reader.at, false, number)
    if item then item:set_generated() end
end

-- #endregion
-- #region packedFields
-- The value of some bits, as two numbers.
local function take_bits(high, low, kind)
    local shift, bits = kind.shift, kind.bits
    if shift >= 32 then high, low, shift = 0, high, shift - 32 end
    low = floor(low / power(shift)) + high % power(shift) * power(32 - shift)
    high = floor(high / power(shift))
    if bits > 32 then
        high = high % power(bits - 32)
        if kind.signed and high >= power(bits - 33) then high = high - power(bits - 32) end
    else
        high, low = 0, low % power(bits)
        if kind.signed and low >= power(bits - 1) then high, low = -1, low - power(bits) + TWO_32 end
    end
    return high, low
end

function read.packed(reader, tree, kind, field, limits)
    if kind.first then
        need(reader, kind.bytes)
        reader.run_at = reader.at
        reader.at = reader.at + kind.bytes
    end
    local at, own = reader.run_at, kind.as
    local whole_high, whole_low = integer_at(reader.data, at, kind.bytes, false, kind.little)
    local high, low = take_bits(whole_high, whole_low, kind)
    local value
    if kind.bytes > 4 then
        value = own[1] == "bit" and low == 1
        if own[1] ~= "bit" then value = (kind.signed and Int64 or UInt64).new(low, high % TWO_32) end
    end
    local item = show(reader, tree, field.item, at, at + kind.bytes, kind.little, value)
    if own[1] == "enumeration" then
        local enumeration = protocol.enumerations[own.index]
        local name = enumeration.names[decimal(high, low)]
        if item and name and kind.bytes > 4 then item:append_text(" (" .. name .. ")") end
        if enumeration.closed and not name then
            fail(reader, "unknown_case", decimal(high, low) .. " is not a case of this closed enum" .. place(reader, at))
        end
    elseif own[1] == "flags" then
        show_flags(reader, item, protocol.flags[own.index], field, at, at + kind.bytes, high, low)
    end
    check_range(reader, limits, high, low, at)
end

-- #endregion
-- MARK: Varints

-- The value of a varint. The number on the wire may stand for one with a sign, which is then the high half's.
local function varint_value_at(reader, kind)
    local at = reader.at
    local high, low = varint_at(reader, kind.most)
    if kind.form == "zigzag" then
        local is_negative = low % 2 == 1
        high, low = floor(high / 2), floor(low / 2) + high % 2 * 2147483648
        if is_negative then high, low = -1 - high, 4294967295 - low end
    elseif kind.form == "varint32" then
        if high > 0 then
            reader.at = at
            fail(reader, "varint_too_long", "the variable-length integer" .. place(reader, at) .. " does not fit "
                .. counted(kind.most, "byte") .. " or 64 bits")
        end
        if low >= 2147483648 then high = -1 end
    elseif kind.form == "varint64" and high >= 2147483648 then
        high = high - TWO_32
    end
    return high, low
end

local function show_varint(reader, tree, kind, field, at, stop, high, low)
    if not kind.signed then return show_unsigned(reader, tree, field, at, stop, high, low) end
    return show(reader, tree, field, at, stop, false, Int64.new(low, high % TWO_32))
end

function read.varint(reader, tree, kind, field, limits, text)
    local at = reader.at
    local high, low = varint_value_at(reader, kind)
    label(show_varint(reader, tree, kind, field.item, at, reader.at, high, low), text)
    check_range(reader, limits, high, low, at)
end

-- #region operands
function operand.varint(reader, kind, at)
    local after = reader.at
    reader.at = at
    local high, low = varint_value_at(reader, kind)
    reader.at = after
    return high, low
end

-- #endregion
-- #region packedOperands
function operand.packed(reader, kind)
    local high, low = integer_at(reader.data, reader.run_at, kind.bytes, false, kind.little)
    return take_bits(high, low, kind)
end

-- #endregion
-- #region fixedText
function read.char(reader, tree, kind, field, limits, text)
    local at = reader.at
    need(reader, kind.bytes)
    local stop = at + kind.bytes
    local after = stop
    if kind.fill == 0 then
        local found = string.find(string.sub(reader.data, at + 1, stop), "\0", 1, true)
        if found then stop = at + found - 1 end
    else
        while stop > at and string.byte(reader.data, stop) == kind.fill do stop = stop - 1 end
    end
    local item = show_text(reader, tree, field.item, at, stop)
    if item then item:set_len(after - at) end
    label(item, text)
    check_text(reader, at, stop)
    reader.at = after
end

function read.digits(reader, tree, kind, field, limits, text)
    local at = reader.at
    need(reader, kind.bytes)
    local stop = at + kind.bytes
    local digits = {}
    for index = at + 1, stop do
        digits[#digits + 1] = string.format("%02X", (string.byte(reader.data, index)))
    end
    digits = table.concat(digits)
    label(show(reader, tree, field.item, at, stop, false, digits), text)
    local wrong = string.find(digits, "[A-F]")
    if wrong then
        local offset = at + floor((wrong - 1) / 2)
        fail(reader, "invalid_digit", "each half of a byte is 0 to 9, the byte" .. place(reader, offset) .. " is "
            .. string.format("0x%02X", (string.byte(reader.data, offset + 1))))
    end
    reader.at = stop
end

-- #endregion
-- #region utf16
local function unit_at(reader, kind, at)
    local first, second = string.byte(reader.data, at + 1, at + 2)
    if kind.little_units then first, second = second, first end
    return 256 * first + second
end

local function units_to_nul(reader, kind, at, stop)
    while at + 2 <= stop do
        if unit_at(reader, kind, at) == 0 then return at end
        at = at + 2
    end
end

-- Where the text begins and ends, and what follows it; a prefix stands in front of it, what ends it behind.
local function utf16_extent(reader, kind, limits)
    local start, stop = reader.at, reader.stop
    if kind.bytes then
        need(reader, kind.bytes)
        stop = start + kind.bytes
        local after = stop
        if kind.fill == 0 then
            stop = units_to_nul(reader, kind, start, stop) or stop
        else
            while stop > start and unit_at(reader, kind, stop - 2) == kind.fill do stop = stop - 2 end
        end
        return start, stop, after
    elseif kind.ends == "nul" then
        stop = units_to_nul(reader, kind, start, stop)
        if not stop then
            fail(reader, "missing_terminator", "the string" .. place(reader, start) .. " has no terminating NUL")
        end
        check_limit(reader, limits, (stop - start) / 2, start)
        return start, stop, stop + 2
    elseif kind.ends == "rest" then
        check_limit(reader, limits, floor((stop - start) / 2), start)
        if (stop - start) % 2 == 1 then
            reader.at = stop - 1
            need(reader, 2)
        end
        return start, stop, stop
    end
    local count = count_at(reader, kind)
    check_limit(reader, limits, count, start)
    need(reader, 2 * count)
    return reader.at, reader.at + 2 * count, reader.at + 2 * count
end

local function check_utf16(reader, kind, at, stop)
    while at < stop do
        local unit = unit_at(reader, kind, at)
        if unit >= 0xD800 and unit < 0xE000 then
            local after = at + 2 < stop and unit_at(reader, kind, at + 2) or 0
            if unit >= 0xDC00 or after < 0xDC00 or after >= 0xE000 then
                fail(reader, "invalid_utf16", "not UTF-16" .. place(reader, at) .. ": half of a surrogate pair")
            end
            at = at + 2
        end
        at = at + 2
    end
end

function read.utf16(reader, tree, kind, field, limits, text)
    local start = reader.at
    local at, stop, after = utf16_extent(reader, kind, limits)
    if at > start then
        label(show_unsigned(reader, tree, field.length, start, at, 0, (stop - at) / 2), text)
    end
    if tree and reader.shared.items < MOST_ITEMS then
        reader.shared.items = reader.shared.items + 1
        local encoding = (ENC_UTF_16 or 4) + (kind.little_units and ENC_LITTLE_ENDIAN or ENC_BIG_ENDIAN)
        local item = tree:add_packet_field(field.item, reader.tvb(at, stop - at), encoding)
        if kind.bytes then item:set_len(kind.bytes) end
        label(item, text)
    elseif tree then
        reader.shared.hides = true
    end
    check_utf16(reader, kind, at, stop)
    reader.at = after
end

-- #endregion
-- #region padding
function read.padding(reader, tree, kind, field)
    need(reader, kind.bytes)
    show(reader, tree, field.item, reader.at, reader.at + kind.bytes)
    reader.at = reader.at + kind.bytes
end

-- #endregion
-- #region anyConstants
local function wrong_constant(reader, at, value, expected)
    fail(reader, "wrong_constant", hexadecimal(value[1], value[2]) .. place(reader, at) .. " where the constant "
        .. hexadecimal(expected[1], expected[2]) .. " was expected")
end

-- #endregion
-- #region comparedTexts
local function same_text(reader, at, text)
    for index = 1, #text do
        local byte, expected = string.byte(reader.data, at + index), string.byte(text, index)
        if byte ~= expected then wrong_constant(reader, at + index - 1, { 0, byte }, { 0, expected }) end
    end
end

-- #endregion
-- #region constants
function read.constant(reader, tree, kind, field, limits, text)
    need(reader, kind.bytes)
    if kind.value then
        local high, low = integer_at(reader.data, reader.at, kind.bytes, kind.signed, kind.little)
        if high ~= kind.value[1] or low ~= kind.value[2] then
            wrong_constant(reader, reader.at, { high, low }, kind.value)
        end
    else
        for index = 1, #kind.text do
            local byte, expected = string.byte(reader.data, reader.at + index), string.byte(kind.text, index)
            if byte ~= expected then
                wrong_constant(reader, reader.at + index - 1, { 0, byte }, { 0, expected })
            end
        end
    end
    read[kind.as[1]](reader, tree, kind.as, field, limits, text)
end

-- #endregion
-- #region packedConstants
function read.packed_constant(reader, tree, kind, field, limits)
    if kind.first then need(reader, kind.bytes) end
    local at = kind.first and reader.at or reader.run_at
    local whole_high, whole_low = integer_at(reader.data, at, kind.bytes, false, kind.little)
    local high, low = take_bits(whole_high, whole_low, kind)
    if high ~= kind.value[1] or low ~= kind.value[2] then
        wrong_constant(reader, at, { high, low }, kind.value)
    end
    read.packed(reader, tree, kind, field, limits)
end

-- #endregion
-- #region sized
function read.sized(reader, tree, kind, field, limits, text)
    local start = reader.at
    local count = kind.size.bytes
    if not count then
        count = count_at(reader, kind.size)
        show_unsigned(reader, tree, field.content_size, start, reader.at, 0, count)
    end
    need(reader, count)
    local outer = reader.stop
    reader.stop = reader.at + count
    local content = kind.content
    read[content[1]](reader, tree, content, field, limits, text)
    -- Lists and texts take all bytes; what a structure leaves is skipped.
    if reader.at < reader.stop then
        label(show(reader, tree, fields.unknown, reader.at, reader.stop), field.name .. ": ")
    end
    reader.at, reader.stop = reader.stop, outer
end

-- #endregion
-- #region counters
function read.counted(reader, tree, kind, field, limits, text)
    local number = reader.numbers[kind.by]
    local count = number[1] * TWO_32 + number[2] + kind.plus
    if count < 0 then fail(reader, "length_too_small", "a size of " .. count .. place(reader, reader.at)) end
    local whole = kind.as
    if whole.of then
        check_limit(reader, limits, count, reader.at)
        read.array(reader, tree, { "array", items = count, of = whole.of }, field, limits, text)
    else
        local content = whole.content
        if content[1] == "string" or content[1] == "bytes" then check_limit(reader, limits, count, reader.at) end
        read.sized(reader, tree, { "sized", size = { bytes = count }, content = content }, field, limits, text)
    end
end

-- #endregion
-- #region nullables
-- MARK: Values that may be absent

local unsigned_count_at = count_at

-- The number in front of a value; -1 if it has a sign and says that the value is absent.
count_at = function(reader, kind)
    if not kind.most_count then return unsigned_count_at(reader, kind) end
    local at = reader.at
    local high, low
    if kind.count == "zigzag" then
        low = unsigned_count_at(reader, { count = "varint" })
        if low % 2 == 1 then high, low = -1, TWO_32 - 1 - floor(low / 2) else high, low = 0, low / 2 end
    else
        need(reader, kind.count)
        high, low = integer_at(reader.data, at, kind.count, true, kind.little)
        reader.at = at + kind.count
    end
    check_range(reader, { least = { -1, TWO_32 - 1 }, most = { 0, kind.most_count } }, high, low, at)
    return high < 0 and -1 or low
end

function read.nullable(reader, tree, kind, field, limits, text)
    local at = reader.at
    local whole = kind.as
    if count_at(reader, whole.size or whole) < 0 then
        local item = show(reader, tree, field.absence, at, reader.at)
        if item then item:set_text(field.name .. ": absent") end
        return
    end
    reader.at = at
    read[whole[1]](reader, tree, whole, field, limits, text)
end

-- #endregion
-- #region endedLists
function read.ended(reader, tree, kind, field, limits, text)
    local start = reader.at
    local group = show_list(reader, tree, field, start, text)
    local position = 0
    need(reader, 1)
    while string.byte(reader.data, reader.at + 1) ~= kind.by do
        check_limit(reader, limits, position + 1, reader.at)
        read_item(reader, group, kind.of, field, position)
        position = position + 1
        need(reader, 1)
    end
    show(reader, group, fields.list_end, reader.at, reader.at + 1)
    reader.at = reader.at + 1
    end_list(reader, group, start, position)
end

-- #endregion
-- #region unions
-- MARK: Unions

local function tag_at(reader, tree, kind, field)
    local at = reader.at
    local high, low
    if kind[1] == "varint" then
        high, low = varint_value_at(reader, kind)
        show_unsigned(reader, tree, field.tag_item, at, reader.at, high, low)
        return high, low
    end
    local number = kind[1] == "enumeration" and protocol.enumerations[kind.index] or kind
    need(reader, number.width)
    high, low = integer_at(reader.data, at, number.width, number.signed, kind.little)
    reader.at = at + number.width
    show(reader, tree, field.tag_item, at, reader.at, kind.little)
    return high, low
end

local function arm_of(reader, union, tag, at)
    local arm = union.arms[tag] or union.keeps
    if not arm then
        fail(reader, "unknown_case", "no arm of this union has the tag " .. tag .. place(reader, at))
    end
    local enumeration = union.tag[1] == "enumeration" and protocol.enumerations[union.tag.index]
    if enumeration and enumeration.closed and not enumeration.names[tag] then
        fail(reader, "unknown_case", tag .. " is not a case of this closed enum" .. place(reader, at))
    end
    return arm
end

function read.union(reader, tree, kind, field, limits, text)
    local union = protocol.unions[kind.index]
    local start, outer = reader.at, reader.stop
    if reader.depth <= 0 then
        fail(reader, "too_deep", "nested more than " .. protocol.most_depth .. " deep" .. place(reader, start))
    end
    reader.depth = reader.depth - 1
    reader.group_depth = reader.group_depth + 1
    local group = show_group(reader, tree, field.item, start, reader.stop, text)
    -- #region tags
    local high, low
    if field.tagged then
        high, low = reader.tag[1], reader.tag[2]
    else
        high, low = tag_at(reader, group, union.tag, field)
    end
    -- #endregion
    -- #region !tags
    --| local high, low = tag_at(reader, group, union.tag, field)
    -- #endregion
    if union.size then
        local at = reader.at
        local count = count_at(reader, union.size)
        show_unsigned(reader, group, field.size, at, reader.at, 0, count)
        need(reader, count)
        reader.stop = reader.at + count
    end
    local arm = arm_of(reader, union, decimal(high, low), start)
    if group then group:append_text(": " .. arm.name) end
    if arm.kind then
        enter(reader, arm.name)
        read[arm.kind[1]](reader, group, arm.kind, arm, arm)
        leave(reader)
    end
    if union.size then
        if reader.at < reader.stop then show(reader, group, fields.unknown, reader.at, reader.stop) end
        reader.at, reader.stop = reader.stop, outer
    end
    if group then group:set_len(reader.at - start) end
    reader.group_depth = reader.group_depth - 1
    reader.depth = reader.depth + 1
end

-- #endregion
-- #region absences
-- #region complete
-- Fields of the packet that are there only if a condition holds.
-- #endregion
local NOTHING = { kind = { "integer", width = 0 } }

local function is_there(reader, field)
    return not field.when or holds(field.when, reader.values)
end

local function present(reader, list)
    local index = 0
    return function()
        repeat index = index + 1 until not list[index] or is_there(reader, list[index])
        return list[index] and index, list[index]
    end
end

local function least_width(other)
    return other.kind[1] == "varint" and 1 or (--[[packed{]]other.pack and (other.pack.first and other.pack.width or 0) or --[[}]]--[[texts{]]other.kind.bytes or --[[}]]other.kind.width or 1)
end

-- #endregion
-- #region anyChecksum
-- MARK: Checksums

local function xor_16(left, right)
    return xor_byte(floor(left / 256), floor(right / 256)) * 256 + xor_byte(left % 256, right % 256)
end

-- The remainders that a byte adds to a CRC whose bytes begin with the least significant bit: 16 bits each, the high
-- ones first.
local function reflected_table(high_polynomial, low_polynomial)
    if not XOR then make_crc_table() end
    local list = {}
    for index = 0, 255 do
        local high, low = 0, index
        for _ = 1, 8 do
            local odd = low % 2
            low = floor(low / 2) + high % 2 * 32768
            high = floor(high / 2)
            if odd == 1 then high, low = xor_16(high, high_polynomial), xor_16(low, low_polynomial) end
        end
        list[index] = { high, low }
    end
    return list
end

local function reflected_crc(high_polynomial, low_polynomial, high_start, low_start, is_inverted)
    local list
    return function(bytes)
        list = list or reflected_table(high_polynomial, low_polynomial)
        local high, low = high_start, low_start
        for index = 1, #bytes do
            local entry = list[xor_byte(low % 256, string.byte(bytes, index))]
            low = xor_16(floor(low / 256) + high % 256 * 256, entry[2])
            high = xor_16(floor(high / 256), entry[1])
        end
        if is_inverted then high, low = high_start - high, low_start - low end
        return high * 65536 + low
    end
end

-- A CRC of 16 bits with the polynomial 0x1021, whose bytes begin with the most significant bit.
local function ccitt_crc(start)
    local list
    return function(bytes)
        if not list then
            if not XOR then make_crc_table() end
            list = {}
            for index = 0, 255 do
                local value = index * 256
                for _ = 1, 8 do
                    local is_over = value >= 32768
                    value = value * 2 % 65536
                    if is_over then value = xor_16(value, 0x1021) end
                end
                list[index] = value
            end
        end
        local value = start
        for index = 1, #bytes do
            value = xor_16(list[xor_byte(floor(value / 256), string.byte(bytes, index))], value % 256 * 256)
        end
        return value
    end
end

local checksums = {
    crc32 = reflected_crc(0xEDB8, 0x8320, 65535, 65535, true),
    crc32c = reflected_crc(0x82F6, 0x3B78, 65535, 65535, true),
    crc16_arc = reflected_crc(0, 0xA001, 0, 0),
    crc16_modbus = reflected_crc(0, 0xA001, 0, 65535),
    crc16_kermit = reflected_crc(0, 0x8408, 0, 0),
    crc16_x25 = reflected_crc(0, 0x8408, 0, 65535, true),
    crc16_ccitt_false = ccitt_crc(65535),
    crc16_xmodem = ccitt_crc(0),
}

function checksums.adler32(bytes)
    local low, high = 1, 0
    for index = 1, #bytes do
        low = (low + string.byte(bytes, index)) % 65521
        high = (high + low) % 65521
    end
    return high * 65536 + low
end

function checksums.sum8(bytes)
    local sum = 0
    for index = 1, #bytes do sum = (sum + string.byte(bytes, index)) % 256 end
    return sum
end

function checksums.xor8(bytes)
    if not XOR then make_crc_table() end
    local value = 0
    for index = 1, #bytes do value = xor_byte(value, string.byte(bytes, index)) end
    return value
end

-- The bytes that a checksum covers, with zeros for itself and for later ones. The parts of a packet are the fields of
-- the header, the payload, and the fields of the trailer.
local function covered_bytes(reader, field, payload_start, payload_end, packet_end)
    local edges, at = { reader.start }, reader.start
    for _, other in ipairs(layout.header) do
        -- #region absences
        if not is_there(reader, other) then other = NOTHING end
        -- #endregion
        if other.kind[1] == "varint" then
            while string.byte(reader.data, at + 1) >= 128 do at = at + 1 end
            at = at + 1
        else
            at = at + (--[[packed{]]other.pack and (other.pack.first and other.pack.width or 0) or --[[}]]--[[texts{]]other.kind.bytes or --[[}]]other.kind.width or 1)
        end
        edges[#edges + 1] = at
    end
    edges[#edges + 1], at = payload_end, payload_end
    for _, other in ipairs(layout.trailer) do
        -- #region absences
        if not is_there(reader, other) then other = NOTHING end
        -- #endregion
        at = at + (--[[packed{]]other.pack and (other.pack.first and other.pack.width or 0) or --[[}]]--[[texts{]]other.kind.bytes or --[[}]]other.kind.width or 1)
        edges[#edges + 1] = at
    end
    local pieces, start = {}, edges[field.first]
    for _, part in ipairs(field.zeros) do
        pieces[#pieces + 1] = string.sub(reader.data, start + 1, edges[part])
        pieces[#pieces + 1] = string.rep("\0", edges[part + 1] - edges[part])
        start = edges[part + 1]
    end
    pieces[#pieces + 1] = string.sub(reader.data, start + 1, edges[field.last + 1])
    return table.concat(pieces)
end

-- #endregion
-- #region frames
-- MARK: Frames

local FRAME = layout.frame
local FRAME_USES = {}
for pair in pairs(FRAME.escapes) do FRAME_USES[math.floor(pair / 256)] = "escape" end
FRAME_USES[FRAME.start] = "start"
FRAME_USES[FRAME.stop] = "stop"

local function need_start_mark(reader, at)
    local byte = string.byte(reader.data, at + 1)
    if byte == FRAME.start then return end
    fail(reader, "wrong_constant", hexadecimal(0, byte) .. " at offset 0 where the constant "
        .. hexadecimal(0, FRAME.start) .. " was expected", "packet.frame")
end

-- Finds the next packet, after marks with nothing between them. Returns its bytes, unescaped, where they begin if none
-- was escaped, and where its frame ends; when the end mark has not arrived, nil and whether no packet has begun. A
-- fault is thrown.
local function unframe(reader, at, stop)
    local data, parts, count = reader.data, {}, 0
    need_start_mark(reader, at)
    at = at + 1
    local from = at
    local function need_room()
        if count < layout.limit then return end
        fail(reader, "packet_too_long", "length " .. hexadecimal(0, layout.limit + 1) .. " is over the limit of "
            .. layout.limit, "packet.frame")
    end
    while at < stop do
        local byte = string.byte(data, at + 1)
        local use = FRAME_USES[byte]
        if not use then
            need_room()
            at, count = at + 1, count + 1
        elseif use == "stop" and count > 0 then
            if #parts == 0 then return string.sub(data, from + 1, at), from, at + 1 end
            parts[#parts + 1] = string.sub(data, from + 1, at)
            return table.concat(parts), nil, at + 1
        elseif use == "stop" then
            at = at + 1
            if FRAME.start ~= FRAME.stop then
                if at == stop then return nil, true end
                need_start_mark(reader, at)
                at = at + 1
            end
            from = at
        elseif use == "start" then
            fail(reader, "invalid_escape", "the start mark " .. hexadecimal(0, byte) .. " at offset " .. count
                .. ", before the packet's end mark", "packet.frame")
        else
            if at + 2 > stop then return nil end
            local second = string.byte(data, at + 2)
            local value = FRAME.escapes[256 * byte + second]
            if not value then
                fail(reader, "invalid_escape", hexadecimal(0, byte) .. " " .. hexadecimal(0, second)
                    .. " at offset " .. count .. " are no escape", "packet.frame")
            end
            need_room()
            parts[#parts + 1] = string.sub(data, from + 1, at)
            parts[#parts + 1] = string.char(value)
            at, count = at + 2, count + 1
            from = at
        end
    end
    return nil, FRAME.start == FRAME.stop and count == 0
end

-- #endregion
-- #region keys
-- #region complete
-- `layer xor(key)` and `layer rc4(key)`.
-- #endregion
-- MARK: Ciphers

local xored, new_keystream, use_keystream, saved_keystreams, restored_keystreams

do
    -- Combines bytes with those that a function returns, one after another.
    local function combined(data, next_byte)
        if not XOR then make_crc_table() end
        local pieces = {}
        for from = 1, #data, 4096 do
            local bytes = { string.byte(data, from, math.min(from + 4095, #data)) }
            for index = 1, #bytes do bytes[index] = xor_byte(bytes[index], next_byte()) end
            pieces[#pieces + 1] = string.char(unpack(bytes))
        end
        return table.concat(pieces)
    end

    -- The key starts anew with each packet.
    function xored(data, key)
        local at = 0
        return combined(data, function()
            at = at % #key + 1
            return string.byte(key, at)
        end)
    end

    -- A keystream of RC4 goes on from packet to packet: a permutation of all bytes, and two places in it.
    function new_keystream(key)
        local stream, other = { index = 0, other = 0 }, 0
        for value = 0, 255 do stream[value] = value end
        for index = 0, 255 do
            other = (other + stream[index] + string.byte(key, index % #key + 1)) % 256
            stream[index], stream[other] = stream[other], stream[index]
        end
        return stream
    end

    function use_keystream(stream, data)
        local index, other = stream.index, stream.other
        local content = combined(data, function()
            index = (index + 1) % 256
            local first = stream[index]
            other = (other + first) % 256
            local second = stream[other]
            stream[index], stream[other] = second, first
            return stream[(first + second) % 256]
        end)
        stream.index, stream.other, stream.saved = index, other, nil
        return content
    end

    -- One direction's keystreams, by the positions of their layers, so that they cost little to keep for each packet.
    function saved_keystreams(streams)
        local saved = {}
        for layer, stream in pairs(streams) do
            if stream ~= "lost" and not stream.saved then
                stream.saved = string.char(stream.index, stream.other, unpack(stream, 0, 255))
            end
            saved[layer] = stream == "lost" and stream or stream.saved
        end
        return saved
    end

    function restored_keystreams(saved)
        local streams = {}
        for layer, text in pairs(saved) do
            if text == "lost" then
                streams[layer] = text
            else
                local stream = { index = string.byte(text, 1), other = string.byte(text, 2) }
                for value = 0, 255 do stream[value] = string.byte(text, value + 3) end
                streams[layer] = stream
            end
        end
        return streams
    end
end

-- After a layer that could not be opened, or a packet that could not be found, nobody knows how far the keystreams
-- inside of it have come.
local function lose_keystreams(context, layer)
    for _, index in ipairs(protocol.keystreams) do
        if index > layer or protocol.has_packets then context.keystreams[index] = "lost" end
    end
end

-- #endregion
-- #region inflated
-- #region complete
-- Inflates streams (RFC 1950, 1951, 1952), with zlib's verdicts.
-- Wireshark's own `uncompress` has no limit, takes any of the three formats for any other one, does not compare gzip's checksum, and
-- tells neither that a stream is cut nor how many bytes follow it. So the dissector inflates itself, which also needs no Wireshark with
-- zlib: 3 to 6 MB of content in a second (tshark 4.0 with Lua 5.2).
-- #endregion
-- MARK: Inflating

-- What is wrong with a stream is thrown as one of these.
local CUT, DAMAGED, TOO_LONG = { "cut" }, { "damaged" }, { "too long" }
local inflate

-- A block, because Lua allows a file only 200 local names.
do
    local POWERS = { [0] = 1 }
    for index = 1, 32 do POWERS[index] = 2 * POWERS[index - 1] end

    -- A stream of bits: those of a byte begin with its lowest one.
    local function new_stream(data)
        return { data = data, at = 0, hold = 0, count = 0 }
    end

    local function take_number(stream, count)
        while stream.count < count do
            local byte = string.byte(stream.data, stream.at + 1)
            if not byte then error(CUT, 0) end
            stream.at = stream.at + 1
            stream.hold = stream.hold + byte * POWERS[stream.count]
            stream.count = stream.count + 8
        end
        local power = POWERS[count]
        local number = stream.hold % power
        stream.hold = (stream.hold - number) / power
        stream.count = stream.count - count
        return number
    end

    -- What was made of a stream: the last bytes are kept as numbers, because later ones may repeat them.
    local WINDOW = 32768

    local function new_content(limit)
        return { count = 0, limit = limit, kept = 0, pieces = {} }
    end

    local function keep_pieces(content)
        local from, last = content.kept % WINDOW, (content.count - 1) % WINDOW
        if content.kept == content.count then return end
        while from <= last do
            local to = math.min(from + 4095, last)
            content.pieces[#content.pieces + 1] = string.char(unpack(content, from, to))
            from = to + 1
        end
        content.kept = content.count
    end

    local function append(content, byte)
        if content.count == content.limit then error(TOO_LONG, 0) end
        content[content.count % WINDOW] = byte
        content.count = content.count + 1
        if content.count % WINDOW == 0 then keep_pieces(content) end
    end

    -- Makes a code (RFC 1951 §3.2.2). Its symbols are found by a 1 and the bits of the symbol's code after it. Only codes
    -- of literals and distances may be incomplete, and only if their single code has one bit.
    local function make_code(lengths, first, count, may_be_incomplete)
        local counts, starts, code = {}, {}, { most = 65536 }
        for length = 0, 15 do counts[length] = 0 end
        for index = first, first + count - 1 do counts[lengths[index]] = counts[lengths[index]] + 1 end
        if counts[0] == count then return { most = 2, is_empty = true } end
        local left, start, longest = 1, 0, 0
        for length = 1, 15 do
            left = 2 * left - counts[length]
            if left < 0 then error(DAMAGED, 0) end
            starts[length] = start + POWERS[length]
            start = 2 * (start + counts[length])
            if counts[length] > 0 then longest = length end
        end
        if left > 0 then
            if not may_be_incomplete or longest > 1 then error(DAMAGED, 0) end
            code.most = 2
        end
        for symbol = 0, count - 1 do
            local length = lengths[first + symbol]
            if length > 0 then
                code[starts[length]] = symbol
                starts[length] = starts[length] + 1
            end
        end
        return code
    end

    local function take_symbol(stream, code)
        local found, hold, count = 1, stream.hold, stream.count
        -- One bit is enough to find out that it is none of an incomplete code.
        while found < code.most do
            if count == 0 then
                hold = string.byte(stream.data, stream.at + 1)
                if not hold then error(CUT, 0) end
                stream.at = stream.at + 1
                count = 8
            end
            local bit = hold % 2
            found, hold, count = 2 * found + bit, (hold - bit) / 2, count - 1
            local symbol = code[found]
            if symbol then
                stream.hold, stream.count = hold, count
                return symbol
            end
        end
        error(DAMAGED, 0)
    end

    -- What lengths and distances begin with, and how many bits are added (RFC 1951 §3.2.5).
    local LENGTHS, LENGTH_BITS, DISTANCES, DISTANCE_BITS = { [285] = 258 }, { [285] = 0 }, {}, {}
    do
        local base = 3
        for symbol = 257, 284 do
            LENGTH_BITS[symbol] = symbol < 265 and 0 or floor((symbol - 261) / 4)
            LENGTHS[symbol], base = base, base + POWERS[LENGTH_BITS[symbol]]
        end
        base = 1
        for symbol = 0, 29 do
            DISTANCE_BITS[symbol] = symbol < 4 and 0 or floor(symbol / 2) - 1
            DISTANCES[symbol], base = base, base + POWERS[DISTANCE_BITS[symbol]]
        end
    end

    local FIXED
    local function fixed_codes()
        if not FIXED then
            local lengths, distances = {}, {}
            for symbol = 0, 287 do
                lengths[symbol] = symbol < 144 and 8 or symbol < 256 and 9 or symbol < 280 and 7 or 8
            end
            for symbol = 0, 31 do distances[symbol] = 5 end
            FIXED = { make_code(lengths, 0, 288), make_code(distances, 0, 32) }
        end
        return FIXED[1], FIXED[2]
    end

    local LENGTH_ORDER = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 }

    -- The codes of a block that brings its own (RFC 1951 §3.2.7).
    local function own_codes(stream)
        local literals, distances = take_number(stream, 5) + 257, take_number(stream, 5) + 1
        local count = take_number(stream, 4) + 4
        if literals > 286 or distances > 30 then error(DAMAGED, 0) end
        local lengths = {}
        for symbol = 0, 18 do lengths[symbol] = 0 end
        for index = 1, count do lengths[LENGTH_ORDER[index]] = take_number(stream, 3) end
        local code = make_code(lengths, 0, 19)
        -- zlib reads a length of 0 then.
        if code.is_empty then code = { [2] = 0, [3] = 0, most = 2 } end
        lengths = {}
        local known = 0
        while known < literals + distances do
            local length, times = take_symbol(stream, code), 1
            if length == 16 then
                times = 3 + take_number(stream, 2)
                if known == 0 then error(DAMAGED, 0) end
                length = lengths[known - 1]
            elseif length == 17 then
                length, times = 0, 3 + take_number(stream, 3)
            elseif length == 18 then
                length, times = 0, 11 + take_number(stream, 7)
            end
            if known + times > literals + distances then error(DAMAGED, 0) end
            for index = known, known + times - 1 do lengths[index] = length end
            known = known + times
        end
        -- Without a code for the end of the block.
        if lengths[256] == 0 then error(DAMAGED, 0) end
        return make_code(lengths, 0, literals, true), make_code(lengths, literals, distances, true)
    end

    local function inflate_coded(stream, content, literals, distances)
        while true do
            local symbol = take_symbol(stream, literals)
            if symbol == 256 then return end
            if symbol < 256 then
                append(content, symbol)
            else
                if not LENGTHS[symbol] then error(DAMAGED, 0) end
                local length = LENGTHS[symbol] + take_number(stream, LENGTH_BITS[symbol])
                symbol = take_symbol(stream, distances)
                if not DISTANCES[symbol] then error(DAMAGED, 0) end
                local distance = DISTANCES[symbol] + take_number(stream, DISTANCE_BITS[symbol])
                if distance > content.count then error(DAMAGED, 0) end
                for _ = 1, length do append(content, content[(content.count - distance) % WINDOW]) end
            end
        end
    end

    local function inflate_stored(stream, content)
        stream.hold, stream.count = 0, 0
        local count, inverse = take_number(stream, 16), take_number(stream, 16)
        if count + inverse ~= 65535 then error(DAMAGED, 0) end
        for _ = 1, count do append(content, take_number(stream, 8)) end
    end

    local function inflate_blocks(stream, content)
        local is_last
        repeat
            is_last = take_number(stream, 1) == 1
            local kind = take_number(stream, 2)
            if kind == 0 then
                inflate_stored(stream, content)
            elseif kind == 1 then
                inflate_coded(stream, content, fixed_codes())
            elseif kind == 2 then
                inflate_coded(stream, content, own_codes(stream))
            else
                error(DAMAGED, 0)
            end
        until is_last
        -- The rest of the last byte.
        stream.hold, stream.count = 0, 0
        keep_pieces(content)
    end

    -- What the three formats have around the blocks.
    local inflate_format = { deflate = inflate_blocks }

    local function adler32(pieces)
        local low, high = 1, 0
        for _, piece in ipairs(pieces) do
            for index = 1, #piece do
                low = (low + string.byte(piece, index)) % 65521
                high = (high + low) % 65521
            end
        end
        return high * 65536 + low
    end

    function inflate_format.zlib(stream, content)
        local method, flags = take_number(stream, 8), take_number(stream, 8)
        -- A window of 32 KiB at most.
        if (256 * method + flags) % 31 ~= 0 or method % 16 ~= 8 or method > 0x78 then error(DAMAGED, 0) end
        -- A dictionary, which nobody has.
        if flags % 64 >= 32 then
            take_number(stream, 32)
            error(DAMAGED, 0)
        end
        inflate_blocks(stream, content)
        local sum = 0
        for _ = 1, 4 do sum = 256 * sum + take_number(stream, 8) end
        if sum ~= adler32(content.pieces) then error(DAMAGED, 0) end
    end

    local function pass_text(stream)
        repeat until take_number(stream, 8) == 0
    end

    function inflate_format.gzip(stream, content)
        if take_number(stream, 16) ~= 0x8B1F then error(DAMAGED, 0) end
        local method, flags = take_number(stream, 8), take_number(stream, 8)
        if method ~= 8 or flags >= 32 then error(DAMAGED, 0) end
        for _ = 1, 6 do take_number(stream, 8) end
        local function has(flag) return floor(flags / flag) % 2 == 1 end
        if has(4) then
            for _ = 1, take_number(stream, 16) do take_number(stream, 8) end
        end
        if has(8) then pass_text(stream) end
        if has(16) then pass_text(stream) end
        if has(2) then
            local sum = crc32(stream.data, 0, stream.at) % 65536
            if take_number(stream, 16) ~= sum then error(DAMAGED, 0) end
        end
        inflate_blocks(stream, content)
        local whole = table.concat(content.pieces)
        if take_number(stream, 16) + 65536 * take_number(stream, 16) ~= crc32(whole, 0, #whole) then
            error(DAMAGED, 0)
        end
        if take_number(stream, 16) + 65536 * take_number(stream, 16) ~= content.count % TWO_32 then
            error(DAMAGED, 0)
        end
    end

    -- Inflates a stream. Returns what it contains, the number of bytes after it, and what is wrong with it.
    function inflate(format, data, limit)
        local stream, content = new_stream(data), new_content(limit)
        local is_good, fault = pcall(inflate_format[format], stream, content)
        if not is_good and type(fault) ~= "table" then error(fault, 0) end
        keep_pieces(content)
        return table.concat(content.pieces), #data - stream.at, not is_good and fault or nil
    end
end

-- #endregion
-- #region preferences
-- #region complete
-- The states of a new connection, and keys. A value that cannot be used is not taken: packets say so in a note.
-- #endregion
-- MARK: Preferences

-- What is wrong with the preferences.
local wrong_preferences = {}

-- #endregion
-- #region states
local initial_outcomes, read_states

do
    -- For each state, which of its tests hold on a new connection.
    local initial = {}

    function initial_outcomes()
        local outcomes = {}
        for index, state in ipairs(protocol.states) do outcomes[index] = initial[index] or state.zero end
        return outcomes
    end

    local function outcomes_of(state, number)
        local outcomes = 0
        for _, test in ipairs(state.tests) do
            if compare[test[1]](number[1], number[2], test[2]) then outcomes = outcomes + test[3] end
        end
        return outcomes
    end

    for _, state in ipairs(protocol.states) do
        state.preference, state.zero = "state_" .. state.filter, outcomes_of(state, { 0, 0 })
        proto.prefs[state.preference] = Pref.string("State " .. state.name, "", "Of a connection at the beginning of "
            .. "the capture: a number or a name; nothing is 0." .. (state.about and " " .. state.about or ""))
    end

    -- The number that a text means for a state; nil if the state cannot have it.
    local function number_of(state, text)
        if text == "" then return { 0, 0 } end
        if state.names[text] then return state.names[text] end
        local sign, digits = string.match(text, "^(%-?)(%d+)$")
        if not digits or #digits > 20 then return nil end
        local high, low = 0, 0
        for digit in string.gmatch(digits, "%d") do
            low = low * 10 + tonumber(digit)
            high, low = high * 10 + floor(low / TWO_32), low % TWO_32
        end
        if sign == "-" and low > 0 then
            high, low = -high - 1, TWO_32 - low
        elseif sign == "-" then
            high = -high
        end
        if is_less(high, low, state.least) or is_more(high, low, state.most) then return nil end
        return { high, low }
    end

    function read_states()
        initial = {}
        for index, state in ipairs(protocol.states) do
            local text = tostring(proto.prefs[state.preference] or "")
            local number = number_of(state, text)
            if number then
                initial[index] = outcomes_of(state, number)
            else
                wrong_preferences[#wrong_preferences + 1] = state.preference .. ": the state \"" .. state.name
                    .. "\" is never \"" .. text .. "\"; it begins with 0"
            end
        end
    end
end

-- #endregion
-- #region keys
-- The bytes of keys, by the sender of the packets and the position of the key.
local keys = { client = {}, server = {} }

local read_keys

do
    for _, key in ipairs(protocol.keys) do
        local about = " in hexadecimal digits, at most " .. key.most .. " bytes."
        key.preference = "key_" .. key.filter
        proto.prefs[key.preference] = Pref.string("Key " .. key.name, "", "The key of a layer" .. about)
        if key.has_sides then
            for _, sender in ipairs({ "client", "server" }) do
                proto.prefs[sender .. "_" .. key.preference] = Pref.string("Key " .. key.name .. " of the " .. sender, "",
                    "The key for packets of the " .. sender .. " alone," .. about)
            end
        end
    end

    -- The key of a preference; nil if there is none.
    local function key_in(preference, key)
        local text = string.gsub(tostring(proto.prefs[preference] or ""), "[%s:]", "")
        if text == "" then return nil end
        if #text % 2 == 0 and #text <= 2 * key.most and not string.find(text, "%X") then
            return (string.gsub(text, "%x%x", function(digits) return string.char(tonumber(digits, 16)) end))
        end
        wrong_preferences[#wrong_preferences + 1] = preference .. ": no key of at most " .. key.most
            .. " bytes in hexadecimal digits"
    end

    function read_keys()
        for index, key in ipairs(protocol.keys) do
            local shared = key_in(key.preference, key)
            for _, sender in ipairs({ "client", "server" }) do
                local own = key.has_sides and key_in(sender .. "_" .. key.preference, key)
                keys[sender][index] = own or shared
            end
        end
    end
end

-- #endregion
-- MARK: Packets

-- #region packed
local function packed_value(reader, pack, is_open)
    if pack.first then
        if reader.stop - reader.at < pack.width and is_open then return nil end
        need(reader, pack.width)
        local high, low = integer_at(reader.data, reader.at, pack.width, false, pack.little)
        reader.run = bits_of(high % TWO_32) .. bits_of(low)
        reader.at = reader.at + pack.width
    end
    local digits = string.sub(reader.run, -pack.shift - pack.bits, -pack.shift - 1)
    local sign = pack.signed and string.sub(digits, 1, 1) or "0"
    local high, low = from_bits(string.rep(sign, 64 - #digits) .. digits)
    return sign == "1" and high - TWO_32 or high, low
end

-- Where the bytes of the next field begin: those of a field that shares bytes may have been read.
local function start_of(reader, field)
    return field.pack and not field.pack.first and reader.at - field.pack.width or reader.at
end

local function show_packed(reader, tree, field, at, high, low)
    local kind = field.kind
    local numbers = kind[1] == "enumeration" and protocol.enumerations[kind.index]
        or kind[1] == "flags" and protocol.flags[kind.index] or kind
    local value
    if kind[1] == "boolean" then
        value = low == 1
    elseif numbers.width < 8 then
        value = high < 0 and low - TWO_32 or low
    else
        value = (numbers.signed and Int64 or UInt64).new(low, high % TWO_32)
    end
    local item = show(reader, tree, field.item, at, reader.at, false, value)
    if kind[1] == "flags" then show_flags(reader, item, numbers, field, at, reader.at, high, low) end
end

-- #endregion
-- Reads a field of the header or trailer; nil when it has not arrived whole.
local function header_value(reader, field, available, limit)
    local kind = field.kind
    reader.stop = math.min(available, limit)
    if reader.at > reader.stop then reader.at = reader.stop end
    local is_open = available < limit
    -- #region texts
    if kind.bytes then
        if reader.stop - reader.at < kind.bytes and is_open then return nil end
        local stop = reader.at + kind.bytes
        if kind[1] == "bytes"--[[constantTexts{]] or field.text--[[}]] then need(reader, kind.bytes) else read[kind[1]](reader, nil, kind, field, NO_LIMITS) end
        reader.at = stop
        return 0, 0
    end
    -- #endregion
    -- #region packed
    if field.pack then return packed_value(reader, field.pack, is_open) end
    -- #endregion
    if kind[1] == "varint" then
        local last = reader.at
        while last < reader.stop and string.byte(reader.data, last + 1) >= 128 and last - reader.at < 10 do
            last = last + 1
        end
        if last == reader.stop and is_open and last - reader.at < kind.most then return nil end
        return varint_value_at(reader, kind)
    end
    local width = kind.width or 1
    if reader.stop - reader.at < width and is_open then return nil end
    need(reader, width)
    local high, low = integer_at(reader.data, reader.at, width, kind.signed, kind.little)
    if kind[1] == "boolean" and low > 1 then
        fail(reader, "invalid_boolean", "a bool is 0 or 1, the byte" .. place(reader, reader.at) .. " is " .. low)
    end
    reader.at = reader.at + width
    return high, low
end

local function check_constant(reader, field, at, high, low)
    -- #region constantTexts
    if field.text then same_text(reader, at, field.text) end
    -- #endregion
    if field.role ~= "constant" or high == field.value[1] and low == field.value[2] then return end
    fail(reader, "wrong_constant", hexadecimal(high, low) .. place(reader, at) .. " where the constant "
        .. hexadecimal(field.value[1], field.value[2]) .. " was expected")
end

local function last_bits_of(field, high, low)
    local kind = field.kind
    local most = kind.form == "varint32" and 32 or 64
    local width = --[[packed{]]field.pack and field.pack.bits or --[[}]]kind[1] == "boolean" and 1 or kind[1] == "varint" and math.min(most, 7 * kind.most) or 8 * kind.width
    return last_bits(high, low, width)
end

-- What the byte count of the packet is, if a length is right; compared with the layout, the limit and other lengths.
local function packet_size(reader, field, high, low, at, header_size, size, is_exact)
    local least = header_size + --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]]
    local difference = -field.plus
    if field.of == "payload" then difference = difference + least end
    if field.of == "rest" then difference = difference + reader.at - reader.start end
    if field.kind.form then least = math.max(least, difference) end
    local total_high, total_low = plus(high, low, difference)
    if total_high < 0 or total_high == 0 and total_low < least then
        fail(reader, "length_too_small", "length " .. hexadecimal(high, low) .. " (" .. decimal(high, low) .. ")"
            .. place(reader, at) .. " is under the minimum of " .. (least - difference), "")
    end
    if --[[layers{]](layout.limit and (total_high > 0 or total_low > layout.limit)) or total_high >= 1073741824--[[}]]--[[!layers{total_high > 0 or total_low > layout.limit}]] then
        local text = "length " .. hexadecimal(high, low)
        if difference ~= 0 then text = text .. " makes a packet of " .. decimal(total_high, total_low) .. " bytes," end
        fail(reader, "packet_too_long", text .. (difference ~= 0 and "" or " is") .. " over the limit of "
            .. --[[layers{]](layout.limit or "4611686018427387903")--[[}]]--[[!layers{layout.limit}]], "")
    end
    if is_exact and size and size ~= --[[layers{]]total_high * TWO_32 + total_low--[[}]]--[[!layers{total_low}]] then
        fail(reader, "length_mismatch", "length " .. decimal(high, low) .. place(reader, at) .. " where "
            .. (size - difference) .. " was expected")
    end
    return --[[layers{]]total_high * TWO_32 + total_low--[[}]]--[[!layers{total_low}]]
end

-- #region absences
local function make_room(reader, field, lengths, header_size)
    if not field.when then return header_size end
    header_size = header_size + least_width(field)
    local at = reader.at
    for _, length in ipairs(lengths) do
        reader.at = length.after
        packet_size(reader, length.field, length.high, length.low, length.at, header_size, nil, false)
    end
    reader.at = at
    return header_size
end

-- #endregion
-- #region layers
-- What is known of a packet whose header has not arrived whole: its size, and how many bytes are needed to go on.
local function unfinished(reader, other, size, available, limit)
    local needed = other.kind[1] == "varint" and available + 1 or math.min(reader.at + (--[[packed{]]other.pack and (other.pack.first and other.pack.width or 0) or --[[}]]--[[texts{]]other.kind.bytes or --[[}]]other.kind.width or 1), limit)
    needed = needed - reader.start
    if layout.is_quick then needed = math.max(needed, size or 0) end
    return nil, --[[frames{]]needed--[[}]]--[[!frames{layout.is_fixed and size or nil}]], nil, needed
end

-- #endregion
-- Walks over a header, which may not be whole. Returns its byte count and that of the packet, as far as they are known;
-- a fault is thrown.
local function scan(reader, available)
    local header_size, size, limit, bits = layout.header_size, nil, math.huge, ""
    reader.level, reader.at = 0, reader.start
    -- #region absences
    local lengths = {}
    reader.values, reader.trailer_size = {}, nil
    -- #endregion
    for _, field in --[[absences{]]present(reader, layout.header)--[[}]]--[[!absences{ipairs(layout.header)}]] do
        enter(reader, "packet." .. field.name)
        -- #region absences
        header_size = make_room(reader, field, lengths, header_size)
        -- #endregion
        local at = --[[packed{]]start_of(reader, field)--[[}]]--[[!packed{reader.at}]]
        local high, low = header_value(reader, field, available, limit)
        -- #region layers
        if not high then return unfinished(reader, field, size, available, limit) end
        -- #endregion
        -- #region !layers
        -- #region frames
        --| if not high then local other = field
        --|     return nil, other.kind[1] == "varint" and available + 1 or math.min(reader.at + (--[[packed{]]other.pack and (other.pack.first and other.pack.width or 0) or --[[}]]--[[texts{]]other.kind.bytes or --[[}]]other.kind.width or 1), limit)
        --| end
        -- #endregion
        -- #region !frames
        --| if not high then return nil, layout.is_fixed and size or nil end
        -- #endregion
        -- #endregion
        -- #region absences
        reader.values[field.name] = { high, low }
        -- #endregion
        if field.kind[1] == "varint" then header_size = header_size - 1 + reader.at - at end
        check_constant(reader, field, at, high, low)
        if field.role == "length" then
            size = packet_size(reader, field, high, low, at, header_size, size, layout.is_fixed)
            -- #region absences
            lengths[#lengths + 1] = { field = field, high = high, low = low, at = at, after = reader.at }
            -- #endregion
            if field.of ~= "payload" then limit = math.min(limit, reader.start + size) end
        elseif field.role == "id" then
            bits = bits .. last_bits_of(field, high, low)
        end
        leave(reader)
    end
    if not layout.is_fixed then
        -- A varint after a length can change what the length means: once all widths are known, this asks again.
        -- #region absences
        reader.trailer_size = layout.trailer_size
        for _, field in present(reader, layout.trailer) do
            if field.when then reader.trailer_size = reader.trailer_size + least_width(field) end
        end
        -- #endregion
        reader.at, size = reader.start, nil
        for _, field in --[[absences{]]present(reader, layout.header)--[[}]]--[[!absences{ipairs(layout.header)}]] do
            enter(reader, "packet." .. field.name)
            local at = --[[packed{]]start_of(reader, field)--[[}]]--[[!packed{reader.at}]]
            local high, low = header_value(reader, field, available, limit)
            if not high then break end
            if field.role == "length" then
                size = packet_size(reader, field, high, low, at, header_size, size, true)
            end
            leave(reader)
        end
        reader.level = 0
        -- #region absences
        if --[[layers{]]layout.limit and --[[}]]not size and header_size + reader.trailer_size > layout.limit then
            fail(reader, "packet_too_long", "length " .. hexadecimal(0, header_size + reader.trailer_size)
                .. " is over the limit of " .. layout.limit, "")
        end
        -- #endregion
    end
    -- #region layers
    -- #region frames
    return header_size, size or math.max(header_size + --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], available - reader.start), bits
    -- #endregion
    -- #region !frames
    --| return header_size, size or (layout.is_bounded and math.max(header_size + --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], available - reader.start) or header_size + --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]]), bits
    -- #endregion
    -- #endregion
    -- #region !layers
    -- #region frames
    --| return header_size, size or math.max(header_size + --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], available), bits
    -- #endregion
    -- #region !frames
    --| return header_size, size or header_size + --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], bits
    -- #endregion
    -- #endregion
end

-- Checks what only a whole packet shows. Returns the bits of the ID.
local function verify(reader, list, payload_start, payload_end, packet_end, bits)
    for _, field in --[[absences{]]present(reader, list)--[[}]]--[[!absences{ipairs(list)}]] do
        enter(reader, "packet." .. field.name)
        local at = --[[packed{]]start_of(reader, field)--[[}]]--[[!packed{reader.at}]]
        local high, low = header_value(reader, field, packet_end, packet_end)
        -- #region seen
        reader.seen[field.name] = { at - reader.start, high, low }
        -- #endregion
        check_constant(reader, field, at, high, low)
        if field.role == "length" then
            local expected = field.plus
                + (field.of == "packet" and packet_end - reader.start
                    or field.of == "payload" and payload_end - payload_start or packet_end - reader.at)
            local expected_high, expected_low = plus(0, 0, expected)
            if high ~= expected_high or low ~= expected_low then
                fail(reader, "length_mismatch", "length " .. decimal(high, low) .. place(reader, at) .. " where "
                    .. expected .. " was expected")
            end
        elseif field.role == "checksum" then
            -- #region anyChecksum
            local computed = checksums[field.sum](covered_bytes(reader, field, payload_start, payload_end, packet_end))
            if high ~= 0 or low ~= computed then
                fail(reader, "wrong_checksum", field.called .. " " .. hexadecimal(high, low) .. place(reader, at)
                    .. ", but " .. field.owner .. " is " .. hexadecimal(0, computed))
            end
            -- #endregion
            -- #region !anyChecksum
            --| local computed = crc32(reader.data, payload_start, payload_end)
            --| if high ~= 0 or low ~= computed then
            --|     fail(reader, "wrong_checksum", "CRC-32 " .. hexadecimal(high, low) .. place(reader, at)
            --|         .. ", but the payload's is " .. hexadecimal(0, computed))
            --| end
            -- #endregion
        elseif field.role == "id" and list == layout.trailer then
            bits = bits .. last_bits_of(field, high, low)
        end
        leave(reader)
    end
    return bits
end

-- #region frames
-- Reads the header of bytes that must be exactly one packet; a fault is thrown.
local function scan_whole(reader, count)
    local header_size, size, bits = scan(reader, count)
    if not header_size or size > count then
        reader.level = 0
        fail(reader, "truncated", "needs " .. counted(size - count, "byte") .. " at offset " .. count .. ", 0 are left",
            "")
    end
    if size == count then return header_size, size, bits end
    local payload_end = size - --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]]
    reader.level, reader.at = 0, 0
    verify(reader, layout.header, header_size, payload_end, size, bits)
    reader.at = payload_end
    verify(reader, layout.trailer, header_size, payload_end, size, bits)
    fail(reader, "trailing_bytes", counted(count - size, "byte") .. " after the last field at offset " .. size, "")
end

-- #endregion
-- Does something; a fault becomes an expert information of the item. What is no fault of the packet's goes on.
local function attempt(item, action, ...)
    local results = { pcall(action, ...) }
    if results[1] then return true, results[2], results[3], results[4] end
    local fault = results[2]
    if type(fault) ~= "table" then error(fault, 0) end
    item:add_proto_expert_info(faults[fault.reason], fault.text)
    return false
end

local function show_header(reader, tree, list)
    for _, field in --[[absences{]]present(reader, list)--[[}]]--[[!absences{ipairs(list)}]] do
        local at = --[[packed{]]start_of(reader, field)--[[}]]--[[!packed{reader.at}]]
        local high, low = header_value(reader, field, reader.stop, reader.stop)
        -- #region texts
        if field.kind[1] == "bytes" then
            show(reader, tree, field.item, at, reader.at)
        -- #region constantTexts
        elseif field.text then
            local item = show_text(reader, tree, field.item, at, at + field.shown)
            if item then item:set_len(reader.at - at) end
        -- #endregion
        elseif field.kind.bytes then
            local stop = reader.at
            reader.at = at
            read[field.kind[1]](reader, tree, field.kind, field, NO_LIMITS)
            reader.at = stop
        -- #endregion
        -- #region packed
        --[[texts{]]elseif--[[}]]--[[!texts{if}]] field.pack or field.kind[1] == "flags" then
            show_packed(reader, tree, field, at, high, low)
        -- #endregion
        --[[shownOtherwise{]]elseif--[[}]]--[[!shownOtherwise{if}]] field.kind[1] == "varint" then
            show_varint(reader, tree, field.kind, field.item, at, reader.at, high, low)
        else
            show(reader, tree, field.item, at, reader.at, field.kind.little)
        end
    end
end

-- #region headers
-- The numbers of the packet's fields, by the names that conditions have for them.
local function header_numbers(reader)
    local values = {}
    for name, seen in pairs(reader.seen) do values["header." .. name] = { seen[2], seen[3] } end
    return values
end

-- #endregion
local function read_message(reader, tree, message)
    -- #region fixedHeaders
    -- #region layers
    local origin = reader.origin
    reader.origin = nil
    -- #endregion
    for _, fixed in ipairs(message.header or {}) do
        local seen = reader.seen[fixed[1]]
        if seen then
            local at = reader.start + seen[1]
            enter(reader, "packet." .. fixed[1])
            --[[fixedTexts{]]if type(fixed[2]) == "string" then same_text(reader, at, fixed[2]) else --[[}]]check_constant(reader, { role = "constant", value = fixed[2] }, at, seen[2], seen[3])--[[fixedTexts{]] end--[[}]]
            leave(reader)
        end
    end
    -- #region layers
    reader.origin = origin
    -- #endregion
    -- #endregion
    enter(reader, message.name)
    read_fields(reader, tree, message.fields--[[headers{]], header_numbers(reader)--[[}]])
    if reader.at == reader.stop then return end
    if not --[[keptNone{]](protocol.keeps_trailing and not message.keeps_none)--[[}]]--[[!keptNone{protocol.keeps_trailing}]] then
        fail(reader, "trailing_bytes", counted(reader.stop - reader.at, "byte") .. " after the last field"
            .. place(reader, reader.at), message.name)
    end
    show(reader, tree, fields.trailing, reader.at, reader.stop)
end

-- #region layers
-- #region complete
-- What opens packets with layers, as `Layering.open` and `PacketOpener` do.
-- What a layer makes stands in a tab of its own. A reader of it has the header fields before the layer in front of the content, so that
-- all code that reads packets reads it, too; offsets in texts count from the content.
-- #endregion
-- MARK: Layers

local function refuse_layer(opening, layer, reason, text)
    fail(opening.reader, reason, text, "packet." .. layer.name)
end

-- What is missing is no fault of the packet's: it is a note.
local function leave_sealed(opening, layer, text)
    refuse_layer(opening, layer, "layer_unavailable", "the layer is not available: " .. text)
end

-- Returns what is inside of a layer, by its kind.
local open = {}

function open.brotli(opening, layer)
    leave_sealed(opening, layer, "this dissector does not inflate brotli")
end

function open.aes_ctr(opening, layer)
    leave_sealed(opening, layer, "this dissector does not decipher AES")
end

open.aes_cbc = open.aes_ctr

function open.custom(opening, layer)
    leave_sealed(opening, layer, "only a program has the transform \"" .. layer.name .. "\"")
end

local function refuse_length(opening, layer)
    refuse_layer(opening, layer, "inflated_too_long", "the layers make more than "
        .. counted(protocol.most_inflated, "byte") .. " of the packet")
end

-- #region inflated
-- All layers of a packet, and of those inside of it, share one limit.
local function inflate_layer(opening, layer, sealed)
    local context = opening.context
    local content, rest, fault = inflate(layer.kind, sealed, context.left)
    context.left = context.left - #content
    if fault then opening.partial = content end
    if fault == TOO_LONG then refuse_length(opening, layer) end
    if fault then
        refuse_layer(opening, layer, "invalid_layer", "the compressed stream "
            .. (fault == CUT and "ends too early" or "is damaged"))
    end
    if rest > 0 then
        opening.partial = content
        refuse_layer(opening, layer, "trailing_bytes", counted(rest, "byte") .. " after the last field")
    end
    return content
end

open.zlib, open.deflate, open.gzip = inflate_layer, inflate_layer, inflate_layer

-- #endregion
-- #region keys
local function key_of(opening, layer)
    local sender = opening.context.sender
    local key = keys[sender][layer.key]
    if not key then
        leave_sealed(opening, layer, "there is no key \"" .. layer.name .. "\" for packets of the " .. sender)
    end
    return key
end

function open.xor(opening, layer, sealed)
    return xored(sealed, key_of(opening, layer))
end

function open.rc4(opening, layer, sealed)
    local key, streams = key_of(opening, layer), opening.context.keystreams
    if streams[layer.index] == "lost" then
        leave_sealed(opening, layer, "an earlier packet could not be opened, so the place in the keystream is not known")
    end
    streams[layer.index] = streams[layer.index] or new_keystream(key)
    return use_keystream(streams[layer.index], sealed)
end

-- #endregion
-- A reader of a header, and of the content of a layer after it. The trailer follows, as in the packet.
local function reader_inside(outer, header, content, trailer, title)
    local tvb = ByteArray.new(content, true):tvb(title)
    return {
        tvb = function(at, count) return tvb(at - #header, count) end, data = header .. content .. trailer,
        start = 0, at = 0, stop = #header + #content, origin = #header, level = 0, names = {},
        shared = outer.shared, prefix = outer.prefix, context = outer.context, nesting = outer.nesting,
        seen = outer.seen, values = outer.values,
    }
end

local open_layers

do
    local function open_layer(opening, layer)
        local outer, declared = opening.reader, opening.declared
        if declared and (declared.count_high > 0
            or declared.count_high == 0 and declared.count_low > protocol.most_inflated) then
            refuse_length(opening, layer)
        end
        opening.layer = layer
        local content = open[layer.kind](opening, layer, string.sub(outer.data, opening.at + 1, opening.stop))
        local header = string.sub(outer.data, outer.start + 1, opening.at)
        local trailer = string.sub(outer.data, opening.stop + 1, opening.packet_end)
        local reader = reader_inside(outer, header, content, trailer, layer.called)
        opening.steps[#opening.steps + 1] = {
            layer = layer, reader = outer, at = opening.at, stop = opening.stop, count = #content,
        }
        opening.reader, opening.at, opening.stop = reader, #header, #header + #content
        opening.packet_end = #reader.data
        local counter = opening.shape.counter
        if counter and layer.index >= counter.first then opening.content_count = #content end
        for _, field in ipairs(opening.shape.trailer) do
            local seen = outer.seen[field.name]
            if seen then seen[1] = seen[1] + opening.stop - (opening.steps[#opening.steps].stop - outer.start) end
        end
    end

    -- Remembers what a packet says about the bytes inside of its innermost layer.
    local function find_count(opening)
        local counter, reader = opening.shape.counter, opening.reader
        local seen = counter and not opening.declared and reader.seen[counter.name]
        if not seen then return end
        local high, low = plus(seen[2], seen[3], -counter.plus)
        opening.declared = {
            high = seen[2], low = seen[3], count_high = high, count_low = low,
            offset = seen[1] - (reader.origin or 0),
        }
    end

    -- 0 stands for a packet without a layer after the field.
    local function check_count(opening)
        local declared, counter = opening.declared, opening.shape.counter
        if not declared then return end
        local high, low = 0, 0
        if opening.content_count then high, low = plus(0, opening.content_count, counter.plus) end
        if declared.high == high and declared.low == low then return end
        fail(opening.reader, "length_mismatch", "length " .. decimal(declared.high, declared.low) .. " at offset "
            .. declared.offset .. " where " .. decimal(high, low) .. " was expected", "packet." .. counter.name)
    end

    -- Reads the header fields inside of a layer. They may be followed by less than what is left, if a length says so.
    local function read_section(opening, section)
        local reader, stop = opening.reader, opening.stop
        layout = section.inside
        local header_size, size, bits, needed = scan(reader, stop)
        local count = stop - reader.start
        reader.level = 0
        if not header_size or size > count then
            fail(reader, "truncated", "needs " .. counted((header_size and size or needed) - count, "byte")
                .. place(reader, stop) .. ", 0 are left", "")
        end
        local payload_start, payload_end = reader.start + header_size, reader.start + size
        reader.at = reader.start
        verify(reader, layout.header, payload_start, payload_end, payload_end, bits)
        if size < count and not section.has_filler then
            fail(reader, "trailing_bytes", counted(count - size, "byte") .. " after the last field"
                .. place(reader, payload_end), "")
        end
        opening.steps[#opening.steps + 1] = { section = section, reader = reader, at = opening.at, stop = payload_start }
        opening.at, opening.stop = payload_start, payload_end
        if section.has_id then opening.bits, opening.lacks_id = bits, false end
    end

    -- Opens the layers of a packet. What was opened before a fault stays.
    function open_layers(opening)
        local shape = opening.shape
        find_count(opening)
        for _, section in ipairs(shape.sections) do
            for _, layer in ipairs(section.layers) do
                if is_there(opening.reader, layer) then open_layer(opening, layer) end
            end
            if section.inside then
                read_section(opening, section)
                find_count(opening)
            end
        end
        check_count(opening)
        if shape.packets and is_there(opening.reader, shape.packets) then
            opening.content = "packets"
        elseif shape.opaque and is_there(opening.reader, shape.opaque) then
            opening.content = "opaque"
        else
            opening.content = "message"
        end
    end
end

-- #endregion
local function generated(reader, tree, field, value)
    local item = tree:add(field, reader.tvb(reader.start, 0), value)
    item:set_generated()
end

-- #region shapes
-- The shape of packets in a context. Nesting is 1 for those of a stream, 2 for those inside of another one.
local function shape_of(context, nesting)
    return protocol.shapes[protocol.layouts[context.sender][context.outcomes + protocol.nested[nesting]]]
end

-- #endregion
-- #region layers
local MOST_PACKETS = 65536   -- inside of one packet, at all depths together

local dissect_packet

local function inner_reader(outer, tvb, data, start, stop, prefix)
    return {
        tvb = tvb, data = data, start = start, at = start, stop = stop, level = 0, names = {}, shared = outer.shared,
        prefix = prefix, context = outer.context, seen = {}, nesting = (outer.nesting or 0) + 1,
    }
end

-- #region frames
local function dissect_next(opening, tree, prefix)
    local outer, stop = opening.reader, opening.stop
    local framed = inner_reader(outer, outer.tvb, outer.data, opening.at, stop, prefix)
    local content, from, after = unframe(framed, opening.at, stop)
    if not content then
        -- Marks with nothing between them may end the content.
        if from then return false end
        framed.level = 0
        fail(framed, "truncated", "needs 1 byte at offset " .. (stop - opening.at) .. ", 0 are left", "")
    end
    local inside = from and outer.tvb(from, #content):tvb() or ByteArray.new(content, true):tvb("Unescaped packet")
    local reader = inner_reader(outer, inside, content, 0, #content, prefix)
    local header_size, size, bits = scan_whole(reader, #content)
    opening.at = after
    dissect_packet(reader, tree, header_size, size - --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], size, bits)
    return true
end

-- #endregion
-- #region !frames
--| local function dissect_next(opening, tree, prefix)
--|     local outer, at, stop = opening.reader, opening.at, opening.stop
--|     local reader = inner_reader(outer, outer.tvb, outer.data, at, stop, prefix)
--|     local header_size, size, bits, needed = scan(reader, stop)
--|     if not header_size or at + size > stop then
--|         reader.level = 0
--|         local missing = math.max(1, (header_size and size or needed) - (stop - at))
--|         fail(reader, "truncated", "needs " .. counted(missing, "byte") .. place(reader, stop) .. ", 0 are left", "")
--|     end
--|     opening.at = at + size
--|     dissect_packet(reader, tree, at + header_size, at + size - --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], at + size, bits)
--|     return true
--| end

-- #endregion
-- Returns how many packets are inside of a packet. A fault in where one begins or ends is thrown.
local function dissect_inner(opening, tree)
    local context, outer, count = opening.context, opening.reader, 0
    if (outer.nesting or 0) == protocol.most_nested then
        fail(outer, "too_deep", "nested more than " .. protocol.most_nested .. " deep", "")
    end
    while opening.at < opening.stop do
        if context.count == MOST_PACKETS then
            fail(outer, "too_long", (MOST_PACKETS + 1) .. " is over the limit of " .. MOST_PACKETS, "packets")
        end
        context.count = context.count + 1
        layout = shape_of(context, 2)
        if not dissect_next(opening, tree, within(outer, "packets[" .. count .. "]")) then break end
        count = count + 1
    end
    return count
end

-- Whose message a packet is.
local function message_of(context, id)
    local sender, is_certain = context.sender, context.is_certain
    local message = messages[sender][id]
    if not message and --[[knownSender{]]false--[[}]]--[[!knownSender{not is_certain}]] then
        local other = sender == "client" and "server" or "client"
        message = messages[other][id]
        if message then sender = other end
    end
    return message, sender
end

local function show_opened(opening, item)
    for _, step in ipairs(opening.steps) do
        local reader = step.reader
        if step.layer then
            local layer = show(reader, item, fields.layer, step.at, step.stop, false, step.layer.called)
            if layer then layer:append_text(": " .. counted(step.count, "byte") .. " inside") end
        else
            reader.level, reader.at, reader.stop = 0, step.at, step.stop
            show_header(reader, item, step.section.own)
        end
    end
end

-- Shows what remains of a packet that was not opened to the end.
local function show_rest(opening, item)
    local reader = opening.reader
    show(reader, item, fields.sealed, opening.at, opening.stop)
    if opening.partial and #opening.partial > 0 then
        local part = reader_inside(reader, "", opening.partial, "", "A part of " .. opening.layer.called)
        show(part, item, fields.partial, 0, #opening.partial)
    end
end

local function show_content(opening, item, message, title)
    local reader, context, at, stop = opening.reader, opening.context, opening.at, opening.stop
    reader.level, reader.at, reader.stop = 0, at, stop
    reader.depth, reader.group_depth = protocol.most_depth, 0
    if opening.content == "packets" then
        local group = item:add(fields.packets, reader.tvb(at, stop - at))
        local is_good, count = attempt(group, dissect_inner, opening, group)
        if is_good then group:append_text(": " .. counted(count, "packet")) end
        if not is_good then
            -- #region keystreams
            lose_keystreams(context, 0)
            -- #endregion
            show(reader, group, fields.unread, opening.at, stop)
        end
    elseif opening.content == "opaque" then
        show(reader, item, fields.opaque, at, stop)
    elseif message then
        local group = item:add(message.item, reader.tvb(at, stop - at))
        group:set_text(title)
        attempt(group, read_message, reader, group, message)
    else
        show(reader, item, fields.payload, at, stop)
        item:add_proto_expert_info(faults.unknown_message)
    end
end

local function title_of(opening, message, id)
    if opening.is_sealed then return "sealed packet" end
    if not opening.content then return "malformed packet" end
    if opening.content ~= "message" then return opening.content .. " " .. id end
    if not message then return "unknown message " .. id end
    return message.alias and message.name .. " (" .. message.alias .. ")" or message.name
end

-- Shows a packet that is whole, and keeps what it is called. Packets inside of it stand in its place.
function dissect_packet(reader, tree, payload_start, payload_end, packet_end, bits)
    local shape, context = layout, reader.context
    local item = tree:add(proto, reader.tvb(reader.start, packet_end - reader.start))
    local is_good, all_bits = attempt(item, function()
        reader.level, reader.at = 0, reader.start
        bits = verify(reader, layout.header, payload_start, payload_end, packet_end, bits)
        reader.at = payload_end
        return verify(reader, layout.trailer, payload_start, payload_end, packet_end, bits)
    end)
    local opening = {
        shape = shape, context = context, reader = reader, at = payload_start, stop = payload_end,
        packet_end = packet_end, bits = is_good and all_bits or bits, lacks_id = shape.has_inner_id, steps = {},
    }
    local is_open, fault = pcall(open_layers, opening)
    if not is_open then
        attempt(item, error, fault, 0)
        -- #region keystreams
        lose_keystreams(context, opening.layer and opening.layer.index or 0)
        -- #endregion
        opening.is_sealed = fault.reason == "layer_unavailable"
    end
    local high, low = from_bits(opening.bits)
    local id = decimal(high, low)
    local message, sender
    if opening.content == "message" then message, sender = message_of(context, id) end
    local title = title_of(opening, message, id)
    item:append_text(", " .. title)
    -- #region states
    if message then reader.context.sets[#reader.context.sets + 1] = message.sets end
    -- #endregion
    if message then generated(reader, item, fields.message, message.name) end
    if not opening.lacks_id then generated(reader, item, fields.id, UInt64.new(low, high)) end
    generated(reader, item, fields.sender, sender or context.sender)
    reader.level, reader.at, reader.stop = 0, reader.start, payload_start
    show_header(reader, item, shape.header)
    show_opened(opening, item)
    if is_open then show_content(opening, item, message, title) else show_rest(opening, item) end
    reader.level, reader.at, reader.stop = 0, payload_end, packet_end
    attempt(item, show_header, reader, item, shape.trailer)
    if opening.content == "packets" then return end
    if #context.titles < 20 then
        context.titles[#context.titles + 1] = title
    else
        context.more = context.more + 1
    end
end

-- #endregion
-- #region !layers
--| -- Shows a packet that is whole. Returns what it is called.
--| local function dissect_packet(reader, tree, payload_start, payload_end, packet_end, bits, sender, is_certain)
    --| local item = tree:add(proto, reader.tvb(reader.start, packet_end - reader.start))
    --| local is_good, all_bits = attempt(item, function()
        --| reader.level, reader.at = 0, reader.start
        --| bits = verify(reader, layout.header, payload_start, payload_end, packet_end, bits)
        --| reader.at = payload_end
        --| return verify(reader, layout.trailer, payload_start, payload_end, packet_end, bits)
    --| end)
    --| local high, low = from_bits(is_good and all_bits or bits)
    --| local id = decimal(high, low)
    --| local message = messages[sender][id]
    --| if not message and --[[knownSender{]]false--[[}]]--[[!knownSender{not is_certain}]] then
        --| local other = sender == "client" and "server" or "client"
        --| message = messages[other][id]
        --| if message then sender = other end
    --| end
    --| local title = message and (message.alias and message.name .. " (" .. message.alias .. ")" or message.name)
        --| or "unknown message " .. id
    --| item:append_text(", " .. title)
    -- #region states
    --| if message then reader.context.sets[#reader.context.sets + 1] = message.sets end
    -- #endregion
    --| if message then generated(reader, item, fields.message, message.name) end
    --| generated(reader, item, fields.id, UInt64.new(low, high))
    --| generated(reader, item, fields.sender, sender)
    --| reader.level, reader.at, reader.stop = 0, reader.start, payload_start
    --| show_header(reader, item, layout.header)
    --| reader.level, reader.at, reader.stop = 0, payload_start, payload_end
    --| reader.depth, reader.group_depth = protocol.most_depth, 0
    --| if message then
        --| local group = item:add(message.item, reader.tvb(payload_start, payload_end - payload_start))
        --| group:set_text(title)
        --| attempt(group, read_message, reader, group, message)
    --| else
        --| show(reader, item, fields.payload, payload_start, payload_end)
        --| item:add_proto_expert_info(faults.unknown_message)
    --| end
    --| reader.level, reader.at, reader.stop = 0, payload_end, packet_end
    --| attempt(item, show_header, reader, item, layout.trailer)
    --| return title
--| end

-- #endregion
-- MARK: Streams

proto.prefs.server_ports = Pref.range("Server ports", "",
    "The TCP ports that servers of this protocol listen on, as in 9001,9010-9019. They tell who sends a packet.", 65535)

local tcp = DissectorTable.get("tcp.port")
local registered, ports = "", {}

function proto.prefs_changed()
    -- #region preferences
    wrong_preferences = {}
    -- #region states
    read_states()
    -- #endregion
    -- #region keys
    read_keys()
    -- #endregion
    -- #endregion
    local wanted = tostring(proto.prefs.server_ports or "")
    if wanted == registered then return end
    if registered ~= "" then tcp:remove(registered, proto) end
    registered, ports = wanted, {}
    for first, last in string.gmatch(wanted, "(%d+)%-?(%d*)") do
        ports[#ports + 1] = { tonumber(first), tonumber(last) or tonumber(first) }
    end
    if registered ~= "" then tcp:add(registered, proto) end
end

local function is_server(port)
    for _, range in ipairs(ports) do
        if port >= range[1] and port <= range[2] then return true end
    end
    return false
end

-- Who sends, and whether that is certain: the ports of servers tell, then the port that the packet was taken up for,
-- and else it is a guess that servers have the lower port.
local function sender_of(pinfo)
    local from, to = pinfo.src_port, pinfo.dst_port
    if is_server(from) ~= is_server(to) then return is_server(from) and "server" or "client", true end
    if from ~= to and pinfo.match_uint == from then return "server", false end
    if from ~= to and pinfo.match_uint == to then return "client", false end
    return from < to and "server" or "client", false
end

local told = { names = {}, more = 0 }

local function tell(pinfo, title)
    -- A frame may be dissected several times: what is private to it lives for one of them.
    if not pinfo.private[protocol.name] then told = { names = {}, more = 0 } end
    pinfo.private[protocol.name] = "told"
    if #told.names < 20 then told.names[#told.names + 1] = title else told.more = told.more + 1 end
    local text = table.concat(told.names, ", ")
    if told.more > 0 then text = text .. ", and " .. told.more .. " more" end
    pinfo.cols.protocol:set(protocol.name)
    pinfo.cols.info:set(text)
end

-- #region shapes
-- #region complete
-- What depends on what a connection has seen before: states, and keystreams.
-- Both directions of a connection share its states, and each has keystreams of its own. They are followed when a frame is seen first,
-- and kept for each packet: Wireshark dissects frames again later, in any order.
-- #endregion
-- MARK: Connections

-- What decides about a packet, and what it shares with those inside of it.
local function new_context(sender, is_certain, outcomes, keystreams)
    return {
        sender = sender, is_certain = is_certain, outcomes = outcomes, sets = {}--[[layers{]], keystreams = keystreams, left = protocol.most_inflated, count = 0, titles = {}, more = 0--[[}]],
    }
end

-- #region layers
-- Tells the names of all packets that were shown in the place of one.
local function tell_all(pinfo, context)
    if #context.titles == 0 then tell(pinfo, "no packets") end
    for index, title in ipairs(context.titles) do
        if index == #context.titles then told.more = told.more + context.more end
        tell(pinfo, title)
    end
end

-- #endregion
-- #region followed
-- For each connection, which tests of each state hold now. For each packet, what was so when it was seen first.
local streams, memories = {}, {}
local stream_number = Field.new("tcp.stream")

function proto.init() streams, memories = {}, {} end

local function stream_of(pinfo)
    local number = stream_number()
    local key = number and tostring(number.value) or ""
    if not streams[key] then
        streams[key] = {
            outcomes = --[[states{]]initial_outcomes()--[[}]]--[[!states{{}}]], keystreams = { client = {}, server = {} },
        }
    end
    return streams[key]
end

-- The number of a packet in its frame, from 1. A frame may be dissected several times: what is private to it
-- lives for one of them.
local function number_in_frame(pinfo)
    local name = protocol.name .. " packets"
    local number = tonumber(pinfo.private[name] or 0) + 1
    pinfo.private[name] = tostring(number)
    return number
end

-- What decides about the packet that begins next. Frames are seen in order only once.
local function context_of(stream, sender, is_certain, pinfo)
    local place = pinfo.number .. "/" .. number_in_frame(pinfo)
    local memory, keystreams = pinfo.visited and memories[place], stream.keystreams[sender]
    if not memory then
        memory = { outcomes = 0--[[keystreams{]], keystreams = saved_keystreams(keystreams)--[[}]] }
        for _, own in ipairs(stream.outcomes) do memory.outcomes = memory.outcomes + own end
        if not pinfo.visited then memories[place] = memory end
    end
    -- #region keystreams
    if pinfo.visited then keystreams = restored_keystreams(memory.keystreams) end
    -- #endregion
    return new_context(sender, is_certain, memory.outcomes, keystreams)
end

local function follow(stream, context, pinfo)
    if pinfo.visited then return end
    for _, sets in ipairs(context.sets) do stream.outcomes[sets[1]] = sets[2] end
end

-- #endregion
-- #endregion
function proto.dissector(tvb, pinfo, tree)
    local length = tvb:len()
    if length == 0 then return 0 end
    local sender, is_certain = sender_of(pinfo)
    -- #region shapes
    -- #region followed
    local stream = stream_of(pinfo)
    -- #endregion
    -- #endregion
    -- #region !shapes
    -- #region distinct
    --| layout = protocol.layouts[sender]
    -- #endregion
    -- #endregion
    local shared = { items = 0, hides = false }
    local data, at = tvb:raw(), 0
    while at < length do
        -- #region shapes
        -- #region followed
        local context = context_of(stream, sender, is_certain, pinfo)
        -- #endregion
        -- #region !followed
        --| local context = new_context(sender, is_certain, 0, {})
        -- #endregion
        layout = shape_of(context, 1)
        -- #endregion
        -- #region frames
        local reader = { tvb = tvb, data = data, start = 0, at = 0, stop = length, level = 0, names = {}, shared = shared }
        local is_good, content, from, after = pcall(unframe, reader, at, length)
        if is_good and not content then
            if pinfo.can_desegment > 0 then
                pinfo.desegment_offset = at
                pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
                break
            end
            local item = tree:add(proto, tvb(at, length - at))
            show(reader, item, fields.torn, at, length)
            item:add_proto_expert_info(faults.torn_packet)
            -- #region keystreams
            lose_keystreams(context, 0)
            -- #endregion
            tell(pinfo, "torn packet")
            break
        end
        local fault, header_size, size, bits = content, nil, nil, nil
        if is_good then
            local inside = from and tvb(from, #content):tvb() or ByteArray.new(content, true):tvb("Unescaped packet")
            reader = { tvb = inside, data = content, start = 0, at = 0, stop = #content, level = 0, names = {}, shared = shared--[[seen{]], seen = {}--[[}]]--[[shapes{]], context = context--[[}]] }
            is_good, header_size, size, bits = pcall(scan_whole, reader, #content)
            fault = header_size
        end
        if not is_good then
            local item = tree:add(proto, tvb(at, (after or length) - at))
            attempt(item, error, fault, 0)
            -- #region keystreams
            lose_keystreams(context, 0)
            -- #endregion
            tell(pinfo, "malformed packet")
            break
        end
        -- #region layers
        dissect_packet(reader, tree, header_size, size - --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], size, bits)
        -- #region states
        follow(stream, context, pinfo)
        -- #endregion
        tell_all(pinfo, context)
        -- #endregion
        -- #region !layers
        --| local title = dissect_packet(reader, tree, header_size, size - --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], size, bits, sender,
        --|     is_certain)
        -- #region states
        --| follow(stream, context, pinfo)
        -- #endregion
        --| tell(pinfo, title)
        -- #endregion
        at = after
        -- #endregion
        -- #region !frames
        --| local reader = { tvb = tvb, data = data, start = at, at = at, stop = length, level = 0, names = {}, shared = shared--[[seen{]], seen = {}--[[}]]--[[shapes{]], context = context--[[}]] }
        --| local is_good, header_size, size, bits = pcall(scan, reader, length)
        --| if not is_good then
            --| local item = tree:add(proto, tvb(at, length - at))
            --| attempt(item, error, header_size, 0)
            -- #region keystreams
            --| lose_keystreams(context, 0)
            -- #endregion
            --| tell(pinfo, "malformed packet")
            --| break
        --| elseif not header_size or at + size > length then
            --| if pinfo.can_desegment > 0 then
                --| pinfo.desegment_offset = at
                --| pinfo.desegment_len = size and at + size - length or DESEGMENT_ONE_MORE_SEGMENT
                --| break
            --| end
            --| local item = tree:add(proto, tvb(at, length - at))
            --| show(reader, item, fields.torn, at, length)
            --| item:add_proto_expert_info(faults.torn_packet)
            -- #region keystreams
            --| lose_keystreams(context, 0)
            -- #endregion
            --| tell(pinfo, "torn packet")
            --| break
        --| end
        --| local stop = at + size
        -- #region layers
        --| dissect_packet(reader, tree, at + header_size, stop - --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], stop, bits)
        -- #region states
        --| follow(stream, context, pinfo)
        -- #endregion
        --| tell_all(pinfo, context)
        -- #endregion
        -- #region !layers
        --| local title = dissect_packet(reader, tree, at + header_size, stop - --[[absences{]](reader.trailer_size or layout.trailer_size)--[[}]]--[[!absences{layout.trailer_size}]], stop, bits, sender,
        --|     is_certain)
        -- #region states
        --| follow(stream, context, pinfo)
        -- #endregion
        --| tell(pinfo, title)
        -- #endregion
        --| at = stop
        -- #endregion
    end
    -- #region preferences
    for _, text in ipairs(wrong_preferences) do tree:add_proto_expert_info(faults.wrong_preference, text) end
    -- #endregion
    if shared.hides then tree:add_proto_expert_info(faults.hidden_items) end
    return length
end

tcp:add_for_decode_as(proto)
-- #endregion
