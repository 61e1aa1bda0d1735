// SPDX-License-Identifier: Apache-2.0

/// Values inside a number of bytes: `@size(16)`, `@size(uint32)`.
extension WiresharkRuntime {
    /// Declares them.
    static let declaringSized = #"""
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

        """#

    /// Reads them.
    static let readingSized = #"""
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

        """#
}
