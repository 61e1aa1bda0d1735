// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that read fields.
///
/// They access values only through `self.`, and name types only if a type is required. So no name from a schema can
/// collide with theirs.
struct SwiftReading {
    let types: SwiftTypes
    private(set) var source: SwiftSource
    private(set) var errors: SwiftErrorPlace
    private var runCount = 0
    private var counters: [String: SwiftField] = [:]

    init(_ types: SwiftTypes, in source: SwiftSource, errors: SwiftErrorPlace = SwiftErrorPlace()) {
        self.types = types
        self.source = source
        self.errors = errors
    }

    mutating func read(_ body: BodyPlan, _ fields: [SwiftField]) {
        counters = Dictionary(
            fields.filter(\.plan.isCounter).map { ($0.description.name, $0) }, uniquingKeysWith: { first, _ in first })
        for step in body.steps {
            if let index = step.absentField {
                readIfPresent(step, fields[index], fields)
            } else if let index = step.conditionalField {
                readConditionally(step, fields[index], fields)
            } else {
                read(step, fields)
            }
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

    private mutating func readConditionally(_ step: PlannedStep, _ field: SwiftField, _ fields: [SwiftField]) {
        errors.enter(field.index, canFail: false, in: &source)
        source.open("if \(types.condition(of: field, among: fields)) {")
        read(step, fields)
        source.close()
        source.open("} else {")
        source.line("\(field.access) = nil")
        source.close("}")
    }

    // MARK: Steps

    private mutating func read(_ step: PlannedStep, _ fields: [SwiftField]) {
        var name = ""
        if let first = step.parts.first {
            errors.enter(first.field, in: &source)
            name = "run\(runCount)"
            runCount += 1
            let isRead = step.parts.contains { !$0.kind.isPadding }
            source.line("\(isRead ? "let " + name : "_") = try reader.readRun(byteCount: \(step.byteCount))")
        }
        var place = SwiftPlace(run: name, offset: 0)
        for part in step.parts {
            place = SwiftPlace(run: name, offset: part.offset)
            let field = fields[part.field]
            if case .packed(let run) = part.kind {
                readPacked(run, fields, place)
            } else if let constant = types.description.constant(of: field.description) {
                verify(constant, field, place)
            } else if part.kind.isValue {
                readScalar(field, place)
            }
        }
        if let content = step.content {
            errors.enter(content, in: &source)
            if fields[content].plan.isNullable {
                readIfCounted(fields[content], fields, place)
            } else {
                readVariable(fields[content], fields, place)
            }
        }
    }

    /// Reads the prefix of a field, and its value unless the prefix says that it is absent.
    private mutating func readIfCounted(_ field: SwiftField, _ fields: [SwiftField], _ place: SwiftPlace) {
        guard let count = field.description.count else { return }
        let (start, text) = signedCount(count, field, place)
        source.line("let count\(field.index) = try \(text)")
        source.open("if count\(field.index) < 0 {")
        source.line("\(field.access) = nil")
        source.close()
        source.open("} else {")
        if let limit = count.limit {
            source.line(
                "try WirelineCodec::FieldCheck.count(count\(field.index), limit: \(limit), at: \(start))")
        }
        readVariable(field, fields, place)
        source.close("}")
    }

    /// Returns the expressions for a signed count, without a `try`, and for its offset.
    private mutating func signedCount(
        _ count: PlannedCount, _ field: SwiftField, _ place: SwiftPlace
    ) -> (start: String, text: String) {
        let (format, order) = (count.format, count.byteOrder)
        guard format.fixedByteCount != nil else {
            let start = "start\(field.index)"
            if count.limit != nil { source.line("let \(start) = reader.offset") }
            return (start, "reader.readCount(.\(format.name), \(order.swiftCase)\(types.forms(format)))")
        }
        let number = "Swift::Int(truncatingIfNeeded: \(place.integer(format.swiftType, order)))"
        let arguments = "\(number), .\(format.name), at: \(place.absolute)"
        return (place.absolute, "WirelineCodec::ByteReader.count(\(arguments))")
    }

    /// Reads fields that share bytes: their integer once, then each one's bits.
    private mutating func readPacked(_ run: PlannedRun, _ fields: [SwiftField], _ place: SwiftPlace) {
        guard let first = run.bits.first else { return }
        let name = "bits\(first.field)"
        let arguments = "at: \(place.offset), byteCount: \(run.byteCount), \(run.byteOrder.swiftCase)"
        source.line("let \(name) = \(place.run).packedBits(\(arguments))")
        for bits in run.bits {
            let field = fields[bits.field]
            if let constant = types.description.constant(of: field.description) {
                verify(constant, field, bits, in: name, at: place)
                continue
            }
            let value = types.packed(field.type, bits, in: name, at: place)
            if value.canFail { errors.enter(field.index, in: &source) }
            source.line("\(field.target) = \(value.text)")
            guard let range = field.description.range else { continue }
            errors.enter(field.index, in: &source)
            let limits = "\(range.lowerBound), \(range.upperBound)"
            source.line("try WirelineCodec::FieldCheck.range(\(field.access), \(limits), at: \(place.absolute))")
        }
    }

    private mutating func verify(
        _ constant: PlannedConstant, _ field: SwiftField, _ bits: PlannedBits, in name: String, at place: SwiftPlace
    ) {
        guard case .number(let number, let format, let order) = constant else { return }
        errors.enter(field.index, in: &source)
        let value = types.packed(.integer(format, order), bits, in: name, at: place).text
        source.line("try WirelineCodec::FieldCheck.constant(\(value), \(number), at: \(place.absolute))")
    }

    private mutating func verify(_ constant: PlannedConstant, _ field: SwiftField, _ place: SwiftPlace) {
        errors.enter(field.index, in: &source)
        switch constant {
        case .number(let number, let format, let order):
            let value = types.scalar(.integer(format, order), at: place).text
            source.line("try WirelineCodec::FieldCheck.constant(\(value), \(number), at: \(place.absolute))")
        case .text(let text, let byteCount, let padding):
            let arguments = "at: \(place.offset), byteCount: \(byteCount), padding: \(padding)"
            source.line("try \(place.run).requireText(\(SwiftText.literal(text)), \(arguments))")
        }
    }

    private mutating func readScalar(_ field: SwiftField, _ place: SwiftPlace) {
        let value = types.scalar(field.type, at: place)
        if value.canFail { errors.enter(field.index, in: &source) }
        source.line("\(field.target) = \(value.text(as: field))")
        let range =
            field.description.floatRange.map { ("\($0.lowerBound)", "\($0.upperBound)") }
            ?? field.description.range.map { ("\($0.lowerBound)", "\($0.upperBound)") }
        guard let (lower, upper) = range else { return }
        errors.enter(field.index, in: &source)
        var text = types.scalar(field.type, at: place).text
        if case .float(let format, _) = field.type, format != .binary64 { text = "Swift::Double(\(text))" }
        source.line("try WirelineCodec::FieldCheck.range(\(text), \(lower), \(upper), at: \(place.absolute))")
    }

    // MARK: Variable width

    private mutating func readVariable(_ field: SwiftField, _ fields: [SwiftField], _ place: SwiftPlace) {
        let maximum = field.description.maximumCount
        switch field.type {
        case .string(let extent): readText(field, extent, place, maximum, "String")
        case .bytes(let extent): readText(field, extent, place, maximum, "Bytes")
        case .utf16(let extent, let order): readUTF16(field, extent, order, place)
        case .list(let element, let extent): readList(field, element, extent, place)
        case .sized(let content, let extent): readSized(field, content, extent, fields, place)
        case .fixedList(let element, let count):
            readItems(field, element, count: "\(count)", capacity: "\(count)")
        case .varint(let format):
            let range = field.description.range
            if range != nil { source.line("let start\(field.index) = reader.offset") }
            source.line("\(field.target) = try \(format.swiftReading)")
            guard let range else { return }
            let value = field.mayBeUnset ? "\(field.access) ?? 0" : field.access
            source.line(
                "try WirelineCodec::FieldCheck.range(\(value), \(range.lowerBound), \(range.upperBound), at: start\(field.index))"
            )
        default:
            source.line("\(field.access) = try \(value(field.type, of: field, fields).text(as: field))")
        }
    }

    private mutating func readText(
        _ field: SwiftField, _ extent: TypeDescription.Extent, _ place: SwiftPlace, _ maximum: Int?, _ kind: String
    ) {
        switch extent {
        case .counted, .field:
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
        // It is part of a run; only lists have a terminator of their own.
        case .fixed, .exact, .until: break
        }
    }

    private mutating func readUTF16(
        _ field: SwiftField, _ extent: TypeDescription.Extent, _ order: ByteOrder, _ place: SwiftPlace
    ) {
        let order = order.swiftCase
        let limit = field.description.maximumCount.map { "limit: \($0), at: reader.offset" }
        switch extent {
        case .counted:
            let count = readCount(field, place)
            source.line("\(field.access) = try reader.readUTF16(unitCount: \(count), \(order))")
        case .terminated:
            if let limit {
                source.line("try WirelineCodec::FieldCheck.count(reader.unitCountToTerminator(), \(limit))")
            }
            source.line("\(field.access) = try reader.readTerminatedUTF16(\(order))")
        case .rest:
            if let limit { source.line("try WirelineCodec::FieldCheck.count(reader.remaining / 2, \(limit))") }
            source.line("\(field.access) = try reader.readRestOfUTF16(\(order))")
        // They are part of a run, or are inside a number of bytes.
        case .fixed, .exact, .field, .until: break
        }
    }

    /// Writes statements that read and check a count, and returns the expression for it.
    private mutating func readCount(_ field: SwiftField, _ place: SwiftPlace, isUsedTwice: Bool = false) -> String {
        if field.plan.isNullable { return "count\(field.index)" }
        if let count = field.type.fieldCount { return readCount(count, field, isUsedTwice: isUsedTwice) }
        guard let count = field.description.count else { return "0" }
        let (format, order) = (count.format, count.byteOrder)
        // The initializer without a label is far longer, and the compiler takes ten times as long to optimize it away.
        let text =
            switch format {
            case .uint8, .uint16, .int16, .int32:
                "Swift::Int(truncatingIfNeeded: \(place.integer(format.swiftType, order)))"
            case .uint32: "\(place.run).count32(at: \(place.offset), \(order.swiftCase))"
            case .varint, .zigzag: "reader.readCount(.\(format.name), \(order.swiftCase)\(types.forms(format)))"
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

    /// Writes statements that check a count in an earlier field, and returns the expression for it.
    private mutating func readCount(_ count: FieldCount, _ field: SwiftField, isUsedTwice: Bool) -> String {
        guard let counter = counters[count.field] else { return "0" }
        let isPlain = count.addend == 0 && types.plan.isUnsigned(counter.type)
        let text =
            isPlain
            ? "Swift::Int(clamping: \(counter.access))"
            : "try WirelineCodec::FieldCheck.size(\(counter.access), adding: \(count.addend), at: reader.offset)"
        let limit = field.type.isSized ? nil : field.description.maximumCount
        guard limit != nil || isUsedTwice || !isPlain else { return text }
        let name = "count\(field.index)"
        source.line("let \(name) = \(text)")
        if let limit {
            source.line("try WirelineCodec::FieldCheck.count(\(name), limit: \(limit), at: reader.offset)")
        }
        return name
    }

    /// Returns the expression that reads a structure or a union; a union's tag may have been read before.
    private func value(_ type: TypeDescription, of field: SwiftField, _ fields: [SwiftField]) -> SwiftExpression {
        field.plan.reference.tagSource.map { types.union(tagged: fields[$0].access) } ?? types.item(type)
    }

    /// Reads a value inside a number of bytes; bytes after a structure are skipped.
    private mutating func readSized(
        _ field: SwiftField, _ content: TypeDescription, _ extent: TypeDescription.Extent, _ fields: [SwiftField],
        _ place: SwiftPlace
    ) {
        let byteCount = if case .exact(let count) = extent { "\(count)" } else { readCount(field, place) }
        let body = "body\(field.index)"
        source.line("let \(body) = try reader.enterSizedBody(byteCount: \(byteCount))")
        switch content {
        case .list(let element, let extent): readList(field, element, extent, place)
        case .utf16(let extent, let order): readUTF16(field, extent, order, place)
        default:
            let value = value(content, of: field, fields)
            source.line("\(field.access) = try \(field.mayBeUnset ? value.coerced(to: field.valueType) : value.text)")
        }
        source.line("reader.leaveSizedBody(\(body))")
    }

    // MARK: Lists

    private mutating func readList(
        _ field: SwiftField, _ element: TypeDescription, _ extent: TypeDescription.Extent, _ place: SwiftPlace
    ) {
        let minimum = types.plan.itemByteCount(of: element)
        let maximum = field.description.maximumCount
        switch extent {
        case .counted, .field:
            var isUsedTwice = types.bulkInteger(element) == nil
            if case .structure = element { isUsedTwice = false }
            let count = readCount(field, place, isUsedTwice: isUsedTwice)
            let capacity = "reader.itemCapacity(\(count), minimumByteCount: \(minimum))"
            return readItems(field, element, count: count, capacity: capacity)
        case .until(let terminator):
            return readItems(field, element, while: "try !reader.readTerminator(\(terminator))")
        default: break
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
            return readItems(field, element, count: count, capacity: "")
        }
        guard maximum == nil else { return readItems(field, element, while: "!reader.isAtEnd") }
        readItems(field, element, count: nil, capacity: nil)
    }

    /// Reads items while a condition holds. If there are too many, the error names the list, not an item.
    private mutating func readItems(_ field: SwiftField, _ element: TypeDescription, while condition: String) {
        errors.setsItem = true
        let list = "list\(field.index)"
        source.line("var \(list): \(field.valueType) = []")
        let value = types.item(element)
        source.block("while \(condition)") { source in
            if let maximum = field.description.maximumCount {
                let arguments = "\(list).count + 1, limit: \(maximum), at: reader.offset"
                source.line("try WirelineCodec::FieldCheck.count(\(arguments))")
            }
            source.line("item = \(list).count")
            source.line("\(list).append(try \(value.text))")
            // Errors between the items belong to the list.
            source.line("item = -1")
        }
        source.line("\(field.access) = \(list)")
    }

    /// - Parameters:
    ///   - count: The number of items; nil for all remaining bytes.
    private mutating func readItems(
        _ field: SwiftField, _ element: TypeDescription, count: String?, capacity: String?
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
            source.line("\(list).append(try \(value.text))")
            source.line("item += 1")
        }
        source.line("item = -1")
        source.line("\(field.access) = \(list)")
    }
}
