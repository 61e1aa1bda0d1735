// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension WiresharkRuntime {
    static let declaringEscapeError = #"""
        declare_expert("error", "invalid_escape", "Malformed packet: invalid_escape", expert.group.MALFORMED,
            expert.severity.ERROR)
        """#

    /// Finds packets between marks, and unescapes them.
    static let frames = #"""
        -- MARK: Frames

        local FRAME = layout.frame
        local FRAME_USES = {}
        for pair in pairs(FRAME.escapes) do FRAME_USES[math.floor(pair / 256)] = "escape" end
        FRAME_USES[FRAME.start] = "start"
        FRAME_USES[FRAME.stop] = "stop"

        local function need_start_mark(reader, at)
            local byte = string.byte(reader.data, at + 1)
            if byte == FRAME.start then return end
            fail(reader, "wrong_constant", hexadecimal(0, byte) .. " at offset 0 where the constant "
                .. hexadecimal(0, FRAME.start) .. " was expected", "packet.frame")
        end

        -- Finds the next packet, after marks with nothing between them. Returns its bytes, unescaped, where they begin if none
        -- was escaped, and where its frame ends; when the end mark has not arrived, nil and whether no packet has begun. A
        -- fault is thrown.
        local function unframe(reader, at, stop)
            local data, parts, count = reader.data, {}, 0
            need_start_mark(reader, at)
            at = at + 1
            local from = at
            local function need_room()
                if count < layout.limit then return end
                fail(reader, "packet_too_long", "length " .. hexadecimal(0, layout.limit + 1) .. " is over the limit of "
                    .. layout.limit, "packet.frame")
            end
            while at < stop do
                local byte = string.byte(data, at + 1)
                local use = FRAME_USES[byte]
                if not use then
                    need_room()
                    at, count = at + 1, count + 1
                elseif use == "stop" and count > 0 then
                    if #parts == 0 then return string.sub(data, from + 1, at), from, at + 1 end
                    parts[#parts + 1] = string.sub(data, from + 1, at)
                    return table.concat(parts), nil, at + 1
                elseif use == "stop" then
                    at = at + 1
                    if FRAME.start ~= FRAME.stop then
                        if at == stop then return nil, true end
                        need_start_mark(reader, at)
                        at = at + 1
                    end
                    from = at
                elseif use == "start" then
                    fail(reader, "invalid_escape", "the start mark " .. hexadecimal(0, byte) .. " at offset " .. count
                        .. ", before the packet's end mark", "packet.frame")
                else
                    if at + 2 > stop then return nil end
                    local second = string.byte(data, at + 2)
                    local value = FRAME.escapes[256 * byte + second]
                    if not value then
                        fail(reader, "invalid_escape", hexadecimal(0, byte) .. " " .. hexadecimal(0, second)
                            .. " at offset " .. count .. " are no escape", "packet.frame")
                    end
                    need_room()
                    parts[#parts + 1] = string.sub(data, from + 1, at)
                    parts[#parts + 1] = string.char(value)
                    at, count = at + 2, count + 1
                    from = at
                end
            end
            return nil, FRAME.start == FRAME.stop and count == 0
        end

        """#

    /// The table of a frame.
    static func table(of framing: PacketFraming) -> String {
        let escapes = framing.escapes.map { "[\(Int($0.first) * 256 + Int($0.second))] = \($0.byte)" }
        return "{ start = \(framing.start), stop = \(framing.end), escapes = { \(escapes.joined(separator: ", ")) } }"
    }

    /// The parts for packets between marks; those for packets that follow each other directly without them.
    struct Framing {
        let isUsed: Bool
        /// The bytes of a field of fixed width, which is called `other`.
        let otherByteCount: String
        let trailerSize: String
        /// What a reader has besides.
        let readerParts: String
        let hasLayers: Bool

        /// The result of reading a header that has not arrived whole.
        var missing: String {
            guard !hasLayers else { return "return unfinished(reader, field, size, available, limit)" }
            guard isUsed else { return "return nil, layout.is_fixed and size or nil" }
            return "local other = field\n            return nil, other.kind[1] == \"varint\" and available + 1 "
                + "or math.min(reader.at + \(otherByteCount), limit)\n       "
        }

        /// Finds out how many bytes are missing, for packets inside of others.
        var unfinished: String {
            guard hasLayers else { return "" }
            return #"""
                -- What is known of a packet whose header has not arrived whole: its size, and how many bytes are needed to go on.
                local function unfinished(reader, other, size, available, limit)
                    local needed = other.kind[1] == "varint" and available + 1 or math.min(reader.at + \#(otherByteCount), limit)
                    needed = needed - reader.start
                    if layout.is_quick then needed = math.max(needed, size or 0) end
                    return nil, \#(isUsed ? "needed" : "layout.is_fixed and size or nil"), nil, needed
                end


                """#
        }

        /// The size of a packet in which no length is there.
        var sizeWithoutLength: String {
            let around = "header_size + \(trailerSize)"
            let bounded = "math.max(\(around), available - reader.start)"
            guard !hasLayers else { return isUsed ? bounded : "(layout.is_bounded and \(bounded) or \(around))" }
            return isUsed ? "math.max(\(around), available)" : around
        }

        /// Reads a packet whose bytes are all there.
        var readingWhole: String {
            guard isUsed else { return "" }
            return #"""
                -- Reads the header of bytes that must be exactly one packet; a fault is thrown.
                local function scan_whole(reader, count)
                    local header_size, size, bits = scan(reader, count)
                    if not header_size or size > count then
                        reader.level = 0
                        fail(reader, "truncated", "needs " .. counted(size - count, "byte") .. " at offset " .. count .. ", 0 are left",
                            "")
                    end
                    if size == count then return header_size, size, bits end
                    local payload_end = size - \#(trailerSize)
                    reader.level, reader.at = 0, 0
                    verify(reader, layout.header, header_size, payload_end, size, bits)
                    reader.at = payload_end
                    verify(reader, layout.trailer, header_size, payload_end, size, bits)
                    fail(reader, "trailing_bytes", counted(count - size, "byte") .. " after the last field at offset " .. size, "")
                end


                """#
        }

        /// The body of the loop over the packets of a stream.
        func dissecting(_ senders: Senders) -> String {
            #"""
                    local reader = { tvb = tvb, data = data, start = 0, at = 0, stop = length, level = 0, names = {}, shared = shared }
                    local is_good, content, from, after = pcall(unframe, reader, at, length)
                    if is_good and not content then
                        if pinfo.can_desegment > 0 then
                            pinfo.desegment_offset = at
                            pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
                            break
                        end
                        local item = tree:add(proto, tvb(at, length - at))
                        show(reader, item, fields.torn, at, length)
                        item:add_proto_expert_info(faults.torn_packet)
                        \#(senders.connections.losing)tell(pinfo, "torn packet")
                        break
                    end
                    local fault, header_size, size, bits = content, nil, nil, nil
                    if is_good then
                        local inside = from and tvb(from, #content):tvb() or ByteArray.new(content, true):tvb("Unescaped packet")
                        reader = { tvb = inside, data = content, start = 0, at = 0, stop = #content, level = 0, names = {}, shared = shared\#(readerParts) }
                        is_good, header_size, size, bits = pcall(scan_whole, reader, #content)
                        fault = header_size
                    end
                    if not is_good then
                        local item = tree:add(proto, tvb(at, (after or length) - at))
                        attempt(item, error, fault, 0)
                        \#(senders.connections.losing)tell(pinfo, "malformed packet")
                        break
                    end
                    \#(senders.connections.showing("header_size, size - \(trailerSize), size, bits"))
                    at = after
            """#
        }
    }
}
