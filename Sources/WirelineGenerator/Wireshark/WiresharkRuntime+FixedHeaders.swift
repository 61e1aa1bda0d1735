// SPDX-License-Identifier: Apache-2.0

/// The parts for messages that fix values of header fields (`@header`).
extension WiresharkRuntime {
    /// Remembers a header field for the message, which is known later, and for its conditions.
    static let rememberingValue = "reader.seen[field.name] = { at - reader.start, high, low }\n        "

    /// Compares the values that a message fixes, before its fields are read.
    ///
    /// - Parameters:
    ///   - texts: Whether some of them are texts.
    ///   - layers: What packets with layers need.
    static func verifyingFixedValues(texts: Bool, _ layers: Layers) -> String {
        let number = "check_constant(reader, { role = \"constant\", value = fixed[2] }, at, seen[2], seen[3])"
        let check =
            texts ? "if type(fixed[2]) == \"string\" then same_text(reader, at, fixed[2]) else \(number) end" : number
        return """
            \(layers.countingFromPacket)for _, fixed in ipairs(message.header or {}) do
                    local seen = reader.seen[fixed[1]]
                    if seen then
                        local at = reader.start + seen[1]
                        enter(reader, "packet." .. fixed[1])
                        \(check)
                        leave(reader)
                    end
                end
            \(layers.countingFromContent)
            """ + "    "
    }
}
