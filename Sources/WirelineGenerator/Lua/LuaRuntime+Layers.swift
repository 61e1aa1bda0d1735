// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension LuaRuntime {
    /// The functions that open and seal packets, and what programs call for a connection.
    static func layers(_ parameters: LuaRuntimeParameters, _ plan: LayerPlan) -> String {
        [
            changing, working(plan), plan.hasPackets ? counting(plan) : nil, opening(parameters, plan),
            plan.hasPackets ? packetsInside(parameters) : nil, checkingHeader, sealing(parameters, plan),
            plan.hasPackets ? sealingPackets(parameters) : nil, sealingMessages(parameters, plan),
            layeredConnection(plan),
        ].compactMap(\.self).joined(separator: "\n\n")
    }

    private static func working(_ plan: LayerPlan) -> String {
        #"""
        -- What goes on through all packets in one. Only if all of it was right, the connection takes it over.
        function layered.new_work(sender, connection)
          return {
            sender = sender, connection = connection, left = \#(plan.maximumByteCount), packets = 0, ids = {},
            streams = copied(connection.streams[sender]),
          }
        end

        function layered.commit(work)
          for i = 1, #work.ids do change(work.connection, work.sender, work.ids[i]) end
          work.connection.streams[work.sender] = work.streams
        end

        -- The fields of an opened packet; offsets count from the first byte inside the innermost layer.
        function layered.part_of(reads, s, origin)
          local ok, part = pcall(reads, s, 1)
          if ok and part then return part end
          if ok then error(fault("truncated", "", #s - origin), 0) end
          if getmetatable(part) == wire_error and part.offset then part.offset = part.offset - origin end
          error(part, 0)
        end

        -- Takes a layer whose keystream goes on. Inner packets are sealed first and opened last, so none may use it again.
        function layered.use_stream(n, streams)
          if not layered.lasting[n] then return end
          if streams[n] then layered.refuse_layer("invalid_layer", n) end
          streams[n] = true
        end

        function layered.use_bytes(n, work, count)
          if not layered.inflating[n] then return end
          if count > work.left then layered.refuse_layer("inflated_too_long", n) end
          work.left = work.left - count
        end
        """#
    }

    private static func counting(_ plan: LayerPlan) -> String {
        #"""
        function layered.check_level(level)
          if level >= \#(plan.maximumDepth) then error(fault("too_deep", ""), 0) end
        end

        function layered.count_packet(work)
          if work.packets >= 65536 then error(fault("too_long", "packets"), 0) end
          work.packets = work.packets + 1
        end

        -- Calls a function for a packet inside another one; its errors say which one it is.
        function layered.for_packet(i, call, ...)
          local ok, packet, after = pcall(call, ...)
          if ok then return packet, after end
          if getmetatable(packet) == wire_error then
            packet.path = "packets[" .. i .. "]" .. (packet.path ~= "" and "." or "") .. packet.path
          end
          error(packet, 0)
        end
        """#
    }

    // MARK: Opening

    private static func opening(_ parameters: LuaRuntimeParameters, _ plan: LayerPlan) -> String {
        let packets = #"""

              if part.rules[\#(plan.kinds.count + 1)] then
                layered.check_level(level)
                local packets = layered.open_packets(content, level + 1, work, streams)
                return { id = part.id, header = part.header, packets = packets, size = after - position }, after
              end
            """#
        let depth = parameters.maximumDepth.map { "\n  depth = \($0)" } ?? ""
        let verify =
            parameters.fixesHeader ? "\n  if verify[name] then verify[name](flat, part.header, part.places) end" : ""
        return #"""
            -- The packet at a position, out of its layers, and the position after it; nil if more bytes are needed.
            function layered.open_packet(s, position, level, work, streams)
              local shape = layered.shapes[shape_of(work.sender, work.connection, level > 0 and 1 or 0)]
              local found, more = shape.read_outer(s, position)
              if not found then return nil, more end
              local after, header, rules, counter = found.after, found.header, found.rules, shape.counter
              local count, count_at = found.count, found.count_at
              local data, content = sub(s, position, found.body - 1), sub(s, found.body, found.stop - 1)
              local trailer, origin, size = sub(s, found.stop, after - 1), 0, nil
              for _, section in ipairs(shape.sections) do
                for _, n in ipairs(section.layers) do
                  if rules[n] then
                    if count and count - counter.constant > \#(plan.maximumByteCount) then layered.refuse_layer("inflated_too_long", n) end
                    layered.use_stream(n, streams)
                    content = layered.open_layer(n, work, header, content)
                    layered.use_bytes(n, work, #content)
                    origin = #data
                    if counter and n >= counter.first then size = #content end
                  end
                end
                if section.read then
                  local s_inside = data .. content
                  local part = layered.part_of(section.read, s_inside, origin)
                  header, rules = part.header, part.rules
                  data, content = sub(s_inside, 1, part.body - 1), sub(s_inside, part.body, part.stop - 1)
                  if not count and part.count then count, count_at = part.count, part.count_at - origin end
                end
              end
              if count and count ~= (size and size + counter.constant or 0) then
                error(fault("length_mismatch", counter.path, count_at), 0)
              end
              local flat = data .. content .. trailer
              local part = layered.part_of(shape.read_flat, flat, origin)\#(plan.hasPackets ? packets : "")
              -- A part of a message sets no state.
              local is_part = part.rules[\#(plan.kinds.count + 2)]
              if not is_part then work.ids[#work.ids + 1] = part.id end
              local name = senders[work.sender][part.id]
              if is_part or not name then
                return { id = part.id, header = part.header, payload = content, size = after - position }, after
              end
              start, top, at[1] = 1, 1, "packet"\#(depth)\#(verify)
              start, at[1] = 1 + origin, name
              local message = read[name](flat, part.body, part.stop - 1, part.header)
              return { name = name, id = part.id, header = part.header, message = message, size = after - position }, after
            end

            local function unwrap_next(s, position, sender, connection)
              local work = layered.new_work(sender, connection)
              local packet, after = layered.open_packet(s, position, 0, work, {})
              if packet then layered.commit(work) end
              return packet, after
            end
            """#
    }

    private static func packetsInside(_ parameters: LuaRuntimeParameters) -> String {
        var one = #"""
            function layered.open_inner(content, p, level, work, streams)
              local packet, after = layered.open_packet(content, p, level, work, copied(streams))
              if not packet then error(fault("truncated", "", #content - p + 1), 0) end
              return packet, after
            end
            """#
        var isOver = "p > #content"
        if let framing = parameters.framing {
            one = #"""
                function layered.open_inner(content, p, level, work, streams)
                  local frame = new_frame()
                  local after, is_whole = unframe(content, p, frame)
                  if not is_whole then error(fault("truncated", "", #content - p + 1), 0) end
                  local packet = layered.open_packet(concat(frame.parts), 1, level, work, copied(streams))
                  if not packet then error(fault("truncated", "", frame.n), 0) end
                  packet.size = frame.count
                  return packet, after
                end
                """#
            isOver = "not find(content, \"\(noMark(framing))\", p)"
        }
        return one + #"""


            function layered.open_packets(content, level, work, streams)
              local packets, p = {}, 1
              while not (\#(isOver)) do
                layered.count_packet(work)
                packets[#packets + 1], p = layered.for_packet(#packets, layered.open_inner, content, p, level, work, streams)
              end
              return packets
            end
            """#
    }

    // MARK: Sealing

    private static func sealing(_ parameters: LuaRuntimeParameters, _ plan: LayerPlan) -> String {
        let threshold = #"""

              -- Whether there is a layer depends on how much there is without one.
              if counter and counter.is_settable and settable[counter.field] == nil then
                local bare, threshold = layered.part_without(shape, id, settable).header, work.connection.threshold
                if bare[counter.field] ~= nil then settable[counter.field] = 0 end
                if threshold and settable[counter.field] then
                  local given = layered.joined_fields(layered.chosen(bare, layered.id_fields), settable)
                  local count = #layered.written(shape.sections[#shape.sections], given, payload)
                  settable[counter.field] = count >= threshold and 1 or 0
                end
              end
            """#
        let holding = #"""

              local has_packets, is_part = rules[\#(plan.kinds.count + 1)], rules[\#(plan.kinds.count + 2)]
              if content_kind then
                if (content_kind == "packets") ~= has_packets then error(fault("presence", "packets"), 0) end
                if not has_packets and is_part then error(fault("presence", "opaque"), 0) end
              end
              if not has_packets and not is_part then work.ids[#work.ids + 1] = id end
            """#
        let counts = plan.shapes.contains { $0.counter != nil }
        let counting = #"""

              -- Sets the number of bytes inside the innermost layer, which must mean the same layers to a reader.
              local function set_count(count)
                local field = counter and counter.field
                counter = nil
                if not field or fields[field] == nil then return end
                local changed = layered.part_without(shape, id, layered.joined_fields(settable, { [field] = count })).rules
                for i, rule in ipairs(rules) do
                  if changed[i] ~= rule then error(fault("length_too_small", shape.counter.path), 0) end
                end
                fields[field], given[field] = count, count
              end
            """#
        let packet = "shape.write_outer(0, content, layered.chosen(given, shape.outer_fields))"
        return #"""
            function layered.chosen(header, names)
              local fields = {}
              for i = 1, #names do fields[names[i]] = header[names[i]] end
              return fields
            end

            function layered.joined_fields(fields, others)
              local all = copied(fields)
              for name, v in pairs(others) do all[name] = v end
              return all
            end

            -- The fields of a packet that are known before its layers are sealed, and which rules hold.
            function layered.part_without(shape, id, fields)
              return layered.part_of(shape.read_flat, shape.write_flat(id, "", fields), 0)
            end

            -- The fields of a section and what is after them. Fields before are written for their conditions only.
            function layered.written(section, fields, content)
              if not section.write then return content end
              local s = section.write(0, content, layered.chosen(fields, section.fields))
              return sub(s, layered.part_of(section.read, s, 0).first)
            end

            -- A whole packet of a payload; content_kind says what it must be, if that is known.
            function layered.sealed(id, payload, header, content_kind, level, work, streams)
              local shape = layered.shapes[shape_of(work.sender, work.connection, level > 0 and 1 or 0)]
              local settable, counter = layered.chosen(header, layered.settable_fields), shape.counter\#(plan.options.contains("threshold") ? threshold : "")
              local part = layered.part_without(shape, id, settable)
              local rules, fields = part.rules, part.header\#(holding)
              local given, content = layered.joined_fields(layered.chosen(fields, layered.id_fields), settable), payload\#(counts ? counting : "")
              for i = #shape.sections, 1, -1 do
                local section = shape.sections[i]
            \#(counts ? "    -- From here on the layers are around the field.\n    if counter and section.layers[1] < counter.first then set_count(0) end\n" : "")\#
                content = layered.written(section, given, content)
                for k = #section.layers, 1, -1 do
                  local n = section.layers[k]
                  if rules[n] then
                    layered.use_stream(n, streams)\#(counts ? "\n        set_count(#content + (counter and counter.constant or 0))" : "")
                    layered.use_bytes(n, work, #content)
                    content = layered.seal_layer(n, work, fields, content)
                  end
                end
              end\#(counts ? "\n  set_count(0)" : "")
              return \#(parameters.framing == nil ? packet : "framed(\(packet))")
            end
            """#
    }

    private static func sealingPackets(_ parameters: LuaRuntimeParameters) -> String {
        #"""
        function layered.seal_item(item, level, work, streams)
          if type(item) ~= "table" then error(fault("wrong_type", ""), 0) end
          local message = item.message
          if message == nil then message = item.packets and item or item.payload end
          return layered.seal(item.name or item.id, message, item.header, level, work, streams)
        end

        -- Packets inside of one, which have layers of their own.
        function layered.seal_packets(packets, level, work, streams)
          layered.check_level(level)
          if type(packets) ~= "table" then error(fault("wrong_type", "packets"), 0) end
          local parts = {}
          for i = 1, #packets do
            layered.count_packet(work)
            local used = {}
            parts[i] = layered.for_packet(i - 1, layered.seal_item, packets[i], level + 1, work, used)
            for n in pairs(used) do streams[n] = true end
          end
          return concat(parts)
        end
        """#
    }

    private static func sealingMessages(_ parameters: LuaRuntimeParameters, _ plan: LayerPlan) -> String {
        let depth = parameters.maximumDepth.map { "\n  depth = \($0)" } ?? ""
        let fixing = parameters.fixesHeader ? "\n    if fix[name] then header = fix[name](header) end" : ""
        let packets = #"""

              if type(message) == "table" and message.packets ~= nil then
                local t = layered.seal_packets(message.packets, level, work, streams)
                return layered.sealed(number, t, header, "packets", level, work, streams)
              end
            """#
        let first = #"""
            -- The name of the message, or of the first one in its packets.
            function layered.first_name(name, message)
              while not (ids[name] or aliases[name]) and type(message) == "table" do
                local item = type(message.packets) == "table" and message.packets[1]
                if type(item) ~= "table" then break end
                name, message = item.name or item.id, item.message or item
              end
              return aliases[name] or name
            end


            """#
        let own =
            plan.hasPackets ? "only_sender[layered.first_name(name, message)]" : "only_sender[aliases[name] or name]"
        return #"""
            -- A whole packet; adds the layers whose keystream goes on that it uses.
            function layered.seal(name, message, header, level, work, streams)
              if header then check_header(header) else header = none end
              if not ids[name] then name = aliases[name] or name end
              top, at[1] = 1, name\#(depth)
              local id = ids[name]
              if id then
                if type(message) ~= "table" then refuse("wrong_type") end\#(fixing)
                local payload = write[name](message, header)
                return layered.sealed(id, payload, header, "message", level, work, streams)
              end
              if not (\#(isID(parameters))) then error(fault("unknown_message", tostring(name)), 0) end
              top = 0
              local number = \#(checkedID(parameters))\#(plan.hasPackets ? packets : "")
              bytes_of(message, nil, "payload")
              return layered.sealed(number, message, header, nil, level, work, streams)
            end

            \#(plan.hasPackets ? first : "")\#
            local function send(name, message, header, sender, connection)
              local side = sender or \#(own)\#(parameters.dependsOnSender ? "\n  if not side then error(fault(\"needs_sender\", \"\"), 0) end" : " or \"client\"")
              local work = layered.new_work(side, connection or M.connection())
              local packet = layered.seal(name, message, header, 0, work, {})
              layered.commit(work)
              return packet
            end
            """#
    }
}
