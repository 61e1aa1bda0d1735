// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that read fields.
///
/// They access values only through `self.`, and name types only where a type is required. So no name from a schema can
/// collide with theirs.
struct SwiftReading {
    let types: SwiftTypes
    private(set) var source: SwiftSource
    private(set) var errors = SwiftErrorPlace()
    private var runCount = 0

    init(_ types: SwiftTypes, in source: SwiftSource) {
        self.types = types
        self.source = source
    }

    /// Writes statements that read all fields, in order.
    mutating func read(_ fields: [SwiftField]) {
        for run in SwiftRun.split(fields, types) {
            guard let first = run.parts.first?.field else { continue }
            if first.isRequired { read(run) } else { readIfPresent(run, first) }
        }
    }

    /// Appends a statement after the fields.
    ///
    /// - Parameter index: The field that the statement's error names; nil if it cannot fail.
    mutating func append(_ line: String, failingAt index: Int? = nil) {
        if let index { errors.enter(index, in: &source) }
        source.line(line)
    }

    private mutating func readIfPresent(_ run: SwiftRun, _ field: SwiftField) {
        errors.enter(field.index, canFail: false, in: &source)
        source.open("if reader.isAtEnd {")
        source.line("\(field.access) = \(field.defaultValue ?? "nil")")
        source.close()
        source.open("} else {")
        read(run)
        source.close("}")
    }

    // MARK: Runs

    private mutating func read(_ run: SwiftRun) {
        var name = ""
        if run.byteCount > 0, let first = run.parts.first?.field {
            errors.enter(first.index, in: &source)
            name = "run\(runCount)"
            runCount += 1
            source.line("let \(name) = try reader.readRun(byteCount: \(run.byteCount))")
        }
        for (field, offset) in run.parts {
            let place = SwiftPlace(run: name, offset: offset)
            if types.scalarByteCount(field.type) == nil {
                errors.enter(field.index, in: &source)
                readVariable(field, place)
            } else {
                readScalar(field, place)
            }
        }
    }

    private mutating func readScalar(_ field: SwiftField, _ place: SwiftPlace) {
        let value = types.scalar(field.type, at: place)
        if value.canFail { errors.enter(field.index, in: &source) }
        source.line("\(field.access) = \(field.isOptional ? value.coerced(to: field.valueType) : value.text)")
        let range =
            field.description.floatRange.map { ("\($0.lowerBound)", "\($0.upperBound)") }
            ?? field.description.range.map { ("\($0.lowerBound)", "\($0.upperBound)") }
        guard let (lower, upper) = range else { return }
        errors.enter(field.index, in: &source)
        var text = types.scalar(field.type, at: place).text
        if case .float32 = field.type { text = "Swift::Double(\(text))" }
        source.line("try WirelineCodec::FieldCheck.range(\(text), \(lower), \(upper), at: \(place.absolute))")
    }

    // MARK: Variable width

    private mutating func readVariable(_ field: SwiftField, _ place: SwiftPlace) {
        let maximum = field.description.maximumCount
        switch field.type {
        case .string(let extent): readText(field, extent, place, maximum, "String")
        case .bytes(let extent): readText(field, extent, place, maximum, "Bytes")
        case .list(let element, let extent): readList(field, element, extent, place)
        case .fixedList(let element, let count):
            readItems(field, element, count: "\(count)", capacity: "\(count)", extra: nil)
        case .varint(let byteCount):
            let range = field.description.range
            if range != nil { source.line("let start\(field.index) = reader.offset") }
            source.line("\(field.access) = try reader.readVarint(maximumByteCount: \(byteCount))")
            guard let range else { return }
            let value = field.isOptional ? "\(field.access) ?? 0" : field.access
            source.line(
                "try WirelineCodec::FieldCheck.range(\(value), \(range.lowerBound), \(range.upperBound), at: start\(field.index))"
            )
        default:
            let value = types.item(field.type)
            source.line("\(field.access) = try \(field.isOptional ? value.coerced(to: field.valueType) : value.text)")
        }
    }

    private mutating func readText(
        _ field: SwiftField, _ extent: TypeDescription.Extent, _ place: SwiftPlace, _ maximum: Int?, _ kind: String
    ) {
        switch extent {
        case .counted(let format, let order):
            let count = readCount(field, format, order, place, maximum)
            source.line("\(field.access) = try reader.read\(kind)(byteCount: \(count))")
        case .terminated:
            if let maximum {
                source.line(
                    "try WirelineCodec::FieldCheck.count(reader.byteCountToTerminator(), limit: \(maximum), at: reader.offset)"
                )
            }
            source.line("\(field.access) = try reader.readTerminated\(kind)()")
        case .rest:
            if let maximum {
                source.line(
                    "try WirelineCodec::FieldCheck.count(reader.remaining, limit: \(maximum), at: reader.offset)")
            }
            source.line("\(field.access) = try reader.read\(kind)(byteCount: reader.remaining)")
        }
    }

    /// Writes statements that read and check a count, and returns the expression for it.
    private mutating func readCount(
        _ field: SwiftField, _ format: CountFormat, _ order: ByteOrder, _ place: SwiftPlace, _ maximum: Int?,
        isUsedTwice: Bool = false
    ) -> String {
        let maximum = maximum.flatMap { $0 < format.maximum ? $0 : nil }
        // The initializer without a label is far longer, and the compiler takes ten times as long to optimize it away.
        let text =
            switch format {
            case .uint8, .uint16: "Swift::Int(truncatingIfNeeded: \(place.integer(format.swiftType, order)))"
            case .uint32: "\(place.run).count32(at: \(place.offset), \(order.swiftCase))"
            case .varint: "reader.readCount(.varint, \(order.swiftCase))"
            }
        guard maximum != nil || isUsedTwice else { return text }
        let name = "count\(field.index)"
        var start = place.absolute
        if maximum != nil, format.fixedByteCount == nil {
            start = "start\(field.index)"
            source.line("let \(start) = reader.offset")
        }
        source.line("let \(name) = \(format.fixedByteCount == nil ? "try " : "")\(text)")
        if let maximum {
            source.line("try WirelineCodec::FieldCheck.count(\(name), limit: \(maximum), at: \(start))")
        }
        return name
    }

    // MARK: Lists

    private mutating func readList(
        _ field: SwiftField, _ element: TypeDescription, _ extent: TypeDescription.Extent, _ place: SwiftPlace
    ) {
        let minimum = types.itemByteCount(element)
        let maximum = field.description.maximumCount
        if case .counted(let format, let order) = extent {
            var isUsedTwice = types.bulkInteger(element) == nil
            if case .structure = element { isUsedTwice = false }
            let count = readCount(field, format, order, place, maximum, isUsedTwice: isUsedTwice)
            let capacity = "reader.itemCapacity(\(count), minimumByteCount: \(minimum))"
            return readItems(field, element, count: count, capacity: capacity, extra: nil)
        }
        if let (integer, _) = types.bulkInteger(element) {
            let width = integer.byteCount
            let count = width == 1 ? "reader.remaining" : "(reader.remaining + \(width - 1)) / \(width)"
            if let maximum {
                // The error is the same as when reading item by item: its offset is the first item too many. If that
                // offset exceeds 32 bits, an `Int` of 32 bits cannot hold it, but cannot hold so many bytes either.
                let some = "Swift::min(\(count), \(SwiftText.int(maximum + 1)))"
                let sum = Int32(exactly: maximum * width) == nil ? "&+" : "+"
                let place = "reader.offset \(sum) \(SwiftText.int(maximum * width))"
                source.line("try WirelineCodec::FieldCheck.count(\(some), limit: \(maximum), at: \(place))")
            }
            return readItems(field, element, count: count, capacity: "", extra: nil)
        }
        let check = maximum.map { "try WirelineCodec::FieldCheck.count(item + 1, limit: \($0), at: reader.offset)" }
        readItems(field, element, count: nil, capacity: nil, extra: check)
    }

    /// - Parameters:
    ///   - count: The number of items; nil for all remaining bytes.
    ///   - extra: A statement before each item.
    private mutating func readItems(
        _ field: SwiftField, _ element: TypeDescription, count: String?, capacity: String?, extra: String?
    ) {
        errors.setsItem = true
        if let count, let (format, order) = types.bulkInteger(element) {
            source.line(
                "\(field.access) = try reader.readIntegers(count: \(count), as: \(format.swiftType).self, \(order.swiftCase), item: &item)"
            )
            return
        }
        if let count, case .structure = element {
            source.line("\(field.access) = try .read(\(count), from: &reader, item: &item)")
            return
        }
        let list = "list\(field.index)"
        source.line("var \(list): \(field.valueType) = []")
        if let capacity {
            source.line("\(list).reserveCapacity(\(capacity))")
        }
        source.line("item = 0")
        let value = types.item(element)
        source.block("while \(count.map { "item < " + $0 } ?? "!reader.isAtEnd")") { source in
            if let extra { source.line(extra) }
            source.line("\(list).append(try \(value.text))")
            source.line("item += 1")
        }
        source.line("item = -1")
        source.line("\(field.access) = \(list)")
    }
}
