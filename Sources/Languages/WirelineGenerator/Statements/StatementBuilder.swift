// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that read and write the packets of a protocol, for every language that has a ``Dialect``.
///
/// A back end wraps them into functions. Their parameters are `r` or `w` and, if the statements use them, `h`, `m` and
/// `f`.
struct StatementBuilder: Sendable {
    let dialect: any Dialect
    let plan: GeneratorModel
    /// The functions of each union, for a tag before the value and for a tag elsewhere.
    let unions: [UnionFunctions]
    /// The functions that read and write structures, in a language with records.
    let structures: [(read: String, write: String)]

    struct UnionFunctions: Sendable {
        let read: String
        let write: String
        let readTagged: String
        let writeTagged: String
        let tag: String
    }

    init(_ dialect: any Dialect) {
        self.dialect = dialect
        plan = dialect.plan
        var names = dialect.plan
        func unique(_ name: String) -> String { names.uniqueName(dialect.helperPrefix + name) }
        structures =
            dialect.hasRecords
            ? names.names.structures.map {
                (names.uniqueName("read\($0.name)"), names.uniqueName("write\($0.name)"))
            } : []
        unions = names.names.unions.map { union in
            UnionFunctions(
                read: unique("read\(union.name)"), write: unique("write\(union.name)"),
                readTagged: unique("read\(union.name)Value"), writeTagged: unique("write\(union.name)Value"),
                tag: unique("tagOf\(union.name)"))
        }
    }

    // MARK: Words

    func read(_ function: String, _ arguments: Expression...) -> Expression { .call("r", function, arguments) }

    func written(_ function: String, _ arguments: Expression...) -> Expression { .call("w", function, arguments) }

    func reading(_ function: String, _ arguments: Expression...) -> Statement {
        .evaluate(.call("r", function, arguments))
    }

    func writing(_ function: String, _ arguments: Expression...) -> Statement {
        .evaluate(.call("w", function, arguments))
    }

    /// Returns the statement that refuses a value unless a condition holds.
    ///
    /// - Parameter place: The offset where it was read; nil if the language's reader knows it (the default).
    func requiring(
        _ condition: Expression, _ kind: String, _ name: Expression, _ object: String = "r", at place: Expression? = nil
    ) -> Statement {
        .evaluate(.call(.name(object), "require", [condition, .text(kind), name] + (place.map { [$0] } ?? [])))
    }

    /// Returns the code of a prefix's format in the vocabulary of statements.
    func code(_ prefix: PlannedCount) -> Expression {
        switch prefix.format {
        case .varint: 0
        case .zigzag: 32
        default:
            .place(
                (prefix.format.fixedByteCount ?? 0)
                    + (prefix.byteOrder == .littleEndian && prefix.format.hasByteOrder ? 16 : 0))
        }
    }

    /// Wraps statements in an entry of the error path.
    ///
    /// - Parameter object: The reader or the writer; in most languages it keeps the path.
    func within(_ object: String, _ name: Expression, _ statements: [Statement]) -> [Statement] {
        guard !dialect.catchesErrors else { return [.within(name, statements)] }
        return [.evaluate(.call(.name(object), "enter", [name]))] + statements
            + [.evaluate(.call(.name(object), "leave", []))]
    }

    /// Returns the path entry of a list's item. In most languages the reader and the writer keep the index.
    func itemName(_ index: String) -> Expression { dialect.catchesErrors ? .name(index) : .text("") }

    /// Returns the offset of a number of `byteCount` bytes just read, for errors; nil if the language's reader knows
    /// it.
    func last(_ byteCount: Int) -> Expression? {
        dialect.packsNumbers ? read("position").minus(.place(byteCount)) : nil
    }

    // MARK: Numbers

    /// Returns the suffix of words for numbers of whole bytes: `u16Little`.
    func suffix(_ format: IntegerFormat, _ order: ByteOrder) -> String {
        let little = order == .littleEndian && format.byteCount > 1
        return "\(format.isSigned ? "i" : "u")\(8 * format.byteCount)\(little ? "Little" : "")"
    }

    /// Returns the suffix of words for floats: `f32Little`.
    func suffix(_ byteCount: Int, _ order: ByteOrder) -> String {
        "f\(8 * byteCount)\(order == .littleEndian ? "Little" : "")"
    }

    /// Whether integers of this size have words of their own.
    func hasWord(_ format: IntegerFormat) -> Bool {
        !dialect.packsNumbers && [1, 2, 3, 4, 8].contains(format.byteCount)
    }

    /// Returns the condition that a number is in a range; nil if its type excludes all others.
    func isWithin(_ number: Expression, _ range: ClosedRange<Int128>, _ format: IntegerFormat) -> Expression? {
        let held = dialect.range(of: format)
        var parts: [Expression] = []
        if range.lowerBound > held.lowerBound {
            parts.append(number.compared(.greaterOrEqual, range.lowerBound, format))
        }
        if range.upperBound < held.upperBound {
            parts.append(number.compared(.lessOrEqual, range.upperBound, format))
        }
        return .joined(parts, .and)
    }

    func isOne(of numbers: [Int128], _ number: Expression, _ format: IntegerFormat) -> Expression {
        .joined(numbers.map { number.compared(.equal, $0, format) }, .or) ?? false
    }

    func isCase(_ number: Expression, of index: Int) -> Expression {
        let enumeration = plan.description.enumerations[index]
        return isOne(of: enumeration.cases.map(\.value), number, enumeration.format)
    }

    /// Returns the low `width` bits of a number, as a part of one of `bitWidth` bits.
    func bits(_ number: Expression, _ format: IntegerFormat, width: Int, of bitWidth: Int) -> Expression {
        .bits(number, from: format, shift: 0, width: width, to: dialect.unsigned(bitWidth))
    }

    /// Returns the number of a field out of the integer that several share, in the field's format.
    func part(
        of run: Expression, _ bitWidth: Int, shift: Int, width: Int, _ format: IntegerFormat
    ) -> Expression {
        .bits(run, from: dialect.unsigned(bitWidth), shift: shift, width: width, to: format)
    }

    /// The number of bits for the largest ID.
    var idBitWidth: Int { max(1, Int128.bitWidth - plan.idRange.upperBound.leadingZeroBitCount) }

    var idFormat: IntegerFormat { dialect.unsigned(idBitWidth) }

    /// Returns the bits of a varint's value as they are written, without a sign.
    func varintBits(_ format: VarintFormat, _ value: Expression) -> Expression {
        let number = dialect.format(of: format)
        return switch format.encoding {
        case .zigzag: written(dialect.word("zigzagBits", for: format), value)
        case .signed32: bits(value, number, width: 32, of: 32)
        case .unsigned, .signed64: value.converted(from: number, to: bits(of: format))
        }
    }

    func bits(of format: VarintFormat) -> IntegerFormat { dialect.unsigned(format.range.isWide ? 64 : 53) }

    func format(of field: PacketField.Format) -> IntegerFormat {
        if case .varint(let format) = field { dialect.format(of: format) } else { field.numberFormat }
    }

    func headerType(_ position: Int) -> CodeType {
        let type = plan.headerType(position)
        guard case .number = type else { return type }
        return .number(format(of: plan.description.layout.fields[position].format))
    }

    /// Whether the header of a packet to write always has a field.
    func isGiven(headerField position: Int) -> Bool {
        !dialect.hasRecords && !dialect.hasSparseHeaders && plan.hasAlways(headerField: position)
    }
}

extension PacketShape {
    var sender: Sender? { words.first.flatMap { Sender(rawValue: $0) } }
}

extension GeneratorModel {
    /// Whether every header has a field, so that its member is not optional; by its position among all packet fields.
    func hasAlways(headerField position: Int) -> Bool {
        wholeShapes.allSatisfy { shape in
            guard let index = shape.positions.firstIndex(of: position) else { return false }
            return shape.layout.fields[index].condition == nil && shape.writePlan.fitting?.field != index
        } && !fixedHeaderFields.contains(position)
    }

    func headerType(_ position: Int) -> CodeType {
        if let number = headerNumber(position) { return .value(.number(number)) }
        return switch description.layout.fields[position].format {
        case .integer(let format, _): .number(format)
        case .varint(let format): .number(format.numberFormat)
        case .boolean, .bit: .boolean
        case .text, .digits: .text
        case .bytes: .bytes
        }
    }

    /// Returns the enum or flags of a header field; nil for other fields.
    func headerNumber(_ position: Int) -> PlannedNumber? {
        switch description.packetFieldType(position) {
        case .enumeration?, .flags?: break
        default: return nil
        }
        guard let type = description.packetFieldType(position),
            case .number(let number) = coding.value(type, nil, in: [])
        else { return nil }
        return number
    }
}

extension PacketField.Format {
    var value: ValuePlan {
        switch self {
        case .integer(let format, let order): .plain(format, order)
        case .varint(let format): .varint(format, allowed: format.range)
        case .boolean, .bit: .boolean
        case .text(let byteCount, let padding): .content(.filled(byteCount: byteCount, padding: padding), .utf8)
        case .digits(let format): .content(.exactly(format.byteCount), .digits(format.notation))
        case .bytes(let byteCount): .content(.exactly(byteCount), .bytes)
        }
    }

    func value(in range: ClosedRange<Int128>) -> ValuePlan {
        switch self {
        case .integer(let format, let order):
            .number(PlannedNumber(format, order, range: range))
        case .varint(let format): .varint(format, allowed: range)
        default: value
        }
    }

    /// The format of a packet field's numbers; a boolean is a number of 8 bits.
    var numberFormat: IntegerFormat {
        switch self {
        case .integer(let format, _): format
        case .varint(let format): format.numberFormat
        case .boolean, .bit, .text, .digits, .bytes: .uint8
        }
    }
}

extension ValuePlan {
    static func plain(_ format: IntegerFormat, _ byteOrder: ByteOrder) -> ValuePlan {
        .number(PlannedNumber(format, byteOrder))
    }
}
