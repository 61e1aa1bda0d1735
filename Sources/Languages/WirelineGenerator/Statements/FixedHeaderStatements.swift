// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements for header fields that have the same value in every packet of a message (`@header`).
extension StatementBuilder {
    /// Verifies the header `h` of a packet that was read; no statements for a message that fixes nothing.
    ///
    /// The list `at` has the offsets of ``GeneratorModel/fixedHeaderFields``.
    func verifyHeader(_ message: MessageDescription) -> [Statement] {
        message.headerValues.flatMap { item -> [Statement] in
            guard let position = plan.fixedHeaderFields.firstIndex(of: item.field) else { return [] }
            let place = Expression.item("at", at: .place(position))
            if case .text(let text) = item.value {
                let bytes = plan.description.layout.fields[item.field].format.comparedBytes(ofText: text)
                return [reading("sameBytes", place, .bytes(bytes), name(item))]
            }
            // A field that these packets never have is 0.
            return [
                .constant("x\(item.field)", .boolean, isSame(item)),
                reading("verify", "x\(item.field)", .text("wrong_constant"), name(item), place),
            ]
        }
    }

    /// Refuses other values in the header `h` of a message to write, and sets the fixed ones. The header is a copy.
    func fixHeader(_ message: MessageDescription) -> [Statement] {
        message.headerValues.flatMap { item -> [Statement] in
            let isGood = Expression.not(own(item).isSet).or(isSame(item))
            return [writing("verifyHeader", isGood, .text("wrong_constant"), name(item))]
                + setHeader("h", item.field, literal(headerField: item.field, item.value))
        }
    }

    private func name(_ item: HeaderValue) -> Expression { .text(plan.description.layout.fields[item.field].name) }

    private func own(_ item: HeaderValue) -> Expression { .member("h", plan.names.headerFields[item.field]) }

    private func isSame(_ item: HeaderValue) -> Expression {
        let type = headerType(item.field)
        let value = Expression.present(own(item), type)
        let format = plan.description.layout.fields[item.field].format
        switch item.value {
        case .text, .bytes: return own(item).isSet.and(.same(value, literal(headerField: item.field, item.value), type))
        case .integer(let number):
            if format.isBoolean, dialect.hasSparseHeaders {
                return own(item).isSet.and(.binary(.equal, value, .boolean(number != 0)))
            }
            if format.isBoolean { return own(item).isSet.and(number != 0 ? value : .not(value)) }
            let found = plan.headerNumber(item.field)?.number(of: value) ?? value
            return own(item).isSet.and(found.compared(.equal, number, self.format(of: format)))
        }
    }
}
