// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that write fields whose values have been checked.
struct SwiftWriting {
    let types: SwiftTypes
    private(set) var source: SwiftSource
    private var runCount = 0
    private var body: BodyPlan?
    private var derived: [Int: SwiftDerivation] = [:]

    init(_ types: SwiftTypes, in source: SwiftSource) {
        self.types = types
        self.source = source
    }

    /// Writes statements for a single value without a body.
    mutating func write(_ type: TypeDescription, _ access: String) { writeBody(type, access, hasCount: false) }

    mutating func write(_ body: BodyPlan, _ fields: [SwiftField]) {
        self.body = body
        derived = SwiftDerivation.all(body, fields)
        for step in body.steps {
            if let index = step.absentField ?? step.conditionalField, fields[index].mayBeUnset {
                source.open("if let value = \(fields[index].access) {")
                write(step, fields) { _ in "value" }
                source.close("}")
            } else {
                write(step, fields, \.access)
            }
        }
    }

    private mutating func write(_ step: PlannedStep, _ fields: [SwiftField], _ access: (SwiftField) -> String) {
        if !step.parts.isEmpty {
            let name = "run\(runCount)"
            runCount += 1
            // The bytes of a run are 0 at first, as padding needs them.
            let setParts = step.parts.filter { isSet($0, fields) }
            for part in step.parts where body?.derivation(of: part.field)?.isLate == true {
                source.line("let place\(part.field) = writer.offset" + (part.offset > 0 ? " + \(part.offset)" : ""))
            }
            source.line("\(setParts.isEmpty ? "_" : "var " + name) = writer.writeRun(byteCount: \(step.byteCount))")
            for part in setParts {
                if case .packed(let run) = part.kind {
                    setPacked(run, fields, name, part.offset)
                    continue
                }
                let field = fields[part.field]
                if field.plan.isNullable {
                    setSignedCount(of: field, name, part.offset)
                    continue
                }
                switch types.description.constant(of: field.description) {
                case .number(let number, let format, let order):
                    set(.integer(format, order), "\(number) as \(format.swiftType)", name, part.offset)
                case .text(let text, _, _): set(field.type, SwiftText.literal(text), name, part.offset)
                case nil: set(field.type, value(of: field, fields, access), name, part.offset)
                }
            }
        }
        guard let content = step.content else { return }
        let field = fields[content]
        if field.plan.isNullable {
            writeIfSet(field, hasCount: !step.parts.isEmpty)
        } else if case .sized(let type, let extent) = field.type {
            writeSized(type, extent, access(field), field)
            writeDerived(field, fields)
        } else if field.plan.reference.tagSource != nil {
            source.line("\(access(field)).writeValue(to: &writer)")
        } else {
            writeBody(field.type, value(of: field, fields, access), hasCount: !step.parts.isEmpty)
        }
    }

    /// Writes the value of a field whose prefix says whether it is present.
    private mutating func writeIfSet(_ field: SwiftField, hasCount: Bool) {
        source.open("if let value = \(field.access) {")
        if case .sized(let type, let extent) = field.type {
            writeSized(type, extent, "value", field)
        } else {
            writeBody(field.type, "value", hasCount: hasCount)
        }
        guard !hasCount, let count = field.description.count else { return source.close("}") }
        source.close()
        source.open("} else {")
        source.line("writer.writeAbsence(\(count.swiftArguments))")
        source.close("}")
    }

    /// Sets the prefix of a field that may be absent; a byte count overwrites it later.
    private mutating func setSignedCount(of field: SwiftField, _ run: String, _ offset: Int) {
        guard let prefix = field.description.count else { return }
        let number: String =
            switch field.type {
            case .sized: "-1"
            case .string: "\(field.access)?.utf8.count ?? -1"
            case .utf16: "\(field.access)?.utf16UnitCount ?? -1"
            default: "\(field.access)?.count ?? -1"
            }
        setCount(number, prefix.format, run, offset, prefix.byteOrder)
    }

    /// Whether a part's bytes are set in its run. Padding stays 0; byte counts overwrite theirs later.
    private func isSet(_ part: PlannedPart, _ fields: [SwiftField]) -> Bool {
        if case .count = part.kind { return !fields[part.field].type.isSized || fields[part.field].plan.isNullable }
        return !part.kind.isPadding && derived[part.field]?.isKnownLater != true
    }

    /// Returns the expression for a value; for a derived one, from the later fields that determine it.
    private func value(of field: SwiftField, _ fields: [SwiftField], _ access: (SwiftField) -> String) -> String {
        field.plan.reference.user.map { types.tag(of: fields[$0], field.type) }
            ?? derived[field.index]?.text(as: field.valueType) ?? access(field)
    }

    /// Overwrites the earlier field that holds the size of a value, if the size was not known before.
    private mutating func writeDerived(_ field: SwiftField, _ fields: [SwiftField]) {
        guard let count = field.type.fieldCount, let derivation = body?.derivation(counting: field.index),
            types.plan.measure(of: field.type) == .body,
            case .integer(let format, let order) = fields[derivation.field].type
        else { return }
        let sign = count.addend < 0 ? "+" : "-"
        let addend = count.addend == 0 ? "" : " \(sign) \(count.addend.magnitude)"
        let number = "writer.offset - start\(field.index)" + addend
        let arguments = "at: place\(derivation.field), byteCount: \(format.byteCount), \(order.swiftCase)"
        source.line("writer.patchUnsigned(Swift::UInt64(truncatingIfNeeded: \(number)), \(arguments))")
    }

    // MARK: Fixed width

    private mutating func setPacked(_ run: PlannedRun, _ fields: [SwiftField], _ name: String, _ offset: Int) {
        guard let first = run.bits.first else { return }
        let variable = "bits\(first.field)"
        let values = run.bits.filter { $0.constant == nil }
        let constants = run.constantInteger == 0 ? "" : "0x" + String(run.constantInteger, radix: 16, uppercase: true)
        source.line("\(values.isEmpty ? "let" : "var") \(variable) = WirelineCodec::PackedBits(\(constants))")
        for bits in values {
            let field = fields[bits.field]
            switch field.type {
            case .bit: source.line("\(variable).add(\(field.access), shift: \(bits.shift))")
            case .integer:
                let value = value(of: field, fields, \.access)
                source.line("\(variable).add(\(value), bitWidth: \(bits.bitWidth), shift: \(bits.shift))")
            default:
                source.line(
                    "\(variable).add(\(field.access).rawValue, bitWidth: \(bits.bitWidth), shift: \(bits.shift))")
            }
        }
        let arguments = "at: \(offset), byteCount: \(run.byteCount), \(run.byteOrder.swiftCase)"
        source.line("\(name).setPackedBits(\(variable), \(arguments))")
    }

    /// Writes a number, or the count of the content after the run.
    private mutating func set(_ type: TypeDescription, _ access: String, _ run: String, _ offset: Int) {
        switch type {
        case .string(.counted(let format, let order)):
            setCount("\(access).utf8.count", format, run, offset, order)
        case .utf16(.counted(let format, let order), _):
            setCount("\(access).utf16UnitCount", format, run, offset, order)
        case .utf16(.fixed(let byteCount, let padding), let order):
            let arguments = "at: \(offset), byteCount: \(byteCount), padding: \(padding), \(order.swiftCase)"
            source.line("\(run).setUTF16(\(access), \(arguments))")
        case .bytes(.counted(let format, let order)), .list(_, .counted(let format, let order)):
            setCount("\(access).count", format, run, offset, order)
        case .string(.fixed(let byteCount, let padding)):
            source.line(
                "\(run).setText(\(access), at: \(offset), byteCount: \(byteCount), padding: \(padding))")
        case .digits(let format): source.line("\(run).set\(format.notation.upperWord)(\(access), at: \(offset))")
        case .string(.exact(let byteCount)):
            source.line("\(run).setText(\(access), at: \(offset), byteCount: \(byteCount), padding: 0)")
        case .bytes(.exact): source.line("\(run).setBytes(\(access), at: \(offset))")
        case .boolean: source.line("\(run).setBoolean(\(access), at: \(offset))")
        case .float(let format, let order):
            source.line("\(run).set\(format.swiftName)(\(access), at: \(offset), \(order.swiftCase))")
        default:
            guard let number = types.plan.number(type) else { return }
            let (format, order) = (number.format, number.byteOrder)
            var value = access
            if case .integer = type {} else { value += ".rawValue" }
            guard format.fillsHostInteger || format.byteCount == 3 else {
                if format.isSigned { value = "Swift::UInt64(bitPattern: \(value))" }
                let arguments = "at: \(offset), byteCount: \(format.byteCount), \(order.swiftCase)"
                return source.line("\(run).setUnsigned(\(value), \(arguments))")
            }
            let method = format.byteCount == 3 ? "set24" : "setInteger"
            if format == .int24 { value = "Swift::UInt32(bitPattern: \(value))" }
            source.line("\(run).\(method)(\(value), at: \(offset), \(order.swiftCase))")
        }
    }

    private mutating func setCount(
        _ count: String, _ format: CountFormat, _ run: String, _ offset: Int, _ order: ByteOrder
    ) {
        source.line(
            "\(run).setInteger(\(format.swiftType)(truncatingIfNeeded: \(count)), at: \(offset), \(order.swiftCase))")
    }

    // MARK: Variable width

    /// - Parameter hasCount: Whether the count has been written.
    private mutating func writeBody(_ type: TypeDescription, _ access: String, hasCount: Bool) {
        switch type {
        case .fixedList(let element, _): writeItems(element, access)
        case .list(let element, let extent):
            if !hasCount { writeCount("\(access).count", extent) }
            writeItems(element, access)
            guard case .until(let terminator) = extent else { return }
            source.line("writer.writeInteger(\(terminator) as Swift::UInt8, .bigEndian)")
        case .string(.fixed), .utf16(.fixed, _), .string(.exact), .bytes(.exact): writeScalar(type, access)
        case .string(let extent): writeText("writeText", "\(access).utf8.count", access, extent, hasCount: hasCount)
        case .bytes(let extent): writeText("writeBytes", "\(access).count", access, extent, hasCount: hasCount)
        case .utf16(let extent, let order): writeUTF16(access, extent, order, hasCount: hasCount)
        case .varint(let format): source.line("writer.\(format.swiftWriting)(\(access))")
        case .properties: source.line("\(access).write(to: &writer)")
        case .structure, .union: source.line("\(access).writePayload(to: &writer)")
        default: writeScalar(type, access)
        }
    }

    private mutating func writeSized(
        _ content: TypeDescription, _ extent: TypeDescription.Extent, _ access: String, _ field: SwiftField
    ) {
        let start = "start\(field.index)"
        let needsStart =
            switch extent {
            case .counted: true
            // A list or text fills its bytes, as has been checked.
            case .exact: !content.goesToEnd
            case .field: types.plan.measure(of: field.type) == .body
            case .terminated, .until, .rest, .fixed: false
            }
        if needsStart { source.line("let \(start) = writer.offset") }
        if field.plan.reference.tagSource != nil {
            source.line("\(access).writeValue(to: &writer)")
        } else {
            writeBody(content, access, hasCount: true)
        }
        switch extent {
        case .counted(let format, let order):
            guard let width = format.fixedByteCount else {
                let number = format.isSigned ? "Zigzag" : "Varint"
                return source.line("writer.insert\(number)Count(at: \(start))")
            }
            // The prefix is the last part of the run before.
            let arguments = "at: \(start) - \(width), .\(format.name), \(order.swiftCase)"
            source.line("writer.patchCount(writer.offset - \(start), \(arguments))")
        case .exact(let byteCount):
            if !content.goesToEnd { source.line("writer.writeZeros(upTo: \(start) + \(byteCount))") }
        case .terminated, .until, .rest, .fixed, .field: break
        }
    }

    private mutating func writeText(
        _ method: String, _ count: String, _ access: String, _ extent: TypeDescription.Extent, hasCount: Bool
    ) {
        if !hasCount { writeCount(count, extent) }
        source.line("writer.\(method)(\(access))")
        if case .terminated = extent { source.line("writer.writeInteger(0 as Swift::UInt8, .bigEndian)") }
    }

    private mutating func writeUTF16(
        _ access: String, _ extent: TypeDescription.Extent, _ order: ByteOrder, hasCount: Bool
    ) {
        if !hasCount { writeCount("\(access).utf16UnitCount", extent) }
        source.line("writer.writeUTF16(\(access), \(order.swiftCase))")
        if case .terminated = extent { source.line("writer.writeInteger(0 as Swift::UInt16, \(order.swiftCase))") }
    }

    private mutating func writeCount(_ count: String, _ extent: TypeDescription.Extent) {
        guard case .counted(let format, let order) = extent else { return }
        source.line("writer.writeCount(\(count), .\(format.name), \(order.swiftCase))")
    }

    private mutating func writeItems(_ element: TypeDescription, _ access: String) {
        if let (format, order) = types.bulkInteger(element) {
            let isBytes = format == .uint8
            source.line(
                isBytes ? "writer.writeBytes(\(access))" : "writer.writeIntegers(\(access), \(order.swiftCase))")
            return
        }
        if case .structure(let index) = element, types.plan.structuresInCountedLists.contains(index) {
            return source.line("\(access).writePayload(to: &writer)")
        }
        // The variable of an optional list is also called `value`.
        source.open("for item in \(access) {")
        writeBody(element, "item", hasCount: false)
        source.close("}")
    }

    private mutating func writeScalar(_ type: TypeDescription, _ access: String) {
        guard let byteCount = types.plan.numberByteCount(of: type) else { return }
        source.line("var run = writer.writeRun(byteCount: \(byteCount))")
        set(type, access, "run", 0)
    }
}
