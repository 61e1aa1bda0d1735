// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that check values and count their bytes.
struct SwiftSizing {
    let types: SwiftTypes
    /// The argument for each structure's size, in brackets: its depth if depth is counted.
    let depth: String
    private(set) var source: SwiftSource
    private(set) var errors = SwiftErrorPlace()
    /// Whether a statement adds to the size.
    private(set) var adds = false
    /// The bytes that every value takes.
    private(set) var constant = 0
    private var isNested = false

    init(_ types: SwiftTypes, depth: String, in source: SwiftSource) {
        self.types = types
        self.depth = depth
        self.source = source
    }

    /// Writes statements that count all fields of a body, in order, and the kept trailing bytes.
    mutating func measure(_ body: BodyPlan, _ fields: [SwiftField]) {
        if body.fields.contains(where: { $0.isOptional && $0.isFollowed }) { source.line("var gap: Swift::Int = -1") }
        for field in fields {
            if field.isOptional {
                measureOptional(field)
            } else {
                if field.plan.followsOptional { refuseGap() }
                measure(field.type, field.access, field)
            }
        }
        guard body.end == .kept else { return }
        if body.keptBytesFollowOptional { refuseGap(when: "!self.trailingBytes.isEmpty") }
        add("self.trailingBytes.count")
    }

    private mutating func measureOptional(_ field: SwiftField) {
        var trial = SwiftSizing(types, depth: depth, in: SwiftSource())
        trial.measure(field.type, "value", field)
        // If the size is fixed and needs no check, only the presence matters.
        let head = trial.source.text.isEmpty ? "if \(field.access) != nil" : "if let value = \(field.access)"
        nest(head) { inner in
            if field.plan.followsOptional { inner.refuseGap() }
            inner.measure(field.type, "value", field)
        }
        guard field.plan.isFollowed else { return }
        source.line("if gap < 0, \(field.access) == nil { gap = \(field.index) }")
    }

    /// Refuses values after an optional field that is not set.
    private mutating func refuseGap(when condition: String? = nil) {
        errors.failWithFieldSet()
        source.open("if \(condition.map { $0 + ", " } ?? "")gap >= 0 {")
        source.line("field = gap")
        source.line("throw WirelineCodec::CodecError(.gapBeforeOptional)")
        source.close("}")
    }

    private mutating func add(_ count: String) {
        adds = true
        source.line("byteCount += \(count)")
    }

    /// Writes nested statements whose constant bytes count only if they run.
    private mutating func nest(_ head: String, _ body: (inout SwiftSizing) -> Void) {
        let outer = constant
        constant = 0
        // After the block, the field is unknown unless the block sets it.
        let field = errors.currentField
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
        if errors.currentField != field { errors.forgetField() }
        constant = outer
    }

    // MARK: Types

    private mutating func measure(_ type: TypeDescription, _ access: String, _ field: SwiftField) {
        if let byteCount = types.plan.numberByteCount(of: type) {
            constant += byteCount
            return checkScalar(type, access, field.description, field.index)
        }
        switch type {
        case .list(let element, let extent):
            if let count = field.description.count { checkCount("\(access).count", count, field) }
            if case .rest = extent, let maximum = field.description.maximumCount {
                check("count(\(access).count, limit: \(maximum))", field.index)
            }
            measureItems(element, access, field)
        case .fixedList(let element, let count):
            check("itemCount(\(access).count, is: \(count))", field.index)
            if let width = types.plan.fixedByteCount(of: type), !types.plan.needsCheck(element) {
                constant += width
            } else {
                measureItems(element, access, field)
            }
        case .string: measureText("\(access).utf8.count", access, type, field, limit: field.description.maximumCount)
        case .bytes: measureText("\(access).count", access, type, field, limit: field.description.maximumCount)
        default: measureItem(type, access, field)
        }
    }

    private mutating func check(_ call: String, _ index: Int) {
        errors.enter(index, in: &source)
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
        case .string(.fixed(let byteCount, let padding)):
            check("text(\(access), byteCount: \(byteCount), padding: \(padding))", index)
        case .digits(let byteCount): check("digits(\(access), count: \(2 * byteCount))", index)
        default:
            guard let range = types.checkedRange(type, field.range) else { return }
            var value = access
            if case .integer = type {} else { value += ".rawValue" }
            check("range(\(value), \(range.lowerBound), \(range.upperBound))", index)
        }
    }

    /// Checks a count against its prefix and `@max`, and adds the size of the prefix.
    ///
    /// - Parameter countsBytes: Whether the count is a number of bytes, which is added as well.
    private mutating func checkCount(
        _ count: String, _ plan: PlannedCount, _ field: SwiftField, countsBytes: Bool = false
    ) {
        let call = "count(\(count), limit: \(SwiftText.limit(plan)))"
        if countsBytes {
            errors.enter(field.index, in: &source)
            add("try WirelineCodec::FieldCheck.\(call)")
        } else {
            check(call, field.index)
        }
        if let byteCount = plan.format.fixedByteCount {
            constant += byteCount
        } else {
            add("Swift::UInt64(\(count)).varintByteCount")
        }
    }

    private mutating func measureText(
        _ count: String, _ access: String, _ type: TypeDescription, _ field: SwiftField, limit: Int?
    ) {
        if let prefix = type.count(limit: limit) { return checkCount(count, prefix, field, countsBytes: true) }
        if let limit { check("count(\(count), limit: \(limit))", field.index) }
        if type.extent == .terminated {
            check("terminated(\(access))", field.index)
            constant += 1
        }
        add(count)
    }

    // MARK: Items

    private mutating func measureItems(_ element: TypeDescription, _ access: String, _ field: SwiftField) {
        if let width = types.plan.fixedByteCount(of: element), !types.plan.needsCheck(element) {
            return add(width == 1 ? "\(access).count" : "\(access).count * \(width)")
        }
        errors.setsItem = true
        if case .structure(let index) = element, types.plan.structuresInCountedLists.contains(index) {
            errors.enter(field.index, in: &source)
            let depth = types.plan.structures[index].countsDepth ? "depth: \(depth), " : ""
            return add("try \(access).payloadByteCount(\(depth)item: &item)")
        }
        source.line("item = 0")
        nest("for value in \(access)") { inner in
            inner.measureItem(element, "value", field)
            inner.source.line("item += 1")
        }
        source.line("item = -1")
    }

    /// Counts a value that the limits of its field do not apply to.
    private mutating func measureItem(_ type: TypeDescription, _ access: String, _ field: SwiftField) {
        let plain = FieldDescription(name: "", type: type, location: field.description.location)
        let isItem = field.type != type
        if let byteCount = types.plan.numberByteCount(of: type) {
            constant += byteCount
            return checkScalar(type, access, plain, field.index)
        }
        switch type {
        case .varint(let format):
            if !format.isUnlimited { check(format.swiftCheck(access), field.index) }
            if !isItem, let range = field.description.range {
                check("range(\(access), \(range.lowerBound), \(range.upperBound))", field.index)
            }
            add("\(access).\(format.swiftByteCount)")
        // `@max` limits the items of a list, and not their content.
        case .string: measureText("\(access).utf8.count", access, type, field, limit: nil)
        case .bytes: measureText("\(access).count", access, type, field, limit: nil)
        case .properties:
            errors.enter(field.index, in: &source)
            add("try \(access).byteCount()")
        case .structure(let index):
            if let width = types.plan.fixedByteCount(of: type), !types.plan.needsCheck(type),
                !types.plan.structures[index].countsDepth
            {
                constant += width
                return
            }
            errors.enter(field.index, in: &source)
            let argument = types.plan.structures[index].countsDepth ? "depth: \(depth)" : ""
            add("try \(access).payloadByteCount(\(argument))")
        default: break
        }
    }
}
