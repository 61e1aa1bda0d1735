// SPDX-License-Identifier: Apache-2.0

extension WiresharkRuntime {
    /// The parts for packets whose fields depend on who sends them: there are two layouts, and `layout` is that of the
    /// sender. For other packets they are empty, or say that there is one.
    struct Senders {
        let areDistinct: Bool

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
            return """
                local layout = protocol.layouts.client
                for _, sender in ipairs({ "client", "server" }) do
                    declare_fields({ filter = "packet", fields = protocol.layouts[sender].header })
                    declare_fields({ filter = "packet", fields = protocol.layouts[sender].trailer })
                end
                """
        }

        /// The line that chooses the layout before packets are read.
        var choosing: String { part("layout = protocol.layouts[sender]\n    ") }

        /// The condition under which a packet can be a message of the other end; nothing if it never can.
        var mayBeOther: String { areDistinct ? "false" : "not is_certain" }

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
