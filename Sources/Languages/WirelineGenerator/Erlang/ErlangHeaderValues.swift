// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The values of header and trailer fields, by their positions among all packet fields.
extension ErlangTypes {
    /// Whether packets of a shape can have fields that some message fixes.
    func fixesHeaders(_ shape: PacketShape) -> Bool {
        !plan.fixedHeaderFields.isEmpty && (shape.part?.isFlat ?? true)
    }

    func headerType(_ position: Int) -> String {
        let format = description.layout.fields[position].format
        return switch description.packetFieldType(position) {
        case .enumeration(let index, _)?: ErlangText.atom(naming.enumerations[index].type) + "()"
        case .flags(let index, _)?: ErlangText.atom(naming.flagSets[index].type) + "()"
        default: !format.isNumber ? "binary()" : format.isBoolean ? "boolean()" : Self.text(format.range)
        }
    }

    /// Returns a header field's number, text or bytes as a value of the header map.
    func headerLiteral(_ position: Int, _ value: PacketHeader.FieldValue) -> ErlangCode {
        switch value {
        case .text(let text): return .text(text)
        case .bytes(let bytes): return Expression.bytes(bytes).code
        case .integer(let number):
            if let type = description.packetFieldType(position) {
                return .literal(text(plan.coding.literal(number, type)))
            }
            let format = description.layout.fields[position].format
            switch format {
            case .text: return .noBytes
            case .digits(let format): return .literal("binary:copy(<<\"0\">>, \(format.digitCount))")
            case .bytes(let byteCount): return .binary([.bits(0, 8 * byteCount)])
            case .integer, .boolean, .bit, .varint:
                return format.isBoolean ? Expression.boolean(number != 0).code : .number(number)
            }
        }
    }

    /// Returns the check that a field just read has the expected value.
    func check(_ position: Int, _ value: PacketHeader.FieldValue, _ own: ErlangCode, at place: ErlangCode) -> ErlangCode
    {
        let field = description.layout.fields[position]
        guard case .text(let text) = value else {
            return .call("same_constant", [own, .number(value.number), .text(field.name), place])
        }
        let compared = Expression.bytes(field.format.comparedBytes(ofText: text)).code
        return .call("same_text", [own, compared, place, .text(field.name), .list([.literal("packet")])])
    }

    /// Returns the number or the bytes to write for a value of the header map, or an error that names the field.
    ///
    /// - Parameter path: The names that contain the field, innermost first (default: the packet).
    func headerNumber(
        _ field: PacketField, _ position: Int, _ own: ErlangCode, in path: ErlangCode = .list([.literal("packet")])
    ) -> ErlangCode {
        let place = ErlangPlace.header(field, in: path)
        let value = headerPlan(position) ?? field.format.value(in: field.range)
        return field.format.isNumber ? number(value, own, place) : writeLeaf(value, own, place) ?? own
    }

    /// Returns the enum or flags of a field; nil for other fields. A header also accepts numbers without a case.
    func headerPlan(_ position: Int) -> ValuePlan? {
        let range = description.layout.fields[position].range
        return plan.headerNumber(position).map {
            .number(PlannedNumber($0.format, $0.byteOrder, $0.kind, range: range))
        }
    }

    func headerKeys(_ positions: [Int]) -> ErlangCode { .literal(keyList(positions)) }

    func keyList(_ positions: [Int]) -> String {
        "[\(positions.map { ErlangText.atom(naming.packetFields[$0]) }.joined(separator: ", "))]"
    }

    // MARK: Conditions

    /// Returns a condition on packets of a layout as an expression.
    ///
    /// - Parameter letter: The first letter of the variables with the numbers of fields.
    func condition(_ condition: WireCondition, numbers letter: String, in layout: PacketLayout) -> Expression {
        builder.condition(condition, in: layout) { index in
            .number(.name(letter + String(index)), layout.fields[index].format.numberFormat)
        }
    }

    /// Returns the condition, or `false` until all fields that it tests have been read.
    func knownCondition(_ condition: WireCondition, in layout: PacketLayout) -> Expression {
        let isKnown = condition.operands.allSatisfy { operand in layout.header.contains { .field($0.name) == operand } }
        return isKnown ? self.condition(condition, numbers: "x", in: layout) : false
    }

    static func checksum(_ kind: ChecksumKind, _ data: ErlangCode) -> ErlangCode {
        switch kind {
        case .crc32, .adler32: .call("erlang:" + kind.rawValue, [data])
        default: .call(kind.rawValue, [data])
        }
    }
}
