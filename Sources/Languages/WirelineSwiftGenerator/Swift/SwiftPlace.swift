// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The position of a value of fixed width in a run.
struct SwiftPlace {
    /// The run's name; empty if there is none.
    let run: String
    /// The offset from the start of the run, in bytes.
    let offset: Int

    /// Returns the expression for an integer with the type's full width.
    func integer(_ type: String, _ order: ByteOrder) -> String {
        "\(run).integer(at: \(offset), as: \(type).self, \(order.swiftCase))"
    }

    /// The offset from the start of the reader, in bytes.
    var absolute: String { offset == 0 ? "\(run).startOffset" : "\(run).startOffset + \(offset)" }
}

struct SwiftExpression {
    /// The text; the property's type completes it, as in `.init(rawValue: …)`.
    var text: String
    var canFail = false
    /// Whether the type must be known from the context.
    var isImplicit = false

    /// Returns the expression with its type, for contexts that do not imply it: an optional property.
    func coerced(to type: String) -> String {
        guard isImplicit else { return text }
        let isTry = text.hasPrefix("try ")
        return (isTry ? "try " : "") + "(\(isTry ? String(text.dropFirst(4)) : text) as \(type))"
    }

    func text(as field: SwiftField) -> String { field.mayBeUnset ? coerced(to: field.valueType) : text }
}

extension SwiftTypes {
    /// Returns an expression for a number or a `bool` in a run, with `try` if it can fail.
    func scalar(_ type: TypeDescription, at place: SwiftPlace) -> SwiftExpression {
        switch type {
        case .float(let format, let order):
            return SwiftExpression(text: "\(place.run).\(format.name)(at: \(place.offset), \(order.swiftCase))")
        case .boolean: return SwiftExpression(text: "try \(place.run).boolean(at: \(place.offset))", canFail: true)
        case .string(.fixed(let byteCount, let padding)):
            let text = "text(at: \(place.offset), byteCount: \(byteCount), padding: \(padding))"
            return SwiftExpression(text: "try \(place.run).\(text)", canFail: true)
        case .utf16(.fixed(let byteCount, let padding), let order):
            let text = "utf16(at: \(place.offset), byteCount: \(byteCount), padding: \(padding), \(order.swiftCase))"
            return SwiftExpression(text: "try \(place.run).\(text)", canFail: true)
        case .string(.exact(let byteCount)):
            let text = "try \(place.run).exactText(at: \(place.offset), byteCount: \(byteCount))"
            return SwiftExpression(text: text, canFail: true)
        case .bytes(.exact(let byteCount)):
            return SwiftExpression(text: "\(place.run).bytes(at: \(place.offset), byteCount: \(byteCount))")
        case .digits(let format):
            let text = "\(format.notation.word)(at: \(place.offset), byteCount: \(format.byteCount))"
            return SwiftExpression(text: "try \(place.run).\(text)", canFail: true)
        default: break
        }
        guard let plan = plan.number(type) else { return SwiftExpression(text: "0") }
        let (format, order) = (plan.format, plan.byteOrder)
        let number: String =
            switch format {
            case .uint24: "\(place.run).unsigned24(at: \(place.offset), \(order.swiftCase))"
            case .int24: "\(place.run).signed24(at: \(place.offset), \(order.swiftCase))"
            case _ where !format.fillsHostInteger:
                "\(place.run).\(format.swiftMethod)(at: \(place.offset), byteCount: \(format.byteCount), \(order.swiftCase))"
            default: place.integer(format.swiftType, order)
            }
        return value(number, of: type, at: place)
    }

    /// Returns an expression for a field that shares bytes.
    ///
    /// - Parameters:
    ///   - name: The variable with the bits of the run.
    ///   - place: The place of the run's first byte.
    func packed(_ type: TypeDescription, _ bits: PlannedBits, in name: String, at place: SwiftPlace) -> SwiftExpression
    {
        guard let format = plan.number(type)?.format else {
            return SwiftExpression(text: "\(name).bit(shift: \(bits.shift))")
        }
        let arguments = "bitWidth: \(bits.bitWidth), shift: \(bits.shift), as: \(format.swiftType).self"
        return value("\(name).\(format.swiftMethod)(\(arguments))", of: type, at: place)
    }

    private func value(_ number: String, of type: TypeDescription, at place: SwiftPlace) -> SwiftExpression {
        if case .integer = type { return SwiftExpression(text: number) }
        guard plan.isClosed(type) else {
            return SwiftExpression(text: ".init(rawValue: \(number))", isImplicit: true)
        }
        return SwiftExpression(
            text: "try WirelineCodec::FieldCheck.known(\(number), at: \(place.absolute))", canFail: true,
            isImplicit: true)
    }

    /// Returns an expression for a separate value, such as an item of a list. It can fail, and has no `try`.
    func item(_ type: TypeDescription) -> SwiftExpression {
        switch type {
        case .float(let format, let order):
            return SwiftExpression(text: "reader.read\(format.swiftName)(\(order.swiftCase))")
        case .boolean: return SwiftExpression(text: "reader.readBoolean()")
        case .varint(let format): return SwiftExpression(text: format.swiftReading)
        case .string(let extent): return SwiftExpression(text: text("String", extent))
        case .bytes(let extent): return SwiftExpression(text: text("Bytes", extent))
        case .utf16(let extent, let order): return SwiftExpression(text: utf16(extent, order))
        case .digits(let format):
            return SwiftExpression(text: "reader.read\(format.notation.upperWord)(byteCount: \(format.byteCount))")
        case .properties(let isStrict):
            return SwiftExpression(text: "reader.readProperties(isStrict: \(isStrict))")
        case .structure, .union: return SwiftExpression(text: ".init(from: &reader)", isImplicit: true)
        default: break
        }
        guard let plan = plan.number(type) else { return SwiftExpression(text: "0") }
        let (format, order) = (plan.format, plan.byteOrder)
        let number: String =
            switch format {
            case .uint24: "reader.readUnsigned24(\(order.swiftCase))"
            case .int24: "reader.readSigned24(\(order.swiftCase))"
            case _ where !format.fillsHostInteger:
                "reader.read\(format.isSigned ? "Signed" : "Unsigned")(byteCount: \(format.byteCount), \(order.swiftCase))"
            default: "reader.readInteger(as: \(format.swiftType).self, \(order.swiftCase))"
            }
        if case .integer = type { return SwiftExpression(text: number) }
        guard self.plan.isClosed(type) else {
            return SwiftExpression(text: ".init(rawValue: \(number))", isImplicit: true)
        }
        return SwiftExpression(
            text: "WirelineCodec::FieldCheck.known(\(number), at: reader.offset - \(format.byteCount))",
            isImplicit: true)
    }

    /// Returns an expression for a union whose tag has been read. It can fail, and has no `try`.
    func union(tagged tag: String) -> SwiftExpression {
        SwiftExpression(text: ".init(tag: \(tag), from: &reader)", isImplicit: true)
    }

    /// Returns an expression for the tag of a union in another field: 0 if the union is not set.
    func tag(of union: SwiftField, _ type: TypeDescription) -> String {
        union.mayBeUnset ? "(\(union.access)?.tag ?? \(value(.zero, of: type)))" : union.access + ".tag"
    }

    private func text(_ kind: String, _ extent: TypeDescription.Extent) -> String {
        switch extent {
        case .counted(let format, let order):
            "reader.read\(kind)(byteCount: reader.readCount(.\(format.name), \(order.swiftCase)\(forms(format))))"
        case .terminated: "reader.readTerminated\(kind)()"
        case .rest, .until: "reader.read\(kind)(byteCount: reader.remaining)"
        case .fixed(let byteCount, let padding):
            "reader.readFixedText(byteCount: \(byteCount), padding: \(padding))"
        case .exact(let byteCount): "reader.read\(kind)(byteCount: \(byteCount))"
        // Items have counts of their own.
        case .field: "reader.read\(kind)(byteCount: 0)"
        }
    }

    private func utf16(_ extent: TypeDescription.Extent, _ order: ByteOrder) -> String {
        switch extent {
        case .counted(let format, let prefixOrder):
            let count = "reader.readCount(.\(format.name), \(prefixOrder.swiftCase)\(forms(format)))"
            return "reader.readUTF16(unitCount: \(count), \(order.swiftCase))"
        case .terminated: return "reader.readTerminatedUTF16(\(order.swiftCase))"
        case .rest, .until: return "reader.readRestOfUTF16(\(order.swiftCase))"
        case .fixed(let byteCount, let padding):
            return "reader.readFixedUTF16(byteCount: \(byteCount), padding: \(padding), \(order.swiftCase))"
        case .exact(let byteCount): return "reader.readUTF16(unitCount: \(byteCount / 2), \(order.swiftCase))"
        case .field: return "reader.readRestOfUTF16(\(order.swiftCase))"
        }
    }

    /// Returns the last argument for reading a prefix: the accepted forms, if not only the shortest.
    func forms(_ format: CountFormat) -> String {
        format.fixedByteCount == nil && description.options.varintForms == .any ? ", .any" : ""
    }

    /// Returns the integer format of items that are read and written together; nil for other types.
    func bulkInteger(_ element: TypeDescription) -> (format: IntegerFormat, order: ByteOrder)? {
        guard case .integer(let format, let order) = element, format.fillsHostInteger else { return nil }
        return (format, order)
    }
}

extension FloatFormat {
    /// Its name in functions of the codec: `readFloat32`.
    var swiftName: String { "Float\(8 * byteCount)" }
}
