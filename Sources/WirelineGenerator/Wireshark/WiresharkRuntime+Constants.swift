// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Declares fields with `@constant`, as their types are declared.
    static let declaringConstants = #"""
        function declare_value.constant(field, filter)
            field.leaf = field.kind.as
            declare_value[field.leaf[1]](field, filter)
        end

        """#

    /// Declares fields with `@constant` that share bytes.
    static let declaringPackedConstants = #"""
        declare_value.packed_constant = declare_value.packed

        """#

    /// Refuses another value than a constant.
    static let refusingConstants = #"""
        local function wrong_constant(reader, at, value, expected)
            fail(reader, "wrong_constant", hexadecimal(value[1], value[2]) .. place(reader, at) .. " where the constant "
                .. hexadecimal(expected[1], expected[2]) .. " was expected")
        end

        """#

    /// Verifies constants, and then reads them as their types are read.
    static let readingConstants = #"""
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

        """#

    /// Verifies constants that share bytes, and then reads them as the other fields that do.
    static let readingPackedConstants = #"""
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

        """#
}
