// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The name of a value that is read or written, and of everything that contains it.
struct ErlangPlace {
    /// The value's name in the schema, or its index.
    let name: ErlangCode
    /// The names that contain the value, innermost first.
    let path: ErlangCode
    /// The number of nesting levels left.
    var depth: Expression = 0
    /// A number that keeps the function's variables apart.
    var number = 0

    static func header(_ field: PacketField, in path: ErlangCode = .list([.literal("packet")])) -> Self {
        Self(name: .text(field.name), path: path)
    }

    /// An item, in the function of its list.
    static let item = ErlangPlace(name: "i", path: "p", depth: "d")

    static func arm(_ plan: UnionPlan, _ position: Int) -> Self {
        Self(name: .text(plan.arms[position].name), path: "q", depth: ErlangTypes.lessDepth, number: position + 1)
    }

    /// The path of a function whose parameters are a name and a path.
    static let own = ErlangCode.list(["n"], tail: "p")

    /// The last arguments of functions that check a value.
    var names: [ErlangCode] { [name, path] }

    var ownPath: ErlangCode {
        if case .list(let names, nil) = path { .list([name] + names) } else { .list([name], tail: path) }
    }
}

/// The bytes of a value that is read.
struct ErlangSource {
    /// The variable with the bytes; they begin with the value.
    let bytes: Expression
    /// The offset of their end.
    var end: Expression = "e"
    let place: ErlangPlace
    /// The field that has the value; nil for an item of a list.
    var field: GeneratedField?
    /// The numbers of earlier fields of the body.
    var operands: [Int: Expression] = [:]

    var start: Expression { end.minus(.byteSize(bytes)) }
    /// The last arguments of functions that read leaf values.
    var names: [ErlangCode] { [end.code] + place.names }
    /// The last arguments of functions that read values with nested ones.
    var nested: [ErlangCode] { [end.code, place.depth.code] + place.names }

    /// Returns a call with the bytes, their end, and the value's name.
    func call(_ function: String, _ arguments: ErlangCode...) -> ErlangCode {
        .call(function, [bytes.code] + arguments + names)
    }

    /// Returns a failure at the value's offset.
    func fail(_ reason: ErlangCode) -> ErlangCode { .fail(reason, place.ownPath, at: start) }
}

/// Reads and writes leaf values, in bodies and in headers.
extension ErlangTypes {
    // MARK: Texts and varints

    /// Returns code that reads text, digits, bytes or a varint; nil for other values.
    func readLeaf(_ value: ValuePlan, _ source: ErlangSource) -> ErlangCode? {
        switch value {
        case .content(.exactly(let byteCount), .digits(let notation)):
            return source.call(notation.word, .number(byteCount))
        case .content(_, .properties(let isStrict)):
            return source.call("properties", .literal(isStrict ? "strict" : "lenient"))
        case .content(let count, let encoding): return readContent(count, encoding, source)
        case .varint(let format, let allowed):
            let number = source.call(format.encoding.name, .number(format.maximumByteCount))
            if allowed == format.range { return number }
            return .call("within", [number] + bounds(allowed) + [source.bytes.code] + source.names)
        case .number, .float, .boolean, .structure, .union, .list, .sized: return nil
        }
    }

    /// Returns the checked bytes of text, digits, bytes or a varint; nil for other values.
    func writeLeaf(_ value: ValuePlan, _ own: ErlangCode, _ place: ErlangPlace) -> ErlangCode? {
        switch value {
        case .content(.exactly(let byteCount), .digits(let notation)):
            .call("put_" + notation.word, [own, .number(byteCount)] + place.names)
        case .content(_, .properties): .call("property_list", [own] + place.names)
        case .content(let count, let encoding): writeContent(count, encoding, own, place)
        case .varint(let format, _): format.erlangBytes(number(value, own, place))
        case .number, .float, .boolean, .structure, .union, .list, .sized: nil
        }
    }

    func readContent(_ count: CountPlan, _ encoding: ContentEncoding, _ source: ErlangSource) -> ErlangCode {
        let names = encoding.erlangOrder + source.names
        if let counted = counted(count, source) { return .call(encoding.name, [counted] + names) }
        let bytes = source.bytes.code
        guard case .filled(let byteCount, let padding) = count else {
            let word = if case .terminated = count { "terminated_" } else { "rest_" }
            return .call(word + encoding.name, [bytes, limit(count.maximum)] + names)
        }
        return .call("fixed_" + encoding.name, [bytes, .number(byteCount), .number(padding)] + names)
    }

    private func writeContent(
        _ count: CountPlan, _ encoding: ContentEncoding, _ own: ErlangCode, _ place: ErlangPlace
    ) -> ErlangCode {
        let (width, names) = (encoding.unitByteCount, encoding.erlangOrder + place.names)
        let checked = ErlangCode.call(encoding.name + "_value", [own, limit(count.maximum)] + names)
        switch count {
        case .prefix(let prefix): return prefixed(prefix, checked, by: width == 1 ? "byte_size" : "units_of", place)
        case .field: return atLeast(count, checked, place)
        case .exactly(let units): return exactly(width * units, checked, place)
        case .filled(let byteCount, let padding):
            return .call("put_fixed_" + encoding.name, [own, .number(byteCount), .number(padding)] + names)
        case .terminated: return .call("put_terminated_" + encoding.name, [own, limit(count.maximum)] + names)
        case .rest, .until: return checked
        }
    }

    func limit(_ limit: Int?) -> ErlangCode { limit.map { .number($0) } ?? .literal("infinity") }

    // MARK: Counts

    /// Reads the number of bytes, units or items, and returns it with the bytes after it; nil if something ends them.
    func counted(_ count: CountPlan, _ source: ErlangSource) -> ErlangCode? {
        switch count {
        case .prefix(let prefix): source.call("count_" + Self.name(prefix), limit(prefix.limit))
        case .exactly(let number): .tuple([.number(number), source.bytes.code])
        case .field(let count, let index, let most):
            .call(
                "field_count",
                [(source.operands[index] ?? 0).plus(count.addend).code, limit(most), source.bytes.code] + source.names)
        case .filled, .terminated, .until, .rest: nil
        }
    }

    /// Returns a checked value with its prefix.
    ///
    /// - Parameters:
    ///   - letter: The first letter of the variable's name.
    ///   - bytes: Combines the bytes of the prefix with the value in a variable (default: one after the other).
    func prefixed(
        _ prefix: PlannedCount, _ checked: ErlangCode, by measure: String, _ place: ErlangPlace,
        letter: String = "l",
        _ bytes: (_ prefix: ErlangCode, _ own: ErlangCode) -> ErlangCode = { .list([$0, $1]) }
    ) -> ErlangCode {
        let own = Expression.name(letter + String(place.number))
        let number = self.prefix(prefix, .call(nil, measure, [own]))
        return .choose(checked, [.init(own.code, body: [bytes(number, own.code)])])
    }

    func prefix(_ prefix: PlannedCount, _ number: Expression) -> ErlangCode {
        switch prefix.format {
        case .varint: return .call("leb128", [number.code])
        case .zigzag: return .call("leb128", [Expression.binary(.times, 2, number).code])
        default:
            let isLittle = prefix.byteOrder == .littleEndian && prefix.format.hasByteOrder
            return .binary([.bits(number.code, 8 * (prefix.format.fixedByteCount ?? 0), isLittle ? ["little"] : [])])
        }
    }

    /// Checks that bytes are not shorter than the minimum of their counting field.
    func atLeast(_ count: CountPlan, _ bytes: ErlangCode, _ place: ErlangPlace) -> ErlangCode {
        count.minimum > 0 ? .call("at_least", [bytes, .number(count.minimum)] + place.names) : bytes
    }

    func exactly(_ byteCount: Int, _ bytes: ErlangCode, _ place: ErlangPlace) -> ErlangCode {
        .call("exact", [bytes, .number(byteCount)] + place.names)
    }

    // MARK: Numbers

    func value(_ value: ValuePlan, _ number: Expression) -> ErlangCode {
        switch value {
        case .float(let byteCount, _, _): return .call("float\(8 * byteCount)", [number.code])
        case .boolean: return number.compared(.equal, 1, .uint8).code
        case .number(let plan):
            switch plan.kind {
            case .plain: return number.code
            case .enumeration(let index): return .call(nameFunction(index), [number.code])
            case .flags(let index): return .call("mask_names", [.call(masksFunction(index), []), number.code, 0])
            }
        default: return number.code
        }
    }

    /// Returns the number of a value, or an error that names it.
    func number(_ value: ValuePlan, _ own: ErlangCode, _ place: ErlangPlace) -> ErlangCode {
        switch value {
        case .boolean: return .call("boolean", [own] + place.names)
        case .varint(_, let allowed): return .call("integer", [own] + bounds(allowed) + place.names)
        case .float(let byteCount, _, let range):
            let bits = ErlangCode.call("float\(8 * byteCount)_bits", [own] + place.names)
            guard let range else { return bits }
            return .call("float\(8 * byteCount)_within", [bits] + bounds(range).map(\.code) + place.names)
        case .number(let plan):
            let bounds = bounds(plan.allowed)
            switch plan.kind {
            case .plain: return .call("integer", [own] + bounds + place.names)
            case .flags(let index):
                return .call("bits", [own, .call(masksFunction(index), []), bounds[1]] + place.names)
            case .enumeration:
                let number = uncheckedNumber(value, own)
                return .call(plan.isClosed ? "closed" : "enumeration", [number] + bounds + place.names)
            }
        default: return own
        }
    }

    /// Returns the number of an enum; other values do not change.
    func uncheckedNumber(_ value: ValuePlan, _ own: ErlangCode) -> ErlangCode {
        guard case .number(let plan) = value, case .enumeration(let index) = plan.kind else { return own }
        return .call(numberFunction(index), [own])
    }

    /// Returns the check of a number that was read; nil if every number is valid.
    func check(
        _ value: ValuePlan, _ own: Expression, of field: GeneratedField?
    ) -> (good: Expression, reason: ErlangCode)? {
        func reason(_ name: String, _ more: ErlangCode...) -> ErlangCode {
            .tuple([.literal(name), own.code] + more)
        }
        if case .number(let number, _, _)? = field?.constant {
            return (own.compared(.equal, number, .int64), reason("wrong_constant", .number(number)))
        }
        switch value {
        case .boolean where field?.description.packing == nil:
            return (own.compared(.lessOrEqual, 1, .uint8), reason("invalid_boolean"))
        case .number(let plan):
            if let index = plan.closedEnumeration {
                // Programs do not see this number, so no function for its names exists.
                let isCase =
                    field?.planned.isDerived == true ? builder.isCase(own, of: index) : isCase(own, of: index)
                return (isCase, reason("unknown_case"))
            }
            guard let range = plan.range else { return nil }
            let (low, high) = (range.lowerBound, range.upperBound)
            let good = own.compared(.greaterOrEqual, low, .int64).and(own.compared(.lessOrEqual, high, .int64))
            return (good, reason("out_of_range", .number(low), .number(high)))
        case .float(let byteCount, _, let range?):
            let (float, bounds) = (Expression.call(nil, "float\(8 * byteCount)", [own]), bounds(range))
            let reason = ErlangCode.tuple([.literal("float_out_of_range"), float.code] + bounds.map(\.code))
            return (.call(nil, "in_range", [float] + bounds), reason)
        default: return nil
        }
    }

    func isCase(_ number: Expression, of index: Int) -> Expression {
        .call(nil, "is_atom", [.call(nil, nameFunction(index), [number])])
    }

    func bounds(_ range: ClosedRange<Int128>) -> [ErlangCode] {
        [.number(range.lowerBound), .number(range.upperBound)]
    }

    private func bounds(_ range: ClosedRange<Double>) -> [Expression] {
        [range.lowerBound, range.upperBound].map { .float($0, byteCount: 8) }
    }
}

extension VarintFormat {
    /// The runtime's function for the size of a value.
    var erlangSize: String { encoding == .unsigned ? "leb128_size" : "\(encoding.name)_size" }

    /// Returns the bytes of a checked value.
    func erlangBytes(_ value: ErlangCode) -> ErlangCode {
        .call("leb128", [encoding == .unsigned ? value : .call(encoding.name + "_bits", [value])])
    }
}

extension ContentEncoding {
    /// The argument for the byte order of units.
    fileprivate var erlangOrder: [ErlangCode] { byteOrder.map { [.literal($0.erlangName)] } ?? [] }
}

extension ByteOrder {
    /// The name in bit syntax.
    var erlangName: String { self == .littleEndian ? "little" : "big" }
}
