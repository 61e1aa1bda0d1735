// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Reads the values of a message by its tables.
    ///
    /// - Parameter layers: What packets with layers need.
    static func reading(_ layers: Layers) -> String {
        #"""
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

        \#(layers.placingPaths)local function fail(reader, reason, text, path)
            path = \#(layers.path)
            error({ reason = reason, text = (path == "" and "" or path .. ": ") .. text }, 0)
        end

        -- An offset as it is told: from the packet's first byte\#(layers.originComment).
        local function place(reader, at)
            return " at offset " .. (at - \#(layers.origin))
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

        function read.float(reader, tree, kind, field, limits, text)
            local at = reader.at
            need(reader, kind.width)
            reader.at = at + kind.width
            label(show(reader, tree, field.item, at, reader.at, kind.little), text)
            if limits.lowest then
                local range = reader.tvb(at, kind.width)
                local value = kind.little and range:le_float() or range:float()
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

        """#
    }

    /// Reads the fields of a message or a structure.
    static let readingFields = #"""
        local function read_fields(reader, tree, fields)
            for _, field in ipairs(fields) do
                if field.absent and reader.at == reader.stop then
                    show_default(reader, tree, field)
                else
                    enter(reader, field.name)
                    read[field.kind[1]](reader, tree, field.kind, field, field)
                    leave(reader)
                end
            end
        end

        """#

    /// Reads structures and lists.
    static let readingCompounds = #"""
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

        local function read_items(reader, tree, kind, field, count)
            local position = 0
            while position < count do
                -- Numbers that are not shown any more are not looked at either.
                if kind.width and (not tree or reader.shared.items >= MOST_ITEMS) then
                    reader.shared.hides = true
                    local whole = math.min(count - position, floor((reader.stop - reader.at) / kind.width))
                    position = position + whole
                    reader.at = reader.at + whole * kind.width
                    if position == count then return end
                end
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

        """#
}
