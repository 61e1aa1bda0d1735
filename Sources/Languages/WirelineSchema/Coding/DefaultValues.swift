// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The values of `@since` fields if the bytes end before them.
struct DefaultValues {
    private let description: ProtocolDescription
    private let enumerations: [EnumerationPlan]
    private let flagSets: [EnumerationPlan]
    private var structures: [JSONValue]

    init(_ description: ProtocolDescription, enumerations: [EnumerationPlan], flagSets: [EnumerationPlan]) {
        self.description = description
        self.enumerations = enumerations
        self.flagSets = flagSets
        structures = Array(repeating: .object([]), count: description.structures.count)
        let graph = StructureGraph(description.bodies) { field in
            field.presence.isInZero ? description.bodyByValue(of: field.type) : nil
        }
        let starts = description.allFields.compactMap { field in
            if case .since = field.presence { description.bodyByValue(of: field.type) } else { nil }
        }
        // Only defaults that are needed are made: the zeros of fixed lists can be large.
        let needed = Set(graph.reached(from: starts))
        // A structure that nests more deeply than the protocol allows gets an empty default. The checker lets no
        // message contain it, and a chain of structures may be deeper than the program's stack.
        let depths = graph.depths()
        for index in graph.innermostFirst where index < structures.count && needed.contains(index) {
            guard depths[index] <= description.options.maximumDepth else { continue }
            structures[index] = defaultValue(ofStructure: index)
        }
    }

    private func defaultValue(ofStructure index: Int) -> JSONValue {
        let fields = description.structures[index].fields.filter { $0.hasValue && $0.presence.isInZero }
        return .object(fields.map { JSONValue.Member($0.name, value(of: $0) ?? zero($0.type)) })
    }

    /// Returns the default of a `@since` field; nil for other fields.
    func value(of field: FieldDescription) -> JSONValue? {
        guard case .since(_, let value) = field.presence else { return nil }
        return json(value, field.type)
    }

    func constant(of field: FieldDescription) -> PlannedConstant? { description.constant(of: field) }

    private func json(_ value: DefaultValue, _ type: TypeDescription) -> JSONValue {
        switch value {
        case .integer(let value): return integer(value, type)
        case .float(let value):
            guard case .float(let format, _) = type else { return .float(value) }
            return .float(value, format)
        case .string(let text):
            if case .bytes = type { return .string(Base64.encode(Array(text.utf8))) }
            return .string(text)
        case .zero: return zero(type)
        }
    }

    private func integer(_ value: Int128, _ type: TypeDescription) -> JSONValue {
        switch type {
        case .boolean, .bit: .boolean(value != 0)
        case .enumeration(let index, _): enumerations[index].json(enumeration: value)
        case .flags(let index, _): flagSets[index].json(flags: value)
        case .float: .float(Double(value))
        default: .exactInteger(value)
        }
    }

    private func zero(_ type: TypeDescription) -> JSONValue {
        if let value = type.zero { return json(value, type) }
        switch type {
        case .bytes(.exact(let byteCount)): return .string(Base64.encode([UInt8](repeating: 0, count: byteCount)))
        case .bytes: return .string("")
        case .properties: return .object([])
        case .list: return .array([])
        case .fixedList(let element, let count): return .array(Array(repeating: zero(element), count: count))
        case .structure(let index): return structures[index]
        case .sized(let content, _): return zero(content)
        // A union has no zero, so the checker allows no such default.
        default: return .null
        }
    }
}
