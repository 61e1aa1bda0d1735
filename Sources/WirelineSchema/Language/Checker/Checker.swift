// SPDX-License-Identifier: Apache-2.0

/// Resolves what the files of a folder say into a ``ProtocolDescription``, and reports what cannot be.
///
/// After a report it goes on with something harmless in place of what was wrong, so that one mistake is one problem;
/// the description is thrown away then.
struct Checker {
    let reporter: Reporter
    var description: ProtocolDescription
    var spelling = Spelling()
    /// Everything at the top level that has a name; of two with one name the first.
    var symbols: [String: Symbol] = [:]
    /// What the unreadable parts of the files may declare, so that it says nothing that it is unknown.
    var lostNames = LostNames()
    /// Where types are written that nothing declares, in order of first appearance.
    var unknownTypes: [(name: String, spans: [SourceSpan])] = []
    var unknownTypeIndices: [String: Int] = [:]

    var declarations = Declarations()
    /// Where `option max_packet` stands.
    var maximumPacketSpan: SourceSpan?
    /// The packet's layout could not be made; the standard one stands in for it.
    var hasFaultyLayout = false
    /// The fields of each message and structure, side by side with those in the description.
    var messageFields: [[ResolvedField]] = []
    var structureFields: [[ResolvedField]] = []
    /// The names and numbers of each enum and each flags.
    var enumerationTables: [CaseTable] = []
    var flagTables: [CaseTable] = []
    /// How large each structure is.
    var structureFootprints: [Footprint] = []
    /// Why each structure cannot be zero in all parts, if it cannot.
    var structureZeroFaults: [String?] = []
    /// The messages that have an ID in a packet that has no field for it.
    var homelessIDs: [(name: String, span: SourceSpan)] = []
    /// Whether the ID and the direction of each message are known.
    var identifiedMessages: [Bool] = []

    init(name: String, reporter: Reporter) {
        self.reporter = reporter
        description = ProtocolDescription(name: name)
    }

    mutating func check(_ trees: [FileSyntax]) -> ProtocolDescription {
        for tree in trees { lostNames.formUnion(tree.lostNames) }
        declare(trees.flatMap(\.declarations))
        hasFaultyLayout = declarations.packets.isEmpty && trees.contains(where: \.lacksPacket)
        checkOptions()
        checkPacket()
        for constant in declarations.constants { checkConstant(constant) }
        for enumeration in declarations.enumerations { checkEnumeration(enumeration) }
        for flags in declarations.flags { checkFlags(flags) }
        checkAliases()
        checkFields()
        reportUnknownTypes()
        checkReservedIDs()
        checkMessages()
        checkSizes()
        return description
    }
}

/// What a name at the top level stands for.
struct Symbol {
    var meaning: Meaning
    var span: SourceSpan

    /// With the index in the description's list of its kind.
    enum Meaning {
        case message(Int)
        case structure(Int)
        case enumeration(Int)
        case flags(Int)
        case constant(Int)

        var noun: String {
            switch self {
            case .message: "a message"
            case .structure: "a struct"
            case .enumeration: "an enum"
            case .flags: "flags"
            case .constant: "a constant"
            }
        }
    }
}

/// A declaration, taken apart by kind.
struct Declared<Syntax> {
    var declaration: DeclarationSyntax
    var syntax: Syntax
}

/// All declarations of a folder, by kind, in order.
struct Declarations {
    var messages: [Declared<(name: NameSyntax, fields: [FieldSyntax])>] = []
    var structures: [Declared<StructureSyntax>] = []
    var enumerations: [Declared<CasesSyntax>] = []
    var flags: [Declared<CasesSyntax>] = []
    var constants: [Declared<ConstantSyntax>] = []
    var reserved: [Declared<[ReservedSyntax]>] = []
    var options: [Declared<OptionSyntax>] = []
    var packets: [Declared<PacketSyntax>] = []
}

/// A field, and where to point when something about it is wrong.
struct ResolvedField {
    var description: FieldDescription
    var nameSpan: SourceSpan
    var typeSpan: SourceSpan
    /// The type as it is written, for messages.
    var typeName: String
    /// Its type is unknown and something else stands in for it.
    var isFaulty: Bool
}
