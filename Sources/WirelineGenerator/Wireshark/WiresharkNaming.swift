// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The parts of Wireshark's filter names of everything that a protocol declares; none twice where it could be confused.
///
/// They are made of the schema's own names: `SceneId`, `sceneID` and `scene_id` are all `scene_id`. Of names that become
/// equal the later ones get a number.
struct WiresharkNaming {
    /// The protocol's: `scene`.
    let filter: String
    let messages: [Record]
    let structures: [Record]
    /// The cases of each `flags`.
    let flagSets: [[String]]
    /// Header and trailer, in the order of the wire.
    let packetFields: [String]

    struct Record {
        let name: String
        let fields: [String]
    }

    init(_ description: ProtocolDescription) {
        filter = Self.filter(description.fileStem)
        // What every protocol has.
        var taken: Set<String> = [
            "packet", "message", "id", "sender", "payload", "trailing", "unknown", "torn", "error", "note",
        ]
        messages = description.messages.map { Self.record($0.name, $0.fields, &taken) }
        structures = description.structures.map { Self.record($0.name, $0.fields, &taken) }
        // A field has these behind its name too.
        flagSets = description.flagSets.map { Self.unique($0.cases.map(\.name), besides: ["list", "count"]) }
        packetFields = Self.unique(description.layout.fields.map(\.name))
    }

    /// Words of Wireshark's filter language, which no protocol may have for a name; nor may it have a single letter.
    private static let filterWords: Set<String> = [
        "all", "all_eq", "all_ne", "and", "any", "any_eq", "any_ne", "bitand", "bitwise_and", "contains", "eq", "ge",
        "gt",
        "in", "le", "lt", "matches", "ne", "not", "or", "xor",
    ]

    private static func filter(_ stem: String) -> String {
        stem.utf8.count == 1 || filterWords.contains(stem) ? "wire_" + stem : stem
    }

    private static func record(_ name: String, _ fields: [FieldDescription], _ taken: inout Set<String>) -> Record {
        Record(name: taken.insertUnique(word(name)), fields: unique(fields.map(\.name)))
    }

    private static func unique(_ names: [String], besides reserved: Set<String> = []) -> [String] {
        var taken = reserved
        return names.map { taken.insertUnique(word($0)) }
    }

    private static func word(_ name: String) -> String {
        let words = SwiftWords.words(of: name).map { $0.lowercased() }
        return words.isEmpty ? "field" : words.joined(separator: "_")
    }
}

extension ProtocolDescription {
    /// The protocol's name in small letters with `_` between the words, as part of a file's name: `scene`.
    var fileStem: String {
        let words = SwiftWords.words(of: name).map { $0.lowercased() }
        let stem = words.isEmpty ? "wire" : words.joined(separator: "_")
        return (stem.first?.isNumber == true ? "wire_" : "") + stem
    }
}

extension Set<String> {
    /// Inserts a name, or what a number makes of it where it is in the set already.
    mutating func insertUnique(_ wanted: String) -> String {
        var result = wanted
        var number = 2
        while !insert(result).inserted {
            result = "\(wanted)_\(number)"
            number += 1
        }
        return result
    }
}
