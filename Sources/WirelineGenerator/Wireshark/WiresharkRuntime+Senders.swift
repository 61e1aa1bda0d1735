// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// The parts for packets whose fields depend on who sends them, or on more: there are several layouts, and `layout`
    /// is that of the packet. For other packets they are empty, or say that there is one.
    struct Senders {
        let areDistinct: Bool
        /// Whether packets depend on the sender, so that no message of the other end can be meant.
        let mustBeKnown: Bool
        let connections: Connections

        private func part(_ text: String) -> String { areDistinct ? text : "" }

        /// The layouts have most fields in common; each is declared once.
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
            guard !connections.haveShapes else { return connections.declaringShapes }
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
            connections.haveShapes ? connections.finding : part("layout = protocol.layouts[sender]\n    ")
        }

        /// The condition under which a packet can be a message of the other end; nothing if it never can.
        var mayBeOther: String { mustBeKnown ? "false" : "not is_certain" }
    }
}
