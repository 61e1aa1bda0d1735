// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How to open and seal packets with layers.
///
/// Each shape has several parts: the fields before the first layer and the trailer (`outer`), the fields inside a layer
/// (`inside`), and all fields of an opened packet (`flat`). A ``PacketShape`` reads or writes one part, and a back end
/// prints it like whole packets. ``PacketPart`` says what else the reading function returns. The runtime does the rest:
///
/// - Open: read the outer part. For each section, open its layers whose rules hold, first to last, then read its
///   fields. Join the bytes of all fields, the innermost layer's output and the trailer, and read them as the flat
///   part. Offsets count from the first byte inside the innermost layer. The content is whole packets, bytes that are
///   not read, or a message.
/// - Seal: write the flat part without content and read it, to learn the known fields and the rules that hold. Then,
///   for each section from last to first, write its fields before the content, and seal its layers, last to first.
///   Finally write the outer part.
/// - One limit covers all that decompression makes of packets inside one packet. Only one of several nested packets may
///   use a persistent keystream. States and keystreams change only if the whole packet was valid.
struct LayerPlan: Sendable {
    /// The transforms, outermost first; rules have the same order.
    let kinds: [LayerKind]
    let shapes: [Shape]
    /// The limit of decompressed bytes in one packet.
    let maximumByteCount: Int
    let maximumDepth: Int
    let hasPackets: Bool
    /// The positions of the fields that a program can set.
    let settable: [Int]
    /// The positions of the fields with parts of the ID.
    let identifiers: [Int]

    struct Shape: Sendable {
        let number: Int
        let sections: [Section]
        /// The field that counts the bytes inside the innermost layer; nil if there is none.
        let counter: Counter?
        /// The fields that the caller gives when the outer part is written.
        let outerSettable: [Int]
    }

    /// Layers without fields between them, and the fields after them.
    struct Section: Sendable {
        let layers: [Int]
        /// The fields that the caller gives when the section is written; nil if it has no fields.
        let settable: [Int]?
    }

    struct Counter: Sendable {
        let field: Int
        /// Added to the number of bytes.
        let constant: Int
        /// The first layer after the field. The field is 0 in packets that have neither this layer nor a later one.
        let firstLayer: Int
        /// Whether a layer depends on the field, so that a program can set it. It is 0 in packets without the layer.
        let isSettable: Bool
    }

    var keys: [(name: String, byteCounts: [ClosedRange<Int>])] {
        var keys: [(name: String, byteCounts: [ClosedRange<Int>])] = []
        func add(_ name: String, _ byteCounts: [ClosedRange<Int>]) {
            if !keys.contains(where: { $0.name == name }) { keys.append((name, byteCounts)) }
        }
        for kind in kinds {
            switch kind {
            case .xor(let key): add(key, [1...65_536])
            case .rc4(let key): add(key, [1...256])
            case .aesCTR(let key, let vector), .aesCBC(let key, let vector):
                add(key, [16...16, 24...24, 32...32])
                if case .key(let name) = vector { add(name, [16...16]) }
            case .zlib, .deflate, .gzip, .brotli, .custom: break
            }
        }
        return keys
    }

    /// The transforms that a program supplies: its own, and `brotli`.
    var programLayers: [String] {
        kinds.reduce(into: []) { names, kind in
            switch kind {
            case .brotli, .custom: if !names.contains(kind.name) { names.append(kind.name) }
            default: break
            }
        }
    }

    /// The transforms that a program supplies in a language without zlib: its own, and all that decompress.
    var transformsOfProgram: [String] {
        kinds.filter(\.mayInflate).reduce(into: []) { names, kind in
            if !names.contains(kind.name) { names.append(kind.name) }
        }
    }

    /// Whether a layer depends on the content's count. Then the program sets the size from which on the layer is used.
    var hasThreshold: Bool { shapes.contains { $0.counter?.isSettable == true } }

    /// Whether a connection needs functions of the program, in a language that has zlib.
    var needsProgram: Bool { hasAES || !programLayers.isEmpty }

    var hasAES: Bool { kinds.contains { $0.word.hasPrefix("aes") } }
    var hasZlib: Bool { kinds.contains { ["zlib", "deflate", "gzip"].contains($0.word) } }

    func layers(with key: String) -> [Int] {
        kinds.indices.filter { index in
            switch kinds[index] {
            case .xor(let name), .rc4(let name): name == key
            case .aesCTR(let name, let vector), .aesCBC(let name, let vector): name == key || vector == .key(key)
            case .zlib, .deflate, .gzip, .brotli, .custom: false
            }
        }
    }

    init(_ description: ProtocolDescription, _ layerings: [Layering]) {
        let layout = description.layout
        func positions(_ part: PacketLayout, where isKept: (PacketField) -> Bool) -> [Int] {
            part.fields.filter(isKept).compactMap { description.packetField(named: $0.name) }
        }
        kinds = layout.content.layers.map(\.kind)
        maximumByteCount = description.options.maximumInflatedByteCount
        maximumDepth = description.options.maximumNestedDepth
        hasPackets = layout.content.packets != nil
        settable = positions(layout, where: layout.isSettable)
        identifiers = positions(layout) { $0.role == .messageID }
        shapes = layerings.enumerated().map { number, layering in
            Shape(
                number: number,
                sections: layering.sections.map { section in
                    Section(
                        layers: section.layers.map(\.index),
                        settable: section.writing.map { positions($0, where: \.isSettable) })
                },
                counter: layering.contentLength.flatMap { length in
                    description.packetField(named: length.name).map {
                        Counter(
                            field: $0, constant: length.constant, firstLayer: length.firstLayer,
                            isSettable: length.isSettable)
                    }
                }, outerSettable: positions(layering.outerWriting, where: \.isSettable))
        }
    }
}

/// The results of a function that reads one layer of a packet, beside the fields.
struct PacketPart: Sendable {
    /// When a packet has each layer, when its content is whole packets, and when the content is not read.
    let rules: [WireCondition.Remainder]
    /// The field of this part that counts the content.
    let counter: Int?
    /// The first field that exists in the packet. Earlier fields are written for conditions only.
    let firstField: Int
    /// Whether bytes may follow the content.
    let mayHaveFiller: Bool
    /// Whether it has all fields, so that fixed values can be verified.
    let isFlat: Bool
    /// The limit of its size, in bytes.
    let limit: Int

    /// More bytes than can occur; every language represents the number exactly.
    static let unlimited = 1 << 52

    fileprivate init(
        _ layering: Layering, _ content: PacketContent, _ layout: PacketLayout, firstField: Int = 0,
        mayHaveFiller: Bool = false, isFlat: Bool = false, limit: Int = Self.unlimited
    ) {
        var rules = content.layers.map { _ in WireCondition.Remainder.never }
        for layer in layering.sections.flatMap(\.layers) { rules[layer.index] = layer.rule }
        self.rules = rules + [layering.packets, layering.opaque]
        counter = layering.contentLength.flatMap { length in layout.header.firstIndex { $0.name == length.name } }
        self.firstField = firstField
        self.mayHaveFiller = mayHaveFiller
        self.isFlat = isFlat
        self.limit = limit
    }
}

extension PacketShape {
    /// Returns the shapes that read and write the parts of packets with layers, and the layerings by number.
    static func parts(
        _ description: ProtocolDescription, _ contexts: LayoutContexts
    ) -> (shapes: [PacketShape], layerings: [Layering], context: ContextPlan) {
        var layerings: [Layering] = []
        let numbers = description.layout.layerings.map { layering in
            if let known = layerings.firstIndex(where: layering.isSame) { return known }
            layerings.append(layering)
            return layerings.count - 1
        }
        let shapes = layerings.enumerated().flatMap { number, layering in
            parts(of: layering, String(number), description)
        }
        return (shapes, layerings, ContextPlan(description, contexts, shapes: numbers))
    }

    private static func parts(
        of layering: Layering, _ number: String, _ description: ProtocolDescription
    ) -> [PacketShape] {
        let content = description.layout.content
        func reading(_ words: [String], _ layout: PacketLayout, _ part: PacketPart) -> PacketShape {
            PacketShape(words, layout, description, part, .reading)
        }
        func writing(_ words: [String], _ layout: PacketLayout, _ part: PacketPart) -> PacketShape {
            PacketShape(words, layout, description, part, .writing)
        }
        let outer = PacketPart(
            layering, content, layering.outer, limit: description.options.maximumPacketByteCount)
        let flat = PacketPart(layering, content, layering.flat, isFlat: true)
        var shapes = [
            reading(["outer", number], layering.outer, outer),
            writing(["outer", number], layering.outerWriting, outer),
            reading(["flat", number], layering.flat, flat), writing(["flat", number], layering.chosen, flat),
        ]
        for (position, section) in layering.sections.enumerated() {
            guard let layout = section.reading, let written = section.writing else { continue }
            let part = PacketPart(
                layering, content, layout, firstField: section.earlierFieldCount, mayHaveFiller: section.mayHaveFiller)
            let words = ["inside\(position + 1)", number]
            shapes += [reading(words, layout, part), writing(words, written, part)]
        }
        return shapes
    }
}

extension Layering {
    /// Whether the same functions read and write packets of both.
    func isSame(as other: Layering) -> Bool {
        outer == other.outer && outerWriting == other.outerWriting && flat == other.flat && packets == other.packets
            && opaque == other.opaque && sections.count == other.sections.count
            && zip(sections, other.sections).allSatisfy { left, right in
                left.reading == right.reading && left.writing == right.writing
                    && left.layers.map(\.index) == right.layers.map(\.index)
                    && left.layers.map(\.rule) == right.layers.map(\.rule)
            }
    }
}
