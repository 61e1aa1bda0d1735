// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements for header fields that have the same value in every packet of a message (`@header`).
extension StatementPrinter {
    /// Returns the lines that verify the header `h` of a packet that was read; none for a message that fixes nothing.
    ///
    /// The places of ``CodePlan/fixedHeaderFields`` are the items of the list `at`.
    func verifyHeader(_ message: MessageDescription) -> [String] {
        message.headerValues.flatMap { item -> [String] in
            guard let position = plan.fixedHeaderFields.firstIndex(of: item.field) else { return [] }
            let place = dialect.item("at", String(position))
            if case .text(let text) = item.value {
                let bytes = plan.description.layout.fields[item.field].format.comparedBytes(ofText: text)
                return [reading("sameBytes", place, dialect.bytes(bytes), name(item))]
            }
            // A field that such packets never have is 0.
            return [
                declare("x\(item.field)", .boolean, isSame(item), effect: nil),
                reading("verify", "x\(item.field)", word("wrong_constant"), name(item), place),
            ]
        }
    }

    /// Returns the lines that refuse other values in the header `h` that a message is written with, and set the fixed ones in it. The
    /// header is a copy.
    func fixHeader(_ message: MessageDescription) -> [String] {
        message.headerValues.flatMap { item -> [String] in
            let own = dialect.headerMember("h", plan.names.headerFields[item.field])
            let refused = "!(\(dialect.isSet(own))) || \(isSame(item))"
            return [writing("verifyHeader", refused, word("wrong_constant"), name(item))]
                + setHeader("h", item.field, literal(item))
        }
    }

    private func name(_ item: HeaderValue) -> String {
        dialect.string(plan.description.layout.fields[item.field].name)
    }

    private func isSame(_ item: HeaderValue) -> String {
        let own = dialect.headerMember("h", plan.names.headerFields[item.field])
        let type = plan.headerType(item.field)
        let value = dialect.present(own, type)
        let format = plan.description.layout.fields[item.field].format
        switch item.value {
        case .text, .bytes: return "\(dialect.isSet(own)) && \(dialect.equal(value, literal(item), type))"
        case .integer(let number):
            if format.isBoolean { return "\(dialect.isSet(own)) && \(number != 0 ? value : "!\(value)")" }
            let own = plan.headerNumber(item.field).map { dialect.number(of: value, $0) } ?? value
            let isSet = dialect.isSet(dialect.headerMember("h", plan.names.headerFields[item.field]))
            return "\(isSet) && \(dialect.compare(own, "==", number, format.numberFormat))"
        }
    }

    private func literal(_ item: HeaderValue) -> String {
        let format = plan.description.layout.fields[item.field].format
        switch item.value {
        case .text(let text): return dialect.string(text)
        case .bytes(let bytes): return dialect.bytes(bytes)
        case .integer(let number):
            if format.isBoolean { return String(number != 0) }
            let literal = dialect.literal(number, format.numberFormat)
            return plan.headerNumber(item.field).map { dialect.value(of: literal, $0) } ?? literal
        }
    }
}
