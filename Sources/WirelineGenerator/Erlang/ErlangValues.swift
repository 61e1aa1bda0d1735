// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What a value that is read or written is called, and what contains it.
struct ErlangPlace {
    /// The value's name in the schema, or its index.
    let name: ErlangCode
    /// The names that contain the value, innermost first.
    let path: ErlangCode
    /// The number of nesting levels that are left.
    var depth: Expression = 0
    /// The number that makes the function's variables unique.
    var number = 0

    /// A field of the packet's header or trailer.
    static func header(_ field: PacketField, in path: ErlangCode = .list([.literal("packet")])) -> Self {
        Self(name: .text(field.name), path: path)
    }

    /// An item, inside the function of a list.
    static let item = ErlangPlace(name: "i", path: "p", depth: "d")

    /// The value of a union's arm.
    static func arm(_ plan: UnionPlan, _ position: Int) -> Self {
        Self(name: .text(plan.arms[position].name), path: "q", depth: ErlangTypes.lessDepth, number: position + 1)
    }

    /// The path of what a function reads or writes whose parameters are a name and a path.
    static let own = ErlangCode.list(["n"], tail: "p")

    /// The last arguments of functions that check a value.
    var names: [ErlangCode] { [name, path] }

    /// The path with the value's own name first.
    var ownPath: ErlangCode {
        if case .list(let names, nil) = path { .list([name] + names) } else { .list([name], tail: path) }
    }
}

/// The bytes of a value that is read.
struct ErlangSource {
    /// The variable of the bytes, which begin with the value.
    let bytes: Expression
    /// The place where they end.
    var end: Expression = "e"
    let place: ErlangPlace
    /// The field that has the value; nil for an item of a list.
    var field: GeneratedField?
    /// The numbers of earlier fields of the body.
    var operands: [Int: Expression] = [:]

    /// The place where the value begins.
    var start: Expression { end.minus(.byteSize(bytes)) }
    /// The last arguments of functions that read values without others in them.
    var names: [ErlangCode] { [end.code] + place.names }
    /// The last arguments of functions that read values with others in them.
    var nested: [ErlangCode] { [end.code, place.depth.code] + place.names }

    /// Returns the call of a function that takes the bytes and their end.
    func call(_ function: String, _ arguments: ErlangCode...) -> ErlangCode {
        .call(function, [bytes.code] + arguments + names)
    }

    /// Returns what fails because of the value.
    func fail(_ reason: ErlangCode) -> ErlangCode { .fail(reason, place.ownPath, at: start) }
}

/// How values that contain no others are read and written, in bodies and in headers.
extension ErlangTypes {
    // MARK: Texts and varints

    /// Returns what reads text, digits, bytes or a varint; nil for other values.
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

    /// Returns the bytes of text, digits, bytes or a varint, which are checked; nil for other values.
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

    /// Returns what reads how many bytes, units or items follow, and what comes after that number; nil if something ends them.
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

    /// Returns a checked value after its number of bytes, units or items.
    ///
    /// - Parameters:
    ///   - letter: What the name of the variable begins with.
    ///   - bytes: Returns the bytes of the prefix and of the value in a variable (default: one after the other).
    func prefixed(
        _ prefix: PlannedCount, _ checked: ErlangCode, by measure: String, _ place: ErlangPlace,
        letter: String = "l",
        _ bytes: (_ prefix: ErlangCode, _ own: ErlangCode) -> ErlangCode = { .list([$0, $1]) }
    ) -> ErlangCode {
        let own = Expression.name(letter + String(place.number))
        let number = self.prefix(prefix, .call(nil, measure, [own]))
        return .choose(checked, [.init(own.code, body: [bytes(number, own.code)])])
    }

    /// Returns the bytes of a prefix.
    func prefix(_ prefix: PlannedCount, _ number: Expression) -> ErlangCode {
        switch prefix.format {
        case .varint: return .call("leb128", [number.code])
        case .zigzag: return .call("leb128", [Expression.binary(.times, 2, number).code])
        default:
            let isLittle = prefix.byteOrder == .littleEndian && prefix.format.hasByteOrder
            return .binary([.bits(number.code, 8 * (prefix.format.fixedByteCount ?? 0), isLittle ? ["little"] : [])])
        }
    }

    /// Returns bytes that are checked against the fewest that an earlier field can say.
    func atLeast(_ count: CountPlan, _ bytes: ErlangCode, _ place: ErlangPlace) -> ErlangCode {
        count.minimum > 0 ? .call("at_least", [bytes, .number(count.minimum)] + place.names) : bytes
    }

    func exactly(_ byteCount: Int, _ bytes: ErlangCode, _ place: ErlangPlace) -> ErlangCode {
        .call("exact", [bytes, .number(byteCount)] + place.names)
    }

    // MARK: Numbers

    /// Returns the value that a number means.
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

    /// Returns the number of an enum; of another value, the value.
    func uncheckedNumber(_ value: ValuePlan, _ own: ErlangCode) -> ErlangCode {
        guard case .number(let plan) = value, case .enumeration(let index) = plan.kind else { return own }
        return .call(numberFunction(index), [own])
    }

    /// Returns the check of a number that was read; nil if every number is right.
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
                // There is no function for the names of a number that programs do not see.
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

    /// Returns the condition that a number is one of an enum's cases.
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
    /// The runtime's function for the number of bytes of a value.
    var erlangSize: String { encoding == .unsigned ? "leb128_size" : "\(encoding.name)_size" }

    /// Returns the bytes of a value, which has been checked.
    func erlangBytes(_ value: ErlangCode) -> ErlangCode {
        .call("leb128", [encoding == .unsigned ? value : .call(encoding.name + "_bits", [value])])
    }
}

extension ContentEncoding {
    /// The argument of functions that says how units stand in bytes.
    fileprivate var erlangOrder: [ErlangCode] { byteOrder.map { [.literal($0.erlangName)] } ?? [] }
}

extension ByteOrder {
    /// The name in bit syntax.
    var erlangName: String { self == .littleEndian ? "little" : "big" }
}
