// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The fields of a message or a structure before the one being checked.
struct EarlierFields {
    private(set) var fields: [String: ResolvedField] = [:]
    private(set) var names: Set<String> = []

    init() {}

    init(of list: [FieldSyntax]) { names = Set(list.filter { $0.padding == nil }.map(\.name.text)) }

    mutating func add(_ field: ResolvedField) {
        fields[field.description.name] = fields[field.description.name] ?? field
    }
}

/// Counts and sizes in earlier fields: `@count(n)`, `@size(n - 4)`.
extension Checker {
    /// Returns the earlier field that an attribute names; nil if an error was reported.
    ///
    /// - Parameters:
    ///   - number: The number after the name, with its sign; nil if there is none.
    ///   - what: The field's content: `a count` or `a size`.
    func fieldCount(_ name: NameSyntax, _ number: NumberSyntax?, _ what: String) -> FieldCount? {
        guard !name.isFaulty else { return nil }
        guard let field = earlierFields.fields[name.text] else {
            if earlierFields.names.contains(name.text) {
                reporter.error(
                    "\(name.text.quoted) does not stand before this field", at: name.span,
                    help: "\(what) is read first: move \(name.text.quoted) up")
            } else {
                let others = what == "a size" ? "a number of bytes or an integer field" : "an integer field"
                reporter.error(
                    "\(name.text.quoted) cannot hold \(what)", at: name.span,
                    help: "it is \(CountFormat.choices), or \(others) before this one; for a value that may be absent "
                        + "it is \(CountFormat.signedChoices)")
            }
            return nil
        }
        guard !field.isFaulty, let range = counts(of: field, name, what) else { return nil }
        guard let addend = addend(number) else { return nil }
        let upper = range.upperBound + Int128(addend)
        guard upper >= 0 else {
            reporter.error(
                "this is always under 0", at: name.span.through(number?.span ?? name.span),
                help: "\(name.text.quoted) is at most \(range.upperBound)")
            return nil
        }
        let lower = max(0, range.lowerBound + Int128(addend))
        return FieldCount(field: name.text, addend: addend, range: Int(clamping: lower)...Int(clamping: upper))
    }

    /// Returns the number added to the field; nil if an error was reported.
    private func addend(_ number: NumberSyntax?) -> Int? {
        guard let number else { return 0 }
        guard !number.isFaulty else { return nil }
        guard let value = number.integer, let addend = Int32(exactly: value) else {
            reporter.error(
                "a size is a field, plus or minus a whole number of at most \(Int32.max)", at: number.span,
                help: "write it as in `@size(n - 4)`")
            return nil
        }
        return Int(addend)
    }

    /// Returns the possible numbers of a field; nil, after reporting it, if the field cannot hold a count.
    private func counts(of field: ResolvedField, _ name: NameSyntax, _ what: String) -> ClosedRange<Int128>? {
        let quoted = name.text.quoted
        func refuse(_ why: String, _ help: String) -> ClosedRange<Int128>? {
            reporter.error("\(quoted) cannot hold \(what): \(why)", at: name.span, help: help)
            return nil
        }
        let range: ClosedRange<Int128>
        switch field.description.type {
        case .integer(let format, _):
            range = format.range
            if format.bitWidth > 32 { return refuse("it has \(format.bitWidth) bits", "use at most 32 bits") }
        case .varint(let format):
            range = format.range
            if format.maximumByteCount > 5 {
                return refuse("it may have more than 5 bytes", "put `@max_bytes(5)` before it")
            }
        default: return refuse("it is \(field.typeName.quoted)", "an integer can")
        }
        if case .constant = field.description.role { return refuse("it is a constant", "leave its `@constant` out") }
        guard field.description.presence == .required else {
            return refuse("it may be missing", "leave its `optional`, `@since` or `@if` out")
        }
        let limits: [(AttributeKind, Bool)] = [
            (.range, field.description.range != nil), (.exampleValue, field.description.example != nil),
        ]
        guard let limit = limits.first(where: \.1)?.0 else { return range }
        return refuse(
            "it is written as what it must be, so it has no `@\(limit.rawValue)`",
            "put `@max` before the field that it counts")
    }

    /// Marks the fields that count others, and refuses conditions that refer to them.
    func withDerivedFields(_ fields: [ResolvedField]) -> [ResolvedField] {
        let names = Set(fields.compactMap(\.description.type.fieldCount?.field))
        guard !names.isEmpty else { return fields }
        var marked = fields
        for index in fields.indices where names.contains(fields[index].description.name) {
            marked[index].description.role = .derived
        }
        for field in fields {
            for case .field(let name) in field.description.presence.condition?.operands ?? []
            where names.contains(name) {
                reporter.error(
                    "\(field.description.name.quoted) has a condition on \(name.quoted), which counts other fields",
                    at: field.nameSpan, help: "\(name.quoted) has no value of its own: test another field")
            }
        }
        return marked
    }

    /// Refuses a size that is known only after its value was written, if the field cannot be overwritten then.
    func checkDerivedFields(_ fields: [ResolvedField]) {
        let descriptions = fields.map(\.description)
        for derivation in PlannedDerivation.all(in: descriptions, sizes) {
            let number = descriptions[derivation.field]
            let isVarint = if case .varint = number.type { true } else { false }
            guard isVarint || number.packing != nil,
                let late = derivation.counted.first(where: { $0.measure == .body })
            else { continue }
            reporter.error(
                "\(number.name.quoted) cannot hold the size of \(descriptions[late.field].name.quoted), "
                    + "which is known only after it is written",
                at: fields[late.field].nameSpan,
                help: "give \(number.name.quoted) whole bytes of its own: `uint16`")
        }
    }
}
