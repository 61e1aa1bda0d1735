// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// Reads headers, trailers and whole packets, and splits streams into packets.
    ///
    /// - Parameters:
    ///   - verifyingChecksum: The lines that verify a checksum.
    ///   - keepingTrailing: The expression that a message keeps the bytes after its last field.
    ///   - isPacked: Whether fields of the packet share bytes, or are flags.
    ///   - texts: Which fields of the packet are text, digits or bytes.
    ///   - fixesHeaders: Whether messages fix values of header fields.
    ///   - looksAtHeader: Whether conditions of messages look at fields of the header.
    ///   - presence: How fields of the packet that may be absent are handled.
    ///   - framing: How packets between marks are handled.
    ///   - senders: What packets that depend on their sender need.
    ///   - layers: What packets with layers need.
    ///   - preferences: The preferences that only some protocols have.
    static func packets(
        verifyingChecksum: String, keepingTrailing: String, isPacked: Bool, texts: HeaderTexts, fixesHeaders: Bool,
        looksAtHeader: Bool, presence: Presence, framing: Framing, senders: Senders, layers: Layers,
        preferences: Preferences
    ) -> String {
        #"""
        -- MARK: Packets

        \#(isPacked ? readingPacked : "")-- Reads a field of the header or trailer; nil when it has not arrived whole.
        local function header_value(reader, field, available, limit)
            local kind = field.kind
            reader.stop = math.min(available, limit)
            if reader.at > reader.stop then reader.at = reader.stop end
            local is_open = available < limit
            \#(texts.areUsed ? textFirst(constants: texts.areConstants) : "")\#(isPacked ? packedFirst : "")if kind[1] == "varint" then
                local last = reader.at
                while last < reader.stop and string.byte(reader.data, last + 1) >= 128 and last - reader.at < 10 do
                    last = last + 1
                end
                if last == reader.stop and is_open and last - reader.at < kind.most then return nil end
                return varint_value_at(reader, kind)
            end
            local width = kind.width or 1
            if reader.stop - reader.at < width and is_open then return nil end
            need(reader, width)
            local high, low = integer_at(reader.data, reader.at, width, kind.signed, kind.little)
            if kind[1] == "boolean" and low > 1 then
                fail(reader, "invalid_boolean", "a bool is 0 or 1, the byte" .. place(reader, reader.at) .. " is " .. low)
            end
            reader.at = reader.at + width
            return high, low
        end

        local function check_constant(reader, field, at, high, low)
            \#(texts.areConstants ? comparingText : "")if field.role ~= "constant" or high == field.value[1] and low == field.value[2] then return end
            fail(reader, "wrong_constant", hexadecimal(high, low) .. place(reader, at) .. " where the constant "
                .. hexadecimal(field.value[1], field.value[2]) .. " was expected")
        end

        local function last_bits_of(field, high, low)
            local kind = field.kind
            local most = kind.form == "varint32" and 32 or 64
            local width = \#(isPacked ? "field.pack and field.pack.bits or " : "")kind[1] == "boolean" and 1 or kind[1] == "varint" and math.min(most, 7 * kind.most) or 8 * kind.width
            return last_bits(high, low, width)
        end

        -- What the byte count of the packet is, if a length is right; compared with the layout, the limit and other lengths.
        local function packet_size(reader, field, high, low, at, header_size, size, is_exact)
            local least = header_size + \#(presence.trailerSize)
            local difference = -field.plus
            if field.of == "payload" then difference = difference + least end
            if field.of == "rest" then difference = difference + reader.at - reader.start end
            if field.kind.form then least = math.max(least, difference) end
            local total_high, total_low = plus(high, low, difference)
            if total_high < 0 or total_high == 0 and total_low < least then
                fail(reader, "length_too_small", "length " .. hexadecimal(high, low) .. " (" .. decimal(high, low) .. ")"
                    .. place(reader, at) .. " is under the minimum of " .. (least - difference), "")
            end
            if \#(layers.isOverLimit) then
                local text = "length " .. hexadecimal(high, low)
                if difference ~= 0 then text = text .. " makes a packet of " .. decimal(total_high, total_low) .. " bytes," end
                fail(reader, "packet_too_long", text .. (difference ~= 0 and "" or " is") .. " over the limit of "
                    .. \#(layers.limit), "")
            end
            if is_exact and size and size ~= \#(layers.total) then
                fail(reader, "length_mismatch", "length " .. decimal(high, low) .. place(reader, at) .. " where "
                    .. (size - difference) .. " was expected")
            end
            return \#(layers.total)
        end

        \#(presence.makingRoom)\#(framing.unfinished)-- Walks over a header, which may not be whole. Returns its byte count and that of the packet, as far as they are known;
        -- a fault is thrown.
        local function scan(reader, available)
            local header_size, size, limit, bits = layout.header_size, nil, math.huge, ""
            reader.level, reader.at = 0, reader.start
            \#(presence.beginning)for _, field in \#(presence.fields("layout.header")) do
                enter(reader, "packet." .. field.name)
                \#(presence.room)local at = \#(fieldStart(isPacked))
                local high, low = header_value(reader, field, available, limit)
                if not high then \#(framing.missing) end
                \#(presence.noting)if field.kind[1] == "varint" then header_size = header_size - 1 + reader.at - at end
                check_constant(reader, field, at, high, low)
                if field.role == "length" then
                    size = packet_size(reader, field, high, low, at, header_size, size, layout.is_fixed)
                    \#(presence.keepingLength)if field.of ~= "payload" then limit = math.min(limit, reader.start + size) end
                elseif field.role == "id" then
                    bits = bits .. last_bits_of(field, high, low)
                end
                leave(reader)
            end
            if not layout.is_fixed then
                -- A varint after a length can change what the length means: once all widths are known, this asks again.
                \#(presence.measuringTrailer)reader.at, size = reader.start, nil
                for _, field in \#(presence.fields("layout.header")) do
                    enter(reader, "packet." .. field.name)
                    local at = \#(fieldStart(isPacked))
                    local high, low = header_value(reader, field, available, limit)
                    if not high then break end
                    if field.role == "length" then
                        size = packet_size(reader, field, high, low, at, header_size, size, true)
                    end
                    leave(reader)
                end
                reader.level = 0
            \#(presence.limitingHeader)end
            return header_size, size or \#(framing.sizeWithoutLength), bits
        end

        -- Checks what only a whole packet shows. Returns the bits of the ID.
        local function verify(reader, list, payload_start, payload_end, packet_end, bits)
            for _, field in \#(presence.fields("list")) do
                enter(reader, "packet." .. field.name)
                local at = \#(fieldStart(isPacked))
                local high, low = header_value(reader, field, packet_end, packet_end)
                \#(fixesHeaders || looksAtHeader || layers.areUsed ? rememberingValue : "")check_constant(reader, field, at, high, low)
                if field.role == "length" then
                    local expected = field.plus
                        + (field.of == "packet" and packet_end - reader.start
                            or field.of == "payload" and payload_end - payload_start or packet_end - reader.at)
                    local expected_high, expected_low = plus(0, 0, expected)
                    if high ~= expected_high or low ~= expected_low then
                        fail(reader, "length_mismatch", "length " .. decimal(high, low) .. place(reader, at) .. " where "
                            .. expected .. " was expected")
                    end
                elseif field.role == "checksum" then
        \#(verifyingChecksum)
                elseif field.role == "id" and list == layout.trailer then
                    bits = bits .. last_bits_of(field, high, low)
                end
                leave(reader)
            end
            return bits
        end

        \#(framing.readingWhole)-- Does something; a fault becomes an expert information of the item. What is no fault of the packet's goes on.
        local function attempt(item, action, ...)
            local results = { pcall(action, ...) }
            if results[1] then return true, results[2], results[3], results[4] end
            local fault = results[2]
            if type(fault) ~= "table" then error(fault, 0) end
            item:add_proto_expert_info(faults[fault.reason], fault.text)
            return false
        end

        local function show_header(reader, tree, list)
            for _, field in \#(presence.fields("list")) do
                local at = \#(fieldStart(isPacked))
                local high, low = header_value(reader, field, reader.stop, reader.stop)
                \#(texts.areUsed ? showingText(constants: texts.areConstants) : "")\#(isPacked ? showingPacked : "")if field.kind[1] == "varint" then
                    show_varint(reader, tree, field.kind, field.item, at, reader.at, high, low)
                else
                    show(reader, tree, field.item, at, reader.at, field.kind.little)
                end
            end
        end

        \#(looksAtHeader ? headerNumbers : "")local function read_message(reader, tree, message)
            \#(fixesHeaders ? verifyingFixedValues(texts: texts.areFixed, layers) : "")enter(reader, message.name)
            read_fields(reader, tree, message.fields\#(looksAtHeader ? ", header_numbers(reader)" : ""))
            if reader.at == reader.stop then return end
            if not \#(keepingTrailing) then
                fail(reader, "trailing_bytes", counted(reader.stop - reader.at, "byte") .. " after the last field"
                    .. place(reader, reader.at), message.name)
            end
            show(reader, tree, fields.trailing, reader.at, reader.stop)
        end

        \#(layers.opening)local function generated(reader, tree, field, value)
            local item = tree:add(field, reader.tvb(reader.start, 0), value)
            item:set_generated()
        end

        \#(senders.connections.shaping)\#(layers.areUsed ? layeredPackets(senders, presence, framing) : plainPackets(senders))-- MARK: Streams

        proto.prefs.server_ports = Pref.range("Server ports", "",
            "The TCP ports that servers of this protocol listen on, as in 9001,9010-9019. They tell who sends a packet.", 65535)

        local tcp = DissectorTable.get("tcp.port")
        local registered, ports = "", {}

        function proto.prefs_changed()
            \#(preferences.reading)local wanted = tostring(proto.prefs.server_ports or "")
            if wanted == registered then return end
            if registered ~= "" then tcp:remove(registered, proto) end
            registered, ports = wanted, {}
            for first, last in string.gmatch(wanted, "(%d+)%-?(%d*)") do
                ports[#ports + 1] = { tonumber(first), tonumber(last) or tonumber(first) }
            end
            if registered ~= "" then tcp:add(registered, proto) end
        end

        local function is_server(port)
            for _, range in ipairs(ports) do
                if port >= range[1] and port <= range[2] then return true end
            end
            return false
        end

        -- Who sends, and whether that is certain: the ports of servers tell, then the port that the packet was taken up for,
        -- and else it is a guess that servers have the lower port.
        local function sender_of(pinfo)
            local from, to = pinfo.src_port, pinfo.dst_port
            if is_server(from) ~= is_server(to) then return is_server(from) and "server" or "client", true end
            if from ~= to and pinfo.match_uint == from then return "server", false end
            if from ~= to and pinfo.match_uint == to then return "client", false end
            return from < to and "server" or "client", false
        end

        local told = { names = {}, more = 0 }

        local function tell(pinfo, title)
            -- A frame may be dissected several times: what is private to it lives for one of them.
            if not pinfo.private[protocol.name] then told = { names = {}, more = 0 } end
            pinfo.private[protocol.name] = "told"
            if #told.names < 20 then told.names[#told.names + 1] = title else told.more = told.more + 1 end
            local text = table.concat(told.names, ", ")
            if told.more > 0 then text = text .. ", and " .. told.more .. " more" end
            pinfo.cols.protocol:set(protocol.name)
            pinfo.cols.info:set(text)
        end

        \#(senders.connections.tracking)function proto.dissector(tvb, pinfo, tree)
            local length = tvb:len()
            if length == 0 then return 0 end
            local sender, is_certain = sender_of(pinfo)
            \#(senders.choosing)local shared = { items = 0, hides = false }
            local data, at = tvb:raw(), 0
            while at < length do
        \#(senders.connections.choosing)\#(framing.isUsed ? framing.dissecting(senders) : splitting(presence, framing, senders))
            end
            \#(preferences.telling)if shared.hides then tree:add_proto_expert_info(faults.hidden_items) end
            return length
        end

        tcp:add_for_decode_as(proto)

        """#
    }

    /// The body of the loop over the packets of a stream without a frame.
    private static func splitting(_ presence: Presence, _ framing: Framing, _ senders: Senders) -> String {
        #"""
                local reader = { tvb = tvb, data = data, start = at, at = at, stop = length, level = 0, names = {}, shared = shared\#(framing.readerParts) }
                local is_good, header_size, size, bits = pcall(scan, reader, length)
                if not is_good then
                    local item = tree:add(proto, tvb(at, length - at))
                    attempt(item, error, header_size, 0)
                    \#(senders.connections.losing)tell(pinfo, "malformed packet")
                    break
                elseif not header_size or at + size > length then
                    if pinfo.can_desegment > 0 then
                        pinfo.desegment_offset = at
                        pinfo.desegment_len = size and at + size - length or DESEGMENT_ONE_MORE_SEGMENT
                        break
                    end
                    local item = tree:add(proto, tvb(at, length - at))
                    show(reader, item, fields.torn, at, length)
                    item:add_proto_expert_info(faults.torn_packet)
                    \#(senders.connections.losing)tell(pinfo, "torn packet")
                    break
                end
                local stop = at + size
                \#(senders.connections.showing("at + header_size, stop - \(presence.trailerSize), stop, bits"))
                at = stop
        """#
    }

    /// The lines that verify the only checksum which a packet may have had at first: CRC-32 of the payload.
    static let verifyingCRC32 = #"""
                    local computed = crc32(reader.data, payload_start, payload_end)
                    if high ~= 0 or low ~= computed then
                        fail(reader, "wrong_checksum", "CRC-32 " .. hexadecimal(high, low) .. place(reader, at)
                            .. ", but the payload's is " .. hexadecimal(0, computed))
                    end
        """#
}
