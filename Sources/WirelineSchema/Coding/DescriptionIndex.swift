// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What is looked up again and again in a description, worked out once.
struct DescriptionIndex: Sendable {
    let description: ProtocolDescription
    let messages: [FieldList]
    let structures: [FieldList]
    let enumerations: [NameTable]
    let flagSets: [NameTable]
    /// The fewest bytes of each structure.
    private let minimumByteCounts: MinimumByteCounts
    private let messagesByName: [String: Int]
    private let messagesByID: [Sender: [UInt64: Int]]

    init(_ description: ProtocolDescription) {
        self.description = description
        let enumerations = description.enumerations.map { NameTable($0.cases) }
        let flagSets = description.flagSets.map { NameTable($0.cases) }
        var defaults = DefaultValues(description, enumerations: enumerations, flagSets: flagSets)
        messages = description.messages.map { FieldList($0.fields, &defaults) }
        structures = description.structures.map { FieldList($0.fields, &defaults) }
        self.enumerations = enumerations
        self.flagSets = flagSets
        minimumByteCounts = MinimumByteCounts(description)

        var names: [String: Int] = [:]
        for (index, message) in description.messages.enumerated() { names[message.name] = names[message.name] ?? index }
        for (index, message) in description.messages.enumerated() {
            if let alias = message.alias { names[alias] = names[alias] ?? index }
        }
        messagesByName = names
        var identifiers: [Sender: [UInt64: Int]] = [:]
        for (index, message) in description.messages.enumerated() {
            for sender in message.senders { identifiers[sender, default: [:]][message.id] = index }
        }
        messagesByID = identifiers
    }

    /// The index of the message with this schema name or `@name`.
    func message(named name: String) -> Int? {
        guard let index = messagesByName[name] else { return nil }
        let message = description.messages[index]
        return message.name.hasSameBytes(as: name) || message.alias?.hasSameBytes(as: name) == true ? index : nil
    }

    /// The index of the message with this ID that `sender` may send.
    func message(id: UInt64, from sender: Sender) -> Int? { messagesByID[sender]?[id] }

    /// The fewest bytes that a value of this type takes.
    func minimumByteCount(of type: TypeDescription) -> Int { minimumByteCounts.byteCount(of: type) }
}

/// The fields of a message or a structure, found by name.
struct FieldList: Sendable {
    let fields: [FieldDescription]
    /// What each `@since` field is when it is absent.
    let defaults: [JSONValue?]
    private let indices: [String: Int]

    init(_ fields: [FieldDescription], _ defaults: inout DefaultValues) {
        self.fields = fields
        self.defaults = fields.map { defaults.value(of: $0) }
        indices = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The index of the field with exactly this name.
    ///
    /// - Parameter expected: Where it is when members stand in the order of the fields.
    func index(of name: String, expected: Int) -> Int? {
        if fields.indices.contains(expected), fields[expected].name.hasSameBytes(as: name) { return expected }
        guard let index = indices[name], fields[index].name.hasSameBytes(as: name) else { return nil }
        return index
    }

    var names: [String] { fields.map(\.name) }
}

/// The cases of an enum or a set of flags, by name and by number.
struct NameTable: Sendable {
    let cases: [EnumerationDescription.Case]
    private let indicesByName: [String: Int]
    private let namesByValue: [Int128: String]

    init(_ cases: [EnumerationDescription.Case]) {
        self.cases = cases
        indicesByName = Dictionary(cases.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        namesByValue = Dictionary(cases.map { ($0.value, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    /// The number of the case with exactly this name.
    func value(named name: String) -> Int128? {
        guard let index = indicesByName[name], cases[index].name.hasSameBytes(as: name) else { return nil }
        return cases[index].value
    }

    /// The name of the first case with this number.
    func name(of value: Int128) -> String? { namesByValue[value] }

    /// The value of an enum: its name, or its number when it has none.
    func json(enumeration value: Int128) -> JSONValue {
        name(of: value).map { .string($0) } ?? .exactInteger(value)
    }

    /// The value of flags: the masks that lie wholly inside, in the order of their declaration and as far as each adds a
    /// bit, and then one number for the bits that are left.
    func json(flags value: Int128) -> JSONValue {
        var items: [JSONValue] = []
        var covered: Int128 = 0
        for flag in cases where flag.value & value == flag.value && flag.value & ~covered != 0 {
            items.append(.string(flag.name))
            covered |= flag.value
        }
        if value & ~covered != 0 { items.append(.exactInteger(value & ~covered)) }
        return .array(items)
    }
}

extension JSONValue {
    /// An integer that every reader of JSON understands: a string beyond ±(2^53 − 1), where readers that know only
    /// 64-bit floats would change it.
    static func exactInteger(_ value: Int128) -> JSONValue {
        value.magnitude <= (1 << 53) - 1 ? .integer(value) : .string(String(value))
    }

    /// A float: its shortest digits, or its name where JSON has no number for it.
    static func float(_ value: Double) -> JSONValue {
        JSONNumber(value).map { .number($0) } ?? .string(nonfiniteName(of: value))
    }

    /// A float: its shortest digits as a `Float`, or its name where JSON has no number for it.
    static func float(_ value: Float) -> JSONValue {
        JSONNumber(value).map { .number($0) } ?? .string(nonfiniteName(of: Double(value)))
    }

    private static func nonfiniteName(of value: Double) -> String {
        value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"
    }
}
