// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `@header(qos = 1)` before a message.
extension Checker {
    /// Returns the values in the order of the packet's fields, without those that had an error.
    mutating func headerValues(_ attributes: AttributeSet) -> [HeaderValue] {
        guard !hasFaultyLayout else { return [] }
        var values: [Int: PacketHeader.FieldValue] = [:]
        for argument in attributes.arguments(of: .header) {
            guard case .assignment(let name, let value) = argument, let field = settableField(name) else { continue }
            guard values[field] == nil else {
                reporter.error(
                    "\(name.text.quoted) has two values", at: argument.span, help: "remove one of them")
                continue
            }
            values[field] = headerValue(value, inField: field)
        }
        return values.sorted { $0.key < $1.key }.map { HeaderValue(field: $0.key, value: $0.value) }
    }

    /// Refuses conditions on header fields whose values the message fixes: they always hold, or never.
    func refuseFixedOperands(in fields: [FieldSyntax], _ values: [HeaderValue]) {
        let names = values.map { description.layout.fields[$0.field].name }
        for case .condition(let condition) in fields.flatMap(\.attributes).compactMap({ $0.arguments?.first }) {
            for (operand, _) in condition.tests where operand.header != nil && names.contains(operand.name.text) {
                reporter.error(
                    "\(operand.text.quoted) is the same in every packet of this message", at: operand.span,
                    help: "its `@header` says so: leave out the condition, or the field")
            }
        }
    }

    /// Returns the position of the field with this name, if a message may fix its value.
    private mutating func settableField(_ name: NameSyntax) -> Int? {
        let fields = description.layout.fields
        func canBeFixed(_ field: PacketField) -> Bool {
            switch field.role {
            case .value, .fitting: !field.format.isBytes && field.condition == nil
            default: false
            }
        }
        guard let index = fields.firstIndex(where: { $0.name == name.text }) else {
            let names = fields.filter(canBeFixed).map(\.name)
            reporter.error(
                "the packet has no field \(name.text.quoted)", at: name.span,
                help: Spelling.help(for: name.text, among: names))
            return nil
        }
        guard fields[index].condition == nil else {
            reporter.error(
                "a message cannot set \(name.text.quoted), which not every packet has", at: name.span,
                help: "fix the fields that its condition looks at")
            return nil
        }
        guard canBeFixed(fields[index]) else {
            reporter.error(
                "a message cannot set \(name.text.quoted)", at: name.span,
                help: fields[index].format.isBytes
                    ? "it fixes numbers, enums, flags, `char[n]` and `bcd[n]`"
                    : "IDs, lengths, sequences, constants and checksums have values of their own")
            return nil
        }
        return index
    }

    private mutating func headerValue(
        _ value: ArgumentSyntax, inField index: Int
    ) -> PacketHeader.FieldValue? {
        let format = description.layout.fields[index].format
        guard !format.isNumber else { return headerNumber(value, inField: index).map { .integer($0) } }
        return headerText(value, .header, format)
    }

    private mutating func headerNumber(_ value: ArgumentSyntax, inField index: Int) -> Int128? {
        let format = description.layout.fields[index].format
        let table = description.packetFieldType(index).flatMap(caseTable)
        switch value {
        case .number(let number):
            guard !number.isFaulty else { return nil }
            if format != .boolean, let value = number.integer, format.range.contains(value) { return value }
        case .name(let name) where format.isBoolean:
            if name.text == "true" { return 1 }
            if name.text == "false" { return 0 }
        case .name(let name):
            guard let table else { break }
            if let value = table.values[name.text] { return value }
            reporter.error(
                "there is no \(name.text.quoted)", at: name.span,
                help: spelling.help(for: name.text, among: table.names) ?? "it has \(Self.list(table.names))")
            return nil
        default: break
        }
        reporter.error(
            "\(description.layout.fields[index].name.quoted) cannot hold this value", at: value.span,
            help: "it holds \(format.choices)")
        return nil
    }
}

extension PacketField.Format {
    /// Whether the values are bytes; the language has no notation for them.
    fileprivate var isBytes: Bool { if case .bytes = self { true } else { false } }
}

extension Checker {
    /// Returns the number in `@sequence(failure = -1)`; nil if it was reported.
    func failureNumber(_ argument: ArgumentSyntax, _ format: PacketField.Format) -> Int128? {
        guard case .assignment(_, .number(let number)) = argument, let value = number.integer else { return nil }
        let most = format.range.upperBound
        if value < 0 ? format.range.contains(value) : value == most && most > 1 { return value }
        let negative = format.range.contains(-1) ? "a negative number, such as -1, or " : ""
        reporter.error(
            "\(value) cannot say that a request failed", at: number.span,
            help: "requests have numbers from 1: write \(negative)the largest number, \(most)")
        return nil
    }
}
