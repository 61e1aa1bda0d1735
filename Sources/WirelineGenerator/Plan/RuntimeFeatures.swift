// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What the runtimes of languages with classes need of a protocol: see ``RuntimeFile``.
extension GeneratorModel {
    /// The features, after which regions are named.
    var features: Set<String> {
        let kinds = layers?.kinds ?? []
        let words = Set(kinds.map(\.word))
        let features = [
            ("shortest", description.options.varintForms == .shortest), ("sender", takesSender),
            ("fixedHeaders", !fixedHeaderFields.isEmpty), ("connection", context != nil),
            ("dependsOnSender", dependsOnSender), ("states", context?.states.isEmpty == false),
            ("frames", description.layout.framing != nil), ("sameMarks", marks.hasSameMarks),
            ("escapes", !marks.escapes.isEmpty),
            // A packet to write is made in a new array, so that a writer keeps no bytes of its own.
            ("copied", layers != nil || description.layout.framing != nil),
            ("layers", layers != nil), ("packets", layers?.hasPackets == true),
            ("counter", layers?.shapes.contains { $0.counter != nil } == true),
            ("threshold", layers?.hasThreshold == true), ("keys", layers?.keys.isEmpty == false),
            ("streams", kinds.contains(where: \.hasLastingKeystream)),
            ("program", layers?.programLayers.isEmpty == false),
            ("inflating", !words.isDisjoint(with: ["zlib", "deflate", "gzip"])),
            ("aes", !words.isDisjoint(with: ["aes_ctr", "aes_cbc"])),
            ("aes_ctr_lasting", kinds.contains { if case .aesCTR(_, .key) = $0 { true } else { false } }),
        ]
        return Set(features.filter(\.1).map(\.0)).union(words)
    }

    /// What takes the place of names.
    var constants: [String: String] {
        let escapes = marks.escapes.map { "{\($0.byte), \($0.first), \($0.second)}" }
        let (kinds, keys, own) = (layers?.kinds.count ?? 0, layers?.keys.count ?? 0, layers?.programLayers.count ?? 0)
        return [
            "MAXIMUM_DEPTH": String(description.options.maximumDepth),
            "MAXIMUM_SIZE": String(description.options.maximumPacketByteCount),
            // An array has no more items.
            "MAXIMUM_INFLATED": String(min(layers?.maximumByteCount ?? 0, Int(Int32.max) - 64)),
            "MAXIMUM_NESTED": String(layers?.maximumDepth ?? 0), "LONGEST_HEADER": String(longestHeader),
            "RULE_PACKETS": String(kinds), "RULE_OPAQUE": String(kinds + 1), "LAYER_COUNT": String(kinds),
            "STREAM_ROOM": String(2 * kinds), "KEY_COUNT": String(keys), "KEY_ROOM": String(2 * keys),
            "OWN_COUNT": String(own), "OWN_ROOM": String(2 * own),
            "LAYER_NAMES": (layers?.programLayers ?? []).joined(separator: ", "),
            "FRAME_START": String(marks.start), "FRAME_END": String(marks.end),
            "FRAME_MARK_COUNT": marks.hasSameMarks ? "1" : "2",
            "FRAME_ESCAPES": "{\(escapes.joined(separator: ", "))}",
            "CONNECTION_DOCUMENTATION": connectionDocumentation,
        ]
    }

    /// What takes the place of names in the region `each`: once for every escape of frames.
    var escapes: [[String: String]] {
        marks.escapes.map { escape in
            [
                "ESCAPE_FIRST": String(escape.first), "ESCAPE_SECOND": String(escape.second),
                "ESCAPE_BYTE": String(escape.byte),
            ]
        }
    }

    /// What a connection is, for programs.
    var connectionDocumentation: String {
        let own =
            "The states of a connection, which both directions share. A new one has all at 0. Messages set them, and so may the program."
        guard layers != nil else { return own }
        let layers = "What the packets of a connection need: keys, layers, and where keystreams go on."
        return context?.states.isEmpty == false ? layers + " " + own : layers
    }

    /// The test for marks at a position, with nothing between them.
    var marksTest: String {
        let bytes = marks.hasSameMarks ? [marks.start] : [marks.start, marks.end]
        return bytes.enumerated().map { "(content[p + \($0)] & 255) == \($1)" }.joined(separator: " && ")
    }

    /// The marks around packets; those of some frame if the protocol has none.
    var marks: PacketFraming { description.layout.framing ?? PacketFraming(start: 0, end: 0, escapes: []) }
}
