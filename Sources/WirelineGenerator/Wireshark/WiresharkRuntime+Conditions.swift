// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Tests conditions.
    static let conditions = #"""
        -- MARK: Conditions

        local compare = {}

        compare["=="] = function(high, low, value) return high == value[1] and low == value[2] end
        compare["!="] = function(high, low, value) return high ~= value[1] or low ~= value[2] end
        compare["<"] = function(high, low, value) return is_less(high, low, value) end
        compare["<="] = function(high, low, value) return not is_more(high, low, value) end
        compare[">"] = function(high, low, value) return is_more(high, low, value) end
        compare[">="] = function(high, low, value) return not is_less(high, low, value) end

        local function shares_bit(number, mask)
            while number > 0 and mask > 0 do
                if number % 2 == 1 and mask % 2 == 1 then return true end
                number, mask = floor(number / 2), floor(mask / 2)
            end
            return false
        end

        compare["&"] = function(high, low, value)
            return shares_bit(high % TWO_32, value[1] % TWO_32) or shares_bit(low, value[2])
        end

        -- Whether a condition holds; what is absent counts as 0.
        local function holds(condition, values)
            local kind = condition[1]
            if kind == "not" then return not holds(condition[2], values) end
            if kind == "and" then return holds(condition[2], values) and holds(condition[3], values) end
            if kind == "or" then return holds(condition[2], values) or holds(condition[3], values) end
            local number = values[condition[2]] or { 0, 0 }
            return compare[kind](number[1], number[2], condition[3])
        end

        """#

    /// Finds the numbers of fields that later ones need.
    static let operands = #"""
        -- The number of a value that has been read, by its kind.
        local operand = {}

        function operand.integer(reader, kind, at)
            return integer_at(reader.data, at, kind.width, kind.signed, kind.little)
        end

        function operand.boolean(reader, kind, at)
            return integer_at(reader.data, at, 1)
        end

        function operand.enumeration(reader, kind, at)
            local enumeration = protocol.enumerations[kind.index]
            return integer_at(reader.data, at, enumeration.width, enumeration.signed, kind.little)
        end

        function operand.flags(reader, kind, at)
            return integer_at(reader.data, at, protocol.flags[kind.index].width, false, kind.little)
        end

        """#

    /// Reads the fields of a message or a structure, some of which later ones need.
    ///
    /// - Parameters:
    ///   - conditions: Whether some are there only if a condition holds.
    ///   - looksAtHeader: Whether conditions look at fields of the packet.
    ///   - tags: Whether some are the tags of unions.
    ///   - counters: Whether some count others.
    static func readingDependentFields(
        conditions: Bool, looksAtHeader: Bool, tags: Bool, counters: Bool
    ) -> String {
        let isThere = conditions ? "elseif not field.when or holds(field.when, values) then" : "else"
        let tag = "            if field.tagged then reader.tag = values[field.tagged] end\n"
        let numbers = "            reader.numbers = values\n"
        return #"""
            local function read_fields(reader, tree, fields\#(looksAtHeader ? ", header" : ""))
                local values = \#(looksAtHeader ? "header or " : ""){}
                for _, field in ipairs(fields) do
                    if field.absent and reader.at == reader.stop then
                        show_default(reader, tree, field)
                    \#(isThere)
                        local at = reader.at
                        enter(reader, field.name)
            \#(counters ? numbers : "")\#(tags ? tag : "")            read[field.kind[1]](reader, tree, field.kind, field, field)
                        leave(reader)
                        if field.operand then
                            local high, low = operand[field.kind[1]](reader, field.kind, at)
                            values[field.name] = { high, low }
                        end
                    end
                end
            end

            """#
    }

    /// Finds the numbers of the packet's fields, for conditions.
    static let headerNumbers = """
        -- The numbers of the packet's fields, by the names that conditions have for them.
        local function header_numbers(reader)
            local values = {}
            for name, seen in pairs(reader.seen) do values["header." .. name] = { seen[2], seen[3] } end
            return values
        end


        """

    /// Finds the numbers of fields that share bytes, for conditions.
    static let packedOperands = #"""
        function operand.packed(reader, kind)
            local high, low = integer_at(reader.data, reader.run_at, kind.bytes, false, kind.little)
            return take_bits(high, low, kind)
        end

        """#

    /// Finds the numbers of varints, for conditions.
    static let varintOperands = #"""
        function operand.varint(reader, kind, at)
            local after = reader.at
            reader.at = at
            local high, low = varint_value_at(reader, kind)
            reader.at = after
            return high, low
        end

        """#
}
