// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The parts for headers and trailers in which fields share bytes, or are flags.
extension WiresharkRuntime {
    /// Whether a protocol's packets need these parts.
    static func isPacked(_ description: ProtocolDescription) -> Bool {
        !description.layout.packedPlaces.isEmpty
            || description.packetFields.contains { if case .flags? = $0.type { true } else { false } }
    }

    /// Reads such a field. The first field of a run reads the whole run.
    static let readingPacked = #"""
        local function packed_value(reader, pack, is_open)
            if pack.first then
                if reader.stop - reader.at < pack.width and is_open then return nil end
                need(reader, pack.width)
                local high, low = integer_at(reader.data, reader.at, pack.width, false, pack.little)
                reader.run = bits_of(high % TWO_32) .. bits_of(low)
                reader.at = reader.at + pack.width
            end
            local digits = string.sub(reader.run, -pack.shift - pack.bits, -pack.shift - 1)
            local sign = pack.signed and string.sub(digits, 1, 1) or "0"
            local high, low = from_bits(string.rep(sign, 64 - #digits) .. digits)
            return sign == "1" and high - TWO_32 or high, low
        end

        -- Where the bytes of the next field begin: those of a field that shares bytes may have been read.
        local function start_of(reader, field)
            return field.pack and not field.pack.first and reader.at - field.pack.width or reader.at
        end

        local function show_packed(reader, tree, field, at, high, low)
            local kind = field.kind
            local numbers = kind[1] == "enumeration" and protocol.enumerations[kind.index]
                or kind[1] == "flags" and protocol.flags[kind.index] or kind
            local value
            if kind[1] == "boolean" then
                value = low == 1
            elseif numbers.width < 8 then
                value = high < 0 and low - TWO_32 or low
            else
                value = (numbers.signed and Int64 or UInt64).new(low, high % TWO_32)
            end
            local item = show(reader, tree, field.item, at, reader.at, false, value)
            if kind[1] == "flags" then show_flags(reader, item, numbers, field, at, reader.at, high, low) end
        end


        """#

    /// Where the bytes of the next field begin.
    static func fieldStart(_ isPacked: Bool) -> String { isPacked ? "start_of(reader, field)" : "reader.at" }

    /// The bytes that another field of fixed width adds to the ones before it.
    static func otherByteCount(_ description: ProtocolDescription) -> String {
        let parts = [
            isPacked(description) ? "other.pack and (other.pack.first and other.pack.width or 0) or " : "",
            description.layout.fields.contains { !$0.format.isNumber } ? "other.kind.bytes or " : "",
        ]
        return "(\(parts.joined())other.kind.width or 1)"
    }

    /// What reading a field begins with.
    static let packedFirst = "if field.pack then return packed_value(reader, field.pack, is_open) end\n    "

    /// What showing a field begins with.
    static let showingPacked =
        "if field.pack or field.kind[1] == \"flags\" then\n"
        + "            show_packed(reader, tree, field, at, high, low)\n        else"
}
