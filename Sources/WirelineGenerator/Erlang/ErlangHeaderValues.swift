// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The values of header and trailer fields, by their positions among all fields of packets.
extension ErlangTypes {
    /// Whether some message fixes fields of packets of a shape.
    func fixesHeaders(_ shape: PacketShape) -> Bool {
        !code.fixedHeaderFields.isEmpty && (shape.part?.isFlat ?? true)
    }

    /// Returns the type of a field's values in a map of header fields.
    func headerType(_ position: Int) -> String {
        let format = description.layout.fields[position].format
        return switch description.packetFieldType(position) {
        case .enumeration(let index, _)?: ErlangText.atom(naming.enumerations[index].type) + "()"
        case .flags(let index, _)?: ErlangText.atom(naming.flagSets[index].type) + "()"
        default: !format.isNumber ? "binary()" : format.isBoolean ? "boolean()" : Self.text(format.range)
        }
    }

    /// Returns the value that a map of header fields has for what was read.
    func headerValue(_ position: Int, _ number: ErlangCode) -> ErlangCode {
        switch description.packetFieldType(position) {
        case .enumeration(let index, _)?: .call(nameFunction(index), [number])
        case .flags(let index, _)?: .call("mask_names", [.call(masksFunction(index), []), number, 0])
        default: number
        }
    }

    /// Returns how a map of header fields would have a number, a text or bytes.
    func headerLiteral(_ position: Int, _ value: PacketHeader.FieldValue) -> ErlangCode {
        switch value {
        case .text(let text): return .text(text)
        case .bytes(let bytes): return Expression.bytes(bytes).code
        case .integer(let number):
            if let type = description.packetFieldType(position) { return .literal(integer(number, type)) }
            let format = description.layout.fields[position].format
            switch format {
            case .text: return .noBytes
            case .digits(let byteCount): return .literal("binary:copy(<<\"0\">>, \(2 * byteCount))")
            case .bytes(let byteCount): return .binary([.bits(0, 8 * byteCount)])
            case .integer, .boolean, .bit, .varint:
                return format.isBoolean ? Expression.boolean(number != 0).code : .number(number)
            }
        }
    }

    /// Returns the check that a field which was read has a value.
    func check(_ position: Int, _ value: PacketHeader.FieldValue, _ own: ErlangCode, at place: ErlangCode) -> ErlangCode
    {
        let field = description.layout.fields[position]
        guard case .text(let text) = value else {
            return .call("same_constant", [own, .number(value.number), .text(field.name), place])
        }
        let compared = Expression.bytes(field.format.comparedBytes(ofText: text)).code
        return .call("same_text", [own, compared, place, .text(field.name), .list([.literal("packet")])])
    }

    /// Returns the number or the bytes that are written for a value of such a map, or an error that names the field.
    ///
    /// - Parameter path: What the field is in, innermost first.
    func headerNumber(
        _ field: PacketField, _ position: Int, _ value: ErlangCode, in path: ErlangCode = .list([.literal("packet")])
    ) -> ErlangCode {
        let end = [ErlangCode.text(field.name), path]
        switch field.format {
        case .text(let byteCount, let padding):
            return .call("put_fixed_text", [value, .number(byteCount), .number(padding)] + end)
        case .digits(let byteCount): return .call("put_digits", [value, .number(byteCount)] + end)
        case .bytes(let byteCount): return .call("put_bytes", [value, .number(byteCount)] + end)
        case .integer, .boolean, .bit, .varint: break
        }
        return number(description.packetFieldType(position), field.range, isBoolean: field.format.isBoolean, value, end)
    }

    /// Returns the number that is written for a value: an integer, a boolean, an enum or flags.
    ///
    /// - Parameter type: An enum or flags; nil for another number.
    func number(
        _ type: TypeDescription?, _ range: ClosedRange<Int128>, isBoolean: Bool, _ value: ErlangCode,
        _ end: [ErlangCode]
    ) -> ErlangCode {
        let bounds = [ErlangCode.number(range.lowerBound), .number(range.upperBound)]
        return switch type {
        case .enumeration(let index, _)?: .call("enumeration", [.call(numberFunction(index), [value])] + bounds + end)
        case .flags(let index, _)?: .call("bits", [value, .call(masksFunction(index), []), bounds[1]] + end)
        default: isBoolean ? .call("boolean", [value] + end) : .call("integer", [value] + bounds + end)
        }
    }

    /// Returns the list of the keys of fields.
    func headerKeys(_ positions: [Int]) -> ErlangCode { .list(positions.map { .atom(naming.packetFields[$0]) }) }

    // MARK: Conditions

    /// Returns the expression that a condition of packets of a layout holds.
    ///
    /// - Parameter letter: What the variables with the numbers of fields begin with.
    func condition(_ condition: WireCondition, numbers letter: String, in layout: PacketLayout) -> Expression {
        printer.condition(condition) { operand in
            guard case .field(let name) = operand, let index = layout.header.firstIndex(where: { $0.name == name })
            else { return .literal(0) }
            return .number(.name(letter + String(index)), layout.fields[index].format.numberFormat)
        }
    }

    /// Returns the same; `false` while not all fields that it tests are read.
    func knownCondition(_ condition: WireCondition, in layout: PacketLayout) -> Expression {
        let isKnown = condition.operands.allSatisfy { operand in layout.header.contains { .field($0.name) == operand } }
        return isKnown ? self.condition(condition, numbers: "x", in: layout) : false
    }

    /// Returns the call that computes a checksum of iodata.
    static func checksum(_ kind: ChecksumKind, _ data: ErlangCode) -> ErlangCode {
        switch kind {
        case .crc32, .adler32: .call("erlang:" + kind.rawValue, [data])
        default: .call(kind.rawValue, [data])
        }
    }
}
