// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct SwiftSizing {
    let types: SwiftTypes
    /// The argument for the size of each structure and union, in brackets: its depth if depth is counted.
    let depth: String
    private(set) var source: SwiftSource
    private(set) var errors: SwiftErrorPlace
    private(set) var adds = false
    /// The bytes that every value takes.
    private(set) var constant = 0
    private var isNested = false
    private var body: BodyPlan?
    private var derived: [Int: SwiftDerivation] = [:]

    init(
        _ types: SwiftTypes, depth: String, in source: SwiftSource, errors: SwiftErrorPlace = SwiftErrorPlace()
    ) {
        self.types = types
        self.errors = errors
        self.depth = depth
        self.source = source
    }

    /// Writes statements that count all fields of a body, in order, and the kept trailing bytes.
    mutating func measure(_ body: BodyPlan, _ fields: [SwiftField]) {
        if body.fields.contains(where: { $0.isOptional && $0.isFollowed }) { source.line("var gap: Swift::Int = -1") }
        self.body = body
        derived = SwiftDerivation.all(body, fields)
        for derivation in body.derivations where derivation.isShared {
            source.line("var number\(derivation.field): Swift::Int? = nil")
        }
        for field in fields {
            if let user = field.plan.reference.user {
                if let byteCount = types.plan.fixedByteCount(of: field.type) {
                    constant += byteCount
                } else {
                    add(types.tag(of: fields[user], field.type) + ".varintByteCount")
                }
            } else if case .varint(let format) = field.type, let value = derived[field.index] {
                add("\(value.text(as: field.valueType)).\(format.swiftByteCount)")
            } else if !field.hasValue {
                constant += types.plan.leadingByteCount(of: field.description)
            } else if field.isOptional {
                measureOptional(field)
            } else if field.plan.isNullable {
                measureIfCounted(field)
            } else if field.plan.condition != nil {
                let condition = types.condition(of: field, among: fields)
                check("presence(\(field.access) != nil, when: \(condition))", field.index)
                measureIfSet(field)
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
        measureIfSet(field)
        guard field.plan.isFollowed else { return }
        source.line("if gap < 0, \(field.access) == nil { gap = \(field.index) }")
    }

    private mutating func measureIfSet(_ field: SwiftField) {
        nest(head(of: field)) { inner in
            if field.plan.followsOptional { inner.refuseGap() }
            inner.measure(field.type, "value", field)
        }
    }

    /// Returns the test whether a field is set. It binds the value only if the statements use it.
    private func head(of field: SwiftField) -> String {
        var trial = SwiftSizing(types, depth: depth, in: SwiftSource())
        trial.measure(field.type, "value", field)
        // If the size is fixed and needs no check, only the presence matters.
        return trial.source.text.contains("value")
            ? "if let value = \(field.access)" : "if \(field.access) != nil"
    }

    /// Counts the prefix of a field and, unless the prefix says that it is absent, its value.
    private mutating func measureIfCounted(_ field: SwiftField) {
        guard let prefix = field.description.count else { return }
        guard let width = prefix.format.fixedByteCount else {
            return nest(head(of: field), otherwise: prefix.format.minimumByteCount) { inner in
                inner.measure(field.type, "value", field)
            }
        }
        constant += width
        nest(head(of: field)) { inner in
            inner.measure(field.type, "value", field)
            inner.constant -= width
        }
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
    ///
    /// - Parameters:
    ///   - head: The statement without its brace.
    ///   - other: The bytes that count if they do not run.
    ///   - body: Writes the statements.
    private mutating func nest(_ head: String, otherwise other: Int = 0, _ body: (inout SwiftSizing) -> Void) {
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
            if other > 0 {
                source.close()
                source.open("} else {")
                add("\(other)")
            }
            source.close("}")
        }
        if errors.currentField != field { errors.forgetField() }
        constant = outer
    }

    // MARK: Types

    private mutating func measure(_ type: TypeDescription, _ access: String, _ field: SwiftField) {
        if field.description.packing != nil {
            constant += types.plan.leadingByteCount(of: field.description)
            return checkScalar(type, access, field.description, field.index)
        }
        if let byteCount = types.plan.numberByteCount(of: type) {
            constant += byteCount
            return checkScalar(type, access, field.description, field.index)
        }
        switch type {
        case .list(let element, .until(let terminator)):
            if let maximum = field.description.maximumCount {
                check("count(\(access).count, limit: \(maximum))", field.index)
            }
            constant += 1
            measureItems(element, until: terminator, access, field)
        case .list(let element, let extent):
            if case .counted = extent, let count = field.description.count {
                checkCount("\(access).count", count, field)
            }
            if case .field(let count) = extent { checkCount("\(access).count", count, field) }
            if case .rest = extent, let maximum = field.description.maximumCount {
                check("count(\(access).count, limit: \(maximum))", field.index)
            }
            measureItems(element, access, field)
        case .sized(let content, let extent): measureSized(content, extent, access, field)
        case .fixedList(let element, let count):
            check("itemCount(\(access).count, is: \(count))", field.index)
            if let width = types.plan.fixedByteCount(of: type), !types.plan.needsCheck(element) {
                constant += width
            } else {
                measureItems(element, access, field)
            }
        case .string: measureText("\(access).utf8.count", access, type, field, limit: field.description.maximumCount)
        case .bytes: measureText("\(access).count", access, type, field, limit: field.description.maximumCount)
        case .utf16: measureUTF16(access, type, field, limit: field.description.maximumCount)
        default: measureItem(type, access, field)
        }
    }

    /// Counts a value inside a number of bytes, and checks that it fits or fills them.
    private mutating func measureSized(
        _ content: TypeDescription, _ extent: TypeDescription.Extent, _ access: String, _ field: SwiftField
    ) {
        let start = "start\(field.index)"
        let before = constant
        // A large number in an earlier field holds every size.
        if case .field(let count) = extent, !isLimited(count, field) { return measure(content, access, field) }
        adds = true
        source.line("let \(start) = byteCount")
        measure(content, access, field)
        let added = constant - before
        let byteCount = "byteCount - \(start)" + (added > 0 ? " + \(added)" : "")
        switch extent {
        case .field(let count): checkCount(byteCount, count, field)
        case .exact(let count) where content.goesToEnd: check("byteCount(\(byteCount), is: \(count))", field.index)
        case .exact(let count):
            check("count(\(byteCount), limit: \(count))", field.index)
            source.line("byteCount = \(start)")
            constant = before + count
        default:
            guard let prefix = field.description.count else { return }
            check("count(\(byteCount), limit: \(SwiftText.limit(prefix)))", field.index)
            guard let width = prefix.format.fixedByteCount else {
                return add(Self.byteCount(of: prefix.format, byteCount))
            }
            constant += width
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
        case .float(let format, _):
            let nearest = "\(format.name)(\(access))"
            guard let range = field.floatRange else {
                if !format.hasHostType { check(nearest, index) }
                return
            }
            var value = access
            if format != .binary64 { value = "Swift::Double(\(access))" }
            if !format.hasHostType { value = "WirelineCodec::FieldCheck.\(nearest)" }
            check("range(\(value), \(range.lowerBound), \(range.upperBound))", index)
        case .string(.fixed(let byteCount, let padding)):
            check("text(\(access), byteCount: \(byteCount), padding: \(padding))", index)
        case .utf16(.fixed(let byteCount, let padding), _):
            check("utf16(\(access), byteCount: \(byteCount), padding: \(padding))", index)
        case .string(.exact(let byteCount)): check("byteCount(\(access).utf8.count, is: \(byteCount))", index)
        case .bytes(.exact(let byteCount)): check("byteCount(\(access).count, is: \(byteCount))", index)
        case .digits(let format): check("\(format.notation.word)(\(access), count: \(format.digitCount))", index)
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
            add(Self.byteCount(of: plan.format, count))
        }
    }

    private static func byteCount(of format: CountFormat, _ count: String) -> String {
        format.isSigned ? "Swift::Int64(\(count)).zigzagByteCount" : "Swift::UInt64(\(count)).varintByteCount"
    }

    /// Checks a number of items or bytes against the earlier field that holds it, and against others with the same
    /// counter.
    private mutating func checkCount(_ text: String, _ count: FieldCount, _ field: SwiftField) {
        let limit = limit(count, field)
        if limit < Int32.max { check("count(\(text), limit: \(limit))", field.index) }
        if count.range.lowerBound > 0 { check("size(\(text), least: \(count.range.lowerBound))", field.index) }
        guard let derivation = body?.derivation(counting: field.index), derivation.isShared else { return }
        let arguments = "of: \(text), adding: \(count.addend), with: &number\(derivation.field)"
        check("agreement(\(arguments))", field.index)
    }

    private func limit(_ count: FieldCount, _ field: SwiftField) -> Int {
        let maximum = field.type.isSized ? Int.max : field.description.maximumCount ?? .max
        return min(maximum, count.range.upperBound)
    }

    /// Whether a number of items or bytes is checked.
    private func isLimited(_ count: FieldCount, _ field: SwiftField) -> Bool {
        limit(count, field) < Int32.max || count.range.lowerBound > 0
            || body?.derivation(counting: field.index)?.isShared == true
    }

    private mutating func measureText(
        _ count: String, _ access: String, _ type: TypeDescription, _ field: SwiftField, limit: Int?
    ) {
        if let prefix = type.count(limit: limit) { return checkCount(count, prefix, field, countsBytes: true) }
        if let counter = type.fieldCount {
            checkCount(count, counter, field)
        } else if let limit {
            check("count(\(count), limit: \(limit))", field.index)
        }
        if type.extent == .terminated {
            check("terminated(\(access))", field.index)
            constant += 1
        }
        add(count)
    }

    private mutating func measureUTF16(
        _ access: String, _ type: TypeDescription, _ field: SwiftField, limit: Int?
    ) {
        let count = "\(access).utf16UnitCount"
        if let prefix = type.count(limit: limit) {
            checkCount(count, prefix, field)
        } else {
            if let limit { check("count(\(count), limit: \(limit))", field.index) }
            if type.extent == .terminated {
                check("terminated(\(access))", field.index)
                constant += 2
            }
        }
        add("2 * \(count)")
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

    /// Counts the items of a list that ends at a byte, and checks that none begins with it.
    private mutating func measureItems(
        _ element: TypeDescription, until terminator: UInt8, _ access: String, _ field: SwiftField
    ) {
        errors.setsItem = true
        source.line("item = 0")
        nest("for value in \(access)") { inner in
            if let first = inner.types.firstByte(of: element, "value") {
                inner.measureItem(element, "value", field)
                inner.check("item(beginningWith: \(first), isNot: \(terminator))", field.index)
            } else {
                inner.measureWrittenItem(element, terminator, field)
            }
            inner.source.line("item += 1")
        }
        source.line("item = -1")
    }

    /// Counts an item, and checks its first byte by writing it.
    private mutating func measureWrittenItem(_ element: TypeDescription, _ terminator: UInt8, _ field: SwiftField) {
        let start = "start\(field.index)"
        let width = types.plan.fixedByteCount(of: element)
        if width == nil {
            adds = true
            source.line("let \(start) = byteCount")
        }
        measureItem(element, "value", field)
        errors.enter(field.index, in: &source)
        let byteCount = width.map { "\($0)" } ?? "byteCount - \(start)" + (constant > 0 ? " + \(constant)" : "")
        source.open("try WirelineCodec::FieldCheck.item(byteCount: \(byteCount), isNot: \(terminator)) { writer in")
        var writing = SwiftWriting(types, in: source.nested(by: 0))
        writing.write(element, "value")
        source.append(writing.source)
        source.close("}")
    }

    /// Counts an item; the limits of its field do not apply to it.
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
        case .utf16: measureUTF16(access, type, field, limit: nil)
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
        case .union(let index):
            errors.enter(field.index, in: &source)
            let argument = types.plan.unions[index].countsDepth ? "depth: \(depth)" : ""
            var byteCount = "try \(access).payloadByteCount(\(argument))"
            if field.plan.reference.tagSource != nil {
                let width = types.plan.fixedByteCount(of: types.plan.unions[index].tag)
                byteCount += " - " + (width.map { "\($0)" } ?? "\(access).tag.varintByteCount")
            }
            add(byteCount)
        default: break
        }
    }
}
