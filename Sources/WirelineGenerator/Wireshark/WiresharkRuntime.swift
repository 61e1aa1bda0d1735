// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The part of a dissector that is the same for every protocol, except that parts which it does not use are left out.
///
/// It reads packets as `PacketTranslator` does, by the tables before it: the same checks in the same order, and the
/// same error texts. It is written for Lua 5.1 to 5.4: no operators for bits, no integer division, no `goto`.
///
/// Its time and memory do not depend on announced lengths. Every loop takes at least one byte of the input. The tree is
/// limited in size and depth, because Wireshark rejects larger ones.
enum WiresharkRuntime {
    static func text(for description: ProtocolDescription) -> String {
        let hasPackedFields = description.hasPackedFields
        let hasWideIntegers = description.hasIntegersBetweenFourAndEightBytes
        let isFixedText =
            description.uses { $0.isFixedText && !$0.isUTF16 }
            || description.layout.fields.contains(where: \.format.isFixedText)
        let isUTF16 = description.uses(\.isUTF16)
        let (hasPadding, hasConstants) = (description.hasPadding, description.hasConstants)
        let hasPackedConstants = description.hasPackedConstants
        let hasCounters = description.hasCounters
        let hasNullables = description.hasField { $0.presence == .nullable }
        let isSized = hasCounters || description.hasField { $0.type.isExactText || $0.type.isSized }
        let hasEndedLists = description.hasField { $0.type.extent?.terminator != nil }
        let texts = HeaderTexts(description)
        let comparesTexts = texts.areConstants || texts.areFixed
        let hasAnyChecksum = hasAnyChecksum(description.layout)
        let hasConditions = description.hasConditions
        let (hasUnions, hasTagFields) = (!description.unions.isEmpty, description.hasTagFields)
        let hasOperands = hasConditions || hasTagFields || hasCounters
        let layers = Layers(of: description)
        let connections = Connections(of: description.layout)
        let senders = Senders(
            areDistinct: description.layout.dependsOnContext,
            mustBeKnown: description.layout.dependsOnSender || layers.haveKeys, connections: connections)
        let preferences = Preferences(hasStates: connections.hasStates, hasKeys: layers.haveKeys)
        let presence = Presence(
            mayBeAbsent: layers.areUsed || description.layout.plainLayouts.contains(where: \.hasConditions),
            otherByteCount: otherByteCount(description), mayBeBounded: layers.areUsed)
        let parts = [
            constants, layers.constants, numbers, hasWideIntegers ? wideNumbers : nil, declaring(senders),
            hasWideIntegers ? declaringWideIntegers : nil, hasPackedFields ? declaringPackedFields : nil,
            isFixedText ? declaringFixedText : nil, isUTF16 ? declaringUTF16 : nil, hasPadding ? declaringPadding : nil,
            hasConstants ? declaringConstants : nil, hasPackedConstants ? declaringPackedConstants : nil,
            settingWidths, isSized ? declaringSized : nil, hasCounters ? declaringCounted : nil,
            hasNullables ? declaringNullable : nil,
            hasEndedLists ? declaringEnded : nil,
            hasUnions ? declaringUnions : nil, declaringFields(arms: hasUnions ? declaringArms : "", senders, layers),
            isFixedText ? declaringDigitError : nil, isUTF16 ? declaringUTF16Error : nil,
            description.layout.isFramed ? declaringEscapeError : nil, layers.declaringErrors, preferences.declaringNote,
            declaringErrors, reading(layers),
            hasConditions || presence.mayBeAbsent || connections.hasStates ? conditions : nil,
            hasOperands ? operands : nil,
            hasOperands
                ? readingDependentFields(
                    conditions: hasConditions, looksAtHeader: description.hasHeaderConditions, tags: hasTagFields,
                    counters: hasCounters)
                : readingFields,
            readingCompounds,
            hasWideIntegers ? readingWideIntegers : nil, hasPackedFields ? readingPackedFields : nil, varints,
            hasOperands ? varintOperands : nil,
            (hasConditions || hasCounters) && hasPackedFields ? packedOperands : nil,
            isFixedText ? readingFixedText : nil, isUTF16 ? readingUTF16 : nil, hasPadding ? readingPadding : nil,
            hasConstants || hasPackedConstants || comparesTexts ? refusingConstants : nil,
            comparesTexts ? refusingOtherTexts : nil, hasConstants ? readingConstants : nil,
            hasPackedConstants ? readingPackedConstants : nil, isSized ? readingSized : nil,
            hasCounters ? readingCounted : nil, hasNullables ? readingNullable : nil,
            hasEndedLists ? readingEnded : nil,
            hasUnions ? readingUnions(tags: hasTagFields) : nil,
            presence.mayBeAbsent ? presence.testing : nil,
            hasAnyChecksum
                ? checksums(otherByteCount: otherByteCount(description), skippingAbsent: presence.skippingAbsent) : nil,
            description.layout.isFramed ? frames : nil, layers.haveKeys ? ciphers : nil,
            layers.areInflated ? inflating : nil, preferences.text,
            packets(
                verifyingChecksum: hasAnyChecksum ? verifyingAnyChecksum : verifyingCRC32,
                keepingTrailing: hasConditions || hasUnions
                    ? "(protocol.keeps_trailing and not message.keeps_none)" : "protocol.keeps_trailing",
                isPacked: isPacked(description),
                texts: texts,
                fixesHeaders: description.messages.contains { !$0.headerValues.isEmpty },
                looksAtHeader: description.hasHeaderConditions, presence: presence,
                framing: framing(description, presence, connections), senders: senders, layers: layers,
                preferences: preferences),
        ]
        return parts.compactMap(\.self).joined(separator: "\n")
    }

    private static func framing(
        _ description: ProtocolDescription, _ presence: Presence, _ connections: Connections
    ) -> Framing {
        let isSeen =
            connections.hasLayers || description.hasHeaderConditions
            || description.messages.contains { !$0.headerValues.isEmpty }
        return Framing(
            isUsed: description.layout.isFramed, otherByteCount: otherByteCount(description),
            trailerSize: presence.trailerSize, readerParts: (isSeen ? ", seen = {}" : "") + connections.readerParts,
            hasLayers: connections.hasLayers)
    }

    /// Whether a layout has another checksum than CRC-32 of the payload.
    static func hasAnyChecksum(_ layout: PacketLayout) -> Bool {
        layout.fields.contains { $0.checksum != nil && $0.role != .checksum }
    }

    private static let constants = #"""
        local MOST_ITEMS = 50000   -- in the tree of one piece of a stream; Wireshark itself gives up at a million a frame
        local MOST_DEPTH = 100     -- of groups in one another; Wireshark gives up at 500
        local UTF_8 = ENC_UTF_8 or 2
        local NO_LIMITS = {}
        local SEVENS = { [0] = 1, 128, 16384, 2097152, 268435456, 8, 1024, 131072, 16777216, 2147483648 }

        """#
}
