// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The features and names of a protocol that runtimes of languages with classes need: see ``RuntimeFile``.
extension GeneratorModel {
    /// The features; regions of runtimes are named after them.
    var features: Set<String> {
        let kinds = layers?.kinds ?? []
        let words = Set(kinds.map(\.word))
        let features = [
            ("shortest", description.options.varintForms == .shortest), ("sender", takesSender),
            ("fixedHeaders", !fixedHeaderFields.isEmpty), ("connection", context != nil),
            ("dependsOnSender", dependsOnSender), ("states", context?.states.isEmpty == false),
            ("frames", description.layout.framing != nil), ("sameMarks", marks.hasSameMarks),
            ("escapes", !marks.escapes.isEmpty),
            // A packet to write is copied to a new array, so that the writer keeps no bytes of its own.
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

    /// The replacements of names.
    var constants: [String: String] {
        let escapes = marks.escapes.map { "{\($0.byte), \($0.first), \($0.second)}" }
        let (kinds, keys, own) = (layers?.kinds.count ?? 0, layers?.keys.count ?? 0, layers?.programLayers.count ?? 0)
        return [
            "MAXIMUM_DEPTH": String(description.options.maximumDepth),
            "MAXIMUM_SIZE": String(description.options.maximumPacketByteCount),
            // The limit of an array's length.
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

    /// The replacements of names in the region `each`: one row for each escape of frames.
    var escapes: [[String: String]] {
        marks.escapes.map { escape in
            [
                "ESCAPE_FIRST": String(escape.first), "ESCAPE_SECOND": String(escape.second),
                "ESCAPE_BYTE": String(escape.byte),
            ]
        }
    }

    /// The documentation of the connection class, for programs.
    var connectionDocumentation: String {
        let own =
            "The states of a connection, which both directions share. A new one has all at 0. Messages set them, and so may the program."
        guard layers != nil else { return own }
        let layers = "What the packets of a connection need: keys, layers, and where keystreams go on."
        return context?.states.isEmpty == false ? layers + " " + own : layers
    }

    /// The test for adjacent marks at a position.
    var marksTest: String {
        let bytes = marks.hasSameMarks ? [marks.start] : [marks.start, marks.end]
        return bytes.enumerated().map { "(content[p + \($0)] & 255) == \($1)" }.joined(separator: " && ")
    }

    /// The marks around packets; arbitrary ones if the protocol has none.
    var marks: PacketFraming { description.layout.framing ?? PacketFraming(start: 0, end: 0, escapes: []) }
}
