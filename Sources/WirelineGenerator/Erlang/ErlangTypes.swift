// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How a protocol's types are written in Erlang.
struct ErlangTypes {
    let plan: CodingPlan
    let naming: ErlangNaming
    /// Shapes of packets, what they are in contexts, and layers. Its names are not used: they are those of ``naming``.
    let code: CodePlan
    let dialect: ErlangDialect
    let printer: StatementPrinter

    var description: ProtocolDescription { plan.description }

    init(_ description: ProtocolDescription) {
        code = CodePlan(description, .erlang)
        plan = code.coding
        naming = ErlangNaming(description)
        dialect = ErlangDialect(plan: code)
        printer = StatementPrinter(dialect)
    }

    // MARK: Specifications

    /// Returns the Erlang type of a field's values.
    func text(of field: FieldDescription) -> String {
        var text: String
        switch (field.type, field.range) {
        case (.integer, let range?), (.varint, let range?): text = Self.text(range)
        default: text = self.text(field.type)
        }
        if field.presence.mayBeUnset { text = "undefined | " + text }
        return text
    }

    /// Returns the Erlang type of a state's values.
    func stateType(_ type: TypeDescription) -> String {
        switch type {
        case .boolean, .bit: "boolean() | 0..1"
        default: text(type)
        }
    }

    private func text(_ type: TypeDescription) -> String {
        switch type {
        case .integer(let format, _): Self.text(format.range)
        case .varint(let format): Self.text(format.range)
        case .float(let format, _): "\(naming.module):\(format.name)()"
        case .boolean, .bit: "boolean()"
        case .string, .utf16, .bytes, .digits: "binary()"
        case .properties: "[{Key :: binary(), Value :: binary()}]"
        case .enumeration(let index, _): remote(naming.enumerations[index].type)
        case .flags(let index, _): remote(naming.flagSets[index].type)
        case .structure(let index): remote(naming.structures[index].name)
        case .union(let index): remote(naming.unions[index].type)
        case .fixedList(let element, _), .list(let element, _): "[\(text(element))]"
        case .sized(let content, _): text(content)
        }
    }

    /// Returns the Erlang type of a union.
    func text(of union: UnionDescription, _ name: ErlangNaming.Choice) -> String {
        zip(union.arms, name.cases).map { arm, name in
            let atom = ErlangText.atom(name)
            guard let field = arm.field else { return atom }
            guard arm.tag == nil else { return "{\(atom), \(text(of: field))}" }
            return "{\(atom), Tag :: \(text(union.tag)), Bytes :: binary()}"
        }.joined(separator: " | ")
    }

    private func remote(_ type: String) -> String { "\(naming.module):\(ErlangText.atom(type))()" }

    static func text(_ range: ClosedRange<Int128>) -> String {
        range.lowerBound == range.upperBound
            ? number(range.lowerBound) : number(range.lowerBound) + ".." + number(range.upperBound)
    }

    /// Returns a number in Erlang; above 0xFFFF in hexadecimal, which shows powers of two better.
    static func number(_ value: Int128) -> String {
        value > 0xFFFF ? "16#" + String(value, radix: 16, uppercase: true) : String(value)
    }

    // MARK: Defaults

    /// Returns the value of a `@since` field when the bytes end before it; nil for other fields.
    ///
    /// The expression is valid anywhere.
    func absent(_ field: FieldDescription) -> String? {
        guard case .since(_, let value) = field.presence else { return nil }
        switch value {
        case .integer(let value): return integer(value, field.type)
        case .float(let value): return special(value, field.type) ?? ErlangText.float(value)
        case .string(let text): return ErlangText.binary(text)
        case .zero: return zero(field.type)
        }
    }

    /// Returns a float in Erlang, after rounding to its type; nil for NaN.
    private func special(_ value: Double, _ type: TypeDescription) -> String? {
        var value = value
        if case .float(let format, _) = type { value = format.nearest(to: value) }
        guard value.isFinite else { return value.isNaN ? nil : value < 0 ? "neg_infinity" : "infinity" }
        return ErlangText.float(value)
    }

    func integer(_ value: Int128, _ type: TypeDescription) -> String {
        switch type {
        case .boolean, .bit: value != 0 ? "true" : "false"
        case .float: ErlangText.float(Double(value))
        case .enumeration(let index, _): name(of: value, in: index)
        case .flags(let index, _): names(of: value, in: index)
        default: Self.number(value)
        }
    }

    private func name(of value: Int128, in index: Int) -> String {
        let cases = zip(description.enumerations[index].cases, naming.enumerations[index].cases)
        return cases.first { $0.0.value == value }.map { ErlangText.atom($0.1) } ?? Self.number(value)
    }

    /// Returns the flags that lie wholly inside the value and add a bit, and a number for the remaining bits.
    private func names(of value: Int128, in index: Int) -> String {
        var (items, shown): ([String], Int128) = ([], 0)
        for (flag, name) in zip(description.flagSets[index].cases, naming.flagSets[index].cases)
        where flag.value & value == flag.value && flag.value & ~shown != 0 {
            items.append(ErlangText.atom(name))
            shown |= flag.value
        }
        if value & ~shown != 0 { items.append(Self.number(value & ~shown)) }
        return "[" + items.joined(separator: ", ") + "]"
    }

    private func zero(_ type: TypeDescription) -> String {
        switch type {
        case .integer, .varint, .boolean, .bit, .enumeration, .flags: integer(0, type)
        case .float: "0.0"
        case .string(.exact(let byteCount)), .bytes(.exact(let byteCount)): "<<0:(8 * \(byteCount))>>"
        case .string, .utf16, .bytes: "<<>>"
        case .sized(let content, _): zero(content)
        case .digits(let byteCount): "binary:copy(<<\"0\">>, \(2 * byteCount))"
        case .properties, .list: "[]"
        case .fixedList(let element, let count): "lists:duplicate(\(count), \(zero(element)))"
        case .structure(let index): "\(naming.module):\(zeroFunction(index))()"
        // The checker refuses it: a union has no zero.
        case .union: "undefined"
        }
    }

    /// The structures that the zero value of a `@since` field contains.
    var zeroStructures: [Int] { plan.structuresNeedingZero.sorted() }

    func zeroFunction(_ index: Int) -> String { "zero_" + naming.structures[index].name }

    /// Returns a record whose fields have their defaults or zero.
    func zeroRecord(_ index: Int) -> String {
        let naming = naming.structures[index]
        let values = zip(description.structures[index].fields, naming.fields).compactMap { field, name in
            !field.hasValue || !field.presence.isInZero
                ? nil : "\(ErlangText.atom(name)) = \(absent(field) ?? zero(field.type))"
        }
        return "#\(ErlangText.atom(naming.name)){\(values.joined(separator: ", "))}"
    }

    // MARK: Scalars

    /// A number of fixed width.
    struct Scalar {
        let format: IntegerFormat
        let order: ByteOrder

        var byteCount: Int { format.byteCount }
        func reading(_ value: ErlangCode) -> ErlangCode.Segment { .number(value, format, order, isRead: true) }
        func writing(_ value: ErlangCode) -> ErlangCode.Segment { .number(value, format, order) }
    }

    /// Returns how a scalar is written; nil for types of variable width and for types that contain values.
    func scalar(_ type: TypeDescription) -> Scalar? {
        switch type {
        case .float(let format, let order): Scalar(format: format.bitFormat, order: order)
        case .boolean: Scalar(format: .uint8, order: .bigEndian)
        default: plan.number(type).map { Scalar(format: $0.format, order: $0.byteOrder) }
        }
    }

    /// Returns the segments of fields that share bytes.
    ///
    /// - Parameter isSigned: Whether each field is read with a sign; nil for writing, where constants have no variables.
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

    /// Returns the condition that a number is one of an enum's cases.
    ///
    /// - Parameter hasNames: Whether there is a function for the names of the cases.
    func isCase(_ number: Expression, of index: Int, hasNames: Bool) -> Expression {
        if hasNames { return .call(nil, "is_atom", [.call(nil, nameFunction(index), [number])]) }
        return printer.isOne(of: description.enumerations[index].cases.map(\.value), number, .int64)
    }

    /// Returns the value that a kept tag of a union has for its number.
    func tagValue(_ type: TypeDescription, _ number: ErlangCode) -> ErlangCode {
        if case .enumeration(let index, _) = type { .call(nameFunction(index), [number]) } else { number }
    }

    /// Returns the number of a kept tag.
    func tagNumber(_ type: TypeDescription, _ value: ErlangCode) -> ErlangCode {
        if case .enumeration(let index, _) = type { .call(numberFunction(index), [value]) } else { value }
    }

    // MARK: Names of functions

    func nameFunction(_ index: Int) -> String { "name_" + naming.enumerations[index].type }
    func numberFunction(_ index: Int) -> String { "number_" + naming.enumerations[index].type }
    func masksFunction(_ index: Int) -> String { "masks_" + naming.flagSets[index].type }

    /// Returns the name that distinguishes the functions for lists of this type.
    func listName(_ type: TypeDescription) -> String {
        switch type {
        case .integer(let format, let order): "values_\(format.name)_\(order.erlangName)"
        case .float(let format, let order): "values_\(format.name)_\(order.erlangName)"
        case .boolean: "values_bool"
        case .bit: "values_bit"
        case .varint(let format): "values_\(format.encoding.name)_\(format.maximumByteCount)"
        case .string(let extent): "values_string_\(name(extent))"
        case .utf16(let extent, let order): "values_utf16_\(order.erlangName)_\(name(extent))"
        case .bytes(let extent): "values_bytes_\(name(extent))"
        case .digits(let byteCount): "values_digits_\(byteCount)"
        case .properties: "values_properties"
        case .enumeration(let index, let order): "enums_\(naming.enumerations[index].type)_\(order.erlangName)"
        case .flags(let index, let order): "flags_\(naming.flagSets[index].type)_\(order.erlangName)"
        case .structure(let index): "items_\(naming.structures[index].name)"
        case .union(let index): "items_\(naming.unions[index].type)"
        case .fixedList(let element, let count): "fixed_\(count)_\(listName(element))"
        case .list(let element, let extent): "lists_\(name(extent))_\(listName(element))"
        case .sized(let content, let extent): "sized_\(name(extent))_\(listName(content))"
        }
    }

    private func name(_ extent: TypeDescription.Extent) -> String {
        switch extent {
        case .counted(let format, let order): Self.name(format, order)
        case .terminated: "terminated"
        case .rest: "rest"
        case .until(let terminator): "until_\(terminator)"
        case .fixed(let byteCount, let padding): "fixed_\(byteCount)_\(padding)"
        case .exact(let byteCount): "exact_\(byteCount)"
        case .field: "field"
        }
    }

    static func name(_ count: PlannedCount) -> String { name(count.format, count.byteOrder) }

    /// Returns a name such as `uint16_big`; a count of one byte has no order.
    static func name(_ format: CountFormat, _ order: ByteOrder) -> String {
        switch format {
        case .uint8, .varint, .zigzag: format.name
        case .uint16, .uint32, .int16, .int32: "\(format.name)_\(order.erlangName)"
        }
    }
}

extension ByteOrder {
    /// The name in bit syntax.
    var erlangName: String { self == .littleEndian ? "little" : "big" }
}

/// The context of code that reads or writes a value.
struct ErlangPlace {
    /// The value's name in the schema, or its index.
    let name: ErlangCode
    /// The names that contain the value, innermost first.
    let path: ErlangCode
    /// The number of nesting levels that are left.
    let depth: Expression
    /// The number that makes the function's variables unique.
    let number: Int

    /// The path with the value's own name first.
    var ownPath: ErlangCode {
        if case .list(let names, nil) = path { .list([name] + names) } else { .list([name], tail: path) }
    }

    /// Returns the last arguments of functions that read: where the bytes end, the name and the path.
    func end(_ end: Expression = "e") -> [ErlangCode] { [end.code, name, path] }
}

extension NameStyle {
    /// Erlang has names of its own, which records of Swift share.
    static let erlang = NameStyle(
        types: Kind(spelling: .snake), fields: Kind(spelling: .snake), cases: Kind(spelling: .snake),
        constants: Kind(spelling: .snake), headerFields: Kind(spelling: .snake), trailing: "trailing")
}
