// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The Erlang names of everything that a protocol declares, without quotes and without ambiguity.
///
/// The generator of Erlang and the translation of packets to records share these names.
///
/// `SceneId`, `sceneID` and `scene_id` all become `scene_id`. A name that does not begin with a letter stays unchanged.
/// If names become equal, the later ones get a number.
package struct ErlangNaming {
    /// The name of the module and the header file: `scene_protocol`.
    package let module: String
    package let messages: [Record]
    package let structures: [Record]
    package let unions: [Choice]
    package let enumerations: [Choice]
    package let flagSets: [Choice]
    /// The keys of a header, in wire order.
    package private(set) var packetFields: [String]
    /// The names of the macros for constants.
    package let constants: [String]
    package let states: [String]
    /// The options that layers need, by their names in the schema: keys, and the program's own transforms.
    package let layers: [String: String]

    /// A record, with a type of the same name.
    package struct Record {
        package let name: String
        /// The names of all fields; empty for those without a value.
        package let fields: [String]
        /// The field that keeps the bytes after the last known field; nil if there are none.
        package let trailing: String?
    }

    package struct Choice {
        package let type: String
        package let cases: [String]
    }

    package init(_ description: ProtocolDescription) {
        module = description.fileStem + "_protocol"

        var taken = Self.reserved
        messages = description.messages.map { message in
            let keeps = BodyPlan.End(of: message, in: description) == .kept
            return Self.record(message.alias ?? message.name, message.fields, keeps: keeps, &taken)
        }
        structures = description.structures.map { Self.record($0.alias ?? $0.name, $0.fields, keeps: false, &taken) }
        unions = description.unions.map { union in
            Self.choice(union.alias ?? union.name, union.arms.map { $0.alias ?? $0.name }, &taken)
        }
        enumerations = description.enumerations.map {
            Self.choice($0.alias ?? $0.name, $0.cases.map(\.shownName), &taken)
        }
        flagSets = description.flagSets.map { Self.choice($0.alias ?? $0.name, $0.cases.map(\.shownName), &taken) }
        packetFields = Self.unique(description.layout.fields.map(\.name))
        states = Self.unique(description.states.map(\.name))
        let needs = description.layout.content.needs
        // The names of other members of the map.
        let reserved: Set = ["threshold", "zlib_level", "brotli"]
        layers = Dictionary(uniqueKeysWithValues: zip(needs, Self.unique(needs, besides: reserved)))
        let prefix = module.dropLast("protocol".count).uppercased()
        constants = Self.unique(description.constants.map(\.name)).map { prefix + $0.uppercased() }
    }

    /// Replaces the keys of a header.
    package func with(packetFields: [String]) -> ErlangNaming {
        var result = self
        result.packetFields = packetFields
        return result
    }

    private static func record(
        _ name: String, _ fields: [FieldDescription], keeps: Bool, _ taken: inout Set<String>
    ) -> Record {
        var names = unique(fields.filter(\.hasValue).map { $0.alias ?? $0.name } + (keeps ? ["trailing"] : []))[...]
        return Record(
            name: unique(name, &taken), fields: fields.map { $0.hasValue ? names.removeFirst() : "" },
            trailing: keeps ? names.last : nil)
    }

    private static func choice(_ name: String, _ cases: [String], _ taken: inout Set<String>) -> Choice {
        // `undefined` stands for an optional field that is not set.
        Choice(type: unique(name, &taken), cases: unique(cases, besides: ["undefined"]))
    }

    private static func unique(_ names: [String], besides reserved: Set<String> = []) -> [String] {
        var taken = reserved
        var numbers: [String: Int] = [:]
        return names.map { taken.insertUnique(word($0), numbers: &numbers) }
    }

    private static func unique(_ name: String, _ taken: inout Set<String>) -> String {
        taken.insertUnique(word(name))
    }

    private static func word(_ name: String) -> String {
        let words = NameWords.words(of: name).map { $0.lowercased() }.joined(separator: "_")
        let plain = words.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } == true
        return plain ? words : name
    }

    /// Names that types and records cannot have: Erlang's own types, the types of every module, and the tag of
    /// undefined messages.
    private static let reserved = words.union(FloatFormat.allCases.map(\.name))

    private static let words: Set<String> = [
        "any", "arity", "array", "atom", "binary", "bitstring", "bool", "boolean", "byte", "char", "dict", "digraph",
        "dynamic", "float", "function", "gb_set", "gb_tree", "identifier", "integer", "iodata", "iolist", "list", "map",
        "maybe_improper_list", "mfa", "module", "neg_integer", "nil", "no_return", "node", "nominal", "non_neg_integer",
        "none", "nonempty_binary", "nonempty_bitstring", "nonempty_improper_list", "nonempty_list",
        "nonempty_maybe_improper_list", "nonempty_string", "number", "opaque", "pid", "port", "pos_integer", "product",
        "queue", "record", "reference", "set", "string", "term", "tid", "timeout", "tuple", "union", "var",
        "message", "cs_message", "sc_message", "unknown", "header", "context", "error", "reason",
    ]
}

extension PacketContent {
    /// The names of keys and of the program's own transforms, each once.
    fileprivate var needs: [String] {
        let names = layers.flatMap { layer in layer.kind.arguments.filter { $0 != layer.kind.vectorField } }
        return names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
    }
}

extension EnumerationDescription.Case {
    fileprivate var shownName: String { alias ?? name }
}
