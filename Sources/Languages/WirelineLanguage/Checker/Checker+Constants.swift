// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `@constant(v)` before a field of a message or a struct.
extension Checker {
    /// The attributes that make no sense for a field with one value that no program sets.
    private static let excluded: [AttributeKind] = [
        .since, .condition, .range, .exampleValue, .sensitive, .name, .deprecated,
    ]

    mutating func role(
        of field: FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) -> FieldDescription.Role {
        guard attributes.has(.constant), canBeConstant(field.type, syntax, attributes) else { return .value }
        guard let argument = attributes.argument(of: .constant) else { return .value }
        return value(argument, for: .constant, of: field, syntax).map { .constant($0) } ?? .value
    }

    private func canBeConstant(_ type: TypeDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet) -> Bool {
        switch type {
        case .integer, .boolean, .bit, .enumeration, .string(.fixed): break
        default:
            reportMisfit(
                .constant, attributes, syntax.typeText,
                help: "it goes with an integer, a `bit`, a `bool`, an enum or a `char[n]`")
            return false
        }
        if let optional = syntax.optional {
            reporter.error("a constant is in every packet", at: optional, help: "leave `optional` out")
            return false
        }
        guard let other = Self.excluded.first(where: attributes.has), let span = attributes.span(of: other) else {
            return true
        }
        reporter.error(
            "`@constant` and `@\(other.rawValue)` exclude each other", at: span,
            help: "a constant is in every packet, and no program sees it")
        return false
    }
}
