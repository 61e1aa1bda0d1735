// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The part of a dissector that is the same for every protocol: see `Runtimes/Wireshark/runtime.lua`. Unused parts are
/// left out.
enum WiresharkRuntime {
    static func text(for description: ProtocolDescription) -> String {
        let features = fieldFeatures(of: description) + packetFeatures(of: description)
        let names = features.filter(\.1).map(\.0) + description.floatsWithoutHostType.map(\.name)
        return RuntimeFile.wireshark.with(Set(names)).text("all") + "\n"
    }

    private static func fieldFeatures(of description: ProtocolDescription) -> [(String, Bool)] {
        let texts = HeaderTexts(description)
        let (hasConditions, hasCounters) = (description.hasConditions, description.hasCounters)
        let (hasUnions, hasTags) = (!description.unions.isEmpty, description.hasTagFields)
        let (hasConstants, hasPackedConstants) = (description.hasConstants, description.hasPackedConstants)
        let hasFixedText =
            description.uses { $0.isFixedText && !$0.isUTF16 }
            || description.layout.fields.contains(where: \.format.type.isFixedText)
        return [
            ("packedFields", description.hasPackedFields), ("wide", description.hasIntegersBetweenFourAndEightBytes),
            ("fixedText", hasFixedText), ("utf16", description.uses(\.isUTF16)), ("padding", description.hasPadding),
            ("constants", hasConstants), ("packedConstants", hasPackedConstants),
            ("comparedTexts", texts.areConstants || texts.areFixed),
            ("anyConstants", hasConstants || hasPackedConstants || texts.areConstants || texts.areFixed),
            ("counters", hasCounters), ("nullables", description.hasField { $0.presence == .nullable }),
            ("sized", hasCounters || description.hasField { $0.type.isExactText || $0.type.isSized }),
            ("endedLists", description.hasField { $0.type.extent?.terminator != nil }),
            ("unions", hasUnions), ("tags", hasTags), ("conditions", hasConditions),
            // Later fields need the numbers of earlier ones.
            ("operands", hasConditions || hasTags || hasCounters),
            ("packedOperands", (hasConditions || hasCounters) && description.hasPackedFields),
            // A message drops the bytes after its last field.
            ("keptNone", hasConditions || hasUnions),
        ]
    }

    private static func packetFeatures(of description: ProtocolDescription) -> [(String, Bool)] {
        let layout = description.layout
        let texts = HeaderTexts(description)
        let kinds = layout.content.layers.map(\.kind)
        let (hasLayers, hasKeys) = (layout.hasContent, !description.preferredKeys.isEmpty)
        let hasKeystreams = kinds.contains { if case .rc4 = $0 { true } else { false } }
        let hasStates = layout.dependsOnStates
        let fixesHeaders = description.messages.contains { !$0.headerValues.isEmpty }
        let isPacked = isPacked(description)
        let hasAbsences = hasLayers || layout.plainLayouts.contains(where: \.hasConditions)
        return [
            ("frames", layout.isFramed), ("layers", hasLayers), ("keys", hasKeys), ("states", hasStates),
            // A layer compresses in a way that the dissector knows.
            ("inflated", kinds.contains { [.zlib, .deflate, .gzip].contains($0) }),
            ("preferences", hasStates || hasKeys),
            // Each packet has one of several shapes.
            ("shapes", hasStates || hasLayers),
            // Earlier packets of a connection matter.
            ("keystreams", hasKeystreams), ("followed", hasStates || hasKeystreams),
            // There are several layouts; most fields are in all of them.
            ("distinct", layout.dependsOnContext),
            // The other end's message cannot be meant.
            ("knownSender", layout.dependsOnSender || hasKeys),
            // Some packet fields are present only if a condition holds.
            ("absences", hasAbsences), ("tests", description.hasConditions || hasAbsences || hasStates),
            ("headers", description.hasHeaderConditions), ("fixedHeaders", fixesHeaders),
            ("seen", description.hasHeaderConditions || fixesHeaders || hasLayers),
            ("anyChecksum", hasAnyChecksum(layout)), ("packed", isPacked), ("texts", texts.areUsed),
            ("constantTexts", texts.areConstants), ("fixedTexts", texts.areFixed),
            ("shownOtherwise", texts.areUsed || isPacked),
        ]
    }

    /// Whether fields of the header or trailer share bytes, or are flags.
    private static func isPacked(_ description: ProtocolDescription) -> Bool {
        !description.layout.packedPlaces.isEmpty
            || description.packetFields.contains { if case .flags? = $0.type { true } else { false } }
    }

    /// Whether a layout has a checksum other than CRC-32 of the payload.
    static func hasAnyChecksum(_ layout: PacketLayout) -> Bool {
        layout.fields.contains { $0.checksum != nil && $0.role != .checksum }
    }

    static func table(of framing: PacketFraming) -> String {
        let escapes = framing.escapes.map { "[\(Int($0.first) * 256 + Int($0.second))] = \($0.byte)" }
        return "{ start = \(framing.start), stop = \(framing.end), escapes = { \(escapes.joined(separator: ", ")) } }"
    }
}

/// The kinds of packet fields that are text, digits or bytes.
private struct HeaderTexts {
    let areUsed: Bool
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

extension ProtocolDescription {
    /// Whether an integer has 5, 6 or 7 bytes. Wireshark's Lua has no type for these.
    fileprivate var hasIntegersBetweenFourAndEightBytes: Bool {
        func isWide(_ format: IntegerFormat) -> Bool { (5...7).contains(format.byteCount) && format.isWholeBytes }
        let isInHeader = layout.fields.contains { field in
            if case .integer(let format, _) = field.format { isWide(format) } else { false }
        }
        return isInHeader || uses { packedForm(of: $0).map { isWide($0.format) } ?? false }
    }
}
