// SPDX-License-Identifier: Apache-2.0

extension Checker {
    /// Checks that fields that are zero when missing are allowed to be zero.
    func checkZeros(_ fields: [ResolvedField]) {
        for field in fields where !field.isFaulty {
            guard case .since(_, .zero) = field.description.presence,
                let fault = rangeFault(of: field.description) ?? zeroFault(of: field.description.type)
            else { continue }
            reporter.error(
                "\(field.description.name.quoted) is zero when it is missing, but \(fault)", at: field.nameSpan,
                help: field.description.type.takesDefault
                    ? "say what it is then: `@default(…)`" : "allow zero, or make the field `optional`")
        }
    }

    /// Returns why fields cannot all be zero; nil if they can.
    ///
    /// Only required fields must be zero. But an `optional` field before a `@since` field cannot be left out, and is a
    /// fault.
    func zeroFault(of fields: [ResolvedField]) -> String? {
        var optional: FieldDescription?
        for field in fields {
            switch field.description.presence {
            case .optional: optional = optional ?? field.description
            case .since:
                guard let optional else { continue }
                return "\(optional.name.quoted) cannot be left out before \(field.description.name.quoted)"
            case .required: continue
            }
        }
        for field in fields where field.description.presence == .required {
            if let fault = rangeFault(of: field.description) ?? zeroFault(of: field.description.type) { return fault }
        }
        return nil
    }

    private func rangeFault(of field: FieldDescription) -> String? {
        let excludesZero = field.range.map { !$0.contains(0) } ?? field.floatRange.map { !$0.contains(0) } ?? false
        return excludesZero ? "the `@range` of \(field.name.quoted) excludes 0" : nil
    }

    private func zeroFault(of type: TypeDescription) -> String? {
        switch type {
        case .fixedList(let element, _): return zeroFault(of: element)
        case .structure(let index): return structureZeroFaults[index]
        case .enumeration(let index, _):
            let enumeration = description.enumerations[index]
            guard enumeration.isClosed, !enumerationTables[index].numbers.contains(0) else { return nil }
            return "the closed \(enumeration.name.quoted) has no 0"
        default: return nil
        }
    }
}

extension TypeDescription {
    /// Whether `@default` is allowed for a field of this type.
    fileprivate var takesDefault: Bool {
        switch self {
        case .integer, .varint, .float32, .float64, .boolean, .enumeration, .flags, .string, .digits: true
        default: false
        }
    }
}
