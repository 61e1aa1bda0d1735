// SPDX-License-Identifier: Apache-2.0

/// Values whose prefix has a sign, and says with -1 that they are absent: `@count(int32)`.
extension WiresharkRuntime {
    /// Declares them, and that they are absent.
    static let declaringNullable = #"""
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

        """#

    /// Reads them.
    static let readingNullable = #"""
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

        """#
}
