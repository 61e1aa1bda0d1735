// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct ErlangTypes: TypeDialect {
    let naming: ErlangNaming
    /// Bodies, shapes of packets and their contexts, and layers; with the names of ``naming``.
    let plan: GeneratorModel
    let dialect: ErlangDialect
    let builder: StatementBuilder

    var description: ProtocolDescription { plan.description }

    init(_ description: ProtocolDescription) {
        naming = ErlangNaming(description)
        plan = GeneratorModel(description, CodeNames(naming))
        dialect = ErlangDialect(plan: plan)
        builder = StatementBuilder(dialect)
    }

    // MARK: Specifications

    static let words = TypeWords(
        boolean: "boolean()", text: "binary()", bytes: "binary()", properties: "[{Key :: binary(), Value :: binary()}]")

    static func integer(_ format: IntegerFormat) -> String { text(format.range) }
    func float(byteCount: Int) -> String { declared("float\(8 * byteCount)") }
    func integer(_ format: IntegerFormat, _ allowed: ClosedRange<Int128>) -> String { Self.text(allowed) }
    func list(of item: String, _ count: CountPlan) -> String { "[\(item)]" }
    func declared(_ name: String) -> String { "\(naming.module):\(ErlangText.atom(name))()" }

    func text(of field: FieldDescription) -> String {
        (field.presence.mayBeUnset ? "undefined | " : "") + typeName(plan.coding.value(field.type, field, in: []))
    }

    func stateType(_ type: TypeDescription) -> String {
        switch type {
        case .boolean, .bit: "boolean() | 0..1"
        default: typeName(plan.coding.value(type, nil, in: []))
        }
    }

    func text(of union: UnionDescription, _ name: ErlangNaming.Choice) -> String {
        zip(union.arms, name.cases).map { arm, name in
            let atom = ErlangText.atom(name)
            guard let field = arm.field else { return atom }
            guard arm.tag == nil else { return "{\(atom), \(text(of: field))}" }
            return "{\(atom), Tag :: \(typeName(plan.coding.value(union.tag, nil, in: []))), Bytes :: binary()}"
        }.joined(separator: " | ")
    }

    static func text(_ range: ClosedRange<Int128>) -> String {
        range.lowerBound == range.upperBound
            ? number(range.lowerBound) : number(range.lowerBound) + ".." + number(range.upperBound)
    }

    /// Returns a number in Erlang. Numbers above 0xFFFF are hexadecimal, which shows powers of two better.
    static func number(_ value: Int128) -> String {
        value > 0xFFFF ? "16#" + String(value, radix: 16, uppercase: true) : String(value)
    }

    // MARK: Literals

    /// Returns a literal that is valid anywhere, also in patterns.
    func text(_ literal: LiteralPlan) -> String {
        switch literal {
        case .integer(let number, .number(let plan)): return text(number, plan.kind)
        case .integer(let number, _): return Self.number(number)
        case .boolean(let value): return String(value)
        case .float(let number) where number.isInfinite: return number < 0 ? "neg_infinity" : "infinity"
        case .float(let number): return ErlangText.float(number)
        case .text(let text): return ErlangText.binary(text)
        case .zeros(let byteCount): return byteCount == 0 ? "<<>>" : "<<0:(8 * \(byteCount))>>"
        case .noProperties, .list(_, count: 0): return "[]"
        case .list(let item, let count): return "lists:duplicate(\(count), \(text(item)))"
        case .structure(let index): return "\(naming.module):\(zeroFunction(index))()"
        }
    }

    /// Returns a number of an enum or of flags by its names.
    private func text(_ number: Int128, _ kind: PlannedNumber.Kind) -> String {
        switch kind {
        case .plain: return Self.number(number)
        case .enumeration(let index):
            let position = description.enumerations[index].cases.firstIndex { $0.value == number }
            return position.map { ErlangText.atom(naming.enumerations[index].cases[$0]) } ?? Self.number(number)
        case .flags(let index):
            // All flags inside the number that add a bit, then a number for the remaining bits.
            var (items, shown): ([String], Int128) = ([], 0)
            for (flag, name) in zip(description.flagSets[index].cases, naming.flagSets[index].cases)
            where flag.value & number == flag.value && flag.value & ~shown != 0 {
                items.append(ErlangText.atom(name))
                shown |= flag.value
            }
            if number & ~shown != 0 { items.append(Self.number(number & ~shown)) }
            return "[" + items.joined(separator: ", ") + "]"
        }
    }

    var zeroStructures: [Int] { plan.coding.structuresNeedingZero.sorted() }

    func zeroFunction(_ index: Int) -> String { "zero_" + naming.structures[index].name }

    func zeroRecord(_ index: Int) -> ErlangCode {
        let names = naming.structures[index].fields
        let fields = plan.structures[index].fields.filter(\.isInZero)
        return .record(
            naming.structures[index].name,
            fields.map { (names[$0.index], .literal(text($0.zero))) })
    }

    // MARK: Fields that share bytes

    /// - Parameter isSigned: Whether a field is read as signed; nil for writing, where constants have no variables.
    func run(_ planned: PlannedRun, _ letter: String, isSigned: ((Int) -> Bool)? = nil) -> ErlangRun {
        let parts = planned.bits.map { field -> ErlangCode.Segment in
            if isSigned == nil, let number = field.constant { return .bits(.number(number), field.bitWidth) }
            return .bits(
                .name(letter + String(field.field)), field.bitWidth, isSigned?(field.field) == true ? ["signed"] : [])
        }
        return ErlangRun(
            byteCount: planned.byteCount, byteOrder: planned.byteOrder, parts: parts,
            integer: "i\(planned.bits.first?.field ?? 0)")
    }

    // MARK: Depth

    /// The number of levels left inside a structure or a union.
    static let lessDepth = Expression.name("d").minus(1)

    /// The reason of the error if no level is left.
    var tooDeep: ErlangCode { .tagged("too_deep", .number(description.options.maximumDepth)) }

    // MARK: Names of functions

    func nameFunction(_ index: Int) -> String { "name_" + naming.enumerations[index].type }
    func numberFunction(_ index: Int) -> String { "number_" + naming.enumerations[index].type }
    func masksFunction(_ index: Int) -> String { "masks_" + naming.flagSets[index].type }

    /// Returns the suffix of the functions for lists of such values.
    func listName(_ value: ValuePlan) -> String {
        switch value {
        case .number(let plan):
            let order = plan.byteOrder.erlangName
            return switch plan.kind {
            case .plain: "values_\(plan.format.name)_\(order)"
            case .enumeration(let index): "enums_\(naming.enumerations[index].type)_\(order)"
            case .flags(let index): "flags_\(naming.flagSets[index].type)_\(order)"
            }
        case .float(let byteCount, let order, _): return "values_float\(8 * byteCount)_\(order.erlangName)"
        case .boolean: return "values_bool"
        case .varint(let format, _): return "values_\(format.encoding.name)_\(format.maximumByteCount)"
        case .content(.exactly(let byteCount), .digits(let notation)): return "values_\(notation.word)_\(byteCount)"
        case .content(_, .properties): return "values_properties"
        case .content(let count, .utf8): return "values_string_\(name(count))"
        case .content(let count, let encoding):
            let order = encoding.byteOrder.map { "_" + $0.erlangName } ?? ""
            return "values_\(encoding.name)\(order)_\(name(count))"
        case .structure(let index): return "items_\(naming.structures[index].name)"
        case .union(let index, _): return "items_\(naming.unions[index].type)"
        case .list(let element, let count, _): return "lists_\(name(count))_\(listName(element))"
        case .sized(let content, let count, _): return "sized_\(name(count))_\(listName(content))"
        }
    }

    private func name(_ count: CountPlan) -> String {
        switch count {
        case .prefix(let prefix): Self.name(prefix)
        case .terminated: "terminated"
        case .rest: "rest"
        case .until(let terminator, _): "until_\(terminator)"
        case .filled(let byteCount, let padding): "fixed_\(byteCount)_\(padding)"
        case .exactly(let number): "exact_\(number)"
        case .field: "field"
        }
    }

    /// Returns a name such as `uint16_big`; a count of one byte has no order.
    static func name(_ count: PlannedCount) -> String {
        switch count.format {
        case .uint8, .varint, .zigzag: count.format.name
        case .uint16, .uint32, .int16, .int32: "\(count.format.name)_\(count.byteOrder.erlangName)"
        }
    }
}
