// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// Makes the statements that check values and count the bytes they will take.
struct SwiftSizing {
    let types: SwiftTypes
    /// What each structure is asked for, in brackets: its depth where that matters.
    let depth: String
    private(set) var source: SwiftSource
    private(set) var setsField = false
    private(set) var setsItem = false
    /// Whether some statement can fail.
    private(set) var canFail = false
    /// Whether some statement adds to the bytes.
    private(set) var adds = false
    /// The bytes that every value takes.
    private(set) var constant = 0
    /// The first field at which something can fail.
    private(set) var firstField: Int?
    private var currentField = -1
    private var isNested = false

    init(_ types: SwiftTypes, depth: String, in source: SwiftSource) {
        self.types = types
        self.depth = depth
        self.source = source
    }

    /// Counts all fields, in order, and the bytes kept behind them.
    mutating func measure(_ fields: [SwiftField], keepsTrailingBytes: Bool) {
        let mayGap = keepsTrailingBytes || fields.last?.isOptional == false
        let optionals = fields.filter(\.isOptional)
        let lastWithFollower = mayGap ? optionals.last : optionals.dropLast().last
        if lastWithFollower != nil { source.line("var gap: Swift::Int = -1") }
        var hasOptionalBefore = false
        for field in fields {
            switch field.description.presence {
            case .required: measure(field.type, field.access, field)
            case .since:
                if hasOptionalBefore { refuseGap() }
                measure(field.type, field.access, field)
            case .optional:
                let canBeGap = field.index <= lastWithFollower?.index ?? -1
                measureOptional(field, hasOptionalBefore: hasOptionalBefore, canBeGap: canBeGap)
                hasOptionalBefore = true
            }
        }
        guard keepsTrailingBytes else { return }
        if hasOptionalBefore { refuseGap(when: "!self.trailingBytes.isEmpty") }
        add("self.trailingBytes.count")
    }

    /// - Parameters:
    ///   - hasOptionalBefore: Whether another optional field, which may not be set, stands before.
    ///   - canBeGap: Whether something stands behind.
    private mutating func measureOptional(_ field: SwiftField, hasOptionalBefore: Bool, canBeGap: Bool) {
        var trial = SwiftSizing(types, depth: depth, in: SwiftSource())
        trial.measure(field.type, "value", field)
        // Of a value that is as long as any other and needs no check, only the presence matters.
        let head = trial.source.text.isEmpty ? "if \(field.access) != nil" : "if let value = \(field.access)"
        nest(head) { inner in
            if hasOptionalBefore { inner.refuseGap() }
            inner.measure(field.type, "value", field)
        }
        guard canBeGap else { return }
        source.line("if gap < 0, \(field.access) == nil { gap = \(field.index) }")
    }

    /// Refuses what follows an optional field that is not set.
    private mutating func refuseGap(when condition: String? = nil) {
        canFail = true
        setsField = true
        firstField = firstField ?? 0
        currentField = -1
        source.open("if \(condition.map { $0 + ", " } ?? "")gap >= 0 {")
        source.line("field = gap")
        source.line("throw WirelineCodec::CodecError(.gapBeforeOptional)")
        source.close("}")
    }

    /// Notes which field is at hand; the first one is what the variable begins with.
    private mutating func enter(_ index: Int) {
        guard index != currentField else { return }
        currentField = index
        guard firstField != nil else {
            firstField = index
            return
        }
        setsField = true
        source.line("field = \(index)")
    }

    private mutating func add(_ count: String) {
        adds = true
        source.line("byteCount += \(count)")
    }

    /// Statements whose constant bytes are counted only when they run.
    private mutating func nest(_ head: String, _ body: (inout SwiftSizing) -> Void) {
        let outer = constant
        constant = 0
        // What the block does not set is unknown behind it.
        let field = currentField
        let start = source
        source.open(head + " {")
        let open = source
        body(&self)
        if source.text == open.text, constant == 0 {
            source = start
        } else {
            if constant > 0 { add("\(constant)") }
            source.close("}")
        }
        if currentField != field { currentField = -1 }
        constant = outer
    }

    // MARK: Types

    private mutating func measure(_ type: TypeDescription, _ access: String, _ field: SwiftField) {
        if let byteCount = types.scalarByteCount(type) {
            constant += byteCount
            return checkScalar(type, access, field.description, field.index)
        }
        switch type {
        case .list(let element, let extent):
            if case .counted(let format, _) = extent { checkCount("\(access).count", format, field) }
            if case .rest = extent, let maximum = field.description.maximumCount {
                check("count(\(access).count, limit: \(maximum))", field.index)
            }
            measureItems(element, access, field)
        case .fixedList(let element, let count):
            check("itemCount(\(access).count, is: \(count))", field.index)
            if let width = types.footprint(type).fixedByteCount, !types.footprint(element).needsCheck {
                constant += width
            } else {
                measureItems(element, access, field)
            }
        case .string(let extent): measureText("\(access).utf8.count", access, extent, field)
        case .bytes(let extent): measureText("\(access).count", access, extent, field)
        default: measureItem(type, access, field)
        }
    }

    private mutating func check(_ call: String, _ index: Int) {
        enter(index)
        canFail = true
        source.line("try WirelineCodec::FieldCheck.\(call)")
    }

    private mutating func checkScalar(
        _ type: TypeDescription, _ access: String, _ field: FieldDescription, _ index: Int
    ) {
        switch type {
        case .float32, .float64:
            guard let range = field.floatRange else { return }
            var value = access
            if case .float32 = type { value = "Swift::Double(\(access))" }
            check("range(\(value), \(range.lowerBound), \(range.upperBound))", index)
        default:
            guard let range = types.checkedRange(type, field.range) else { return }
            var value = access
            if case .integer = type {} else { value += ".rawValue" }
            check("range(\(value), \(range.lowerBound), \(range.upperBound))", index)
        }
    }

    /// Checks a count against its prefix and `@max`, and counts the prefix.
    ///
    /// - Parameter countsBytes: Whether what is counted is bytes, which are added at once.
    private mutating func checkCount(
        _ count: String, _ format: CountFormat, _ field: SwiftField, countsBytes: Bool = false
    ) {
        let call = "count(\(count), limit: \(min(field.description.maximumCount ?? .max, format.maximum)))"
        if countsBytes {
            enter(field.index)
            canFail = true
            add("try WirelineCodec::FieldCheck.\(call)")
        } else {
            check(call, field.index)
        }
        if let byteCount = format.fixedByteCount {
            constant += byteCount
        } else {
            add("Swift::UInt64(\(count)).varintByteCount")
        }
    }

    private mutating func measureText(
        _ count: String, _ access: String, _ extent: TypeDescription.Extent, _ field: SwiftField
    ) {
        switch extent {
        case .counted(let format, _): return checkCount(count, format, field, countsBytes: true)
        case .terminated:
            if let maximum = field.description.maximumCount { check("count(\(count), limit: \(maximum))", field.index) }
            check("terminated(\(access))", field.index)
            constant += 1
        case .rest:
            if let maximum = field.description.maximumCount { check("count(\(count), limit: \(maximum))", field.index) }
        }
        add(count)
    }

    // MARK: Items

    private mutating func measureItems(_ element: TypeDescription, _ access: String, _ field: SwiftField) {
        let footprint = types.footprint(element)
        if let width = footprint.fixedByteCount, !footprint.needsCheck {
            return add(width == 1 ? "\(access).count" : "\(access).count * \(width)")
        }
        setsItem = true
        if case .structure(let index) = element, types.listed.contains(index) {
            enter(field.index)
            canFail = true
            let depth = types.depthCounting.contains(index) ? "depth: \(depth), " : ""
            return add("try \(access).payloadByteCount(\(depth)item: &item)")
        }
        source.line("item = 0")
        nest("for value in \(access)") { inner in
            inner.measureItem(element, "value", field)
            inner.source.line("item += 1")
        }
        source.line("item = -1")
    }

    /// Counts a value to which the limits of its field do not apply, or which has none.
    private mutating func measureItem(_ type: TypeDescription, _ access: String, _ field: SwiftField) {
        let plain = FieldDescription(name: "", type: type, location: field.description.location)
        let isItem = field.type != type
        if let byteCount = types.scalarByteCount(type) {
            constant += byteCount
            return checkScalar(type, access, plain, field.index)
        }
        switch type {
        case .varint(let maximum):
            if maximum < 10 { check("varint(\(access), maximumByteCount: \(maximum))", field.index) }
            if !isItem, let range = field.description.range {
                check("range(\(access), \(range.lowerBound), \(range.upperBound))", field.index)
            }
            add("\(access).varintByteCount")
        case .string(let extent): measureText("\(access).utf8.count", access, extent, field.unlimited)
        case .bytes(let extent): measureText("\(access).count", access, extent, field.unlimited)
        case .properties:
            enter(field.index)
            canFail = true
            add("try \(access).byteCount()")
        case .structure(let index):
            let footprint = types.footprint(type)
            if let width = footprint.fixedByteCount, !footprint.needsCheck, !types.depthCounting.contains(index) {
                constant += width
                return
            }
            enter(field.index)
            canFail = true
            let argument = types.depthCounting.contains(index) ? "depth: \(depth)" : ""
            add("try \(access).payloadByteCount(\(argument))")
        default: break
        }
    }
}

extension SwiftField {
    /// The same field without `@max`, which counts the items of a list and not what is in them.
    fileprivate var unlimited: SwiftField {
        var copy = description
        copy.maximumCount = nil
        return SwiftField(
            description: copy, index: index, name: name, storage: storage, valueType: valueType, defaultValue: nil)
    }
}
