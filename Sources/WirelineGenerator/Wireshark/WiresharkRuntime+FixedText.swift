// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Declares `char[n]` and `bcd[n]`.
    static let declaringFixedText = #"""
        function declare_value.char(field, filter)
            field.item = declare(filter, field.name, ftypes.STRING, field.about)
        end

        declare_value.digits = declare_value.char

        """#

    /// Declares their error.
    static let declaringDigitError = #"""
        declare_expert("error", "invalid_digit", "Malformed packet: invalid_digit", expert.group.MALFORMED,
            expert.severity.ERROR)
        """#

    /// Reads `char[n]` and `bcd[n]`.
    static let readingFixedText = #"""
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

        """#
}
