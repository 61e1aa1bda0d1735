// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    mutating func applyLimits(
        to field: inout FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) {
        if attributes.has(.range) { applyRange(to: &field, syntax, attributes) }
        guard attributes.has(.max) else { return }
        guard let limit = field.type.countLimit else {
            let help =
                switch field.type {
                case .string(.fixed), .utf16(.fixed, _): "the number in its brackets is the limit"
                case .string(.exact), .bytes(.exact): "`@size` says how many bytes there are"
                default: "it limits the bytes of a string, or the items of a list"
                }
            return reportMisfit(.max, attributes, syntax.typeText, help: help)
        }
        guard let (value, span) = attributes.integer(.max) else { return }
        guard (1...Int128(limit)).contains(value) else {
            return reporter.error(
                "`@max(\(value))` is not a limit for this field", at: span, help: "it can be 1 to \(limit)")
        }
        field.maximumCount = Int(value)
    }

    private mutating func applyRange(
        to field: inout FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) {
        let argument = attributes.argument(of: .range)
        switch field.type {
        case .integer(let format, _):
            field.range = range(argument, in: format.range, format.name)
        case .varint(let format):
            field.range = range(argument, in: format.range, format.encoding.name)
        case .float(let format, _):
            field.floatRange = range(argument, of: format)
        default:
            reportMisfit(.range, attributes, syntax.typeText, help: "it limits an integer or a float")
        }
    }

    private func range(
        _ argument: ArgumentSyntax?, in limits: ClosedRange<Int128>, _ typeName: String
    ) -> ClosedRange<Int128>? {
        guard case .range(let lower, let upper)? = argument, !lower.isFaulty, !upper.isFaulty else { return nil }
        for number in [lower, upper] where number.integer.map({ !limits.contains($0) }) ?? true {
            let what = number.integer.map { "\($0) does not fit in `\(typeName)`" } ?? "a whole number is expected"
            reporter.error(
                what, at: number.span, help: "`\(typeName)` goes from \(limits.lowerBound) to \(limits.upperBound)")
            return nil
        }
        guard let first = lower.integer, let last = upper.integer, first <= last else {
            reportUpsideDown(lower, upper)
            return nil
        }
        return first...last
    }

    /// Bounds are rounded like the field's values: 0.1 is inside a `float32`'s range up to 0.1. A bound beyond the
    /// format becomes its greatest number.
    private func range(_ argument: ArgumentSyntax?, of format: FloatFormat) -> ClosedRange<Double>? {
        guard case .range(let lower, let upper)? = argument, let first = lower.double, let last = upper.double else {
            return nil
        }
        guard first <= last else {
            reportUpsideDown(lower, upper)
            return nil
        }
        let range = format.nearest(to: first)...format.nearest(to: last)
        guard range.overlaps(format.range) else {
            let typeName = format.name.quoted
            reporter.error(
                "\(typeName) has no number in this range", at: lower.span.through(upper.span),
                help: "\(typeName) goes from \(text(format.range, format))")
            return nil
        }
        return range.clamped(to: format.range)
    }

    private func reportUpsideDown(_ lower: NumberSyntax, _ upper: NumberSyntax) {
        reporter.error(
            "this range is upside down", at: lower.span.through(upper.span), help: "the smaller number stands first")
    }
}

extension NumberSyntax {
    var double: Double? {
        switch value {
        case .integer(let value): Double(value)
        case .float(let value): value
        case .faulty: nil
        }
    }
}

extension TypeDescription {
    /// The largest value for `@max`; nil for types that `@max` does not limit.
    fileprivate var countLimit: Int? {
        switch self {
        case .string(let extent), .utf16(let extent, _), .bytes(let extent), .list(_, let extent):
            switch extent {
            case .counted(let format, _): min(format.maximum, Int(Int32.max))
            case .terminated, .until, .rest: Int(Int32.max)
            case .field(let count): min(count.range.upperBound, Int(Int32.max))
            case .fixed, .exact: nil
            }
        case .sized(let content, _): content.countLimit
        default: nil
        }
    }
}
