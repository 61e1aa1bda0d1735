// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The parts that open packets with layers, as `Layering.open` and `PacketOpener` do.
///
/// What a layer makes stands in a tab of its own. A reader of it has the header fields before the layer in front of the
/// content, so that all code that reads packets reads it, too; offsets in texts count from the content.
extension WiresharkRuntime {
    /// The parts for packets with layers; empty for other packets, or what these have in their place.
    struct Layers {
        let areUsed: Bool
        /// Whether a layer compresses in a way that the dissector knows.
        let areInflated: Bool
        /// Whether a layer has a key that preferences give.
        let haveKeys: Bool

        init(of description: ProtocolDescription) {
            let kinds = description.layout.content.layers.map(\.kind)
            areUsed = description.layout.hasContent
            areInflated = kinds.contains { [.zlib, .deflate, .gzip].contains($0) }
            haveKeys = !description.preferredKeys.isEmpty
        }

        private func part(_ text: String) -> String { areUsed ? text : "" }

        var declaring: String { part(declaringLayers + "\n") }
        var declaringErrors: String? { areUsed ? declaringLayerErrors : nil }
        var constants: String? { areUsed ? "local unpack = table.unpack or unpack\n" : nil }
        /// The paths and offsets of errors.
        var placingPaths: String { part(WiresharkRuntime.placingPaths) }
        var path: String { areUsed ? "within(reader, path or path_of(reader))" : "path or path_of(reader)" }
        var origin: String { areUsed ? "(reader.origin or reader.start)" : "reader.start" }
        var originComment: String { part(", or from the first one inside of its layers") }
        /// The lines around what counts from the packet's first byte also with layers.
        var countingFromPacket: String { part("local origin = reader.origin\n        reader.origin = nil\n        ") }
        var countingFromContent: String { part("    reader.origin = origin\n") }

        /// How a packet's size is compared with the limit. Content inside of layers has another one.
        var isOverLimit: String {
            areUsed
                ? "(layout.limit and (total_high > 0 or total_low > layout.limit)) or total_high >= 1073741824"
                : "total_high > 0 or total_low > layout.limit"
        }
        var limit: String { areUsed ? "(layout.limit or \"4611686018427387903\")" : "layout.limit" }
        var total: String { areUsed ? "total_high * TWO_32 + total_low" : "total_low" }

        /// Opens them.
        var opening: String { part(openingLayers(inflates: areInflated, hasKeys: haveKeys) + "\n") }
    }

    private static let declaringLayers = #"""
        fields.layer = declare("layer", "Layer", ftypes.STRING, "What the bytes were compressed or enciphered with")
        fields.packets = declare("packets", "Packets", ftypes.NONE, "Inside of this packet")
        fields.opaque = declare("opaque", "Opaque bytes", ftypes.BYTES, "A part of a message, which is not read")
        fields.sealed = declare("sealed", "Sealed bytes", ftypes.BYTES, "Of a layer that could not be opened")
        fields.unread = declare("unread", "Unread bytes", ftypes.BYTES, "In place of packets inside of this packet")
        fields.partial = declare("partial", "Partial content", ftypes.BYTES, "Of a layer whose stream is broken")
        """#

    private static let declaringLayerErrors = #"""
        declare_expert("error", "invalid_layer", "Malformed packet: invalid_layer", expert.group.MALFORMED,
            expert.severity.ERROR)
        declare_expert("error", "inflated_too_long", "Malformed packet: inflated_too_long", expert.group.MALFORMED,
            expert.severity.ERROR)
        declare_expert("note", "layer_unavailable", "A layer that cannot be opened here", expert.group.UNDECODED,
            expert.severity.WARN)
        """#

    /// The path of an error in a packet inside of another one.
    private static let placingPaths = #"""
        local function within(reader, path)
            if not reader.prefix then return path end
            return reader.prefix .. ((path == "" or string.sub(path, 1, 1) == "[") and "" or ".") .. path
        end


        """#

    private static func openingLayers(inflates: Bool, hasKeys: Bool) -> String {
        [transforms, inflates ? inflatingTransforms : nil, hasKeys ? keyedTransforms : nil, opening]
            .compactMap(\.self).joined(separator: "\n")
    }

    private static let transforms = #"""
        -- MARK: Layers

        local function refuse_layer(opening, layer, reason, text)
            fail(opening.reader, reason, text, "packet." .. layer.name)
        end

        -- What is missing is no fault of the packet's: it is a note.
        local function leave_sealed(opening, layer, text)
            refuse_layer(opening, layer, "layer_unavailable", "the layer is not available: " .. text)
        end

        -- Returns what is inside of a layer, by its kind.
        local open = {}

        function open.brotli(opening, layer)
            leave_sealed(opening, layer, "this dissector does not inflate brotli")
        end

        function open.aes_ctr(opening, layer)
            leave_sealed(opening, layer, "this dissector does not decipher AES")
        end

        open.aes_cbc = open.aes_ctr

        function open.custom(opening, layer)
            leave_sealed(opening, layer, "only a program has the transform \"" .. layer.name .. "\"")
        end

        local function refuse_length(opening, layer)
            refuse_layer(opening, layer, "inflated_too_long", "the layers make more than "
                .. counted(protocol.most_inflated, "byte") .. " of the packet")
        end

        """#

    private static let inflatingTransforms = #"""
        -- All layers of a packet, and of those inside of it, share one limit.
        local function inflate_layer(opening, layer, sealed)
            local context = opening.context
            local content, rest, fault = inflate(layer.kind, sealed, context.left)
            context.left = context.left - #content
            if fault then opening.partial = content end
            if fault == TOO_LONG then refuse_length(opening, layer) end
            if fault then
                refuse_layer(opening, layer, "invalid_layer", "the compressed stream "
                    .. (fault == CUT and "ends too early" or "is damaged"))
            end
            if rest > 0 then
                opening.partial = content
                refuse_layer(opening, layer, "trailing_bytes", counted(rest, "byte") .. " after the last field")
            end
            return content
        end

        open.zlib, open.deflate, open.gzip = inflate_layer, inflate_layer, inflate_layer

        """#

    private static let keyedTransforms = #"""
        local function key_of(opening, layer)
            local sender = opening.context.sender
            local key = keys[sender][layer.key]
            if not key then
                leave_sealed(opening, layer, "there is no key \"" .. layer.name .. "\" for packets of the " .. sender)
            end
            return key
        end

        function open.xor(opening, layer, sealed)
            return xored(sealed, key_of(opening, layer))
        end

        function open.rc4(opening, layer, sealed)
            local key, streams = key_of(opening, layer), opening.context.keystreams
            if streams[layer.index] == "lost" then
                leave_sealed(opening, layer, "an earlier packet could not be opened, so the place in the keystream is not known")
            end
            streams[layer.index] = streams[layer.index] or new_keystream(key)
            return use_keystream(streams[layer.index], sealed)
        end

        """#

    private static let opening = #"""
        -- A reader of a header, and of the content of a layer after it. The trailer follows, as in the packet.
        local function reader_inside(outer, header, content, trailer, title)
            local tvb = ByteArray.new(content, true):tvb(title)
            return {
                tvb = function(at, count) return tvb(at - #header, count) end, data = header .. content .. trailer,
                start = 0, at = 0, stop = #header + #content, origin = #header, level = 0, names = {},
                shared = outer.shared, prefix = outer.prefix, context = outer.context, nesting = outer.nesting,
                seen = outer.seen, values = outer.values,
            }
        end

        local open_layers

        do
            local function open_layer(opening, layer)
                local outer, declared = opening.reader, opening.declared
                if declared and (declared.count_high > 0
                    or declared.count_high == 0 and declared.count_low > protocol.most_inflated) then
                    refuse_length(opening, layer)
                end
                opening.layer = layer
                local content = open[layer.kind](opening, layer, string.sub(outer.data, opening.at + 1, opening.stop))
                local header = string.sub(outer.data, outer.start + 1, opening.at)
                local trailer = string.sub(outer.data, opening.stop + 1, opening.packet_end)
                local reader = reader_inside(outer, header, content, trailer, layer.called)
                opening.steps[#opening.steps + 1] = {
                    layer = layer, reader = outer, at = opening.at, stop = opening.stop, count = #content,
                }
                opening.reader, opening.at, opening.stop = reader, #header, #header + #content
                opening.packet_end = #reader.data
                local counter = opening.shape.counter
                if counter and layer.index >= counter.first then opening.content_count = #content end
                for _, field in ipairs(opening.shape.trailer) do
                    local seen = outer.seen[field.name]
                    if seen then seen[1] = seen[1] + opening.stop - (opening.steps[#opening.steps].stop - outer.start) end
                end
            end

            -- Remembers what a packet says about the bytes inside of its innermost layer.
            local function find_count(opening)
                local counter, reader = opening.shape.counter, opening.reader
                local seen = counter and not opening.declared and reader.seen[counter.name]
                if not seen then return end
                local high, low = plus(seen[2], seen[3], -counter.plus)
                opening.declared = {
                    high = seen[2], low = seen[3], count_high = high, count_low = low,
                    offset = seen[1] - (reader.origin or 0),
                }
            end

            -- 0 stands for a packet without a layer after the field.
            local function check_count(opening)
                local declared, counter = opening.declared, opening.shape.counter
                if not declared then return end
                local high, low = 0, 0
                if opening.content_count then high, low = plus(0, opening.content_count, counter.plus) end
                if declared.high == high and declared.low == low then return end
                fail(opening.reader, "length_mismatch", "length " .. decimal(declared.high, declared.low) .. " at offset "
                    .. declared.offset .. " where " .. decimal(high, low) .. " was expected", "packet." .. counter.name)
            end

            -- Reads the header fields inside of a layer. They may be followed by less than what is left, if a length says so.
            local function read_section(opening, section)
                local reader, stop = opening.reader, opening.stop
                layout = section.inside
                local header_size, size, bits, needed = scan(reader, stop)
                local count = stop - reader.start
                reader.level = 0
                if not header_size or size > count then
                    fail(reader, "truncated", "needs " .. counted((header_size and size or needed) - count, "byte")
                        .. place(reader, stop) .. ", 0 are left", "")
                end
                local payload_start, payload_end = reader.start + header_size, reader.start + size
                reader.at = reader.start
                verify(reader, layout.header, payload_start, payload_end, payload_end, bits)
                if size < count and not section.has_filler then
                    fail(reader, "trailing_bytes", counted(count - size, "byte") .. " after the last field"
                        .. place(reader, payload_end), "")
                end
                opening.steps[#opening.steps + 1] = { section = section, reader = reader, at = opening.at, stop = payload_start }
                opening.at, opening.stop = payload_start, payload_end
                if section.has_id then opening.bits, opening.lacks_id = bits, false end
            end

            -- Opens the layers of a packet. What was opened before a fault stays.
            function open_layers(opening)
                local shape = opening.shape
                find_count(opening)
                for _, section in ipairs(shape.sections) do
                    for _, layer in ipairs(section.layers) do
                        if is_there(opening.reader, layer) then open_layer(opening, layer) end
                    end
                    if section.inside then
                        read_section(opening, section)
                        find_count(opening)
                    end
                end
                check_count(opening)
                if shape.packets and is_there(opening.reader, shape.packets) then
                    opening.content = "packets"
                elseif shape.opaque and is_there(opening.reader, shape.opaque) then
                    opening.content = "opaque"
                else
                    opening.content = "message"
                end
            end
        end

        """#
}
