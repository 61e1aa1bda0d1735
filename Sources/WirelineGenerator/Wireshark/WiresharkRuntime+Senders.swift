// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// The parts for packets whose fields depend on who sends them, or on states: there are several layouts, and `layout`
    /// is that of the packet. For other packets they are empty, or say that there is one.
    ///
    /// Both directions of a connection share its states. They are followed when a frame is seen first, and kept for each
    /// packet: Wireshark dissects frames again later, in any order.
    struct Senders {
        let areDistinct: Bool
        /// Whether packets depend on the sender, so that no message of the other end can be meant.
        let mustBeKnown: Bool
        let hasStates: Bool

        private func part(_ text: String) -> String { areDistinct ? text : "" }

        /// Both layouts have most fields; each is declared once.
        var declaredFields: String { part("local declared = {}\n") }
        var findingField: String { part("if declared[filter] then return declared[filter] end\n    ") }
        var keepingField: String { part("declared[filter] = field\n    ") }

        var declaringLayout: String {
            guard areDistinct else {
                return """
                    local layout = protocol.layout
                    declare_fields({ filter = "packet", fields = layout.header })
                    declare_fields({ filter = "packet", fields = layout.trailer })
                    """
            }
            guard !hasStates else {
                return """
                    local layout = protocol.shapes[1]
                    for _, shape in ipairs(protocol.shapes) do
                        declare_fields({ filter = "packet", fields = shape.header })
                        declare_fields({ filter = "packet", fields = shape.trailer })
                    end
                    """
            }
            return """
                local layout = protocol.layouts.client
                for _, sender in ipairs({ "client", "server" }) do
                    declare_fields({ filter = "packet", fields = protocol.layouts[sender].header })
                    declare_fields({ filter = "packet", fields = protocol.layouts[sender].trailer })
                end
                """
        }

        /// The line that chooses the layout before packets are read.
        var choosing: String {
            hasStates ? "local stream = stream_of(pinfo)\n    " : part("layout = protocol.layouts[sender]\n    ")
        }

        /// The line that chooses the layout of each packet.
        var choosingForPacket: String {
            hasStates
                ? "        layout = layout_at(stream, sender, pinfo.number .. \"/\" .. length .. \"/\" .. at, pinfo.visited)\n"
                : ""
        }

        /// The line that keeps what a message sets, and the one that sets it.
        var keepingChange: String { hasStates ? "reader.sets = message and message.sets\n    " : "" }
        var following: String {
            hasStates
                ? "\n                if reader.sets and not pinfo.visited then stream[reader.sets[1]] = reader.sets[2] end"
                : ""
        }

        /// The states of connections.
        var tracking: String {
            guard hasStates else { return "" }
            return #"""
                -- MARK: States

                -- For each connection, which tests of each state hold now; and where packets began, which ones held then.
                local streams, outcomes_at = {}, {}
                local stream_number = Field.new("tcp.stream")

                function proto.init() streams, outcomes_at = {}, {} end

                local function stream_of(pinfo)
                    local number = stream_number()
                    local key = number and tostring(number.value) or ""
                    if not streams[key] then
                        streams[key] = {}
                        for index, outcomes in ipairs(protocol.initial) do streams[key][index] = outcomes end
                    end
                    return streams[key]
                end

                -- The layout of the packet that begins at a place. Frames are seen in order only once.
                local function layout_at(stream, sender, place, is_visited)
                    local outcomes = is_visited and outcomes_at[place]
                    if not outcomes then
                        outcomes = 0
                        for _, own in ipairs(stream) do outcomes = outcomes + own end
                        if not is_visited then outcomes_at[place] = outcomes end
                    end
                    return protocol.shapes[protocol.layouts[sender][outcomes]]
                end

                """#
        }

        /// The condition under which a packet can be a message of the other end; nothing if it never can.
        var mayBeOther: String { mustBeKnown ? "false" : "not is_certain" }

        /// Finds the field whose value a message fixes.
        var fixedField: String {
            guard areDistinct else {
                return """
                    local field = layout.header[fixed[1]] or layout.trailer[fixed[1] - #layout.header]
                            local seen = reader.seen[field]
                    """
            }
            return """
                local field, seen
                        for other, value in pairs(reader.seen) do
                            if other.name == fixed[1] then field, seen = other, value end
                        end
                """
        }
    }
}
