// SPDX-License-Identifier: Apache-2.0

/// Resolves the files of a folder into a ``ProtocolDescription``, and reports errors.
///
/// After an error it continues with a harmless substitute, so that one mistake is one problem. The description is then
/// discarded.
struct Checker {
    let reporter: Reporter
    var description: ProtocolDescription
    var spelling = Spelling()
    /// All names at the top level; if two declarations share a name, the first one's.
    var symbols: [String: Symbol] = [:]
    /// The names that unreadable parts of the files may declare; they are not reported as unknown.
    var lostNames = LostNames()
    /// The places of undeclared types, in order of first appearance.
    var unknownTypes: [(name: String, spans: [SourceSpan])] = []
    var unknownTypeIndices: [String: Int] = [:]
    /// The enums and flags whose integer type was reported and replaced by a substitute.
    var formatlessTypes: Set<String> = []
    /// Whether the parser skipped something, perhaps fields.
    var lacksParts = false

    var declarations = Declarations()
    /// The place of `option max_packet`.
    var maximumPacketSpan: SourceSpan?
    /// Whether the packet's layout is invalid; the standard layout then replaces it.
    var hasFaultyLayout = false
    /// The fields of each message and structure, in the order of the description.
    var messageFields: [[ResolvedField]] = []
    var structureFields: [[ResolvedField]] = []
    /// The fields in the arms of each union, without those of `default` arms.
    var unionFields: [[ResolvedField]] = []
    var earlierFields = EarlierFields()
    var enumerationTables: [CaseTable] = []
    var flagTables: [CaseTable] = []
    /// The sizes of all types; ``checkSizes()`` computes those of structures and unions.
    var sizes: WireSizes
    /// The footprint of each structure, then of each union.
    var bodyFootprints: [Footprint] = []
    /// The reason for each structure that cannot be all zeros; nil for others.
    var structureZeroFaults: [String?] = []
    /// The messages that have an ID although the packet has no field for it.
    var idsWithoutField: [(name: String, span: SourceSpan)] = []
    /// Whether the ID and the direction of each message are known.
    var identifiedMessages: [Bool] = []

    init(name: String, reporter: Reporter) {
        self.reporter = reporter
        description = ProtocolDescription(name: name)
        sizes = WireSizes(description)
    }

    mutating func check(_ trees: [FileSyntax]) -> ProtocolDescription {
        for tree in trees { lostNames.formUnion(tree.lostNames) }
        lacksParts = reporter.hasErrors
        declare(trees.flatMap(\.declarations))
        hasFaultyLayout = declarations.packets.isEmpty && trees.contains(where: \.lacksPacket)
        checkOptions()
        for constant in declarations.constants { checkConstant(constant) }
        for enumeration in declarations.enumerations { checkEnumeration(enumeration) }
        for flags in declarations.flags { checkFlags(flags) }
        // A field of the packet may be an enum or flags.
        checkPacket()
        checkAliases()
        warnAboutHiddenTypes()
        checkFields()
        checkUnionEnds()
        reportUnknownTypes()
        checkReservedIDs()
        checkMessages()
        checkSizes()
        return description
    }
}

struct Symbol {
    var meaning: Meaning
    var span: SourceSpan

    /// The kind, with the index in the description's list of that kind.
    enum Meaning {
        case message(Int)
        case structure(Int)
        case union(Int)
        case enumeration(Int)
        case flags(Int)
        case constant(Int)

        var noun: String {
            switch self {
            case .message: "a message"
            case .structure: "a struct"
            case .union: "a union"
            case .enumeration: "an enum"
            case .flags: "flags"
            case .constant: "a constant"
            }
        }
    }
}

struct Declared<Syntax> {
    var declaration: DeclarationSyntax
    var syntax: Syntax
}

/// All declarations of a folder, by kind, in order.
struct Declarations {
    var messages: [Declared<(name: NameSyntax, fields: [FieldSyntax])>] = []
    var structures: [Declared<StructureSyntax>] = []
    var unions: [Declared<UnionSyntax>] = []
    var enumerations: [Declared<CasesSyntax>] = []
    var flags: [Declared<CasesSyntax>] = []
    var constants: [Declared<ConstantSyntax>] = []
    var reserved: [Declared<[ReservedSyntax]>] = []
    var options: [Declared<OptionSyntax>] = []
    var packets: [Declared<PacketSyntax>] = []
}

/// A field, with the places that error messages mark.
struct ResolvedField {
    var description: FieldDescription
    var nameSpan: SourceSpan
    var typeSpan: SourceSpan
    /// The type as it is written, for error messages.
    var typeName: String
    /// Whether its type is unknown and replaced by a substitute.
    var isFaulty: Bool
}
