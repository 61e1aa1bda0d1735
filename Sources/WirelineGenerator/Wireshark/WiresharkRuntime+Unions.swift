// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Declares a field that is a union.
    static let declaringUnions = #"""
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

        """#

    /// Declares the arms of all unions, and finds them by their tags.
    static let declaringArms = #"""

        for _, union in ipairs(protocol.unions) do
            declare_fields(union)
            union.arms = {}
            for _, arm in ipairs(union.empty) do union.arms[decimal(arm.tag[1], arm.tag[2])] = arm end
            for _, arm in ipairs(union.fields) do
                if arm.tag then union.arms[decimal(arm.tag[1], arm.tag[2])] = arm else union.keeps = arm end
            end
        end
        """#

    /// Reads a union: its tag, its size, then the value of the arm that has the tag.
    ///
    /// - Parameter tags: Whether the tags of some stand in other fields.
    static func readingUnions(tags: Bool) -> String {
        let tag =
            tags
            ? """
            local high, low
                if field.tagged then
                    high, low = reader.tag[1], reader.tag[2]
                else
                    high, low = tag_at(reader, group, union.tag, field)
                end
            """ : "local high, low = tag_at(reader, group, union.tag, field)"
        return #"""
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
                \#(tag)
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

            """#
    }
}
