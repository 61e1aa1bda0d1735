// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension StatementBuilder {
    /// Returns a header field's value as a literal; the field's zero if the value is of another kind.
    func literal(headerField position: Int, _ value: PacketHeader.FieldValue) -> Expression {
        let format = plan.description.layout.fields[position].format
        switch (format, value) {
        case (.boolean, _), (.bit, _): return .boolean(value.number != 0)
        case (.text, .text(let text)), (.digits, .text(let text)): return .text(text)
        case (.text, _): return .text("")
        case (.digits(let format), _): return .text(format.zero)
        case (.bytes(let byteCount), .bytes(let bytes)) where bytes.count == byteCount: return .bytes(bytes)
        case (.bytes(let byteCount), _): return .bytes(Array(repeating: 0, count: byteCount))
        case (.integer, _), (.varint, _):
            let number = Expression.number(value.number, self.format(of: format))
            return plan.headerNumber(position)?.value(of: number) ?? number
        }
    }

    /// Returns a field's value in a new body; nil if it is not set.
    func initial(_ field: GeneratedField) -> Expression? {
        field.mayBeUnset || !field.hasZero ? nil : zero(field)
    }

    func zero(_ field: GeneratedField) -> Expression { .initial(field.zero, field.value) }

    /// Returns a field's value in a new header; nil if it is not set, or if programs cannot set it.
    func initial(headerField position: Int) -> Expression? {
        guard plan.hasAlways(headerField: position) else { return nil }
        switch plan.description.layout.fields[position].role {
        case .value(let usual), .constant(let usual): return literal(headerField: position, usual)
        case .sequence: return literal(headerField: position, .integer(0))
        default: return nil
        }
    }

    /// Returns the names of the runtime's functions that printed code calls.
    static func calls(in code: [String]) -> Set<String> {
        code.reduce(into: []) { calls, line in
            calls.formUnion(
                RuntimeText.calls(in: line[...], lineComment: "//", hasKeys: false, hasMembers: true))
        }
    }
}
