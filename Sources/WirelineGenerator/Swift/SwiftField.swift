// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A field with its names in Swift.
struct SwiftField {
    let description: FieldDescription
    /// Its place among the fields, as errors are told it.
    let index: Int
    /// The property, without backticks.
    let name: String
    /// The property that holds the value; another one where the field is deprecated, so that generated code can speak
    /// of it without a warning.
    let storage: String
    /// The type of the value, when there is one.
    let valueType: String
    /// What the memberwise initialiser takes when nothing is said.
    let defaultValue: String?

    var type: TypeDescription { description.type }
    var isOptional: Bool { description.presence == .optional }
    var isRequired: Bool { description.presence == .required }
    /// The type of the property.
    var propertyType: String { valueType + (isOptional ? "?" : "") }
    /// How code in a method speaks of the value; never shadowed by a local name.
    var access: String { "self." + SwiftIdentifier.quoted(storage) }

    /// The fields of a message or a structure.
    ///
    /// - Parameter reserved: Names of other members.
    static func all(_ list: [FieldDescription], _ types: SwiftTypes, reserved: Set<String>) -> [SwiftField] {
        let wanted = list.map { SwiftWords.lowerCamel($0.alias ?? $0.name, fallback: "value") }
        let names = SwiftIdentifier.members(wanted, reserved: reserved)
        var taken = reserved.union(names)
        return zip(list, names).enumerated().map { index, pair in
            let (description, name) = pair
            let storage =
                description.deprecation == nil
                ? name : SwiftIdentifier.unique(name + "Storage", among: &taken)
            var defaultValue: String?
            switch description.presence {
            case .required: break
            case .optional: defaultValue = "nil"
            case .since(_, let value): defaultValue = types.value(value, of: description.type)
            }
            return SwiftField(
                description: description, index: index, name: name, storage: storage,
                valueType: types.text(description.type), defaultValue: defaultValue)
        }
    }
}

/// Fields whose first bytes follow one another without a gap, so that they are checked together.
struct SwiftRun {
    /// The fields that stand in the run; what is behind the prefix of the last one is not a part of it.
    var parts: [(field: SwiftField, offset: Int)] = []
    var byteCount = 0
    /// Whether the last part is the count of something that follows.
    var endsInCount = false

    /// Splits fields where something of variable width stands. Fields that have no part in a run are one without bytes.
    static func split(_ fields: [SwiftField], _ types: SwiftTypes) -> [SwiftRun] {
        var runs: [SwiftRun] = []
        var open: SwiftRun?
        for field in fields {
            let width = types.partByteCount(field.type)
            // A field that may be missing is looked for on its own.
            if !field.isRequired || width == nil {
                if let run = open { runs.append(run) }
                open = nil
            }
            var run = open ?? SwiftRun()
            run.parts.append((field, run.byteCount))
            run.byteCount += width ?? 0
            run.endsInCount = types.scalarByteCount(field.type) == nil
            if field.isRequired, !run.endsInCount {
                open = run
            } else {
                runs.append(run)
                open = nil
            }
        }
        return runs + [open].compactMap { $0 }
    }
}

extension SwiftTypes {
    /// The bytes that a field takes in a run: all of a number, the count of a string or a list; nil where there are
    /// none of fixed width.
    func partByteCount(_ type: TypeDescription) -> Int? {
        switch type {
        case .string(.counted(let format, _)), .bytes(.counted(let format, _)), .list(_, .counted(let format, _)):
            format.fixedByteCount
        default: scalarByteCount(type)
        }
    }

    /// What errors are told of the fields: their names, and the bytes that each takes in a run.
    func fieldTable(_ fields: [SwiftField]) -> String {
        fields.map { field in
            var byteCount = partByteCount(field.type) ?? 0
            if case .structure(let index) = field.type {
                byteCount = description.structures[index].sizePrefix?.fixedByteCount ?? 0
            }
            return "\(field.description.name) \(byteCount)"
        }.joined(separator: " ")
    }
}
