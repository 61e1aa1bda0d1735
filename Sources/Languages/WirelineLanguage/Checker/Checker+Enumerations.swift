// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    mutating func checkConstant(_ declared: Declared<ConstantSyntax>) {
        refuseAttributes(declared.declaration.attributes, at: .constant)
        let syntax = declared.syntax
        let format = integerFormat(syntax.format)
        let value = format.flatMap { checkedValue(syntax.number, in: $0) }
        // 1 is valid wherever a constant can be used.
        var constant = ConstantDescription(
            name: syntax.name.text, format: format ?? .uint8, value: value ?? 1,
            location: reporter.location(of: syntax.name.span))
        constant.documentation = declared.declaration.documentation
        description.constants.append(constant)
    }

    mutating func checkEnumeration(_ declared: Declared<CasesSyntax>) {
        let syntax = declared.syntax
        let attributes = attributes(declared.declaration.attributes, at: .enumeration)
        let format = integerFormat(syntax.format)
        if format == nil { formatlessTypes.insert(syntax.name.text) }
        var enumeration = EnumerationDescription(
            name: syntax.name.text, format: format ?? .int64,
            cases: cases(syntax, in: format, at: .enumerationCase),
            location: reporter.location(of: syntax.name.span))
        enumeration.alias = alias(attributes)
        enumeration.deprecation = deprecation(attributes)
        enumeration.isClosed = attributes.has(.closed)
        enumeration.documentation = declared.declaration.documentation
        enumeration.reservedValues = reservedRanges(syntax.reserved).map(\.range)
        checkUnique(enumeration, syntax)
        description.enumerations.append(enumeration)
        enumerationTables.append(CaseTable(enumeration.cases))
    }

    mutating func checkFlags(_ declared: Declared<CasesSyntax>) {
        let syntax = declared.syntax
        let attributes = attributes(declared.declaration.attributes, at: .flags)
        var format = integerFormat(syntax.format)
        if let signed = format, signed.isSigned {
            reporter.error(
                "flags stand in an unsigned integer, not in `\(signed.name)`", at: syntax.format.span,
                help: "write `u\(signed.name)`")
            format = nil
        }
        if format == nil { formatlessTypes.insert(syntax.name.text) }
        for reserved in syntax.reserved.prefix(1) {
            reporter.error(
                "flags have no reserved values", at: reserved.span, help: "unknown bits are kept: leave the line out")
        }
        var flags = FlagsDescription(
            name: syntax.name.text, format: format ?? .uint64, cases: cases(syntax, in: format, at: .flag),
            location: reporter.location(of: syntax.name.span))
        for member in syntax.cases where member.number.integer == 0 {
            reporter.error(
                "flag \(member.name.text.quoted) has no bit", at: member.number.span,
                help: "a flag is a mask such as `0x1`; no flags at all needs no name")
        }
        flags.alias = alias(attributes)
        flags.deprecation = deprecation(attributes)
        flags.documentation = declared.declaration.documentation
        description.flagSets.append(flags)
        flagTables.append(CaseTable(flags.cases))
    }

    // MARK: Parts

    private mutating func cases(
        _ syntax: CasesSyntax, in format: IntegerFormat?, at place: AttributeKind.Place
    ) -> [EnumerationDescription.Case] {
        let noun = place == .flag ? "flag" : "case"
        checkMemberNames(syntax.cases.map { ($0.name, $0.attributes) }, noun: noun)
        if syntax.cases.isEmpty, syntax.isComplete {
            reporter.error(
                "\(syntax.name.text.quoted) has no \(noun)s", at: syntax.name.span,
                help: "use `\(syntax.format.text)` where no number has a name")
        }
        return syntax.cases.map { member in
            let attributes = attributes(member.attributes, at: place)
            let value = format.flatMap { checkedValue(member.number, in: $0) }
            var result = EnumerationDescription.Case(name: member.name.text, value: value ?? member.number.integer ?? 0)
            result.alias = alias(attributes)
            result.deprecation = deprecation(attributes)
            result.documentation = member.documentation
            return result
        }
    }

    private func checkUnique(_ enumeration: EnumerationDescription, _ syntax: CasesSyntax) {
        let reserved = NumberRanges(enumeration.reservedValues)
        var names: [Int128: String] = [:]
        for member in syntax.cases {
            guard let value = member.number.integer else { continue }
            if let first = names[value] {
                reporter.error(
                    "\(first.quoted) and \(member.name.text.quoted) are both \(value)", at: member.number.span,
                    help: "each number has one name")
            } else {
                names[value] = member.name.text
            }
            if reserved.contains(value) {
                reporter.error(
                    "\(member.name.text.quoted) has the reserved value \(value)", at: member.number.span,
                    help: "choose a number that no old program knows")
            }
        }
    }

    /// Checks the `reserved` numbers of an enum, or of IDs.
    func reservedRanges(_ list: [ReservedSyntax]) -> [(range: ClosedRange<Int128>, span: SourceSpan)] {
        list.compactMap { reserved in
            guard !reserved.first.isFaulty, !reserved.last.isFaulty else { return nil }
            guard let first = reserved.first.integer, let last = reserved.last.integer else {
                reporter.error("reserved numbers are whole", at: reserved.span, help: "as in `reserved 3, 10 to 19;`")
                return nil
            }
            guard first <= last else {
                reporter.error(
                    "the range \(first) to \(last) is upside down", at: reserved.span,
                    help: "write `\(last) to \(first)`")
                return nil
            }
            return (first...last, reserved.span)
        }
    }

    func integerFormat(_ name: NameSyntax) -> IntegerFormat? {
        if let format = IntegerFormat(name: name.text) { return format }
        guard !name.isFaulty else { return nil }
        reporter.error(
            "\(name.text.quoted) is not an integer type", at: name.span,
            help: (IntegerFormat.width(inName: name.text) == nil
                ? Spelling.help(for: name.text, among: IntegerFormat.allCases.map(\.name)) : nil)
                ?? "the integer types are `uint1` to `uint64` and `int1` to `int64`")
        return nil
    }

    func checkedValue(_ number: NumberSyntax, in format: IntegerFormat) -> Int128? {
        guard !number.isFaulty else { return nil }
        guard let value = number.integer else {
            reporter.error("a whole number is expected", at: number.span, help: "leave the fraction out")
            return nil
        }
        guard format.range.contains(value) else {
            reporter.error(
                "\(value) does not fit in `\(format.name)`", at: number.span,
                help: "`\(format.name)` goes from \(format.rangeText)")
            return nil
        }
        return value
    }
}
