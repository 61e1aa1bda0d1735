// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What of the runtime depends on the schema.
struct LuaRuntimeParameters {
    /// How deeply values may nest; nil if none can nest too deeply.
    var maximumDepth: Int?
    var maximumPacketByteCount: Int
    /// The forms of varints that are read.
    var varintForms: VarintForms
    /// Whether IDs are beyond 53 bits.
    var hasWideIDs: Bool
    /// Whether the sender of a packet to write must be known.
    var dependsOnSender: Bool
    /// Whether messages fix fields of the header.
    var fixesHeader: Bool
    var hasFlags: Bool
    /// The marks around packets.
    var framing: PacketFraming?
    /// The states of a connection, and the shapes of its packets, as lines; empty if packets depend on none.
    var context: String
    /// How packets are opened and sealed; nil without layers.
    var layers: LayerPlan?

    var hasLayers: Bool { layers != nil }

    /// Whether packets depend on a connection.
    var hasConnection: Bool { !context.isEmpty }

    /// The formats of `string.pack` and `string.unpack` that layers need.
    var formats: Set<String> { layers?.kinds.contains { $0.word == "aes_ctr" } == true ? [">I4I4I4I4"] : [] }

    /// The runtime as the schema needs it.
    var file: RuntimeFile { RuntimeFile.lua.with(features, constants) }

    private var features: Set<String> {
        let words = Set(layers?.kinds.map(\.word) ?? [])
        let options = Set(layers?.options ?? [])
        let features = [
            ("shortest", varintForms == .shortest), ("depth", maximumDepth != nil), ("wideIDs", hasWideIDs),
            ("fixedHeaders", fixesHeader), ("dependsOnSender", dependsOnSender),
            ("sender", dependsOnSender || hasConnection), ("connection", hasConnection),
            ("frames", framing != nil), ("sameMarks", marks.hasSameMarks), ("escapes", !marks.escapes.isEmpty),
            ("layers", hasLayers), ("packets", layers?.hasPackets == true),
            ("counts", layers?.shapes.contains { $0.counter != nil } == true),
            ("threshold", options.contains("threshold")), ("keys", options.contains("keys")),
            ("xor", words.contains("xor")), ("rc4", words.contains("rc4")), ("aes", options.contains("aes")),
            ("aes_ctr", words.contains("aes_ctr")), ("aes_cbc", words.contains("aes_cbc")),
            ("program", options.contains("layers")),
        ]
        return Set(features.filter(\.1).map(\.0))
    }

    /// The marks around packets; those of some frame if the schema has none, so that all names are known.
    private var marks: PacketFraming { framing ?? PacketFraming(start: 0, end: 0, escapes: []) }

    private var constants: [String: String] {
        let marks = marks
        let escapes = Dictionary(grouping: marks.escapes, by: \.first).sorted { $0.key < $1.key }.map {
            first, escapes in
            let bytes = escapes.map { "[\($0.second)] = \(LuaText.literal([$0.byte]))" }.joined(separator: ", ")
            return "[\(first)] = { \(bytes) }"
        }
        let escaped = marks.escapes.map {
            "[\(LuaText.literal([$0.byte]))] = \(LuaText.literal([$0.first, $0.second]))"
        }
        let special = [marks.start, marks.end] + marks.escapes.map(\.first)
        let kindCount = layers?.kinds.count ?? 0
        return [
            "MAXIMUM_DEPTH": String(maximumDepth ?? 0), "MAXIMUM_SIZE": String(maximumPacketByteCount),
            "MAXIMUM_INFLATED": String(layers?.maximumByteCount ?? 0),
            "MAXIMUM_NESTED": String(layers?.maximumDepth ?? 0),
            "RULE_PACKETS": String(kindCount + 1), "RULE_OPAQUE": String(kindCount + 2),
            "LAYER_NAMES": (layers?.transformsOfProgram ?? []).joined(separator: ", "),
            "FRAME_START": String(marks.start), "FRAME_END": String(marks.end),
            "FRAME_OPENING": LuaText.literal([marks.start]), "FRAME_CLOSING": LuaText.literal([marks.end]),
            "FRAME_SPECIAL": "\"\(LuaPattern.text(of: special))\"",
            "FRAME_ESCAPABLE": "\"\(LuaPattern.text(of: marks.escapes.map(\.byte)))\"",
            "FRAME_CONTENT": "\"\(LuaPattern.text(of: [marks.start, marks.end], excludes: true))\"",
            "FRAME_ESCAPES": "{ \(escapes.joined(separator: ", ")) }",
            "FRAME_ESCAPED": "{ \(escaped.joined(separator: ", ")) }",
        ]
    }
}
