// SPDX-License-Identifier: Apache-2.0

struct FileSyntax {
    var declarations: [DeclarationSyntax] = []
    /// The names that skipped parts may declare; the checker does not report them as unknown.
    var lostNames = LostNames()
    /// Whether a skipped part may have been the packet, so that its fields are unknown.
    var lacksPacket = false
}

/// The names that the unreadable parts of a file may declare.
struct LostNames {
    private var names: Set<String> = []
    /// Whether the file was cut off, so that any name may be declared.
    private(set) var isUnbounded = false

    mutating func insert(_ name: String) {
        names.insert(name)
    }

    mutating func insertAll() {
        isUnbounded = true
    }

    mutating func formUnion(_ other: LostNames) {
        names.formUnion(other.names)
        isUnbounded = isUnbounded || other.isUnbounded
    }

    func contains(_ name: String) -> Bool { isUnbounded || names.contains(name) }
}

struct NameSyntax {
    var text: String
    var span: SourceSpan
    /// Whether the lexer has reported it.
    var isFaulty = false
}

struct DeclarationSyntax {
    var documentation: String
    var attributes: [AttributeSyntax]
    /// The word that starts it.
    var keyword: SourceSpan
    var body: Body

    enum Body {
        case message(NameSyntax, [FieldSyntax])
        case structure(StructureSyntax)
        case union(UnionSyntax)
        case enumeration(CasesSyntax)
        case flags(CasesSyntax)
        case constant(ConstantSyntax)
        case reserved([ReservedSyntax])
        case option(OptionSyntax)
        case packet(PacketSyntax)
    }
}

/// A structure: `struct S sized(uint16) { … }`.
struct StructureSyntax {
    var name: NameSyntax
    var sizePrefix: NameSyntax?
    var fields: [FieldSyntax]
    /// Whether all fields could be read.
    var isComplete: Bool
}

/// A union: `union U : uint8 sized(uint8) { … }`.
struct UnionSyntax {
    var name: NameSyntax
    var tag: NameSyntax
    var sizePrefix: NameSyntax?
    var arms: [ArmSyntax]
    /// Whether all arms could be read.
    var isComplete: Bool
}

/// An arm of a union: `1: uint32 mileage;`, `0: nothing;` or `default: bytes other;`.
struct ArmSyntax {
    var tag: Tag
    /// The name; the field has the same.
    var name: NameSyntax
    var field: FieldSyntax?
    var documentation: String

    enum Tag {
        case number(NumberSyntax)
        case name(NameSyntax)
        case `default`(SourceSpan)

        var span: SourceSpan {
            switch self {
            case .number(let number): number.span
            case .name(let name): name.span
            case .default(let span): span
            }
        }
    }
}

/// Cases: `enum E : uint8 { … }` or `flags F : uint16 { … }`.
struct CasesSyntax {
    var name: NameSyntax
    var format: NameSyntax
    var cases: [CaseSyntax]
    var reserved: [ReservedSyntax]
    /// Whether all cases could be read.
    var isComplete: Bool
}

/// A case: `ok = 1;`.
struct CaseSyntax {
    var documentation: String
    var attributes: [AttributeSyntax]
    var name: NameSyntax
    var number: NumberSyntax
}

/// Reserved numbers: `20003` or `20010 to 20019`.
struct ReservedSyntax {
    var first: NumberSyntax
    var last: NumberSyntax

    var span: SourceSpan { first.span.through(last.span) }
}

/// A constant: `const uint8 seats = 4;`.
struct ConstantSyntax {
    var format: NameSyntax
    var name: NameSyntax
    var number: NumberSyntax
}

/// An option: `option byte_order = big;`.
struct OptionSyntax {
    var name: NameSyntax
    var value: ArgumentSyntax
}

/// The packet: `packet { … payload; … }`.
struct PacketSyntax {
    var frame: FrameSyntax?
    var states: [StateSyntax] = []
    var header: [FieldSyntax]
    var trailer: [FieldSyntax]
    var content: [ContentSyntax] = []
    /// Whether all fields could be read.
    var isComplete: Bool
}

/// A state of the connection: `state bit started;`.
struct StateSyntax {
    var documentation: String
    var typeName: NameSyntax
    var name: NameSyntax
}

/// A line about the content between header and trailer: `layer xor(session);`, `packets;` or `opaque;`.
struct ContentSyntax {
    var attributes: [AttributeSyntax]
    /// The word that begins the line.
    var word: NameSyntax
    /// The transform of a layer; nil for other lines.
    var transform: NameSyntax?
    /// The names between the parentheses of a layer.
    var arguments: [NameSyntax] = []
    /// The number of header fields before the line.
    var fieldCount: Int
}

/// The marks around packets: `frame 0x7E..0x7E { 0x7E = 0x7D02; 0x7D = 0x7D01; }`.
struct FrameSyntax {
    var keyword: SourceSpan
    var start: NumberSyntax
    var end: NumberSyntax
    var escapes: [EscapeSyntax]
    /// Whether all escapes could be read.
    var isComplete: Bool
}

/// A byte and the two bytes that replace it: `0x7E = 0x7D02;`.
struct EscapeSyntax {
    var byte: NumberSyntax
    var pair: NumberSyntax
}

/// A field: `@max(32) repeated uint8 name = 1;`.
struct FieldSyntax {
    var documentation: String
    var attributes: [AttributeSyntax]
    var optional: SourceSpan?
    var repeated: SourceSpan?
    var typeName: NameSyntax
    var brackets: [BracketsSyntax]
    /// The brackets of a `char[n]` or `bcd[n]`. They belong to the type; the checker moves them here from `brackets`.
    var size: BracketsSyntax?
    var typeText: String
    var name: NameSyntax
    var number: NumberSyntax?
    /// The number of bytes of `padding 3;`. Its type and name are the word `padding`.
    var padding: NumberSyntax?

    /// The span from the type through its brackets.
    var typeSpan: SourceSpan {
        (brackets.last ?? size).map { typeName.span.through($0.span) } ?? typeName.span
    }
}

/// Brackets: `[4]`, `[seats]` or `[]`.
struct BracketsSyntax {
    var span: SourceSpan
    var count: Count?

    enum Count {
        case number(NumberSyntax)
        case name(NameSyntax)
    }
}

/// An attribute: `@range(0..100)`.
struct AttributeSyntax {
    var name: NameSyntax
    /// The arguments; nil without parentheses.
    var arguments: [ArgumentSyntax]?
    /// The span from the `@` through the parentheses.
    var span: SourceSpan
}

/// An argument between an attribute's parentheses, or after an option's `=`.
indirect enum ArgumentSyntax {
    case number(NumberSyntax)
    case range(NumberSyntax, NumberSyntax)
    case name(NameSyntax)
    /// Alternative names: `Welcome | Failure`.
    case names([NameSyntax])
    /// All from one name through another: `id..payload`.
    case nameRange(NameSyntax, NameSyntax)
    /// A sum such as `packet - 4`; the number has its sign.
    case sum(NameSyntax, NumberSyntax)
    case string(String, SourceSpan)
    /// A value for a name: `qos = 1`.
    case assignment(NameSyntax, ArgumentSyntax)
    /// A condition, as in `@if(kind == 3)`.
    case condition(ConditionSyntax)
    /// An argument that the lexer or the parser has reported.
    case faulty(SourceSpan)

    var span: SourceSpan {
        switch self {
        case .number(let number): number.span
        case .range(let lower, let upper): lower.span.through(upper.span)
        case .name(let name): name.span
        case .names(let names): names[0].span.through(names[names.count - 1].span)
        case .nameRange(let first, let last): first.span.through(last.span)
        case .sum(let name, let number): name.span.through(number.span)
        case .condition(let condition): condition.span
        case .string(_, let span), .faulty(let span): span
        case .assignment(let name, let value): name.span.through(value.span)
        }
    }

    /// The alternative names: one, or several separated by `|`.
    var names: [NameSyntax] {
        switch self {
        case .name(let name): [name]
        case .names(let names): names
        default: []
        }
    }
}
