// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What code in any language for a protocol consists of: names, bodies of messages, and shapes of packets.
///
/// Languages differ in printing only. A back end
///
/// 1. makes a plan with its ``NameStyle``;
/// 2. prints a type for each of ``messages``, ``structures`` and ``unions``, and constants;
/// 3. prints each body twice, for reading and for writing: field by field, by its ``ValuePlan``, its presence and its constant.
///    Functions are needed for ``used`` types only;
/// 4. prints for each of ``shapes`` the ``PacketReadPlan/steps`` as the function that takes packets apart, and follows the list in
///    ``PacketWritePlan`` for the one that puts them together;
/// 5. adds the pieces of its ``RuntimeText`` that the printed code calls;
/// 6. prints an adapter for `wire conform` with ``AdapterTables``.
struct GeneratorModel: Sendable {
    let description: ProtocolDescription
    let coding: CodingPlan
    private(set) var names: CodeNames
    let messages: [BodyFields]
    let structures: [BodyFields]
    /// The unions, with the body of each arm.
    let unions: [(plan: UnionPlan, arms: [BodyFields])]
    /// The types that functions are needed for.
    let used: UsedTypes
    /// The shapes of packets: one for both senders, or one for each if packets depend on the sender; with states one for each
    /// context that makes a difference.
    let shapes: [PacketShape]
    /// How the shape of a packet follows from its context; nil without states and layers, when it follows from the sender alone.
    let context: ContextPlan?
    /// The fields of the layout that some message fixes, by their positions.
    let fixedHeaderFields: [Int]
    /// How packets are opened and sealed; nil without layers. Then ``shapes`` are the parts of packets.
    let layers: LayerPlan?

    /// Plans a checked protocol, whose names have a style.
    init(_ description: ProtocolDescription, _ style: NameStyle) {
        self.init(description, CodeNames(description, style))
    }

    /// Plans a checked protocol with names.
    init(_ description: ProtocolDescription, _ names: CodeNames) {
        self.description = description
        let coding = CodingPlan(description)
        self.coding = coding
        self.names = names
        messages = zip(coding.messages, names.messages).map { BodyFields($0, $1, coding) }
        structures = zip(coding.structures, names.structures).map { BodyFields($0, $1, coding) }
        unions = coding.unions.map { union in (union, union.arms.map { BodyFields(arm: $0.body, coding) }) }
        used = UsedTypes(description)
        // They are asked for with each message.
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

    /// Returns a name for something that a back end declares beside the types, and takes it.
    mutating func uniqueName(_ name: String) -> String { names.unique(name) }

    /// The shapes with all fields of packets.
    var wholeShapes: [PacketShape] { layers == nil ? shapes : shapes.filter { $0.part?.isFlat == true && $0.reads } }

    /// Whether code must count how deeply values nest.
    var nests: Bool {
        structures.contains(where: \.plan.countsDepth) || unions.contains(where: \.plan.countsDepth)
    }

    /// Whether the sender of a packet to write must be known.
    var dependsOnSender: Bool { context?.needsSender ?? (shapes.count > 1) }

    /// Whether who sends a packet makes a difference: to its shape, or to the states after it.
    var takesSender: Bool { dependsOnSender || context != nil }

    /// The names of the layers that the program gives.
    var transformsOfProgram: [String] { layers?.transformsOfProgram ?? [] }

    /// The numbers of a message's ID.
    var idRange: ClosedRange<Int128> {
        0...Int128(wholeShapes.map(\.layout.maximumMessageID).max() ?? 0)
    }
}

/// How packets of one sender, of both, or in some contexts look.
struct PacketShape: Sendable {
    /// The words at the end of the names of its functions: none, the sender, or the number of the shape.
    let words: [String]
    /// What of a packet with layers it is; nil for whole packets.
    let part: PacketPart?
    /// Whether it is read, and whether it is written.
    let reads: Bool
    let writes: Bool
    /// The fields of these packets.
    let layout: PacketLayout
    let readPlan: PacketReadPlan
    let writePlan: PacketWritePlan
    /// For each field of these packets its position among all fields of the protocol's packets.
    let positions: [Int]
    /// The fields that only packets of other shapes have and a program could set, by those positions.
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

    /// What is done with a part of packets.
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
        // What is given for another part has been chosen.
        guard part?.isFlat ?? true else {
            foreign = []
            return
        }
        foreign = description.layout.fields.indices.filter {
            !own.contains($0) && description.layout.isSettable(description.layout.fields[$0])
        }
    }
}
