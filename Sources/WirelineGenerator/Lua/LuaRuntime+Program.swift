// SPDX-License-Identifier: Apache-2.0

extension LuaRuntime {
    /// What programs call: `decode`, `encode`, `splitter` and, for flags, `has`. It stands at the end of each file.
    static func program(_ parameters: LuaRuntimeParameters) -> String {
        [
            parameters.hasConnection ? parameters.context + "\n\n" + connection(parameters) : nil,
            receiving(parameters),
            sending(parameters), splitting(parameters), parameters.hasFlags ? flags : nil,
            "return M\n",
        ].compactMap(\.self).joined(separator: "\n\n")
    }

    private static func receiving(_ parameters: LuaRuntimeParameters) -> String {
        let isFramed = parameters.framing != nil
        let unwrap =
            parameters.hasConnection
            ? "unwrap_next"
            : parameters.dependsOnSender ? "(sender == \"server\" and unwrap_server or unwrap_client)" : "unwrap"
        let connection = parameters.hasConnection ? ", connection" : ""
        let names = parameters.hasConnection ? "sender, connection" : "names"
        let call =
            isFramed
            ? "pcall(take_frame, s, position or 1, new_frame(), sender\(connection))"
            : "pcall(\(unwrap), s, position or 1, \(names))"
        let framing = #"""
            local function unframed(frame, sender\#(connection))
              local s = concat(frame.parts)
              local packet = \#(unwrap)(s, 1, \#(parameters.hasConnection ? names : "senders[sender]"))
              if not packet then error(fault("truncated", "", #s), 0) end
              packet.size = frame.count
              return packet
            end

            local function take_frame(s, position, frame, sender\#(connection))
              local after, is_whole = unframe(s, position, frame)
              if is_whole then return unframed(frame, sender\#(connection)), after end
            end


            """#
        return (isFramed ? framing : "") + #"""
            --- The packet that a string begins with, or has at a position, which the "client" or the "server" has sent.
            -- Returns a table (name, id, header, message; payload if the message is unknown; size) and the position after it; nil if
            -- more bytes are needed, and how many if that is known, as the third result; or nil and an error with kind, path and
            -- offset. After an error, the start of the next packet is unknown.\#(newConnection(parameters))
            function M.decode(s, sender, position\#(connection))
              \#(parameters.hasConnection ? "" : "local names = senders[sender]\n  ")if not \#(parameters.hasConnection ? "senders[sender]" : "names") then error("the sender is \"client\" or \"server\"", 2) end
            \#(parameters.hasConnection ? "  connection = connection or M.connection()\n" : "")\#
              local ok, packet, after = \#(call)
              if ok then
                if packet then return packet, after end
                return nil, nil, after
              end
              -- An error of another kind is the caller's.
              if getmetatable(packet) ~= wire_error then error(packet, 0) end
              return nil, packet
            end
            """#
    }

    private static func newConnection(_ parameters: LuaRuntimeParameters) -> String {
        parameters.hasConnection ? "\n-- Without a connection it is the first packet of one." : ""
    }

    private static func sending(_ parameters: LuaRuntimeParameters) -> String {
        let takesSender = parameters.dependsOnSender || parameters.hasConnection
        let arguments = (takesSender ? ", sender" : "") + (parameters.hasConnection ? ", connection" : "")
        let wrap =
            parameters.hasConnection
            ? "wrap_next(id, payload, header, side, connection or M.connection())"
            : parameters.dependsOnSender
                ? "(side == \"server\" and wrap_server or wrap_client)(id, payload, header)"
                : "wrap(id, payload, header)"
        var side = takesSender ? "\n  local side = sender or only_sender[name]" : ""
        if parameters.dependsOnSender {
            side += "\n  if not side then error(fault(\"needs_sender\", \"\"), 0) end"
        } else if takesSender {
            side += " or \"client\""
        }
        let fixing = parameters.fixesHeader ? "\n    if fix[name] then header = fix[name](header) end" : ""
        let sending =
            checkingHeader + "\n\n" + #"""
                local function send(name, message, header, sender\#(parameters.hasConnection ? ", connection" : ""))
                  if header then check_header(header) else header = none end
                  if not ids[name] then name = aliases[name] or name end
                  top, at[1] = 1, name\#(parameters.maximumDepth.map { "\n  depth = \($0)" } ?? "")
                  local id, payload = ids[name], message
                  if id then
                    if type(message) ~= "table" then refuse("wrong_type") end\#(fixing)
                    payload = write[name](message, header)
                  else
                    if not (\#(isID(parameters))) then error(fault("unknown_message", tostring(name)), 0) end
                    top = 0
                    id = \#(checkedID(parameters))
                    bytes_of(payload, nil, "payload")
                  end\#(side)
                  return \#(parameters.framing == nil ? wrap : "framed(\(wrap))")
                end


                """#
        let packets =
            "\n-- A packet that holds others is its ID and a table with packets, each as decode returns it."
        return (parameters.hasLayers ? "" : sending) + #"""
            --- A whole packet of a message, by its name in the schema; nil and an error if a value cannot be written.
            -- What a caller can set of the header is taken from the third argument, which may be that of the packet that is answered.
            -- A message that the schema does not know is its ID and a string.\#(parameters.layers?.hasPackets == true ? packets : "")\#(parameters.dependsOnSender ? "\n-- A message that both sides send needs the sender: their packets differ." : "")\#(newConnection(parameters))
            function M.encode(name, message, header\#(arguments))
              local ok, packet = pcall(send, name, message, header\#(arguments))
              if ok then return packet end
              if getmetatable(packet) ~= wire_error then error(packet, 0) end
              return nil, packet
            end
            """#
    }

    static let checkingHeader = #"""
        local none = {}

        local function check_header(header)
          top, at[1] = 1, "packet"
          if type(header) ~= "table" then refuse("wrong_type") end
          for key in pairs(header) do
            if not header_fields[key] then refuse("invalid_header_field", tostring(key)) end
          end
        end
        """#

    /// Returns the expression for whether a name is an ID.
    static func isID(_ parameters: LuaRuntimeParameters) -> String {
        parameters.hasWideIDs ? "type(name) == \"number\" or find(name, \"^%d+$\")" : "type(name) == \"number\""
    }

    static func checkedID(_ parameters: LuaRuntimeParameters) -> String {
        parameters.hasWideIDs ? "canonical(name, \"id\")" : "integer(name, -huge, huge, \"id\")"
    }

    private static func taking(_ parameters: LuaRuntimeParameters) -> String {
        let connection = parameters.hasConnection ? ", connection" : ""
        let reshaping = """
            -- How much is needed depends on the shape of the packet, which the other side's packets may change.
                local now = shape_of(sender, connection)
                if now ~= shape then shape, needed = now, 1 end

            """
        return (parameters.hasConnection ? reshaping + "    " : "") + taking(connection)
    }

    private static func taking(_ connection: String) -> String {
        """
        local left = #buffer - position + 1
            local packet, following, more
            -- What is held is joined only for a packet that may be whole then, so that no byte is copied often.
            if left > 0 and left >= needed then
              packet, following, more = M.decode(buffer, sender, position\(connection))
              if not packet and not following then needed = left + (more or 1) end
            end
            if not packet and not following and held > 0 and left + held >= needed then
              buffer, position, pieces, held = sub(buffer, position) .. concat(pieces), 1, {}, 0
              packet, following, more = M.decode(buffer, sender, position\(connection))
              if not packet and not following then needed = #buffer + (more or 1) end
            end
            if packet then
              position, needed = following, 1
              return packet
            end
            failure = following
            return nil, failure
        """
    }

    private static func takingFrame(_ parameters: LuaRuntimeParameters) -> String {
        """
        local ok, packet = pcall(function()
              while true do
                local whole
                if position > #buffer then
                  if held == 0 then return nil end
                  buffer, position, pieces, held = concat(pieces), 1, {}, 0
                end
                position, whole = unframe(buffer, position, frame)
                if whole then
                  local done = frame
                  frame = new_frame()
                  return unframed(done, sender\(parameters.hasConnection ? ", connection" : ""))
                end
              end
            end)
            if ok then return packet end
            if getmetatable(packet) ~= wire_error then error(packet, 0) end
            failure = packet
            return nil, failure
        """
    }

    private static func splitting(_ parameters: LuaRuntimeParameters) -> String {
        let isFramed = parameters.framing != nil
        let connection = parameters.hasConnection ? ", connection" : ""
        let shape = parameters.hasConnection && !isFramed ? "\n  local shape" : ""
        let lasting = parameters.hasConnection ? "  connection = connection or M.connection()\n" : ""
        let state =
            isFramed
            ? "local buffer, position, pieces, held, failure = \"\", 1, {}, 0, nil\n  local frame = new_frame()"
            : "local buffer, position, pieces, held, needed, failure = \"\", 1, {}, 0, 1, nil" + shape
        let hasPackets = parameters.layers?.hasPackets == true
        let one = #"""
            -- Packets in another one come one by one in its place; the next of them is the last one here.
              local inner = {}
              function splitter:next()
                while true do
                  local packet = table.remove(inner)
                  local e
                  if not packet then packet, e = next_packet() end
                  if not packet or not packet.packets then return packet, e end
                  for i = #packet.packets, 1, -1 do inner[#inner + 1] = packet.packets[i] end
                end
              end

            """#
        let inside = isFramed ? "inside_frame(frame)" : "#buffer - position + 1 + held > 0"
        let count = isFramed ? "frame.n" : "#buffer - position + 1 + held"
        return #"""
            --- Finds the packets in a stream, however they are merged and split.
            -- push(string) takes what has arrived; next() returns a packet, nil if more bytes are needed, or nil and an error, and then
            -- always that; finish() says that the stream has ended: true, or nil and an error inside a packet.
            function M.splitter(sender\#(connection))
              if not senders[sender] then error("the sender is \"client\" or \"server\"", 2) end
            \#(lasting)\#
              \#(state)
              local splitter = {}
              function splitter:push(s) pieces[#pieces + 1], held = s, held + #s end
              \#(hasPackets ? "local function next_packet" : "function splitter:next")()
                if failure then return nil, failure end
                \#(isFramed ? takingFrame(parameters) : taking(parameters))
              end
            \#(hasPackets ? "  " + one : "")\#
              function splitter:finish()
                if not failure and \#(inside) then failure = fault("end_of_stream", "", \#(count)) end
                if failure then return nil, failure end
                return true
              end
              return splitter
            end
            """#
    }

    private static let flags = #"""
        --- Whether flags have all bits of a mask.
        function M.has(v, mask)
          local high, low = halves(v)
          local mask_high, mask_low = halves(mask)
          return covers(high, mask_high) and covers(low, mask_low)
        end
        """#
}
