// SPDX-License-Identifier: Apache-2.0

/// What one file declares, as it is written.
struct FileSyntax {
    var declarations: [DeclarationSyntax] = []
    /// What was left out may have declared these, so that it says nothing that they are unknown.
    var lostNames = LostNames()
    /// Something was left out that may have been the packet, so that nothing is known of its fields.
    var lacksPacket = false
}

/// The names that the unreadable parts of a file may declare.
struct LostNames {
    /// Those that stand in what was left out.
    private var names: Set<String> = []
    /// The file was cut off, so that there may be any.
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

/// A name and where it stands.
struct NameSyntax {
    var text: String
    var span: SourceSpan
    /// The lexer has reported it.
    var isFaulty = false
}

/// One thing at the top level.
struct DeclarationSyntax {
    var documentation: String
    var attributes: [AttributeSyntax]
    /// The word that starts it.
    var keyword: SourceSpan
    var body: Body

    enum Body {
        case message(NameSyntax, [FieldSyntax])
        case structure(StructureSyntax)
        case enumeration(CasesSyntax)
        case flags(CasesSyntax)
        case constant(ConstantSyntax)
        case reserved([ReservedSyntax])
        case option(OptionSyntax)
        case packet(PacketSyntax)
    }
}

/// `struct S sized(uint16) { … }`
struct StructureSyntax {
    var name: NameSyntax
    var sizePrefix: NameSyntax?
    var fields: [FieldSyntax]
    /// No field had to be left out.
    var isComplete: Bool
}

/// `enum E : uint8 { … }` or `flags F : uint16 { … }`
struct CasesSyntax {
    var name: NameSyntax
    var format: NameSyntax
    var cases: [CaseSyntax]
    var reserved: [ReservedSyntax]
    /// No case had to be left out.
    var isComplete: Bool
}

/// `ok = 1;`
struct CaseSyntax {
    var documentation: String
    var attributes: [AttributeSyntax]
    var name: NameSyntax
    var number: NumberSyntax
}

/// `20003` or `20010 to 20019`
struct ReservedSyntax {
    var first: NumberSyntax
    var last: NumberSyntax

    var span: SourceSpan { first.span.through(last.span) }
}

/// `const uint8 seats = 4;`
struct ConstantSyntax {
    var format: NameSyntax
    var name: NameSyntax
    var number: NumberSyntax
}

/// `option byte_order = big;`
struct OptionSyntax {
    var name: NameSyntax
    var value: ArgumentSyntax
}

/// `packet { … payload; … }`
struct PacketSyntax {
    var header: [FieldSyntax]
    var trailer: [FieldSyntax]
    /// No field had to be left out.
    var isComplete: Bool
}

/// `@max(32) repeated uint8 name = 1;`
struct FieldSyntax {
    var documentation: String
    var attributes: [AttributeSyntax]
    var optional: SourceSpan?
    var repeated: SourceSpan?
    var typeName: NameSyntax
    var brackets: [BracketsSyntax]
    /// The type with its brackets, as it is written.
    var typeText: String
    var name: NameSyntax
    var number: NumberSyntax?

    /// From the type through the brackets behind it.
    var typeSpan: SourceSpan {
        brackets.last.map { typeName.span.through($0.span) } ?? typeName.span
    }
}

/// `[4]`, `[seats]` or `[]`
struct BracketsSyntax {
    var span: SourceSpan
    var count: Count?

    enum Count {
        case number(NumberSyntax)
        case name(NameSyntax)
    }
}

/// `@range(0..100)`
struct AttributeSyntax {
    var name: NameSyntax
    /// nil without parentheses.
    var arguments: [ArgumentSyntax]?
    /// From the `@` through the parentheses.
    var span: SourceSpan
}

/// What stands between an attribute's parentheses, or behind an option's `=`.
enum ArgumentSyntax {
    case number(NumberSyntax)
    case range(NumberSyntax, NumberSyntax)
    case name(NameSyntax)
    /// `packet - 4`: the number has its sign.
    case sum(NameSyntax, NumberSyntax)
    case string(String, SourceSpan)
    /// The lexer or the parser has reported it.
    case faulty(SourceSpan)

    var span: SourceSpan {
        switch self {
        case .number(let number): number.span
        case .range(let lower, let upper): lower.span.through(upper.span)
        case .name(let name): name.span
        case .sum(let name, let number): name.span.through(number.span)
        case .string(_, let span), .faulty(let span): span
        }
    }
}
