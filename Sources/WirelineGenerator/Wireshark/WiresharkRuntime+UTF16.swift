// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Declares text in UTF-16.
    static let declaringUTF16 = #"""
        function declare_value.utf16(field, filter)
            field.item = declare(filter, field.name, ftypes.STRING, field.about)
            if field.leaf.count then field.length = declare(filter .. ".length", "Length", ftypes.UINT64, nil, base.DEC) end
        end

        """#

    /// Declares its error.
    static let declaringUTF16Error = #"""
        declare_expert("error", "invalid_utf16", "Malformed packet: invalid_utf16", expert.group.MALFORMED,
            expert.severity.ERROR)
        """#

    /// Reads text in UTF-16.
    static let readingUTF16 = #"""
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

        """#
}
