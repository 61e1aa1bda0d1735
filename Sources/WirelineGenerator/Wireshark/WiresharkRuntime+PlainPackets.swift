// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Shows packets without layers.
    ///
    /// - Parameter senders: What packets that depend on their sender need.
    static func plainPackets(_ senders: Senders) -> String {
        #"""
        -- Shows a packet that is whole. Returns what it is called.
        local function dissect_packet(reader, tree, payload_start, payload_end, packet_end, bits, sender, is_certain)
            local item = tree:add(proto, reader.tvb(reader.start, packet_end - reader.start))
            local is_good, all_bits = attempt(item, function()
                reader.level, reader.at = 0, reader.start
                bits = verify(reader, layout.header, payload_start, payload_end, packet_end, bits)
                reader.at = payload_end
                return verify(reader, layout.trailer, payload_start, payload_end, packet_end, bits)
            end)
            local high, low = from_bits(is_good and all_bits or bits)
            local id = decimal(high, low)
            local message = messages[sender][id]
            if not message and \#(senders.mayBeOther) then
                local other = sender == "client" and "server" or "client"
                message = messages[other][id]
                if message then sender = other end
            end
            local title = message and (message.alias and message.name .. " (" .. message.alias .. ")" or message.name)
                or "unknown message " .. id
            item:append_text(", " .. title)
            \#(senders.connections.keepingChange)if message then generated(reader, item, fields.message, message.name) end
            generated(reader, item, fields.id, UInt64.new(low, high))
            generated(reader, item, fields.sender, sender)
            reader.level, reader.at, reader.stop = 0, reader.start, payload_start
            show_header(reader, item, layout.header)
            reader.level, reader.at, reader.stop = 0, payload_start, payload_end
            reader.depth, reader.group_depth = protocol.most_depth, 0
            if message then
                local group = item:add(message.item, reader.tvb(payload_start, payload_end - payload_start))
                group:set_text(title)
                attempt(group, read_message, reader, group, message)
            else
                show(reader, item, fields.payload, payload_start, payload_end)
                item:add_proto_expert_info(faults.unknown_message)
            end
            reader.level, reader.at, reader.stop = 0, payload_end, packet_end
            attempt(item, show_header, reader, item, layout.trailer)
            return title
        end


        """#
    }
}
