// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension ProtocolDescription {
    /// Whether an integer has 5, 6 or 7 bytes, for which Wireshark has no type of its own in Lua.
    var hasIntegersBetweenFourAndEightBytes: Bool {
        func isWide(_ format: IntegerFormat) -> Bool { (5...7).contains(format.byteCount) && format.isWholeBytes }
        let isInHeader = layout.fields.contains { field in
            if case .integer(let format, _) = field.format { isWide(format) } else { false }
        }
        return isInHeader || uses { packedForm(of: $0).map { isWide($0.format) } ?? false }
    }
}

/// Integers of 5, 6 and 7 bytes: Wireshark has types of 8 bytes for them, and takes the bytes that a value has.
extension WiresharkRuntime {
    static let wideNumbers = #"""
        -- The same for integers of 5, 6 and 7 bytes with a sign.
        local usual_integer_at = integer_at
        function integer_at(data, at, width, signed, little)
            local is_wide = width > 4 and width < 8
            local high, low = usual_integer_at(data, at, width, signed and not is_wide, little)
            if signed and is_wide and high >= HALF[width - 4] then high = high - 2 * HALF[width - 4] end
            return high, low
        end

        """#

    static let declaringWideIntegers = #"""
        for width = 5, 7 do
            INTEGERS[false][width], INTEGERS[true][width] = ftypes.UINT64, ftypes.INT64
        end

        -- Names of numbers that Lua's own hold exactly.
        for _, enumeration in ipairs(protocol.enumerations) do
            if enumeration.width > 4 and enumeration.width < 8 then
                enumeration.values = {}
                for _, case in ipairs(enumeration.cases) do
                    if case[1] >= -2097152 and case[1] < 2097152 then
                        enumeration.values[case[1] * TWO_32 + case[2]] = case[3]
                    end
                end
            end
        end

        """#

    static let readingWideIntegers = #"""
        local show_usual_default = show_default
        function show_default(reader, tree, field)
            local kind, value = field.kind, field.default
            local numbers = kind[1] == "enumeration" and protocol.enumerations[kind.index]
                or kind[1] == "flags" and protocol.flags[kind.index] or kind
            if type(value) ~= "table" or not numbers.width or numbers.width < 5 or numbers.width > 7 then
                return show_usual_default(reader, tree, field)
            end
            local number = (numbers.signed and Int64 or UInt64).new(value[2], value[1] % TWO_32)
            local item = show(reader, tree, field.item, reader.at, reader.at, false, number)
            if item then item:set_generated() end
        end

        """#
}
