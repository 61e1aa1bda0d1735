// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// How the fields of a message or a structure are read and written, in order.
package struct BodyPlan: Sendable {
    /// The fields, with what each must know about the others.
    package let fields: [PlannedField]
    /// What is read and written, in order; every field is part of exactly one step.
    package let steps: [PlannedStep]
    /// What becomes of bytes after the last field.
    package let end: End
    /// The prefix with the number of bytes that follow it; nil without `sized`.
    package internal(set) var sizePrefix: PlannedCount?
    /// Whether the body counts as a level of `max_depth`, because values of it could nest too deeply.
    package internal(set) var countsDepth = false

    /// What becomes of bytes after the last field.
    package enum End: Sendable {
        /// The last field takes all bytes.
        case reached
        /// A message keeps them for writing.
        case kept
        /// They are an error.
        case refused
        /// The size prefix says how many there are, and they are skipped.
        case skipped
        /// They belong to what comes after the structure.
        case open

        /// What becomes of bytes after the last field of a message.
        package init(of message: MessageDescription, _ options: ProtocolOptions) {
            let goesToEnd = message.fields.last?.type.goesToEnd == true
            self = goesToEnd ? .reached : options.keepsTrailingBytes ? .kept : .refused
        }
    }

    init(_ fields: [FieldDescription], end: End, _ sizes: WireSizes) {
        var hasOptional = false
        var planned: [PlannedField] = []
        planned.reserveCapacity(fields.count)
        for (index, field) in fields.enumerated() {
            planned.append(
                PlannedField(
                    index: index, description: field, followsOptional: hasOptional,
                    isFollowed: end == .kept || index + 1 < fields.count))
            hasOptional = hasOptional || field.presence == .optional
        }
        self.fields = planned
        self.end = end
        steps = PlannedStep.steps(of: fields, sizes)
    }

    /// Whether an optional field may be unset before the bytes that are kept.
    package var keptBytesFollowOptional: Bool { end == .kept && fields.contains(where: \.isOptional) }
}

/// A field, and what it must know about the others of its body.
package struct PlannedField: Sendable {
    /// The index in the body.
    package let index: Int
    /// The field of the schema.
    package let description: FieldDescription
    /// Whether an optional field comes before. If that one is not set, this one cannot be written.
    package let followsOptional: Bool
    /// Whether anything can come after it in the body. Only then a field that is not set can leave a gap.
    package let isFollowed: Bool

    package var type: TypeDescription { description.type }
    /// Whether it may be unset.
    package var isOptional: Bool { description.presence == .optional }
    /// Whether it is in every body.
    package var isRequired: Bool { description.presence == .required }
}

/// Parts that are read and written at once, and a value of variable width after them.
package struct PlannedStep: Sendable {
    /// The field that is absent if the bytes end before the step; nil if they must not end there.
    package let absentField: Int?
    /// The parts of fixed width, side by side; may be empty.
    package private(set) var parts: [PlannedPart] = []
    /// The bytes of the parts.
    package private(set) var byteCount = 0
    /// The field whose value follows the parts; its prefix, if it has one of fixed width, is the last part.
    package private(set) var content: Int?

    /// Splits fields after each value of variable width, and around each field that may be absent.
    static func steps(of fields: [FieldDescription], _ sizes: WireSizes) -> [PlannedStep] {
        var steps: [PlannedStep] = []
        var open: PlannedStep?
        for (index, field) in fields.enumerated() {
            let part = PlannedPart.Kind(of: field.type, sizes)
            let isRequired = field.presence == .required
            if let before = open, !isRequired || part == nil {
                steps.append(before)
                open = nil
            }
            var step = open ?? PlannedStep(absentField: isRequired ? nil : index)
            // Without this, each field would copy the ones before it.
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

/// Bytes at a fixed place of a step.
package struct PlannedPart: Sendable {
    /// The field that they belong to.
    package let field: Int
    /// The offset from the start of the step, in bytes.
    package let offset: Int
    /// What they hold.
    package let kind: Kind

    /// What a part holds.
    package enum Kind: Equatable, Sendable {
        /// The whole value of a field: a number or a `bool`.
        case number(byteCount: Int)
        /// The whole value of a field: text or digits of fixed width.
        case text(byteCount: Int)
        /// The prefix of the content that follows.
        case count(byteCount: Int)

        init?(of type: TypeDescription, _ sizes: WireSizes) {
            if let byteCount = sizes.numberByteCount(of: type) {
                self = type.isFixedText ? .text(byteCount: byteCount) : .number(byteCount: byteCount)
            } else if case .counted(let format, _) = type.extent, let byteCount = format.fixedByteCount {
                self = .count(byteCount: byteCount)
            } else {
                return nil
            }
        }

        /// Whether it is the whole value of a field.
        package var isWhole: Bool { if case .count = self { false } else { true } }

        package var byteCount: Int {
            switch self {
            case .number(let byteCount), .text(let byteCount), .count(let byteCount): byteCount
            }
        }
    }
}
