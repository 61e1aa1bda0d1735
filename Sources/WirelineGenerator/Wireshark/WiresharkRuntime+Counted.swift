// SPDX-License-Identifier: Apache-2.0

/// Values whose items or bytes an earlier field counts: `@count(n)`, `@size(n - 4)`.
extension WiresharkRuntime {
    /// Declares them.
    static let declaringCounted = #"""
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

        """#

    /// Reads them.
    static let readingCounted = #"""
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

        """#
}
