// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the segments of binaries for the fields of headers and trailers that have a fixed width.
///
/// Fields that share bytes are one segment each, after one another, in big-endian order. A little-endian run is one
/// integer, which is taken apart as a big-endian one.
struct ErlangPacketFields {
    let layout: PacketLayout

    /// Returns the segments that read a field into its variable; of fields that share bytes, the first one reads all.
    ///
    /// - Parameter letter: The letter of the variable of a field that shares no bytes.
    func reading(_ index: Int, as letter: String = "X") -> [String] {
        guard let place = layout.packedPlace(ofField: index) else {
            let format = layout.fields[index].format
            if layout.fields[index].role == .padding { return ["_:\(format.byteCount ?? 0)/binary"] }
            if !format.isNumber, let byteCount = format.byteCount {
                return ["\(letter)\(index + 1):\(byteCount)/binary"]
            }
            return Self.scalar(format).map { ["\(letter)\(index + 1)\($0.reading)"] } ?? []
        }
        guard place.isFirst else { return [] }
        return isTurned(place) ? ["N\(index + 1):\(8 * place.runByteCount)/little"] : run(index, place, "X")
    }

    /// Returns the line that takes a little-endian run apart, after its first field has been read; nil for other fields.
    func taking(_ index: Int) -> String? {
        guard let place = layout.packedPlace(ofField: index), place.isFirst, isTurned(place) else { return nil }
        let parts = run(index, place, "X").joined(separator: ", ")
        return "<<\(parts)>> = <<N\(index + 1):\(8 * place.runByteCount)>>"
    }

    /// Returns the segments that write a field; of fields that share bytes, the first one writes all.
    func writing(_ index: Int) -> [String] {
        guard let place = layout.packedPlace(ofField: index) else {
            let format = layout.fields[index].format
            return format.isNumber ? Self.scalar(format).map { ["F\(index + 1)\($0.writing)"] } ?? [] : []
        }
        guard place.isFirst else { return [] }
        let parts = run(index, place, "F")
        guard isTurned(place) else { return parts }
        let number = "(binary:decode_unsigned(<<\(parts.joined(separator: ", "))>>))"
        return ["\(number):\(8 * place.runByteCount)/little"]
    }

    private func isTurned(_ place: PackedPlace) -> Bool { place.byteOrder == .littleEndian }

    private func run(_ index: Int, _ place: PackedPlace, _ variable: String) -> [String] {
        (index..<index + place.fieldCount).map { index in
            let format = layout.fields[index].format
            let sign = variable == "X" && format.range.lowerBound < 0 ? "/signed" : ""
            return "\(variable)\(index + 1):\(format.idBitWidth)\(sign)"
        }
    }

    private static func scalar(_ format: PacketField.Format) -> ErlangTypes.Scalar? {
        switch format {
        case .integer(let format, let order): ErlangTypes.scalar(format, order)
        case .boolean, .bit: ErlangTypes.scalar(.uint8, .bigEndian)
        case .varint, .text, .digits, .bytes: nil
        }
    }
}

/// The values of header and trailer fields.
extension ErlangTypes {
    /// Returns the type of a field's values in a map of header fields.
    func packetFieldType(_ index: Int) -> String {
        let format = description.layout.fields[index].format
        return switch description.packetFieldType(index) {
        case .enumeration(let index, _)?: ErlangText.atom(naming.enumerations[index].type) + "()"
        case .flags(let index, _)?: ErlangText.atom(naming.flagSets[index].type) + "()"
        default: !format.isNumber ? "binary()" : format.isBoolean ? "boolean()" : Self.text(format.range)
        }
    }

    /// Returns the value that a map of header fields has for the number that was read; nil for the number itself.
    func packetFieldValue(_ index: Int, _ number: String) -> String? {
        switch description.packetFieldType(index) {
        case .enumeration(let index, _)?: "\(nameFunction(index))(\(number))"
        case .flags(let index, _)?: "mask_names(\(masksFunction(index))(), \(number), 0)"
        default: nil
        }
    }

    /// Returns how a map of header fields would have a number.
    func packetFieldLiteral(_ index: Int, _ value: Int128) -> String {
        if let type = description.packetFieldType(index) { return integer(value, type) }
        switch description.layout.fields[index].format {
        case .text: return "<<>>"
        case .digits(let byteCount): return "binary:copy(<<\"0\">>, \(2 * byteCount))"
        case .bytes(let byteCount): return "<<0:\(8 * byteCount)>>"
        case .integer, .boolean, .bit, .varint: break
        }
        return description.layout.fields[index].format.isBoolean ? String(value != 0) : String(value)
    }

    /// Returns how a map of header fields would have a number or a text.
    func packetFieldLiteral(_ index: Int, _ value: PacketHeader.FieldValue) -> String {
        switch value {
        case .integer(let number): packetFieldLiteral(index, number)
        case .text(let text): ErlangText.binary(text)
        case .bytes(let bytes): ErlangText.binary(bytes)
        }
    }

    /// Returns the binary of a text in a field, as it is written.
    func packetFieldBytes(_ index: Int, _ text: String) -> String {
        ErlangText.binary(description.layout.fields[index].format.bytes(ofText: text))
    }

    /// Returns the binary of a text in a field, as far as a reader looks at it.
    func comparedPacketFieldBytes(_ index: Int, _ text: String) -> String {
        ErlangText.binary(description.layout.fields[index].format.comparedBytes(ofText: text))
    }

    /// Returns the check that a field which was read has a value.
    func packetFieldCheck(
        _ index: Int, _ value: PacketHeader.FieldValue, _ variable: String, _ offset: String
    ) -> String {
        let name = ErlangText.binary(description.layout.fields[index].name)
        guard case .text(let text) = value else {
            return "same_constant(\(variable), \(Self.number(value.number)), \(name), \(offset))"
        }
        return "same_text(\(variable), \(comparedPacketFieldBytes(index, text)), \(offset), \(name), [packet])"
    }

    /// Returns the expression that reads the text, digits or bytes of a field from its bytes; nil for a number.
    ///
    /// - Parameter end: The offset of the field's end.
    func packetFieldText(_ index: Int, _ bytes: String, _ end: String) -> String? {
        let field = description.layout.fields[index]
        // Its bytes are compared.
        if case .constant(.text(let text)) = field.role { return ErlangText.binary(text) }
        let place = "\(end), \(ErlangText.binary(field.name)), [packet]"
        return switch field.format {
        case .text(let byteCount, let padding): "element(1, fixed_text(\(bytes), \(byteCount), \(padding), \(place)))"
        case .digits(let byteCount): "element(1, digits(\(bytes), \(byteCount), \(place)))"
        case .bytes: bytes
        case .integer, .boolean, .bit, .varint: nil
        }
    }

    /// Returns the number or the bytes that are written for a value of such a map, or an error that names the field.
    ///
    /// - Parameter path: What the field is in, innermost first.
    func packetFieldNumber(_ index: Int, _ value: String, in path: String = "[packet]") -> String {
        let field = description.layout.fields[index]
        let end = "\(ErlangText.binary(field.name)), \(path)"
        switch field.format {
        case .text(let byteCount, let padding): return "put_fixed_text(\(value), \(byteCount), \(padding), \(end))"
        case .digits(let byteCount): return "put_digits(\(value), \(byteCount), \(end))"
        case .bytes(let byteCount): return "put_bytes(\(value), \(byteCount), \(end))"
        case .integer, .boolean, .bit, .varint: break
        }
        let range = field.range
        let bounds = "\(Self.number(range.lowerBound)), \(Self.number(range.upperBound))"
        return switch description.packetFieldType(index) {
        case .enumeration(let index, _)?: "enumeration(\(numberFunction(index))(\(value)), \(bounds), \(end))"
        case .flags(let index, _)?:
            "bits(\(value), \(masksFunction(index))(), \(Self.number(range.upperBound)), \(end))"
        default: field.format.isBoolean ? "boolean(\(value), \(end))" : "integer(\(value), \(bounds), \(end))"
        }
    }
}
