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

    /// Writes statements for all fields, in order.
    mutating func write(_ fields: [SwiftField]) {
        for run in SwiftRun.split(fields, types) {
            guard let first = run.parts.first?.field else { continue }
            if first.isOptional {
                source.open("if let value = \(first.access) {")
                write(run) { _ in "value" }
                source.close("}")
            } else {
                write(run, \.access)
            }
        }
    }

    private mutating func write(_ run: SwiftRun, _ access: (SwiftField) -> String) {
        if run.byteCount > 0 {
            let name = "run\(runCount)"
            runCount += 1
            source.line("var \(name) = writer.writeRun(byteCount: \(run.byteCount))")
            for (field, offset) in run.parts { set(field.type, access(field), name, offset) }
        }
        if let last = run.parts.last?.field, types.scalarByteCount(last.type) == nil {
            writeBody(last.type, access(last), hasCount: run.byteCount > 0)
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
        case .boolean: source.line("\(run).setBoolean(\(access), at: \(offset))")
        case .float32(let order): source.line("\(run).setFloat32(\(access), at: \(offset), \(order.swiftCase))")
        case .float64(let order): source.line("\(run).setFloat64(\(access), at: \(offset), \(order.swiftCase))")
        default:
            guard let (format, order) = types.integer(type) else { return }
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
        case .string(let extent): writeText("writeText", "\(access).utf8.count", access, extent, hasCount: hasCount)
        case .bytes(let extent): writeText("writeBytes", "\(access).count", access, extent, hasCount: hasCount)
        case .varint: source.line("writer.writeVarint(\(access))")
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
        if case .structure(let index) = element, types.listed.contains(index) {
            return source.line("\(access).writePayload(to: &writer)")
        }
        // The variable of an optional list is also called `value`.
        source.open("for item in \(access) {")
        writeBody(element, "item", hasCount: false)
        source.close("}")
    }

    private mutating func writeScalar(_ type: TypeDescription, _ access: String) {
        guard let byteCount = types.scalarByteCount(type) else { return }
        source.line("var run = writer.writeRun(byteCount: \(byteCount))")
        set(type, access, "run", 0)
    }
}
