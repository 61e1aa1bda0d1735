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

/// An expression that reads a value.
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
}

extension SwiftTypes {
    /// Returns an expression for a number or a `bool` in a run, with `try` if it can fail.
    func scalar(_ type: TypeDescription, at place: SwiftPlace) -> SwiftExpression {
        switch type {
        case .float32(let order):
            return SwiftExpression(text: "\(place.run).float32(at: \(place.offset), \(order.swiftCase))")
        case .float64(let order):
            return SwiftExpression(text: "\(place.run).float64(at: \(place.offset), \(order.swiftCase))")
        case .boolean: return SwiftExpression(text: "try \(place.run).boolean(at: \(place.offset))", canFail: true)
        case .string(.fixed(let byteCount, let padding)):
            let text = "text(at: \(place.offset), byteCount: \(byteCount), padding: \(padding))"
            return SwiftExpression(text: "try \(place.run).\(text)", canFail: true)
        case .digits(let byteCount):
            let text = "try \(place.run).digits(at: \(place.offset), byteCount: \(byteCount))"
            return SwiftExpression(text: text, canFail: true)
        default: break
        }
        guard let plan = plan.number(type) else { return SwiftExpression(text: "0") }
        let (format, order) = (plan.format, plan.byteOrder)
        let number: String =
            switch format {
            case .uint24: "\(place.run).unsigned24(at: \(place.offset), \(order.swiftCase))"
            case .int24: "\(place.run).signed24(at: \(place.offset), \(order.swiftCase))"
            default: place.integer(format.swiftType, order)
            }
        if case .integer = type { return SwiftExpression(text: number) }
        guard self.plan.isClosed(type) else {
            return SwiftExpression(text: ".init(rawValue: \(number))", isImplicit: true)
        }
        return SwiftExpression(
            text: "try WirelineCodec::FieldCheck.known(\(number), at: \(place.absolute))", canFail: true,
            isImplicit: true)
    }

    /// Returns an expression for a separate value, such as an item of a list; it can fail, and has no `try`.
    func item(_ type: TypeDescription) -> SwiftExpression {
        switch type {
        case .float32(let order): return SwiftExpression(text: "reader.readFloat32(\(order.swiftCase))")
        case .float64(let order): return SwiftExpression(text: "reader.readFloat64(\(order.swiftCase))")
        case .boolean: return SwiftExpression(text: "reader.readBoolean()")
        case .varint(let format): return SwiftExpression(text: format.swiftReading)
        case .string(let extent): return SwiftExpression(text: text("String", extent))
        case .bytes(let extent): return SwiftExpression(text: text("Bytes", extent))
        case .digits(let byteCount): return SwiftExpression(text: "reader.readDigits(byteCount: \(byteCount))")
        case .properties(let isStrict):
            return SwiftExpression(text: "reader.readProperties(isStrict: \(isStrict))")
        case .structure: return SwiftExpression(text: ".init(from: &reader)", isImplicit: true)
        default: break
        }
        guard let plan = plan.number(type) else { return SwiftExpression(text: "0") }
        let (format, order) = (plan.format, plan.byteOrder)
        let number: String =
            switch format {
            case .uint24: "reader.readUnsigned24(\(order.swiftCase))"
            case .int24: "reader.readSigned24(\(order.swiftCase))"
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

    private func text(_ kind: String, _ extent: TypeDescription.Extent) -> String {
        switch extent {
        case .counted(let format, let order):
            "reader.read\(kind)(byteCount: reader.readCount(.\(format.name), \(order.swiftCase)\(forms(format))))"
        case .terminated: "reader.readTerminated\(kind)()"
        case .rest: "reader.read\(kind)(byteCount: reader.remaining)"
        case .fixed(let byteCount, let padding):
            "reader.readFixedText(byteCount: \(byteCount), padding: \(padding))"
        }
    }

    /// Returns the last argument for reading a prefix: the forms that are accepted, if not only the shortest.
    func forms(_ format: CountFormat) -> String {
        format == .varint && description.options.varintForms == .any ? ", .any" : ""
    }

    /// Returns the integer format of items that are read and written together; nil for other types.
    func bulkInteger(_ element: TypeDescription) -> (format: IntegerFormat, order: ByteOrder)? {
        guard case .integer(let format, let order) = element, format.byteCount != 3 else { return nil }
        return (format, order)
    }
}
