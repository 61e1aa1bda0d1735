// SPDX-License-Identifier: Apache-2.0

/// The parts for messages that fix values of header fields (`@header`).
extension WiresharkRuntime {
    /// Remembers a header field for the message, which is known later, and for its conditions.
    static let rememberingValue = "reader.seen[field] = { at, high, low }\n        "

    /// Compares the values that a message fixes, before its fields are read.
    ///
    /// - Parameters:
    ///   - texts: Whether some of them are texts.
    ///   - senders: What packets that depend on their sender need.
    static func verifyingFixedValues(texts: Bool, _ senders: Senders) -> String {
        let number = "check_constant(reader, { role = \"constant\", value = fixed[2] }, seen[1], seen[2], seen[3])"
        let check =
            texts
            ? "if type(fixed[2]) == \"string\" then same_text(reader, seen[1], fixed[2]) else \(number) end" : number
        return """
            for _, fixed in ipairs(message.header or {}) do
                    \(senders.fixedField)
                    if seen then
                        enter(reader, "packet." .. field.name)
                        \(check)
                        leave(reader)
                    end
                end

            """ + "    "
    }
}
