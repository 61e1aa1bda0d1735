// SPDX-License-Identifier: Apache-2.0

/// How packets with layers are read and written in one context.
///
///     bytes of a stream   outer header | sealed bytes                        | trailer    ``outer``
///     opened              outer header | header inside | payload | filler
///     as readers see it   outer header   header inside | payload             | trailer    ``flat``
///
/// The fields before the first layer, and the trailer, are a layout that needs no transform: it splits the stream. The
/// content of the layers becomes one packet with all fields in its header. So all code that reads packets reads it,
/// too.
package final class Layering: Sendable {
    /// The layout of packets in a stream: the output of the outermost layer is their payload.
    package let outer: PacketLayout
    /// The layout of opened packets. Lengths and checksums are plain numbers in it, for they count sealed bytes.
    package let flat: PacketLayout
    /// The fields inside the layers, from the outermost layer on.
    package let sections: [Section]
    /// When the content is whole packets (``packets``), and when it is not read (``opaque``).
    package let packets: WireCondition.Remainder
    package let opaque: WireCondition.Remainder
    /// All fields; with them a writer decides which fields a packet has.
    package let whole: PacketLayout
    /// The outer layout for writing: its IDs are plain numbers, which ``whole`` has computed.
    package let outerWriting: PacketLayout
    package let contentLength: ContentLength?
    /// The fields that no packet of the context has.
    let absent: [PacketField]
    /// Whether a condition, or a transform that begins with a field, looks at header fields.
    let looksAtHeader: Bool

    /// Header fields that are inside the same layers.
    package struct Section: Sendable {
        /// The layers before the fields of this section and after those of the one before.
        package let layers: [(index: Int, kind: LayerKind, rule: WireCondition.Remainder)]
        /// The number of fields in the sections before.
        package let earlierFieldCount: Int
        /// The layouts of all fields up to the end of this section, for reading and for writing; nil if it has none.
        package let reading: PacketLayout?
        package let writing: PacketLayout?
        /// Whether filler may follow the payload: the section has a length that ends the payload.
        package let mayHaveFiller: Bool
    }

    /// The field that counts the bytes inside the innermost layer.
    package struct ContentLength: Sendable {
        package let name: String
        package let constant: Int
        /// The first layer after the field. The field is 0 in a packet that has no layer from this one on.
        package let firstLayer: Int
        /// Whether a layer's condition tests the field, so that a program can set it.
        package let isSettable: Bool
    }

    init(_ parts: LayeredParts, _ table: FramingTable?, position: Int, contextCount: Int) {
        absent = parts.absent
        packets = parts.packets
        opaque = parts.opaque
        let all = parts.sections.flatMap { $0 }
        contentLength = parts.contentLength
        let isSettable = contentLength?.isSettable ?? false
        let innerNames = parts.sections.dropFirst().flatMap { $0 }.map { $0.name }
        let trailer = parts.trailer.map { $0.coveringContent(of: innerNames) }
        let first = parts.sections[0].map { $0.coveringContent(of: innerNames) }
        outer = PacketLayout(
            outerFraming: table, header: first.map { $0.withoutContentLength }, trailer: trailer, variant: position)
        outerWriting = PacketLayout(
            outerFraming: table, header: first.map { $0.withGivenID }, trailer: trailer.map { $0.withGivenID })
        flat = PacketLayout(
            boundedHeader: all.map { $0.asNumber }, trailer: parts.trailer.map { $0.asNumber },
            variant: contextCount + position)
        whole = PacketLayout(
            boundedHeader: all.map { isSettable ? $0.withoutContentLength : $0 }, trailer: parts.trailer)
        var sections: [Section] = []
        var earlier = parts.sections[0]
        for (fields, layers) in zip(parts.sections.dropFirst(), parts.layers) {
            let isEmpty = fields.isEmpty
            let reading = earlier.map { $0.asNumber } + fields.map { $0.withoutContentLength }
            let writing = earlier.map { $0.asNumber.withGivenID } + fields.map { $0.withGivenID }
            sections.append(
                Section(
                    layers: layers, earlierFieldCount: earlier.count,
                    reading: isEmpty ? nil : PacketLayout(boundedHeader: reading),
                    writing: isEmpty ? nil : PacketLayout(boundedHeader: writing),
                    mayHaveFiller: fields.contains { $0.role.isLengthOfPayload }))
            earlier += fields
        }
        self.sections = sections
        let rules = parts.layers.flatMap { $0 }.map { $0.rule } + [parts.packets, parts.opaque]
        looksAtHeader =
            parts.contentLength != nil || rules.contains { $0.isOpen }
            || parts.layers.contains { $0.contains { $0.kind.looksAtHeader } }
    }

    /// The layout of opened packets for a writer that chooses the fields and their values itself: no field fits itself
    /// to the packet.
    package var chosen: PacketLayout {
        PacketLayout(boundedHeader: flat.header.map { $0.asChosen }, trailer: flat.trailer.map { $0.asChosen })
    }

    static func all(_ parts: LayoutParts, _ contexts: LayoutContexts, _ table: FramingTable?) -> [Layering] {
        contexts.combinations.enumerated().map { position, combination in
            Layering(
                LayeredParts(parts, in: combination, contexts.tests), table, position: position,
                contextCount: contexts.combinations.count)
        }
    }
}

extension PacketLayout {
    /// Whether packets have layers, or a content that is not only a message's fields.
    @inlinable package var hasContent: Bool { storage.hasLayers }

    /// How packets are read and written in each context, in the order of ``contexts``; empty for a layout without
    /// ``hasContent``.
    package var layerings: [Layering] { storage.layerings }

    /// Returns how packets of a context are read and written; only for a layout with ``hasContent``.
    package func layering(in context: PacketContext) -> Layering {
        storage.layerings[storage.contexts?.position(of: context) ?? 0]
    }

    /// Returns how the packets with this layout in a stream are read and written.
    func layering(ofPacketsIn outer: PacketLayout) -> Layering {
        storage.layerings[min(Int(outer.plan.variant), storage.layerings.count - 1)]
    }

    /// The splitter split the packet off with the layout of its context.
    package func layering(of packet: borrowing Packet) -> Layering {
        storage.layerings[min(Int(packet.bounds.variant), storage.layerings.count - 1)]
    }

    /// Whether a packet of this layout has not been opened yet.
    package func isSealed(_ packet: borrowing Packet) -> Bool { packet.bounds.variant < storage.layerings.count }

    package func isSettable(_ field: PacketField) -> Bool {
        guard case .contentLength = field.role else { return field.isSettable }
        return content.layers.contains { $0.condition?.operands.contains(.field(field.name)) ?? false }
    }
}
