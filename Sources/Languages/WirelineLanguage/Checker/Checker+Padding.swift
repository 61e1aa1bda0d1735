// SPDX-License-Identifier: Apache-2.0

/// Bytes without a meaning: `padding 3;`.
extension Checker {
    /// The most bytes of one `padding`, as many as a list of fixed length may have items.
    private static let mostPadding: Int128 = 65_535

    /// Checks a `padding`, and returns it as a field without a value.
    ///
    /// - Parameter position: Its position among the `padding` fields of the same body.
    mutating func padding(_ syntax: FieldSyntax, _ number: NumberSyntax, position: Int) -> ResolvedField {
        if let first = syntax.attributes.first {
            reporter.error(
                "`padding` takes no attributes", at: first.span,
                help: "bytes that have a meaning are a field, with a type and a name")
        }
        let byteCount = paddingByteCount(number)
        var field = FieldDescription(
            padding: byteCount ?? 1, position: position, location: reporter.location(of: syntax.name.span))
        field.documentation = syntax.documentation
        return ResolvedField(
            description: field, nameSpan: syntax.name.span, typeSpan: syntax.name.span.through(number.span),
            typeName: syntax.typeText, isFaulty: byteCount == nil)
    }

    /// Returns the bytes of a `padding`; nil if the number was reported.
    private func paddingByteCount(_ number: NumberSyntax) -> Int? {
        guard !number.isFaulty else { return nil }
        guard let value = number.integer, (1...Self.mostPadding).contains(value) else {
            reporter.error(
                "`padding` has 1 to \(Self.mostPadding) bytes", at: number.span,
                help: "their number stands after the word, as in `padding 3;`")
            return nil
        }
        return Int(value)
    }
}
