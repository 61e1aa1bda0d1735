// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// How to read and write the fields of a message, a structure or a union's arm, in order.
package struct BodyPlan: Sendable {
    /// The fields with their relations to each other.
    package let fields: [PlannedField]
    /// The steps of reading and writing, in order; every field is part of exactly one step.
    package let steps: [PlannedStep]
    /// The treatment of bytes after the last field.
    package let end: End
    /// The prefix that counts the bytes after it; nil without `sized`.
    package internal(set) var sizePrefix: PlannedCount?
    /// Whether the body counts as a level of `max_depth`, because its values could nest too deeply.
    package internal(set) var countsDepth = false

    /// The fields that conditions of later ones refer to.
    package let operands: Set<Int>
    /// The packet fields that conditions refer to, each once.
    package let headerOperands: [String]
    /// The fields that count others, in order.
    package let derivations: [PlannedDerivation]

    /// The treatment of bytes after the last field.
    package enum End: Sendable {
        /// There are none: the last field takes all bytes.
        case reached
        /// A message keeps them for writing.
        case kept
        /// They are an error.
        case refused
        /// A size counts them, and the reader skips them.
        case skipped
        /// They belong to the value after the structure or the union.
        case open

        /// Makes the treatment of bytes after the last field of a message.
        ///
        /// A message keeps no bytes if its last field may take all of them. This holds even if that field's condition
        /// fails, or if it is a union with another arm.
        package init(of message: MessageDescription, in description: ProtocolDescription) {
            switch message.fields.last {
            case let last? where last.type.goesToEnd: self = last.presence.condition == nil ? .reached : .refused
            case let last? where description.goesToEnd(last.type): self = .refused
            default: self = description.options.keepsTrailingBytes ? .kept : .refused
            }
        }
    }

    init(_ fields: [FieldDescription], end: End, _ sizes: WireSizes) {
        var hasOptional = false
        var planned: [PlannedField] = []
        planned.reserveCapacity(fields.count)
        let references = Self.references(in: fields)
        for (index, field) in fields.enumerated() {
            planned.append(
                PlannedField(
                    index: index, description: field, followsOptional: hasOptional,
                    isFollowed: end == .kept || index + 1 < fields.count, reference: references[index]))
            hasOptional = hasOptional || field.presence == .optional
        }
        self.fields = planned
        self.end = end
        operands = Self.operands(of: fields)
        headerOperands = fields.headerOperands
        derivations = PlannedDerivation.all(in: fields, sizes)
        steps = PlannedStep.steps(of: fields, sizes)
    }

    /// The groups of fields that share bytes, in order.
    package var runs: [PlannedRun] {
        steps.flatMap(\.parts).compactMap { if case .packed(let run) = $0.kind { run } else { nil } }
    }

    private static func operands(of fields: [FieldDescription]) -> Set<Int> {
        let names = Set(
            fields.compactMap(\.presence.condition).flatMap(\.operands).compactMap { operand in
                if case .field(let name) = operand { name } else { nil }
            })
        guard !names.isEmpty else { return [] }
        return Set(fields.indices.filter { names.contains(fields[$0].name) })
    }

    package struct Reference: Sendable {
        /// The field that holds the tag of this union; nil if the tag precedes the value.
        package var tagSource: Int?
        /// The union whose tag this field is; nil for other fields.
        package var user: Int?

        package init() {}
    }

    /// Returns for each field how it depends on another one.
    package static func references(in fields: [FieldDescription]) -> [Reference] {
        var references = Array(repeating: Reference(), count: fields.count)
        for (index, field) in fields.enumerated() {
            guard let name = field.tagField, let source = fields[..<index].firstIndex(where: { $0.name == name }) else {
                continue
            }
            references[index].tagSource = source
            references[source].user = index
        }
        return references
    }

    /// Returns the field of a condition's operand; nil for an operand outside the body.
    package func field(_ operand: WireCondition.Operand) -> PlannedField? {
        guard case .field(let name) = operand else { return nil }
        return fields.first { $0.description.name == name }
    }

    /// Whether the packet's header decides which fields are present.
    package var looksAtHeader: Bool { !headerOperands.isEmpty }

    /// Returns the derivation of a field; nil if it counts no other fields.
    package func derivation(of index: Int) -> PlannedDerivation? { derivations.first { $0.field == index } }

    /// Returns the derivation by which another field counts this one; nil if none does.
    package func derivation(counting index: Int) -> PlannedDerivation? {
        derivations.first { $0.counted.contains { $0.field == index } }
    }

    /// Whether an optional field may be unset before the bytes that are kept.
    package var keptBytesFollowOptional: Bool { end == .kept && fields.contains(where: \.isOptional) }
}

package struct PlannedField: Sendable {
    package let index: Int
    package let description: FieldDescription
    /// Whether an optional field precedes it. If that one is not set, this one cannot be written.
    package let followsOptional: Bool
    /// Whether anything can follow it in the body. Only then can an unset field leave a gap.
    package let isFollowed: Bool
    package let reference: BodyPlan.Reference

    package var type: TypeDescription { description.type }
    /// Whether it is `optional`. If it is not set, nothing may follow it.
    package var isOptional: Bool { description.presence == .optional }
    /// Its condition; nil if it is always present.
    package var condition: WireCondition? { description.presence.condition }
    package var mayBeUnset: Bool { description.presence.mayBeUnset }
    /// Whether its prefix can say that it is absent.
    package var isNullable: Bool { description.presence == .nullable }
    /// Whether the bytes may end before it.
    package var isAppended: Bool { description.presence.isAppended }
    /// Whether programs see it as a value.
    package var hasValue: Bool { description.hasValue }
    /// Whether later fields decide its value: it is a union's tag, or counts others.
    package var isDerived: Bool { description.role == .derived }
    package var isCounter: Bool { isDerived && reference.user == nil }
}

/// Parts that one call reads or writes, and a value of variable width after them.
package struct PlannedStep: Sendable {
    /// The field that is absent if the bytes end before the step; nil if they must not end there.
    package let absentField: Int?
    /// The field whose condition decides whether the step applies; nil if it always does.
    package let conditionalField: Int?
    /// The adjacent parts of fixed width; may be empty.
    package private(set) var parts: [PlannedPart] = []
    package private(set) var byteCount = 0
    /// The field whose value follows the parts. If it has a prefix of fixed width, that is the last part.
    package private(set) var content: Int?

    /// Splits fields after each value of variable width, and around each field that may be absent.
    static func steps(of fields: [FieldDescription], _ sizes: WireSizes) -> [PlannedStep] {
        var steps: [PlannedStep] = []
        var open: PlannedStep?
        for (index, field) in fields.enumerated() {
            // The first field of a group reads and writes the others, too.
            if field.packing?.beginsRun == false { continue }
            let run = PlannedRun(at: index, of: fields)
            let part = run.map { PlannedPart.Kind.packed($0) } ?? PlannedPart.Kind(of: field, sizes)
            let isRequired = field.presence.isInEveryBody
            if let before = open, !isRequired || part == nil {
                steps.append(before)
                open = nil
            }
            var step =
                open
                ?? PlannedStep(
                    absentField: field.presence.isAppended ? index : nil,
                    conditionalField: field.presence.condition == nil ? nil : index)
            // Otherwise `open` and `step` would share their array, and each append would copy it.
            open = nil
            if let part {
                step.parts.append(PlannedPart(field: index, offset: step.byteCount, kind: part))
                step.byteCount += part.byteCount
            }
            if part?.isWhole != true { step.content = index }
            if isRequired, step.content == nil { open = step } else { steps.append(step) }
        }
        return steps + [open].compactMap(\.self)
    }
}

/// Bytes at a fixed offset of a step.
package struct PlannedPart: Sendable {
    /// Their field; for fields that share bytes, the first one.
    package let field: Int
    /// The offset from the start of the step, in bytes.
    package let offset: Int
    package let kind: Kind

    package enum Kind: Equatable, Sendable {
        /// The whole value of a field: a number or a `bool`.
        case number(byteCount: Int)
        /// The whole value of a field: text, digits or bytes of fixed width.
        case text(byteCount: Int)
        /// The prefix of the content that follows.
        case count(byteCount: Int)
        /// Zeros that readers ignore.
        case padding(byteCount: Int)
        /// The whole values of several fields that share bytes.
        case packed(PlannedRun)

        init?(of field: FieldDescription, _ sizes: WireSizes) {
            let type = field.type
            if field.role == .padding, let byteCount = sizes.size(of: type).fixedByteCount {
                self = .padding(byteCount: byteCount)
            } else if let byteCount = sizes.numberByteCount(of: type) {
                let isText = type.isFixedText || type.isExactText
                self = isText ? .text(byteCount: byteCount) : .number(byteCount: byteCount)
            } else if case .counted(let format, _) = type.extent, let byteCount = format.fixedByteCount {
                self = .count(byteCount: byteCount)
            } else {
                return nil
            }
        }

        package var isWhole: Bool { if case .count = self { false } else { true } }

        package var isValue: Bool { isWhole && !isPadding }

        package var isPadding: Bool { if case .padding = self { true } else { false } }

        package var byteCount: Int {
            switch self {
            case .number(let byteCount), .text(let byteCount), .count(let byteCount), .padding(let byteCount): byteCount
            case .packed(let run): run.byteCount
            }
        }
    }
}
