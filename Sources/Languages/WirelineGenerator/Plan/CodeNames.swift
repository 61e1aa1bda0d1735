// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// How a language spells the names of a schema, and the names that it reserves.
struct NameStyle: Sendable {
    enum Spelling: Sendable {
        /// As in the schema: `Cs_20001`.
        case unchanged
        /// As in the schema, with a capital: `Cs_20001`, `Point` for `point`.
        case capitalized
        /// `sceneId`
        case lowerCamel
        /// `SceneId`
        case upperCamel
        /// `scene_id`
        case snake
        /// `SCENE_ID`
        case shouting
        /// As in the schema, with a capital letter, so that other packages of Go see it: `Cs_20001`, `Point`, `X_point`
        /// for `_point`.
        case exported
        /// `SceneID`, with Swift's list of words in capitals; `X1` for `_1`.
        case exportedCamel
    }

    /// The spelling of one kind of names, and those that the language or the runtime reserves.
    struct Kind: Sendable {
        var spelling: Spelling
        var reserved: Set<String> = []
        /// Whether a taken name that consists of underscores gets one more underscore instead of a number.
        var addsUnderscores = false
    }

    /// Messages, structures, unions, enums and flags.
    var types: Kind
    var fields: Kind
    /// The cases of enums, the names of flags, the arms of unions.
    var cases: Kind
    var constants: Kind
    var headerFields: Kind
    /// The name of the field that keeps the bytes after the last known one.
    var trailing: String
    /// The suffix after the union's name, and its kind, in languages where each arm is a type.
    var arms: Kind?
    /// Whether the names of cases begin with the name of their type, and share a scope with constants.
    var prefixesCases = false
    /// Whether no member can have the name of its type.
    var membersDifferFromType = false
}

/// The names of everything that a protocol declares, in one language.
///
/// A reserved name gets `_` at its end. If names become equal, the later ones get `_2`, `_3` and so on.
struct CodeNames: Sendable {
    let messages: [Body]
    let structures: [Body]
    let unions: [Choice]
    let enumerations: [Choice]
    let flagSets: [Choice]
    let constants: [String]
    /// The fields of the packet, in wire order.
    let headerFields: [String]
    /// The states of a connection, spelled like fields of the packet.
    let states: [String]
    /// All names of types and constants, and the reserved ones.
    private var taken: Set<String>

    struct Body: Sendable {
        let name: String
        /// The names of all fields; empty for those without a value.
        let fields: [String]
        /// The field that keeps bytes after the last known one; nil if there is none.
        let trailing: String?
    }

    struct Choice: Sendable {
        let name: String
        let cases: [String]
    }

    init(_ description: ProtocolDescription, _ style: NameStyle) {
        var taken = Scope()
        func body(_ name: String, _ fields: [FieldDescription], keeps: Bool) -> Body {
            let own = taken.insert(name, style.types)
            var kind = style.fields
            if keeps { kind.reserved.insert(style.trailing) }
            if style.membersDifferFromType { kind.reserved.insert(own) }
            var names = Self.unique(
                fields.filter(\.hasValue).map { $0.alias ?? $0.name }, kind,
                besides: style.membersDifferFromType ? [own] : [])[...]
            return Body(
                name: own, fields: fields.map { $0.hasValue ? names.removeFirst() : "" },
                trailing: keeps ? style.trailing : nil)
        }
        func choice(_ name: String, _ cases: [String], isUnion: Bool = false) -> Choice {
            let own = taken.insert(name, style.types)
            let kind = isUnion ? style.arms ?? style.cases : style.cases
            guard isUnion ? style.arms != nil : style.prefixesCases else {
                return Choice(name: own, cases: Self.unique(cases, kind))
            }
            let whole = NameStyle.Kind(spelling: .unchanged, reserved: kind.reserved)
            return Choice(name: own, cases: cases.map { taken.insert(own + kind.spelling.spelled($0), whole) })
        }
        messages = description.messages.map { message in
            body(
                message.alias ?? message.name, message.fields,
                keeps: BodyPlan.End(of: message, in: description) == .kept)
        }
        structures = description.structures.map { body($0.alias ?? $0.name, $0.fields, keeps: false) }
        unions = description.unions.map {
            choice($0.alias ?? $0.name, $0.arms.map { $0.alias ?? $0.name }, isUnion: true)
        }
        enumerations = description.enumerations.map {
            choice($0.alias ?? $0.name, $0.cases.map { $0.alias ?? $0.name })
        }
        flagSets = description.flagSets.map { choice($0.alias ?? $0.name, $0.cases.map { $0.alias ?? $0.name }) }
        constants = description.constants.map { taken.insert($0.name, style.constants) }
        headerFields = Self.unique(description.layout.fields.map(\.name), style.headerFields)
        states = Self.unique(description.states.map(\.name), style.headerFields)
        self.taken = taken.names.union(style.types.reserved).union(style.constants.reserved)
    }

    /// Uses Erlang's names, which the gateway's records share.
    init(_ naming: ErlangNaming) {
        func body(_ record: ErlangNaming.Record) -> Body {
            Body(name: record.name, fields: record.fields, trailing: record.trailing)
        }
        func choice(_ choice: ErlangNaming.Choice) -> Choice { Choice(name: choice.type, cases: choice.cases) }
        messages = naming.messages.map(body)
        structures = naming.structures.map(body)
        unions = naming.unions.map(choice)
        enumerations = naming.enumerations.map(choice)
        flagSets = naming.flagSets.map(choice)
        (constants, headerFields, states) = (naming.constants, naming.packetFields, naming.states)
        taken = []
    }

    /// Returns an unused name for a back end's own declaration, and reserves it.
    mutating func unique(_ name: String) -> String { taken.insertUnique(name) }

    private static func unique(_ names: [String], _ kind: NameStyle.Kind, besides taken: Set<String> = []) -> [String] {
        var scope = Scope(names: taken)
        return names.map { scope.insert($0, kind) }
    }
}

/// Names that must differ from each other.
private struct Scope {
    private(set) var names: Set<String>
    private var numbers: [String: Int] = [:]

    init(names: Set<String> = []) { self.names = names }

    mutating func insert(_ name: String, _ kind: NameStyle.Kind) -> String {
        var spelled = kind.spelling.spelled(name)
        // A field of the type `Read_` cannot be `Read_` either.
        while kind.reserved.contains(spelled) { spelled += "_" }
        if kind.addsUnderscores, spelled.allSatisfy({ $0 == "_" }) {
            while names.contains(spelled) { spelled += "_" }
        }
        return names.insertUnique(spelled, numbers: &numbers)
    }
}

extension NameStyle.Spelling {
    /// Returns a name of the schema in this spelling.
    ///
    /// A name without letters and digits stays as it is. A leading digit gets `_` before it.
    func spelled(_ name: String) -> String {
        switch self {
        case .unchanged: return name
        case .capitalized: return name.prefix(1).uppercased() + name.dropFirst()
        case .exported:
            return name.first?.isLetter == true ? NameStyle.Spelling.capitalized.spelled(name) : "X" + name
        case .exportedCamel:
            let words = SwiftWords.capitalizedCamel(name)
            return words.first?.isLetter == true ? words : "X" + words
        default: break
        }
        let words = NameWords.words(of: name)
        guard let first = words.first else { return name }
        let joined: String
        switch self {
        case .unchanged, .capitalized, .exported, .exportedCamel: joined = name
        case .lowerCamel:
            joined = first.lowercased() + words.dropFirst().map(Self.capitalized).joined()
        case .upperCamel: joined = words.map(Self.capitalized).joined()
        case .snake: joined = words.map { $0.lowercased() }.joined(separator: "_")
        case .shouting: joined = words.map { $0.uppercased() }.joined(separator: "_")
        }
        return joined.first?.isNumber == true ? "_" + joined : joined
    }

    private static func capitalized(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }
}

extension NameWords {
    /// Returns a name of the runtime in snake case: `put_u16_little` for `putU16Little`.
    static func snake(_ name: String) -> String { words(of: name).map { $0.lowercased() }.joined(separator: "_") }
}
