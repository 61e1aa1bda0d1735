// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Reads the values of integers of variable length.
    static let varints = #"""
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

        """#
}
