// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What of the runtime depends on the schema.
struct PythonRuntimeParameters {
    var maximumDepth = 32
    var maximumPacketByteCount = 1 << 20
    /// The forms of varints that are read.
    var varintForms = VarintForms.shortest
    /// The type of the values in a header: `int`, or `Any` if there are others.
    var headerType = "Any"
    /// Whether the sender of a packet to write must be known.
    var dependsOnSender = false
    /// Whether conditions of messages look at the header.
    var looksAtHeader = false
    /// Whether messages fix fields of the header.
    var fixesHeader = false
    /// Whether values may nest as deeply as the schema allows.
    var nests = false
    /// The marks around packets.
    var framing: PacketFraming?
    /// Whether a connection has states.
    var hasStates = false
    /// How packets are opened and sealed; nil without layers.
    var layers: LayerPlan?
    /// The states of a connection, and the shapes of its packets, as lines; empty if packets depend on none.
    var context = ""

    var hasLayers: Bool { layers != nil }

    /// Whether packets depend on a connection.
    var hasConnection: Bool { !context.isEmpty }

    /// The connection that a program gives; a new one if it need not give one.
    var connection: String { layers?.needsProgram == true ? "connection" : "connection or Connection()" }

    /// Whether a program may say who sends a packet to write.
    var takesSender: Bool { dependsOnSender || hasConnection }

    /// The runtime as the schema needs it.
    var file: RuntimeFile { RuntimeFile.python.with(features, constants) }

    private var features: Set<String> {
        let words = Set(layers?.kinds.map(\.word) ?? [])
        let features = [
            ("shortest", varintForms == .shortest), ("header", looksAtHeader), ("fixedHeaders", fixesHeader),
            ("nests", nests), ("dependsOnSender", dependsOnSender), ("connection", hasConnection),
            ("frames", framing != nil), ("sameMarks", marks.hasSameMarks), ("escapes", !marks.escapes.isEmpty),
            ("layers", hasLayers), ("packets", layers?.hasPackets == true), ("given", layers?.needsProgram == true),
            ("keys", layers?.keys.isEmpty == false), ("zlib", layers?.hasZlib == true),
            ("xor", layers?.hasAES == true || words.contains("xor")), ("rc4", words.contains("rc4")),
            ("aes_ctr", words.contains("aes_ctr")), ("aes_cbc", words.contains("aes_cbc")),
            ("program", layers?.programLayers.isEmpty == false),
        ]
        return Set(features.filter(\.1).map(\.0))
    }

    /// The marks around packets; those of some frame if the schema has none, so that all names are known.
    private var marks: PacketFraming { framing ?? PacketFraming(start: 0, end: 0, escapes: []) }

    private var constants: [String: String] {
        let marks = marks
        let escapes = marks.escapes.map { "(\($0.first), \($0.second)): \($0.byte)" }
        let escaped = marks.escapes.map { "\($0.byte): \(PythonText.bytes([$0.first, $0.second]))" }
        let special = Set([marks.start, marks.end] + marks.escapes.map(\.first)).sorted()
        return [
            "MAXIMUM_DEPTH": String(maximumDepth), "MAXIMUM_SIZE": String(maximumPacketByteCount),
            "MAXIMUM_INFLATED": String(layers?.maximumByteCount ?? 0),
            "MAXIMUM_NESTED": String(layers?.maximumDepth ?? 0), "HEADER_VALUE": headerType,
            "FRAME_START": String(marks.start), "FRAME_END": String(marks.end),
            "FRAME_MARKS": PythonText.bytes(marks.hasSameMarks ? [marks.start] : [marks.start, marks.end]),
            "FRAME_ESCAPES": "{\(escapes.joined(separator: ", "))}",
            "FRAME_ESCAPED": "{\(escaped.joined(separator: ", "))}",
            "FRAME_PLAIN": "rb\"[^\(PythonText.digits(special))]*\"",
        ]
    }
}
