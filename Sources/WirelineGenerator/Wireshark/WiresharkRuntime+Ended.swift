// SPDX-License-Identifier: Apache-2.0

/// Lists that end at a byte: `@until(0)`.
extension WiresharkRuntime {
    /// Declares the byte.
    static let declaringEnded = #"""
        fields.list_end = declare("list_end", "End of the list", ftypes.UINT8, nil, base.HEX)

        """#

    /// Reads them.
    static let readingEnded = #"""
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

        """#
}
