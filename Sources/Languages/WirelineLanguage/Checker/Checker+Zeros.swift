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
                    ? "say what it is then: `@default(…)`"
                    : field.description.type.leaf.isUnion
                        ? "make the field `optional`" : "allow zero, or make the field `optional`")
        }
    }

    /// Returns the reason why fields cannot all be zero; nil if they can.
    ///
    /// Only fields that such a value contains must be zero. But an `optional` field before a `@since` field cannot be
    /// left out, and is a fault.
    func zeroFault(of fields: [ResolvedField]) -> String? {
        var optional: FieldDescription?
        for field in fields {
            switch field.description.presence {
            case .optional: optional = optional ?? field.description
            case .since:
                guard let optional else { continue }
                return "\(optional.name.quoted) cannot be left out before \(field.description.name.quoted)"
            case .required, .when, .nullable: continue
            }
        }
        for field in fields where field.description.hasValue {
            let presence = field.description.presence
            guard !presence.isAppended, presence.isInZero else { continue }
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
        case .string(.exact(let byteCount)), .bytes(.exact(let byteCount)), .sized(_, .exact(let byteCount)):
            return "`@size` gives it \(byteCount == 1 ? "1 byte" : "\(byteCount) bytes")"
        case .string(.field(let count)) where count.range.lowerBound > 0,
            .bytes(.field(let count)) where count.range.lowerBound > 0,
            .sized(_, .field(let count)) where count.range.lowerBound > 0:
            return "its `@size` is at least \(count.range.lowerBound)"
        case .sized(let content, _): return zeroFault(of: content)
        case .structure(let index): return structureZeroFaults[index]
        case .union(let index): return "the union \(description.unions[index].name.quoted) has no zero"
        case .enumeration(let index, _):
            let enumeration = description.enumerations[index]
            guard enumeration.isClosed, !enumerationTables[index].numbers.contains(0) else { return nil }
            return "the closed \(enumeration.name.quoted) has no 0"
        default: return nil
        }
    }
}

extension TypeDescription {
    fileprivate var isUnion: Bool { if case .union = self { true } else { false } }

    fileprivate var takesDefault: Bool {
        switch self {
        case .bytes, .bit: false
        default: isValue
        }
    }
}
