// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The model of a protocol's code in any language: names, bodies of messages, and shapes of packets.
///
/// Languages differ in printing only. A back end
///
/// 1. makes a model with its ``NameStyle``;
/// 2. prints a type for each of ``messages``, ``structures`` and ``unions``, and constants;
/// 3. prints each body twice, for reading and for writing: field by field, by its ``ValuePlan``, its presence and its
/// constant. Only ``used`` types need functions;
/// 4. prints for each of ``shapes`` the ``PacketReadPlan/steps`` as the reading function, and follows the list in
/// ``PacketWritePlan`` for the writing function;
/// 5. adds the pieces of its ``RuntimeText`` that the printed code calls;
/// 6. prints an adapter for `wire conform` with ``AdapterTables``.
struct GeneratorModel: Sendable {
    let description: ProtocolDescription
    let coding: CodingPlan
    private(set) var names: CodeNames
    let messages: [BodyFields]
    let structures: [BodyFields]
    let unions: [(plan: UnionPlan, arms: [BodyFields])]
    /// The types that need functions.
    let used: UsedTypes
    /// The shapes of packets: one for both senders, or one for each if packets depend on the sender; with states, one
    /// for each context that makes a difference.
    let shapes: [PacketShape]
    /// How to select the shape of a packet by its context; nil without states and layers, when the sender alone selects
    /// it.
    let context: ContextPlan?
    /// The positions of the layout fields that some message fixes.
    let fixedHeaderFields: [Int]
    /// How to open and seal packets; nil without layers. With layers, ``shapes`` are the parts of packets.
    let layers: LayerPlan?

    /// Plans a checked protocol; the style makes its names.
    init(_ description: ProtocolDescription, _ style: NameStyle) {
        self.init(description, CodeNames(description, style))
    }

    init(_ description: ProtocolDescription, _ names: CodeNames) {
        self.description = description
        let coding = CodingPlan(description)
        self.coding = coding
        self.names = names
        messages = zip(coding.messages, names.messages).map { BodyFields($0, $1, coding) }
        structures = zip(coding.structures, names.structures).map { BodyFields($0, $1, coding) }
        unions = coding.unions.map { union in (union, union.arms.map { BodyFields(arm: $0.body, coding) }) }
        used = UsedTypes(description)
        // Stored, because each message needs them.
        fixedHeaderFields = Set(description.messages.flatMap { $0.headerValues.map(\.field) }).sorted()
        guard description.layout.hasContent, let contexts = description.layout.contexts else {
            (shapes, context) = PacketShape.all(description)
            layers = nil
            return
        }
        let parts = PacketShape.parts(description, contexts)
        (shapes, context) = (parts.shapes, parts.context)
        layers = LayerPlan(description, parts.layerings)
    }

    /// Returns an unused name for a back end's own declaration, and reserves it.
    mutating func uniqueName(_ name: String) -> String { names.unique(name) }

    /// The shapes with all fields of packets.
    var wholeShapes: [PacketShape] { layers == nil ? shapes : shapes.filter { $0.part?.isFlat == true && $0.reads } }

    var nests: Bool {
        structures.contains(where: \.plan.countsDepth) || unions.contains(where: \.plan.countsDepth)
    }

    var dependsOnSender: Bool { context?.needsSender ?? (shapes.count > 1) }

    /// Whether the sender of a packet affects its shape, or the states after it.
    var takesSender: Bool { dependsOnSender || context != nil }

    /// The names of the layers that the program supplies.
    var transformsOfProgram: [String] { layers?.transformsOfProgram ?? [] }

    /// The range of message IDs.
    var idRange: ClosedRange<Int128> {
        0...Int128(wholeShapes.map(\.layout.maximumMessageID).max() ?? 0)
    }
}

/// The layout of the packets of one sender, of both, or of some contexts.
struct PacketShape: Sendable {
    /// The words in the suffix of its functions: none, the sender, or the number of the shape.
    let words: [String]
    /// The part of a packet with layers that it describes; nil for whole packets.
    let part: PacketPart?
    let reads: Bool
    let writes: Bool
    let layout: PacketLayout
    let readPlan: PacketReadPlan
    let writePlan: PacketWritePlan
    /// The position of each field among all fields of the protocol's packets.
    let positions: [Int]
    /// The positions of the settable fields that only other shapes have.
    let foreign: [Int]

    static func all(_ description: ProtocolDescription) -> ([PacketShape], ContextPlan?) {
        guard description.layout.dependsOnContext, let contexts = description.layout.contexts else {
            return ([PacketShape([], description.layout, description)], nil)
        }
        guard description.layout.dependsOnStates else {
            return (
                Sender.allCases.map {
                    PacketShape([$0.rawValue], description.layout.layout(from: $0), description)
                }, nil
            )
        }
        var layouts: [PacketLayout] = []
        let numbers = description.layout.plainLayouts.map { layout in
            if let known = layouts.firstIndex(of: layout) { return known }
            layouts.append(layout)
            return layouts.count - 1
        }
        return (
            layouts.enumerated().map { PacketShape([String($0)], $1, description) },
            ContextPlan(description, contexts, shapes: numbers)
        )
    }

    enum Direction { case reading, writing }

    init(
        _ words: [String], _ layout: PacketLayout, _ description: ProtocolDescription, _ part: PacketPart? = nil,
        _ direction: Direction? = nil
    ) {
        self.words = words
        self.part = part
        reads = direction != .writing
        writes = direction != .reading
        self.layout = layout
        readPlan = PacketReadPlan(layout)
        writePlan = PacketWritePlan(layout)
        positions = layout.fields.map { description.packetField(named: $0.name) ?? 0 }
        let own = Set(positions)
        // Only the flat part gets the header that a program sets.
        guard part?.isFlat ?? true else {
            foreign = []
            return
        }
        foreign = description.layout.fields.indices.filter {
            !own.contains($0) && description.layout.isSettable(description.layout.fields[$0])
        }
    }
}
