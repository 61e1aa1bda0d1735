// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension WiresharkRuntime {
    /// The parts for packets that depend on what their connection has seen before: states, and keystreams.
    ///
    /// Both directions of a connection share its states, and each has keystreams of its own. They are followed when a frame
    /// is seen first, and kept for each packet: Wireshark dissects frames again later, in any order.
    struct Connections {
        let hasStates: Bool
        let hasLayers: Bool
        private let hasKeystreams: Bool

        init(of layout: PacketLayout) {
            hasStates = layout.dependsOnStates
            hasLayers = layout.hasContent
            hasKeystreams = layout.content.layers.contains { if case .rc4 = $0.kind { true } else { false } }
        }

        /// Whether packets have one of several shapes, chosen for each packet.
        var haveShapes: Bool { hasStates || hasLayers }
        /// Whether earlier packets of a connection matter.
        private var areFollowed: Bool { hasStates || hasKeystreams }

        private func layered(_ text: String) -> String { hasLayers ? text : "" }
        private func keyed(_ text: String) -> String { hasKeystreams ? text : "" }

        var declaringShapes: String {
            let inside = layered(
                """

                    for index, section in ipairs(shape.sections) do
                        if section.inside then
                            declare_fields({ filter = "packet", fields = section.inside.header })
                            section.own = { unpack(section.inside.header, section.first) }
                        end
                    end
                """)
            return """
                local layout = protocol.shapes[1]
                for _, shape in ipairs(protocol.shapes) do
                    declare_fields({ filter = "packet", fields = shape.header })
                    declare_fields({ filter = "packet", fields = shape.trailer })\(inside)
                end
                """
        }

        /// The line that finds the connection before packets are read.
        var finding: String { areFollowed ? "local stream = stream_of(pinfo)\n    " : "" }

        /// The line that chooses the layout of each packet.
        var choosing: String {
            guard haveShapes else { return "" }
            let context =
                areFollowed
                ? "context_of(stream, sender, is_certain, pinfo)" : "new_context(sender, is_certain, 0, {})"
            return "        local context = \(context)\n        layout = shape_of(context, 1)\n"
        }

        /// What a reader has besides.
        var readerParts: String { haveShapes ? ", context = context" : "" }

        /// The line that keeps what a message sets, and the one that sets it.
        var keepingChange: String {
            hasStates ? "if message then reader.context.sets[#reader.context.sets + 1] = message.sets end\n    " : ""
        }
        private var following: String { hasStates ? "\n        follow(stream, context, pinfo)" : "" }

        /// The lines that show a whole packet, with the positions of its parts.
        func showing(_ parts: String) -> String {
            guard hasLayers else {
                return "local title = dissect_packet(reader, tree, \(parts), sender,\n"
                    + "            is_certain)\(following)\n        tell(pinfo, title)"
            }
            return "dissect_packet(reader, tree, \(parts))\(following)\n        tell_all(pinfo, context)"
        }

        /// The line after bytes that are no packet, or not all of one.
        var losing: String { losing(after: "0", "            ") }

        /// The line after a layer that was not opened.
        ///
        /// - Parameter layer: Its position, from 1, or that of the one before; 0 if there is none.
        func losing(after layer: String, _ indentation: String) -> String {
            keyed("lose_keystreams(context, \(layer))\n" + indentation)
        }

        /// Finds the shape of packets.
        var shaping: String {
            guard haveShapes else { return "" }
            return #"""
                -- The shape of packets in a context. Nesting is 1 for those of a stream, 2 for those inside of another one.
                local function shape_of(context, nesting)
                    return protocol.shapes[protocol.layouts[context.sender][context.outcomes + protocol.nested[nesting]]]
                end


                """#
        }

        /// Finds what decides about packets.
        var tracking: String {
            guard haveShapes else { return "" }
            let layers = ", keystreams = keystreams, left = protocol.most_inflated, count = 0, titles = {}, more = 0"
            return #"""
                -- MARK: Connections

                -- What decides about a packet, and what it shares with those inside of it.
                local function new_context(sender, is_certain, outcomes, keystreams)
                    return {
                        sender = sender, is_certain = is_certain, outcomes = outcomes, sets = {}\#(layered(layers)),
                    }
                end

                \#(layered(tellingAll))\#(areFollowed ? memory : "")
                """#
        }

        private var tellingAll: String {
            #"""
            -- Tells the names of all packets that were shown in the place of one.
            local function tell_all(pinfo, context)
                if #context.titles == 0 then tell(pinfo, "no packets") end
                for index, title in ipairs(context.titles) do
                    if index == #context.titles then told.more = told.more + context.more end
                    tell(pinfo, title)
                end
            end


            """#
        }

        private var memory: String {
            #"""
            -- For each connection, which tests of each state hold now. For each packet, what was so when it was seen first.
            local streams, memories = {}, {}
            local stream_number = Field.new("tcp.stream")

            function proto.init() streams, memories = {}, {} end

            local function stream_of(pinfo)
                local number = stream_number()
                local key = number and tostring(number.value) or ""
                if not streams[key] then
                    streams[key] = {
                        outcomes = \#(hasStates ? "initial_outcomes()" : "{}"), keystreams = { client = {}, server = {} },
                    }
                end
                return streams[key]
            end

            -- The number of a packet in its frame, from 1. A frame may be dissected several times: what is private to it
            -- lives for one of them.
            local function number_in_frame(pinfo)
                local name = protocol.name .. " packets"
                local number = tonumber(pinfo.private[name] or 0) + 1
                pinfo.private[name] = tostring(number)
                return number
            end

            -- What decides about the packet that begins next. Frames are seen in order only once.
            local function context_of(stream, sender, is_certain, pinfo)
                local place = pinfo.number .. "/" .. number_in_frame(pinfo)
                local memory, keystreams = pinfo.visited and memories[place], stream.keystreams[sender]
                if not memory then
                    memory = { outcomes = 0\#(keyed(", keystreams = saved_keystreams(keystreams)")) }
                    for _, own in ipairs(stream.outcomes) do memory.outcomes = memory.outcomes + own end
                    if not pinfo.visited then memories[place] = memory end
                end
                \#(keyed("if pinfo.visited then keystreams = restored_keystreams(memory.keystreams) end\n    "))return new_context(sender, is_certain, memory.outcomes, keystreams)
            end

            local function follow(stream, context, pinfo)
                if pinfo.visited then return end
                for _, sets in ipairs(context.sets) do stream.outcomes[sets[1]] = sets[2] end
            end


            """#
        }
    }
}
