// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The parts for headers and trailers with text, digits or bytes.
extension WiresharkRuntime {
    /// What reading a field begins with: its text is checked, and its number is 0.
    ///
    /// - Parameter constants: Whether some texts are always the same; they are compared when they have been read.
    static func textFirst(constants: Bool) -> String {
        let onlyBytes = "kind[1] == \"bytes\"" + (constants ? " or field.text" : "")
        return "if kind.bytes then\n"
            + "        if reader.stop - reader.at < kind.bytes and is_open then return nil end\n"
            + "        local stop = reader.at + kind.bytes\n"
            + "        if \(onlyBytes) then need(reader, kind.bytes) else read[kind[1]](reader, nil, kind, field, NO_LIMITS) end\n"
            + "        reader.at = stop\n"
            + "        return 0, 0\n"
            + "    end\n    "
    }

    /// What showing a field begins with.
    ///
    /// - Parameter constants: Whether some texts are always the same; they are not checked once more.
    static func showingText(constants: Bool) -> String {
        let constant =
            "elseif field.text then\n"
            + "            local item = show_text(reader, tree, field.item, at, at + field.shown)\n"
            + "            if item then item:set_len(reader.at - at) end\n        "
        return "if field.kind[1] == \"bytes\" then\n"
            + "            show(reader, tree, field.item, at, reader.at)\n"
            + "        \(constants ? constant : "")elseif field.kind.bytes then\n"
            + "            local stop = reader.at\n"
            + "            reader.at = at\n"
            + "            read[field.kind[1]](reader, tree, field.kind, field, NO_LIMITS)\n"
            + "            reader.at = stop\n"
            + "        else"
    }

    /// What comparing a field with a constant begins with.
    static let comparingText = "if field.text then same_text(reader, at, field.text) end\n    "

    /// Refuses a field that does not begin with a text; of what follows the text, nothing is looked at.
    static let refusingOtherTexts = #"""
        local function same_text(reader, at, text)
            for index = 1, #text do
                local byte, expected = string.byte(reader.data, at + index), string.byte(text, index)
                if byte ~= expected then wrong_constant(reader, at + index - 1, { 0, byte }, { 0, expected }) end
            end
        end

        """#
}

/// Which fields of a packet are text, digits or bytes.
struct HeaderTexts {
    /// Whether there are such fields.
    let areUsed: Bool
    /// Whether some are texts that are always the same.
    let areConstants: Bool
    /// Whether messages fix some.
    let areFixed: Bool

    init(_ description: ProtocolDescription) {
        let fields = description.layout.fields
        areUsed = fields.contains { !$0.format.isNumber }
        areConstants = fields.contains { if case .constant(.text) = $0.role { true } else { false } }
        areFixed = description.messages.contains { $0.headerValues.contains { $0.value.text != nil } }
    }
}

extension PacketField.Format {
    /// Whether it is text or digits of fixed width, which messages may have, too.
    var isFixedText: Bool {
        switch self {
        case .text, .digits: true
        case .integer, .boolean, .bit, .varint, .bytes: false
        }
    }
}
