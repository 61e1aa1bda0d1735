// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Declares a protocol to Wireshark, and how values of each kind are declared.
    ///
    /// - Parameter senders: What packets that depend on their sender need.
    static func declaring(_ senders: Senders) -> String {
        #"""
        -- Two protocols cannot have one name: where Wireshark has one of its own, this one is called differently.
        local name = protocol.filter
        local is_free, proto = pcall(Proto.new, name, protocol.name .. " (Wireline)")
        if not is_free then
            name = "wire_" .. name
            proto = Proto.new(name, protocol.name .. " (Wireline, " .. name .. ")")
        end

        local fields, all = {}, {}
        \#(senders.declaredFields)
        local function declare(filter, title, kind, about, base, values)
            \#(senders.findingField)local field = ProtoField.new(title, name .. "." .. filter, kind, values, base, nil, about)
            all[#all + 1] = field
            \#(senders.keepingField)return field
        end

        local INTEGERS = {
            [false] = { ftypes.UINT8, ftypes.UINT16, ftypes.UINT24, ftypes.UINT32, [8] = ftypes.UINT64 },
            [true] = { ftypes.INT8, ftypes.INT16, ftypes.INT24, ftypes.INT32, [8] = ftypes.INT64 },
        }

        local function integer_type(kind)
            return INTEGERS[kind.signed or false][kind.width]
        end

        for _, enumeration in ipairs(protocol.enumerations) do
            enumeration.names, enumeration.values = {}, {}
            for _, case in ipairs(enumeration.cases) do
                enumeration.names[decimal(case[1], case[2])] = case[3]
                enumeration.values[case[2]] = case[3]
            end
        end

        -- What is declared of one value, by its kind.
        local declare_value = {}

        function declare_value.integer(field, filter)
            field.item = declare(filter, field.name, integer_type(field.leaf), field.about, base.DEC)
        end

        function declare_value.varint(field, filter)
            field.item = declare(filter, field.name, field.leaf.signed and ftypes.INT64 or ftypes.UINT64, field.about, base.DEC)
        end

        function declare_value.float(field, filter)
            field.item = declare(filter, field.name, field.leaf.width == 4 and ftypes.FLOAT or ftypes.DOUBLE, field.about)
        end

        function declare_value.boolean(field, filter)
            field.item = declare(filter, field.name, ftypes.BOOLEAN, field.about)
        end

        function declare_value.enumeration(field, filter)
            local enumeration = protocol.enumerations[field.leaf.index]
            local values = enumeration.width < 8 and enumeration.values or nil
            field.item = declare(filter, field.name, integer_type(enumeration), field.about, base.DEC, values)
        end

        function declare_value.flags(field, filter)
            local set = protocol.flags[field.leaf.index]
            field.item = declare(filter, field.name, integer_type(set), field.about, base.HEX)
            field.flags = {}
            for index, flag in ipairs(set.cases) do
                field.flags[index] = declare(filter .. "." .. flag[4], flag[3], ftypes.BOOLEAN, flag.about)
            end
        end

        function declare_value.string(field, filter)
            field.item = declare(filter, field.name, ftypes.STRING, field.about)
            if field.leaf.count then field.length = declare(filter .. ".length", field.name .. " length", ftypes.UINT64, nil, base.DEC) end
        end

        function declare_value.bytes(field, filter)
            field.item = declare(filter, field.name, ftypes.BYTES, field.about)
            if field.leaf.count then field.length = declare(filter .. ".length", field.name .. " length", ftypes.UINT64, nil, base.DEC) end
        end

        function declare_value.properties(field, filter)
            field.item = declare(filter, field.name, ftypes.STRING, field.about)
            field.property = declare(filter .. ".property", "Property", ftypes.STRING)
            field.key = declare(filter .. ".key", "Key", ftypes.STRING)
            field.value = declare(filter .. ".value", "Value", ftypes.STRING)
        end

        function declare_value.structure(field, filter)
            field.item = declare(filter, field.name, ftypes.NONE, field.about)
            if protocol.structures[field.leaf.index].size then
                field.size = declare(filter .. ".size", "Size", ftypes.UINT64, nil, base.DEC)
            end
        end

        """#
    }

    /// Gives numbers their width.
    static let settingWidths = #"""
        -- What numbers in lists are passed over by.
        local function set_width(kind)
            if kind[1] == "enumeration" and not protocol.enumerations[kind.index].closed then
                kind.width = protocol.enumerations[kind.index].width
            elseif kind[1] == "flags" then
                kind.width = protocol.flags[kind.index].width
            end
        end

        """#

    /// Declares the fields of a protocol with their filter names, and its errors.
    ///
    /// - Parameters:
    ///   - arms: Declares the arms of unions.
    ///   - senders: What packets that depend on their sender need.
    ///   - layers: What packets with layers need.
    static func declaringFields(arms: String, _ senders: Senders, _ layers: Layers) -> String {
        #"""
        local function declare_fields(parent)
            for _, field in ipairs(parent.fields) do
                local filter = parent.filter .. "." .. field.filter
                field.leaf = field.kind
                while field.leaf.of do field.leaf = field.leaf.of end
                set_width(field.leaf)
                declare_value[field.leaf[1]](field, filter)
                if field.kind.of then
                    field.list = declare(filter .. ".list", field.name, ftypes.NONE, field.about)
                    if field.kind.count then field.count = declare(filter .. ".count", "Items", ftypes.UINT64, nil, base.DEC) end
                end
            end
        end

        fields.message = declare("message", "Message", ftypes.STRING)
        fields.id = declare("id", "ID", ftypes.UINT64, nil, base.DEC)
        fields.sender = declare("sender", "Sender", ftypes.STRING)
        fields.payload = declare("payload", "Payload", ftypes.BYTES, "Of a message that the protocol does not know")
        fields.trailing = declare("trailing", "Trailing bytes", ftypes.BYTES, "After the last field that the protocol knows")
        fields.unknown = declare("unknown", "Unknown bytes", ftypes.BYTES, "After the last field of a sized structure")
        fields.torn = declare("torn", "Bytes of a packet that is not whole", ftypes.BYTES)
        \#(layers.declaring)\#(senders.declaringLayout)
        local messages = { client = {}, server = {} }
        for _, message in ipairs(protocol.messages) do
            message.item = declare(message.filter, message.name, ftypes.NONE, message.about)
            declare_fields(message)
            if message.client then messages.client[message.id] = message end
            if message.server then messages.server[message.id] = message end
        end
        for _, structure in ipairs(protocol.structures) do declare_fields(structure) end\#(arms)
        proto.fields = all

        local experts, faults = {}, {}

        local function declare_expert(key, reason, text, group, severity)
            faults[reason] = ProtoExpert.new(name .. "." .. key .. "." .. reason, text, group, severity)
            experts[#experts + 1] = faults[reason]
        end

        for _, reason in ipairs({
            "truncated", "varint_too_long", "varint_not_shortest", "invalid_boolean", "invalid_utf8", "missing_terminator",
            "trailing_bytes", "too_deep", "out_of_range", "float_out_of_range", "too_long", "unknown_case", "duplicate_key",
            "invalid_property", "length_too_small", "packet_too_long", "length_mismatch", "wrong_constant",
        }) do
            declare_expert("error", reason, "Malformed packet: " .. reason, expert.group.MALFORMED, expert.severity.ERROR)
        end
        declare_expert("error", "wrong_checksum", "Wrong checksum", expert.group.CHECKSUM, expert.severity.ERROR)
        declare_expert("note", "unknown_message", "A message that the protocol does not know", expert.group.UNDECODED,
            expert.severity.WARN)
        declare_expert("note", "torn_packet", "The rest of this packet is not at hand", expert.group.REASSEMBLE,
            expert.severity.WARN)
        declare_expert("note", "hidden_items", "Read, but too much to be shown", expert.group.UNDECODED, expert.severity.NOTE)
        """#
    }

    /// Declares the errors, the last of what is declared.
    static let declaringErrors = #"""
        proto.experts = experts

        """#
}
