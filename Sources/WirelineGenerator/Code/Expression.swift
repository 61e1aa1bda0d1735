// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// An expression of printed code, before a language says how it is written.
///
/// Walkers over the plan make these, and a ``Dialect`` makes text of them. A string literal is the name of a variable, and an integer
/// literal is a number of the type `position`.
indirect enum Expression: Sendable {
    // MARK: Literals

    case number(Int128, CodeType)
    case float(Double, byteCount: Int)
    case boolean(Bool)
    /// A text in ASCII.
    case text(String)
    case bytes([UInt8])
    /// What a value is that is not there.
    case nothing
    case sender(Sender)
    /// The value of a `@since` field that is not there, or the value that a new body has.
    case initial(LiteralPlan, ValuePlan)
    /// A new structure, by its index.
    case structure(Int)
    /// A new header, of a part of a packet or of a whole one.
    case header(ofPart: Bool)
    /// What consists of members with these names and values.
    case record([(name: String, value: Expression)])

    // MARK: Names

    /// A variable or a parameter.
    case name(String)
    /// A member of the body that is read or written, which is the parameter `m` if it is one.
    case own(String)
    /// A member of what another expression is: of a header or a connection. The language has spelled it.
    case member(Expression, String)
    /// A member of the union's arm in the variable `a`.
    case armMember(ArmMember)
    case item(Expression, at: Expression)
    /// The number of items of a list.
    case count(Expression)

    /// A place that counts from the packet's first byte, as one in the reader's bytes.
    case inPacket(Expression)

    // MARK: Calls and operators

    /// The call of a function, generated or of the runtime. With an object it is a method: of the reader `r`, of the writer `w`, or of
    /// a structure.
    case call(Expression?, String, [Expression])
    /// A checksum, as a number of the format `uint64`.
    case checksum(ChecksumKind, ChecksumBytes)
    case not(Expression)
    case binary(Operator, Expression, Expression)
    /// Two operands or more with `&&`, `||`, `+` or `|` between them. There may be thousands, so they do not stand inside each other.
    case chain(Operator, [Expression])
    /// Whether two texts, or two values of bytes, are equal.
    case same(Expression, Expression, CodeType)
    /// A number of one type as one of another type. Bits that do not fit are lost.
    case convert(Expression, from: CodeType, to: CodeType)
    /// Some bits of a number, from a shift on. If the result has a sign, so have the bits.
    case bits(Expression, from: IntegerFormat, shift: Int, width: Int, to: IntegerFormat)
    /// A number of a format without a sign that consists of others, each shifted to the left.
    case packed([(part: Expression, shift: Int)], IntegerFormat)
    /// The value of one that may be absent and is there.
    case present(Expression, CodeType)
    /// What sets a member that may be absent to the value in a variable.
    case optional(Expression, CodeType)
    /// So many numbers of one format that are read by one call, as a list.
    case numbers(PackedFormat, count: Expression, name: Expression)
    /// Whether a number is one of the cases of a closed enum, by its index.
    case isCase(Expression, of: Int)
    /// The bytes of all numbers in a list, by one call.
    case packAll(PackedFormat, list: Expression)
    /// Bytes made of values of fixed width in a row.
    case pack([(format: PackedFormat, value: Expression)])
    /// The list in a variable, which has been read and has so many items.
    case finished(list: String, count: Expression, fixedCount: Int?)

    /// The members of a union's arm.
    enum ArmMember: String, Sendable {
        case value, tag, bytes
    }

    /// The bytes that a checksum covers.
    enum ChecksumBytes: Sendable {
        /// Those that the reader has, between two places that count from the packet's first byte.
        case read(from: Expression, to: Expression)
        /// Those that the writer has.
        case written(from: Expression, to: Expression)
        /// All of a copy.
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
        /// The number has the format `uint64`.
        case shiftRight = ">>>"
        /// The number has the format `int64`, and keeps its sign.
        case shiftRightSigned = ">>"

        /// The comparison that holds if this one does not; nil for what is no comparison. No number may be a NaN.
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

        /// Whether it compares which of two numbers is larger.
        var isOrder: Bool {
            switch self {
            case .less, .lessOrEqual, .greater, .greaterOrEqual: true
            default: false
            }
        }
    }
}

extension PackedFormat {
    /// The floats that words such as `f32Little` read.
    static let floats = FloatFormat.allCases.reduce(into: [String: Self]()) { words, format in
        words["f\(8 * format.byteCount)"] = .float(byteCount: format.byteCount, .bigEndian)
        words["f\(8 * format.byteCount)Little"] = .float(byteCount: format.byteCount, .littleEndian)
    }

    /// Returns the float that a word such as `putF32Little` writes; nil for other words.
    static func float(writtenBy word: String) -> Self? {
        word.hasPrefix("putF") ? floats["f" + word.dropFirst(4)] : nil
    }
}

/// The type of something in printed code.
enum CodeType: Sendable {
    /// A value of the schema.
    case value(ValuePlan)
    /// The narrowest type of the language that holds the numbers of a format.
    case number(IntegerFormat)
    /// A place or a number of bytes in a packet.
    case position
    case boolean
    case text
    case bytes
    case header
    /// The body of a message, by its index.
    case message(Int)

    /// Whether it is a number or a boolean, which languages copy.
    var isScalar: Bool {
        switch self {
        case .number, .position, .boolean: true
        case .value(let value): value.isScalar
        case .text, .bytes, .header, .message: false
        }
    }

    /// The format of its numbers; nil for what is no number, and for a place.
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

    /// The test that a value which may be absent is there.
    var isSet: Expression { .binary(.unequal, self, .nothing) }

    /// Returns the sum with a constant that may be negative; the expression itself for 0.
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

    /// Returns the comparison with a number of a format.
    func compared(_ mark: Operator, _ number: Int128, _ format: IntegerFormat) -> Expression {
        .binary(mark, self, .number(number, format))
    }

    func converted(from: IntegerFormat, to: IntegerFormat) -> Expression {
        .convert(self, from: .number(from), to: .number(to))
    }

    /// Returns a place as a number of a format.
    func converted(to format: IntegerFormat) -> Expression { .convert(self, from: .position, to: .number(format)) }

    /// The condition that holds if this one does not.
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

    /// Returns some expressions with the operator of a chain between them; nil if there are none.
    static func joined(_ parts: [Expression], _ mark: Operator) -> Expression? {
        parts.count > 1 ? .chain(mark, parts) : parts.first
    }

    /// Whether it is what a new variable is in languages that give it something: 0, false or nothing.
    var isZero: Bool {
        switch self {
        case .number(0, _), .boolean(false), .nothing: true
        default: false
        }
    }

    /// The expression without conversions around it, for a statement that does not need the value.
    var evaluated: Expression {
        if case .convert(let inner, _, _) = self { inner.evaluated } else { self }
    }

    /// The expressions that it consists of.
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

    /// Returns it with other expressions in place of some, inside first.
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

    /// Counts the names of variables in it.
    func countNames(into counts: inout [String: Int]) {
        if case .name(let name) = self { counts[name, default: 0] += 1 }
        for child in children { child.countNames(into: &counts) }
    }
}

extension VarintFormat {
    /// The format of a varint's values: languages have 64 bits for all of them.
    var numberFormat: IntegerFormat { isSigned ? .int64 : .uint64 }
}

extension PlannedNumber {
    /// Whether it is an enum or flags, which may have a type of their own.
    var isNamed: Bool { if case .plain = kind { false } else { true } }

    /// Returns the number of an enum or of flags, of the type for its format; of a plain number, the number.
    func number(of value: Expression) -> Expression {
        isNamed ? .convert(value, from: .value(.number(self)), to: .number(format)) : value
    }

    /// Returns the enum or the flags of a number of the type for its format; of a plain number, the number.
    func value(of number: Expression) -> Expression {
        isNamed ? .convert(number, from: .number(format), to: .value(.number(self))) : number
    }
}

extension ByteOrder {
    /// Whether the least significant byte comes first, for functions of runtimes.
    var isLittle: Expression { .boolean(self == .littleEndian) }
}

extension PacketOffset {
    /// Returns the expression; the width of the field n is the variable `wn`.
    var expression: Expression {
        guard let sum = Expression.joined(widths.map { "w\($0)" }, .plus) else { return .place(constant) }
        return sum.plus(constant)
    }
}

extension WrittenValue.Counted {
    /// Returns the value of a length field, a position, from the variables `total` and `count` of the function that writes a header.
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
