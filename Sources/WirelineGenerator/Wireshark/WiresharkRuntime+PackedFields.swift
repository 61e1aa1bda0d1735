// SPDX-License-Identifier: Apache-2.0

/// Fields that share bytes. Wireshark shows each one with its bits, by a mask over the bytes of all; if these are more
/// than 4, it shows the value alone, because masks are Lua's numbers.
extension WiresharkRuntime {
    static let declaringPackedFields = #"""
        local function power(exponent)
            local value = 1
            for _ = 1, exponent do value = value * 2 end
            return value
        end

        -- A mask has the bits of the field among those of the fields that share its bytes.
        local function declare_packed(field, filter, kind, base, values)
            local own = field.kind
            local mask = own.bytes < 5 and (power(own.bits) - 1) * power(own.shift) or nil
            local item = ProtoField.new(field.name, name .. "." .. filter, kind, values, base, mask, field.about)
            all[#all + 1] = item
            return item
        end

        function declare_value.packed(field, filter)
            local kind, own = field.kind, field.kind.as
            local whole = INTEGERS[kind.signed or false][kind.bytes > 4 and 8 or kind.bytes]
            if own[1] == "bit" then
                field.item = declare_packed(field, filter, ftypes.BOOLEAN, kind.bytes < 5 and 8 * kind.bytes or nil)
            elseif own[1] == "enumeration" then
                local values = kind.bytes < 5 and protocol.enumerations[own.index].values or nil
                field.item = declare_packed(field, filter, whole, base.DEC, values)
            elseif own[1] == "flags" then
                field.item = declare_packed(field, filter, whole, base.HEX)
                field.flags = {}
                for index, flag in ipairs(protocol.flags[own.index].cases) do
                    field.flags[index] = declare(filter .. "." .. flag[4], flag[3], ftypes.BOOLEAN, flag.about)
                end
            else
                field.item = declare_packed(field, filter, whole, base.DEC)
            end
        end

        """#

    static let readingPackedFields = #"""
        -- The value of some bits, as two numbers.
        local function take_bits(high, low, kind)
            local shift, bits = kind.shift, kind.bits
            if shift >= 32 then high, low, shift = 0, high, shift - 32 end
            low = floor(low / power(shift)) + high % power(shift) * power(32 - shift)
            high = floor(high / power(shift))
            if bits > 32 then
                high = high % power(bits - 32)
                if kind.signed and high >= power(bits - 33) then high = high - power(bits - 32) end
            else
                high, low = 0, low % power(bits)
                if kind.signed and low >= power(bits - 1) then high, low = -1, low - power(bits) + TWO_32 end
            end
            return high, low
        end

        function read.packed(reader, tree, kind, field, limits)
            if kind.first then
                need(reader, kind.bytes)
                reader.run_at = reader.at
                reader.at = reader.at + kind.bytes
            end
            local at, own = reader.run_at, kind.as
            local whole_high, whole_low = integer_at(reader.data, at, kind.bytes, false, kind.little)
            local high, low = take_bits(whole_high, whole_low, kind)
            local value
            if kind.bytes > 4 then
                value = own[1] == "bit" and low == 1
                if own[1] ~= "bit" then value = (kind.signed and Int64 or UInt64).new(low, high % TWO_32) end
            end
            local item = show(reader, tree, field.item, at, at + kind.bytes, kind.little, value)
            if own[1] == "enumeration" then
                local enumeration = protocol.enumerations[own.index]
                local name = enumeration.names[decimal(high, low)]
                if item and name and kind.bytes > 4 then item:append_text(" (" .. name .. ")") end
                if enumeration.closed and not name then
                    fail(reader, "unknown_case", decimal(high, low) .. " is not a case of this closed enum" .. place(reader, at))
                end
            elseif own[1] == "flags" then
                show_flags(reader, item, protocol.flags[own.index], field, at, at + kind.bytes, high, low)
            end
            check_range(reader, limits, high, low, at)
        end

        """#
}
