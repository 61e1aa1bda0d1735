// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How packets with layers are opened and sealed.
///
/// Each shape has several parts: the fields before the first layer and the trailer (`outer`), the fields inside of a layer (`inside`),
/// and all fields of an opened packet (`flat`). A ``PacketShape`` reads or writes one part of it, and a back end prints it as it
/// prints whole packets; ``PacketPart`` says what the function that reads it returns besides. What is left for a runtime:
///
/// - Open: read the outer part. For each section open its layers whose rules hold, the first one first, then read its fields. Put the
///   bytes of all fields, what the innermost layer made, and the trailer together, and read that as the flat part. Offsets count from
///   the first byte inside the innermost layer. The content is whole packets, bytes that are not read, or a message.
/// - Seal: write the flat part without a content, and read it, for the fields that are known and the rules that hold. Then take the
///   sections from the last to the first: write the section's fields before the content, and seal its layers, the last one first. At
///   last write the outer part.
/// - What compression makes of all packets in one counts against one limit. A keystream that lasts may be used by one packet of
///   several that stand inside each other. A packet changes states and keystreams only if all of it was right.
struct LayerPlan: Sendable {
    /// The transforms, the outermost first; rules have their order.
    let kinds: [LayerKind]
    /// The shapes, by their numbers.
    let shapes: [Shape]
    /// The most bytes that compression may make of one packet.
    let maximumByteCount: Int
    /// How deep packets may stand in packets.
    let maximumDepth: Int
    let hasPackets: Bool
    /// The fields that a program can set, by their positions.
    let settable: [Int]
    /// The fields with parts of the ID, by their positions.
    let identifiers: [Int]

    struct Shape: Sendable {
        let number: Int
        let sections: [Section]
        /// The field that counts the bytes inside the innermost layer; nil if there is none.
        let counter: Counter?
        /// The fields of the outer part that are given when it is written.
        let outerSettable: [Int]
    }

    /// Layers without a field between them, and the fields after them.
    struct Section: Sendable {
        /// The positions of the layers.
        let layers: [Int]
        /// The fields that are given when the section is written; nil if it has no fields.
        let settable: [Int]?
    }

    struct Counter: Sendable {
        /// The position of the field.
        let field: Int
        /// What is added to the number of bytes.
        let constant: Int
        /// The first layer after the field. A packet with none from it on has 0.
        let firstLayer: Int
        /// Whether a layer asks for it, so that a program can set it: 0 for a packet without the layer.
        let isSettable: Bool
    }

    /// The names of all keys, with the byte counts that they may have.
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

    /// The names of what a program gives: of its own layers, and `brotli`.
    var programLayers: [String] {
        kinds.reduce(into: []) { names, kind in
            switch kind {
            case .brotli, .custom: if !names.contains(kind.name) { names.append(kind.name) }
            default: break
            }
        }
    }

    /// The names of what a program gives in a language without zlib: of its own layers, and of all that inflate.
    var transformsOfProgram: [String] {
        kinds.filter(\.mayInflate).reduce(into: []) { names, kind in
            if !names.contains(kind.name) { names.append(kind.name) }
        }
    }

    /// Whether a layer asks for the count of a content, so that a program says from how many bytes on there is one.
    var hasThreshold: Bool { shapes.contains { $0.counter?.isSettable == true } }

    /// Whether a connection cannot be made without functions of the program, in a language that has zlib.
    var needsProgram: Bool { hasAES || !programLayers.isEmpty }

    /// Whether a layer needs AES.
    var hasAES: Bool { kinds.contains { $0.word.hasPrefix("aes") } }
    /// Whether a layer needs zlib.
    var hasZlib: Bool { kinds.contains { ["zlib", "deflate", "gzip"].contains($0.word) } }

    /// The layers that use a key.
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

/// What the function that reads a part of a packet with layers returns besides the fields.
struct PacketPart: Sendable {
    /// When a packet has each layer, when its content is whole packets, and when it is not read.
    let rules: [WireCondition.Remainder]
    /// The field of this part that counts the content.
    let counter: Int?
    /// The first field that is not written for conditions only.
    let firstField: Int
    /// Whether bytes may follow the content.
    let mayHaveFiller: Bool
    /// Whether it has all fields, so that those with a fixed value can be verified.
    let isFlat: Bool
    /// The most bytes of it.
    let limit: Int

    /// More bytes than there are; a number that is exact everywhere.
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
    /// Returns what reads and writes the parts of packets with layers, and their layerings, by the numbers of the shapes.
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
