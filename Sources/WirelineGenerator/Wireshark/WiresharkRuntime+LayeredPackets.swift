// SPDX-License-Identifier: Apache-2.0

/// Shows packets with layers, and those inside of them.
extension WiresharkRuntime {
    /// - Parameters:
    ///   - senders: What packets that depend on their sender need.
    ///   - presence: How fields of the packet that may be absent are handled.
    ///   - framing: How packets between marks are handled.
    static func layeredPackets(_ senders: Senders, _ presence: Presence, _ framing: Framing) -> String {
        #"""
        local MOST_PACKETS = 65536   -- inside of one packet, at all depths together

        local dissect_packet

        \#(inner(presence, framing))
        -- Whose message a packet is.
        local function message_of(context, id)
            local sender, is_certain = context.sender, context.is_certain
            local message = messages[sender][id]
            if not message and \#(senders.mayBeOther) then
                local other = sender == "client" and "server" or "client"
                message = messages[other][id]
                if message then sender = other end
            end
            return message, sender
        end

        local function show_opened(opening, item)
            for _, step in ipairs(opening.steps) do
                local reader = step.reader
                if step.layer then
                    local layer = show(reader, item, fields.layer, step.at, step.stop, false, step.layer.called)
                    if layer then layer:append_text(": " .. counted(step.count, "byte") .. " inside") end
                else
                    reader.level, reader.at, reader.stop = 0, step.at, step.stop
                    show_header(reader, item, step.section.own)
                end
            end
        end

        -- Shows what remains of a packet that was not opened to the end.
        local function show_rest(opening, item)
            local reader = opening.reader
            show(reader, item, fields.sealed, opening.at, opening.stop)
            if opening.partial and #opening.partial > 0 then
                local part = reader_inside(reader, "", opening.partial, "", "A part of " .. opening.layer.called)
                show(part, item, fields.partial, 0, #opening.partial)
            end
        end

        local function show_content(opening, item, message, title)
            local reader, context, at, stop = opening.reader, opening.context, opening.at, opening.stop
            reader.level, reader.at, reader.stop = 0, at, stop
            reader.depth, reader.group_depth = protocol.most_depth, 0
            if opening.content == "packets" then
                local group = item:add(fields.packets, reader.tvb(at, stop - at))
                local is_good, count = attempt(group, dissect_inner, opening, group)
                if is_good then group:append_text(": " .. counted(count, "packet")) end
                if not is_good then
                    \#(senders.connections.losing(after: "0", "            "))show(reader, group, fields.unread, opening.at, stop)
                end
            elseif opening.content == "opaque" then
                show(reader, item, fields.opaque, at, stop)
            elseif message then
                local group = item:add(message.item, reader.tvb(at, stop - at))
                group:set_text(title)
                attempt(group, read_message, reader, group, message)
            else
                show(reader, item, fields.payload, at, stop)
                item:add_proto_expert_info(faults.unknown_message)
            end
        end

        local function title_of(opening, message, id)
            if opening.is_sealed then return "sealed packet" end
            if not opening.content then return "malformed packet" end
            if opening.content ~= "message" then return opening.content .. " " .. id end
            if not message then return "unknown message " .. id end
            return message.alias and message.name .. " (" .. message.alias .. ")" or message.name
        end

        -- Shows a packet that is whole, and keeps what it is called. Packets inside of it stand in its place.
        function dissect_packet(reader, tree, payload_start, payload_end, packet_end, bits)
            local shape, context = layout, reader.context
            local item = tree:add(proto, reader.tvb(reader.start, packet_end - reader.start))
            local is_good, all_bits = attempt(item, function()
                reader.level, reader.at = 0, reader.start
                bits = verify(reader, layout.header, payload_start, payload_end, packet_end, bits)
                reader.at = payload_end
                return verify(reader, layout.trailer, payload_start, payload_end, packet_end, bits)
            end)
            local opening = {
                shape = shape, context = context, reader = reader, at = payload_start, stop = payload_end,
                packet_end = packet_end, bits = is_good and all_bits or bits, lacks_id = shape.has_inner_id, steps = {},
            }
            local is_open, fault = pcall(open_layers, opening)
            if not is_open then
                attempt(item, error, fault, 0)
                \#(senders.connections.losing(after: "opening.layer and opening.layer.index or 0", "        "))opening.is_sealed = fault.reason == "layer_unavailable"
            end
            local high, low = from_bits(opening.bits)
            local id = decimal(high, low)
            local message, sender
            if opening.content == "message" then message, sender = message_of(context, id) end
            local title = title_of(opening, message, id)
            item:append_text(", " .. title)
            \#(senders.connections.keepingChange)if message then generated(reader, item, fields.message, message.name) end
            if not opening.lacks_id then generated(reader, item, fields.id, UInt64.new(low, high)) end
            generated(reader, item, fields.sender, sender or context.sender)
            reader.level, reader.at, reader.stop = 0, reader.start, payload_start
            show_header(reader, item, shape.header)
            show_opened(opening, item)
            if is_open then show_content(opening, item, message, title) else show_rest(opening, item) end
            reader.level, reader.at, reader.stop = 0, payload_end, packet_end
            attempt(item, show_header, reader, item, shape.trailer)
            if opening.content == "packets" then return end
            if #context.titles < 20 then
                context.titles[#context.titles + 1] = title
            else
                context.more = context.more + 1
            end
        end


        """#
    }

    /// Shows the packets inside of a packet, one after another.
    private static func inner(_ presence: Presence, _ framing: Framing) -> String {
        #"""
        local function inner_reader(outer, tvb, data, start, stop, prefix)
            return {
                tvb = tvb, data = data, start = start, at = start, stop = stop, level = 0, names = {}, shared = outer.shared,
                prefix = prefix, context = outer.context, seen = {}, nesting = (outer.nesting or 0) + 1,
            }
        end

        \#(framing.isUsed ? framing.dissectingInner : dissectingInner(presence))
        -- Returns how many packets are inside of a packet. A fault in where one begins or ends is thrown.
        local function dissect_inner(opening, tree)
            local context, outer, count = opening.context, opening.reader, 0
            if (outer.nesting or 0) == protocol.most_nested then
                fail(outer, "too_deep", "nested more than " .. protocol.most_nested .. " deep", "")
            end
            while opening.at < opening.stop do
                if context.count == MOST_PACKETS then
                    fail(outer, "too_long", (MOST_PACKETS + 1) .. " is over the limit of " .. MOST_PACKETS, "packets")
                end
                context.count = context.count + 1
                layout = shape_of(context, 2)
                if not dissect_next(opening, tree, within(outer, "packets[" .. count .. "]")) then break end
                count = count + 1
            end
            return count
        end

        """#
    }

    /// Shows the next of the packets that follow each other directly.
    private static func dissectingInner(_ presence: Presence) -> String {
        #"""
        local function dissect_next(opening, tree, prefix)
            local outer, at, stop = opening.reader, opening.at, opening.stop
            local reader = inner_reader(outer, outer.tvb, outer.data, at, stop, prefix)
            local header_size, size, bits, needed = scan(reader, stop)
            if not header_size or at + size > stop then
                reader.level = 0
                local missing = math.max(1, (header_size and size or needed) - (stop - at))
                fail(reader, "truncated", "needs " .. counted(missing, "byte") .. place(reader, stop) .. ", 0 are left", "")
            end
            opening.at = at + size
            dissect_packet(reader, tree, at + header_size, at + size - \#(presence.trailerSize), at + size, bits)
            return true
        end

        """#
    }
}

extension WiresharkRuntime.Framing {
    /// Shows the next of the packets between marks that are inside of another one.
    fileprivate var dissectingInner: String {
        #"""
        local function dissect_next(opening, tree, prefix)
            local outer, stop = opening.reader, opening.stop
            local framed = inner_reader(outer, outer.tvb, outer.data, opening.at, stop, prefix)
            local content, from, after = unframe(framed, opening.at, stop)
            if not content then
                -- Marks with nothing between them may end the content.
                if from then return false end
                framed.level = 0
                fail(framed, "truncated", "needs 1 byte at offset " .. (stop - opening.at) .. ", 0 are left", "")
            end
            local inside = from and outer.tvb(from, #content):tvb() or ByteArray.new(content, true):tvb("Unescaped packet")
            local reader = inner_reader(outer, inside, content, 0, #content, prefix)
            local header_size, size, bits = scan_whole(reader, #content)
            opening.at = after
            dissect_packet(reader, tree, header_size, size - \#(trailerSize), size, bits)
            return true
        end

        """#
    }
}
