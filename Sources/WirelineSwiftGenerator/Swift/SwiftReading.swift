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

    /// Writes statements that read all fields of a body, in order.
    mutating func read(_ body: BodyPlan, _ fields: [SwiftField]) {
        for step in body.steps {
            if let index = step.absentField { readIfPresent(step, fields[index], fields) } else { read(step, fields) }
        }
    }

    /// Appends a statement after the fields.
    ///
    /// - Parameter index: The field that the statement's error names; nil if it cannot fail.
    mutating func append(_ line: String, failingAt index: Int? = nil) {
        if let index { errors.enter(index, in: &source) }
        source.line(line)
    }

    private mutating func readIfPresent(_ step: PlannedStep, _ field: SwiftField, _ fields: [SwiftField]) {
        errors.enter(field.index, canFail: false, in: &source)
        source.open("if reader.isAtEnd {")
        source.line("\(field.access) = \(field.defaultValue ?? "nil")")
        source.close()
        source.open("} else {")
        read(step, fields)
        source.close("}")
    }

    // MARK: Steps

    private mutating func read(_ step: PlannedStep, _ fields: [SwiftField]) {
        var name = ""
        if let first = step.parts.first {
            errors.enter(first.field, in: &source)
            name = "run\(runCount)"
            runCount += 1
            source.line("let \(name) = try reader.readRun(byteCount: \(step.byteCount))")
        }
        var place = SwiftPlace(run: name, offset: 0)
        for part in step.parts {
            place = SwiftPlace(run: name, offset: part.offset)
            if part.kind.isWhole { readScalar(fields[part.field], place) }
        }
        if let content = step.content {
            errors.enter(content, in: &source)
            readVariable(fields[content], place)
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
        case .varint(let format):
            let range = field.description.range
            if range != nil { source.line("let start\(field.index) = reader.offset") }
            source.line("\(field.access) = try \(format.swiftReading)")
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
        case .counted:
            let count = readCount(field, place)
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
        // It is part of a run.
        case .fixed: break
        }
    }

    /// Writes statements that read and check a count, and returns the expression for it.
    private mutating func readCount(_ field: SwiftField, _ place: SwiftPlace, isUsedTwice: Bool = false) -> String {
        guard let count = field.description.count else { return "0" }
        let (format, order) = (count.format, count.byteOrder)
        // The initializer without a label is far longer, and the compiler takes ten times as long to optimize it away.
        let text =
            switch format {
            case .uint8, .uint16: "Swift::Int(truncatingIfNeeded: \(place.integer(format.swiftType, order)))"
            case .uint32: "\(place.run).count32(at: \(place.offset), \(order.swiftCase))"
            case .varint: "reader.readCount(.varint, \(order.swiftCase)\(types.forms(format)))"
            }
        guard count.limit != nil || isUsedTwice else { return text }
        let name = "count\(field.index)"
        var start = place.absolute
        if count.limit != nil, format.fixedByteCount == nil {
            start = "start\(field.index)"
            source.line("let \(start) = reader.offset")
        }
        source.line("let \(name) = \(format.fixedByteCount == nil ? "try " : "")\(text)")
        if let limit = count.limit {
            source.line("try WirelineCodec::FieldCheck.count(\(name), limit: \(limit), at: \(start))")
        }
        return name
    }

    // MARK: Lists

    private mutating func readList(
        _ field: SwiftField, _ element: TypeDescription, _ extent: TypeDescription.Extent, _ place: SwiftPlace
    ) {
        let minimum = types.plan.itemByteCount(of: element)
        let maximum = field.description.maximumCount
        if case .counted = extent {
            var isUsedTwice = types.bulkInteger(element) == nil
            if case .structure = element { isUsedTwice = false }
            let count = readCount(field, place, isUsedTwice: isUsedTwice)
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
