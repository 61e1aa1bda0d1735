// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that write fields whose values have been checked.
struct SwiftWriting {
    let types: SwiftTypes
    private(set) var source: SwiftSource
    private var runCount = 0

    init(_ types: SwiftTypes, in source: SwiftSource) {
        self.types = types
        self.source = source
    }

    /// Writes statements for all fields of a body, in order.
    mutating func write(_ body: BodyPlan, _ fields: [SwiftField]) {
        for step in body.steps {
            if let index = step.absentField, fields[index].isOptional {
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
            source.line("var \(name) = writer.writeRun(byteCount: \(step.byteCount))")
            for part in step.parts {
                let field = fields[part.field]
                set(field.type, access(field), name, part.offset)
            }
        }
        if let content = step.content {
            writeBody(fields[content].type, access(fields[content]), hasCount: !step.parts.isEmpty)
        }
    }

    // MARK: Fixed width

    /// Writes a number, or the count of the content after the run.
    private mutating func set(_ type: TypeDescription, _ access: String, _ run: String, _ offset: Int) {
        switch type {
        case .string(.counted(let format, let order)):
            setCount("\(access).utf8.count", format, run, offset, order)
        case .bytes(.counted(let format, let order)), .list(_, .counted(let format, let order)):
            setCount("\(access).count", format, run, offset, order)
        case .string(.fixed(let byteCount, let padding)):
            source.line(
                "\(run).setText(\(access), at: \(offset), byteCount: \(byteCount), padding: \(padding))")
        case .digits: source.line("\(run).setDigits(\(access), at: \(offset))")
        case .boolean: source.line("\(run).setBoolean(\(access), at: \(offset))")
        case .float32(let order): source.line("\(run).setFloat32(\(access), at: \(offset), \(order.swiftCase))")
        case .float64(let order): source.line("\(run).setFloat64(\(access), at: \(offset), \(order.swiftCase))")
        default:
            guard let number = types.plan.number(type) else { return }
            let (format, order) = (number.format, number.byteOrder)
            var value = access
            if case .integer = type {} else { value += ".rawValue" }
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
        case .string(.fixed): writeScalar(type, access)
        case .string(let extent): writeText("writeText", "\(access).utf8.count", access, extent, hasCount: hasCount)
        case .bytes(let extent): writeText("writeBytes", "\(access).count", access, extent, hasCount: hasCount)
        case .varint(let format): source.line("writer.\(format.swiftWriting)(\(access))")
        case .properties: source.line("\(access).write(to: &writer)")
        case .structure: source.line("\(access).writePayload(to: &writer)")
        default: writeScalar(type, access)
        }
    }

    private mutating func writeText(
        _ method: String, _ count: String, _ access: String, _ extent: TypeDescription.Extent, hasCount: Bool
    ) {
        if !hasCount { writeCount(count, extent) }
        source.line("writer.\(method)(\(access))")
        if case .terminated = extent { source.line("writer.writeInteger(0 as Swift::UInt8, .bigEndian)") }
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
