// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A field with its Swift names.
struct SwiftField {
    let description: FieldDescription
    /// The index among the fields, which errors use.
    let index: Int
    /// The name of the property, without backticks.
    let name: String
    /// The property that stores the value.
    ///
    /// It differs from `name` if the field is deprecated, so that generated code can use it without a warning.
    let storage: String
    /// The type of the value if it is present.
    let valueType: String
    /// The default argument of the memberwise initializer.
    let defaultValue: String?

    var type: TypeDescription { description.type }
    var isOptional: Bool { description.presence == .optional }
    var isRequired: Bool { description.presence == .required }
    /// The type of the property.
    var propertyType: String { valueType + (isOptional ? "?" : "") }
    /// The expression for the value inside a method; no local name shadows it.
    var access: String { "self." + SwiftIdentifier.quoted(storage) }

    /// Returns the fields of a message or a structure.
    ///
    /// - Parameter reserved: The names of other members.
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

/// Fields whose first bytes follow each other without a gap, so that they are checked together.
struct SwiftRun {
    /// The fields of the run. Of the last field, only the count belongs to it.
    var parts: [(field: SwiftField, offset: Int)] = []
    var byteCount = 0
    /// Whether the last part is the count of content that follows.
    var endsInCount = false

    /// Splits fields after each part of variable width. A field without a part gets a run of no bytes.
    static func split(_ fields: [SwiftField], _ types: SwiftTypes) -> [SwiftRun] {
        var runs: [SwiftRun] = []
        var open: SwiftRun?
        for field in fields {
            let width = types.partByteCount(field.type)
            // A field that may be missing is checked separately.
            if !field.isRequired || width == nil {
                if let run = open { runs.append(run) }
                open = nil
            }
            var run = open ?? SwiftRun()
            // Without this, each field would copy the ones before it.
            open = nil
            run.parts.append((field, run.byteCount))
            run.byteCount += width ?? 0
            run.endsInCount = types.scalarByteCount(field.type) == nil
            if field.isRequired, !run.endsInCount { open = run } else { runs.append(run) }
        }
        return runs + [open].compactMap { $0 }
    }
}

extension SwiftTypes {
    /// Returns the bytes of a field in a run: a whole number, or the count of a string or a list.
    ///
    /// Returns nil if the field has no part of fixed width.
    func partByteCount(_ type: TypeDescription) -> Int? {
        switch type {
        case .string(.counted(let format, _)), .bytes(.counted(let format, _)), .list(_, .counted(let format, _)):
            format.fixedByteCount
        default: scalarByteCount(type)
        }
    }

    /// Returns the fields for errors: their names, and the bytes that each one takes in a run.
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
