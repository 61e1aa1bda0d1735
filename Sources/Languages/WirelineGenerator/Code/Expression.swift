// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// An expression of printed code, independent of the language.
///
/// Statement builders make expressions from the plan, and a ``Dialect`` prints them. A string literal is the name of a
/// variable; an integer literal is a number of the type `position`.
indirect enum Expression: Sendable {
    // MARK: Literals

    case number(Int128, CodeType)
    case float(Double, byteCount: Int)
    case boolean(Bool)
    /// A text in ASCII.
    case text(String)
    case bytes([UInt8])
    /// The value of something absent.
    case nothing
    case sender(Sender)
    /// The default of an absent `@since` field, or the initial value in a new body.
    case initial(LiteralPlan, ValuePlan)
    /// A new structure, by its index.
    case structure(Int)
    /// A new header, of one layer of a packet or of a whole packet.
    case header(ofPart: Bool)
    case record([(name: String, value: Expression)])

    // MARK: Names

    case name(String)
    /// A member of the body that is read or written (the parameter `m`, if there is one).
    case own(String)
    /// A member of a header or a connection, as the language spells it.
    case member(Expression, String)
    /// A member of the arm in the variable `a`.
    case armMember(ArmMember)
    case item(Expression, at: Expression)
    case count(Expression)

    /// Converts an offset from the packet's first byte into an offset in the reader's bytes.
    case inPacket(Expression)

    // MARK: Calls and operators

    /// Calls a function, generated or of the runtime. An object makes it a method: of the reader `r`, the writer `w`,
    /// or a structure.
    case call(Expression?, String, [Expression])
    /// A checksum, as a `uint64`.
    case checksum(ChecksumKind, ChecksumBytes)
    case not(Expression)
    case binary(Operator, Expression, Expression)
    /// Two or more operands joined by `&&`, `||`, `+` or `|`. They are a flat list, because there may be thousands.
    case chain(Operator, [Expression])
    /// Whether two texts or two byte values are equal.
    case same(Expression, Expression, CodeType)
    /// Converts a number to another type. Bits that do not fit are lost.
    case convert(Expression, from: CodeType, to: CodeType)
    /// Some bits of a number, from a shift on. They are signed if the result is.
    case bits(Expression, from: IntegerFormat, shift: Int, width: Int, to: IntegerFormat)
    /// An unsigned number made of others, each shifted to the left.
    case packed([(part: Expression, shift: Int)], IntegerFormat)
    /// Unwraps an optional value that is present.
    case present(Expression, CodeType)
    /// Wraps the value of a variable as an optional member.
    case optional(Expression, CodeType)
    /// A list of numbers of one format, read by one call.
    case numbers(PackedFormat, count: Expression, name: Expression)
    /// Whether a number is a case of a closed enum, given by its index.
    case isCase(Expression, of: Int)
    /// The bytes of all numbers in a list, made by one call.
    case packAll(PackedFormat, list: Expression)
    /// The bytes of adjacent values of fixed width.
    case pack([(format: PackedFormat, value: Expression)])
    /// A completely read list in a variable, with its number of items.
    case finished(list: String, count: Expression, fixedCount: Int?)

    enum ArmMember: String, Sendable {
        case value, tag, bytes
    }

    enum ChecksumBytes: Sendable {
        /// Bytes of the reader, between two offsets from the packet's first byte.
        case read(from: Expression, to: Expression)
        case written(from: Expression, to: Expression)
        case copy(Expression, byteCount: Expression)
    }

    enum Operator: String, Sendable {
        case or = "||"
        case and = "&&"
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case bitOr = "|"
        case bitAnd = "&"
        case plus = "+"
        case minus = "-"
        case times = "*"
        case shiftLeft = "<<"
        /// The left operand is a `uint64`.
        case shiftRight = ">>>"
        /// The left operand is an `int64`; the sign is kept.
        case shiftRightSigned = ">>"

        /// The opposite comparison; nil for other operators. Wrong for NaN, so no operand may be one.
        fileprivate var negated: Operator? {
            switch self {
            case .equal: .unequal
            case .unequal: .equal
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            default: nil
            }
        }

        /// Whether it is `<`, `<=`, `>` or `>=`.
        var isOrder: Bool {
            switch self {
            case .less, .lessOrEqual, .greater, .greaterOrEqual: true
            default: false
            }
        }
    }
}

extension PackedFormat {
    static let floats = FloatFormat.allCases.reduce(into: [String: Self]()) { words, format in
        words["f\(8 * format.byteCount)"] = .float(byteCount: format.byteCount, .bigEndian)
        words["f\(8 * format.byteCount)Little"] = .float(byteCount: format.byteCount, .littleEndian)
    }

    /// Returns the float that a word such as `putF32Little` writes; nil for other words.
    static func float(writtenBy word: String) -> Self? {
        word.hasPrefix("putF") ? floats["f" + word.dropFirst(4)] : nil
    }
}

enum CodeType: Sendable {
    case value(ValuePlan)
    /// The narrowest type of the language that holds the numbers of a format.
    case number(IntegerFormat)
    /// An offset or a number of bytes in a packet.
    case position
    case boolean
    case text
    case bytes
    case header
    /// The body of a message, by its index.
    case message(Int)

    /// Whether it is a number or a boolean; languages copy these.
    var isScalar: Bool {
        switch self {
        case .number, .position, .boolean: true
        case .value(let value): value.isScalar
        case .text, .bytes, .header, .message: false
        }
    }

    /// The format of its numbers; nil for positions and other types.
    var format: IntegerFormat? {
        switch self {
        case .number(let format): format
        case .value(.number(let plan)): plan.format
        case .value(.varint(let format, _)): format.numberFormat
        default: nil
        }
    }
}

extension Expression: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    init(stringLiteral name: String) {
        assert(name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }, "\(name) is no name of a variable")
        self = .name(name)
    }

    init(integerLiteral number: Int) { self = .place(number) }

    init(booleanLiteral value: Bool) { self = .boolean(value) }

    static func place(_ number: Int) -> Expression { .number(Int128(number), .position) }

    static func number(_ number: Int128, _ format: IntegerFormat) -> Expression { .number(number, .number(format)) }

    var isSet: Expression { .binary(.unequal, self, .nothing) }

    /// Adds a constant, which may be negative; 0 changes nothing.
    func plus(_ constant: Int) -> Expression {
        constant == 0 ? self : constant < 0 ? minus(.place(-constant)) : plus(.place(constant))
    }

    func plus(_ other: Expression) -> Expression { chained(.plus, other) }
    func minus(_ other: Expression) -> Expression { .binary(.minus, self, other) }
    func and(_ other: Expression) -> Expression { chained(.and, other) }
    func or(_ other: Expression) -> Expression { chained(.or, other) }

    private func chained(_ mark: Operator, _ other: Expression) -> Expression {
        if case .chain(mark, let parts) = self { .chain(mark, parts + [other]) } else { .chain(mark, [self, other]) }
    }

    func compared(_ mark: Operator, _ number: Int128, _ format: IntegerFormat) -> Expression {
        .binary(mark, self, .number(number, format))
    }

    func converted(from: IntegerFormat, to: IntegerFormat) -> Expression {
        .convert(self, from: .number(from), to: .number(to))
    }

    func converted(to format: IntegerFormat) -> Expression { .convert(self, from: .position, to: .number(format)) }

    var negated: Expression {
        switch self {
        case .boolean(let value): return .boolean(!value)
        case .not(let inner): return inner
        case .chain(.and, let parts): return .chain(.or, parts.map(\.negated))
        case .chain(.or, let parts): return .chain(.and, parts.map(\.negated))
        case .binary(let mark, let left, let right):
            return mark.negated.map { .binary($0, left, right) } ?? .not(self)
        default: return .not(self)
        }
    }

    static func joined(_ parts: [Expression], _ mark: Operator) -> Expression? {
        parts.count > 1 ? .chain(mark, parts) : parts.first
    }

    /// Whether it equals the initial value that languages give to variables: 0, false or nothing.
    var isZero: Bool {
        switch self {
        case .number(0, _), .boolean(false), .nothing: true
        default: false
        }
    }

    /// The expression without outer conversions, for a statement that ignores the value.
    var evaluated: Expression {
        if case .convert(let inner, _, _) = self { inner.evaluated } else { self }
    }

    var children: [Expression] {
        switch self {
        case .number, .float, .boolean, .text, .bytes, .nothing, .sender, .initial, .structure, .header, .name: []
        case .own: ["m"]
        case .armMember: ["a"]
        case .member(let inner, _), .count(let inner), .not(let inner), .convert(let inner, _, _),
            .present(let inner, _),
            .optional(let inner, _), .bits(let inner, _, _, _, _), .inPacket(let inner):
            [inner]
        case .item(let left, let right), .binary(_, let left, let right), .same(let left, let right, _): [left, right]
        case .call(let object, _, let arguments): (object.map { [$0] } ?? []) + arguments
        case .checksum(_, .read(let from, let to)), .checksum(_, .written(let from, let to)): [from, to]
        case .checksum(_, .copy(let copy, let byteCount)): [copy, byteCount]
        case .chain(_, let parts): parts
        case .packed(let parts, _): parts.map(\.part)
        case .numbers(_, let count, let name): [count, name]
        case .isCase(let inner, _), .packAll(_, let inner): [inner]
        case .record(let members): members.map(\.value)
        case .pack(let parts): parts.map(\.value)
        case .finished(let list, let count, _): [.name(list), count]
        }
    }

    /// Returns the expression with subexpressions replaced, the innermost first.
    func mapped(_ change: (Expression) -> Expression) -> Expression {
        func inside(_ expression: Expression) -> Expression { expression.mapped(change) }
        let mapped: Expression =
            switch self {
            case .number, .float, .boolean, .text, .bytes, .nothing, .sender, .initial, .structure, .header, .name,
                .own, .armMember:
                self
            case .member(let object, let name): .member(inside(object), name)
            case .count(let list): .count(inside(list))
            case .not(let inner): .not(inside(inner))
            case .convert(let inner, let from, let to): .convert(inside(inner), from: from, to: to)
            case .present(let inner, let type): .present(inside(inner), type)
            case .optional(let inner, let type): .optional(inside(inner), type)
            case .bits(let number, let from, let shift, let width, let to):
                .bits(inside(number), from: from, shift: shift, width: width, to: to)
            case .inPacket(let place): .inPacket(inside(place))
            case .item(let list, let index): .item(inside(list), at: inside(index))
            case .binary(let mark, let left, let right): .binary(mark, inside(left), inside(right))
            case .same(let left, let right, let type): .same(inside(left), inside(right), type)
            case .call(let object, let function, let arguments):
                .call(object.map(inside), function, arguments.map(inside))
            case .checksum(let kind, .read(let from, let to)):
                .checksum(kind, .read(from: inside(from), to: inside(to)))
            case .checksum(let kind, .written(let from, let to)):
                .checksum(kind, .written(from: inside(from), to: inside(to)))
            case .checksum(let kind, .copy(let copy, let byteCount)):
                .checksum(kind, .copy(inside(copy), byteCount: inside(byteCount)))
            case .chain(let mark, let parts): .chain(mark, parts.map(inside))
            case .packed(let parts, let format): .packed(parts.map { (inside($0.part), $0.shift) }, format)
            case .record(let members): .record(members.map { ($0.name, inside($0.value)) })
            case .numbers(let format, let count, let name):
                .numbers(format, count: inside(count), name: inside(name))
            case .isCase(let inner, let index): .isCase(inside(inner), of: index)
            case .packAll(let format, let list): .packAll(format, list: inside(list))
            case .pack(let parts): .pack(parts.map { ($0.format, inside($0.value)) })
            case .finished(let list, let count, let fixed):
                .finished(list: list, count: inside(count), fixedCount: fixed)
            }
        return change(mapped)
    }

    func countNames(into counts: inout [String: Int]) {
        if case .name(let name) = self { counts[name, default: 0] += 1 }
        for child in children { child.countNames(into: &counts) }
    }
}

extension VarintFormat {
    /// The format of a varint's values. Languages use 64 bits for all of them.
    var numberFormat: IntegerFormat { isSigned ? .int64 : .uint64 }
}

extension PlannedNumber {
    /// Whether it is an enum or flags, which may have a type of their own.
    var isNamed: Bool { if case .plain = kind { false } else { true } }

    /// Converts an enum or flags to its number; plain numbers do not change.
    func number(of value: Expression) -> Expression {
        isNamed ? .convert(value, from: .value(.number(self)), to: .number(format)) : value
    }

    /// Converts a number to its enum or flags; plain numbers do not change.
    func value(of number: Expression) -> Expression {
        isNamed ? .convert(number, from: .number(format), to: .value(.number(self))) : number
    }
}

extension ByteOrder {
    /// Whether the least significant byte comes first, as an argument of runtime functions.
    var isLittle: Expression { .boolean(self == .littleEndian) }
}

extension PacketOffset {
    /// The offset as an expression; the width of the field n is the variable `wn`.
    var expression: Expression {
        guard let sum = Expression.joined(widths.map { "w\($0)" }, .plus) else { return .place(constant) }
        return sum.plus(constant)
    }
}

extension WrittenValue.Counted {
    /// Returns the value of a length field, from the variables `total` and `count` of the function that writes a
    /// header.
    func length(plus constant: Int) -> Expression {
        let number: Expression =
            switch self {
            case .packet: "total"
            case .payload: "count"
            case .totalLess(let offset): Expression.name("total").minus(offset.expression)
            case .fixed(let offset): offset.expression
            }
        return number.plus(constant)
    }
}
