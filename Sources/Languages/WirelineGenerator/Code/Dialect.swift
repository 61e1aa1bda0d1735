// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How one language writes the statements that read and write packets.
///
/// Statement builders make ``Statement`` and ``Expression``, the same for all languages. A dialect decides no order and
/// computes no bytes. What it does not write itself has the words of its ``style``. Statements call functions of the
/// runtime; the page <doc:StatementWords> lists them.
///
/// The variable `r` is a reader, `w` a writer, `h` the header of a packet. The parameter `f` is the name of a value in
/// the schema. In a language without exceptions the reader keeps its first error. Later results are harmless: zeros,
/// nothing, no further items.
protocol Dialect: Sendable {
    var plan: GeneratorModel { get }
    var style: CodeStyle { get }

    func type(_ type: CodeType) -> String

    /// Returns the numbers that the type for a format can hold: more than the format if the language lacks a narrower
    /// type.
    func range(of format: IntegerFormat) -> ClosedRange<Int128>

    /// Returns a text as a literal, in ASCII.
    func string(_ text: String) -> String

    /// The parameter of functions that read packets, beside the reader.
    var unwrapParameter: String { get }

    /// The checks of a value before it is written, because its type allows more.
    var valueChecks: ValueChecks { get }

    /// Whether a body or a header is made of all its members at once. Then functions that read bodies return them,
    /// functions that write bodies take them as a parameter, and the header of a packet to write may lack any field.
    var hasRecords: Bool { get }

    /// Whether the code is for pages: readers record the bytes of each value.
    var isForPages: Bool { get }

    /// Returns the format in which functions compute with numbers of a width: IDs, fields that share bytes, varints.
    func unsigned(_ bitWidth: Int) -> IntegerFormat

    /// The format of a number of bytes, units or items that was read.
    var countFormat: IntegerFormat { get }

    func format(of varint: VarintFormat) -> IntegerFormat

    /// Returns the suffix of a shape's functions.
    func suffix(of shape: PacketShape) -> String

    func word(_ word: String, for varint: VarintFormat) -> String

    /// Whether one call of the language packs and unpacks adjacent numbers, and bytes are values.
    ///
    /// Words for numbers take the width and the byte order as arguments; a reader's errors take their offsets. All
    /// numbers of a header of fixed width are read before the code knows whether they have arrived. A packet is made of
    /// bytes: the payload is the variable `payload`, and the packet the variable `o`.
    var packsNumbers: Bool { get }

    /// Whether code catches errors: inside a value, to put its name before their path; and from a call that packs
    /// several values, to find the invalid one. The expression that checks a value yields the value to write.
    var catchesErrors: Bool { get }

    /// The prefix of functions for unions.
    var helperPrefix: String { get }

    /// Whether a program gives a header as a table, which may lack any field.
    var hasSparseHeaders: Bool { get }

    /// Returns the expression that checks a program's value and yields its number. Nil if the value is checked where it
    /// is written, or if the language's compiler checks types.
    func checked(_ value: ValuePlan, _ given: Expression, _ name: Expression) -> Expression?

    /// Returns a program's number, not yet checked, in a form that can be computed with.
    func unchecked(_ given: Expression, _ range: ClosedRange<Int128>) -> Expression

    /// Returns an expression that this language writes in its own way; nil for the common way.
    func own(_ expression: Expression) -> Syntax?

    /// Returns the text of a complete expression.
    func text(_ syntax: Syntax) -> String

    /// Returns the lines of a statement that this language writes in its own way; nil for the common way.
    func own(_ statement: Statement) -> [String]?

    /// Adds to a function's statements what only this language needs.
    func completed(_ statements: [Statement]) -> [Statement]
}

enum ValueChecks: Sendable {
    case none
    /// It can be nothing.
    case null
    /// It can be of any type.
    case type
}

extension Dialect {
    var hasRecords: Bool { false }
    var isForPages: Bool { false }
    func unsigned(_ bitWidth: Int) -> IntegerFormat { .uint64 }
    var countFormat: IntegerFormat { .int64 }
    func format(of varint: VarintFormat) -> IntegerFormat { varint.numberFormat }
    func word(_ word: String, for varint: VarintFormat) -> String { word }
    func suffix(of shape: PacketShape) -> String { shape.suffix }

    func text(_ syntax: Syntax) -> String { syntax.text }
    func completed(_ statements: [Statement]) -> [Statement] { statements }
    var packsNumbers: Bool { false }
    var catchesErrors: Bool { false }
    var helperPrefix: String { "" }
    var hasSparseHeaders: Bool { false }
    func checked(_ value: ValuePlan, _ given: Expression, _ name: Expression) -> Expression? { nil }
    func unchecked(_ given: Expression, _ range: ClosedRange<Int128>) -> Expression { given }

    func text(_ expression: Expression) -> String { text(syntax(expression)) }

    func function(_ statements: [Statement]) -> [String] {
        lines(completed(statements.withoutUnusedVariables))
    }

    // MARK: Expressions

    func syntax(_ expression: Expression) -> Syntax {
        if let own = own(expression) { return own }
        switch expression {
        case .number(let number, _): return .atom(String(number))
        case .float(let number, _): return .atom("\(number)")
        case .boolean(let value): return .atom(String(value))
        case .text(let text): return .atom(string(text))
        case .nothing: return .atom(style.nothing)
        case .name(let name), .own(let name): return .atom(name)
        case .member(let object, let name): return .selector(syntax(object), name)
        case .armMember(let member): return .selector(.atom("a"), member.rawValue)
        case .item(let list, let index): return .index(syntax(list), syntax(index))
        case .call(let object, let function, let arguments):
            return .call(object.map { .selector(syntax($0), function) } ?? .atom(function), arguments.map(syntax))
        case .not(let inner): return .marked(style.not, syntax(inner))
        case .binary(let mark, let left, let right): return joined(mark, left, right)
        case .chain(let mark, let parts):
            return .chained(style.mark(mark), level: style.level(mark), parts.map(syntax))
        case .bits(let number, let from, let shift, let width, let to):
            return syntax(bits(number, from, shift, width, to))
        case .packed(let parts, _):
            let shifted = parts.map {
                $0.shift == 0 ? $0.part : .binary(.shiftLeft, $0.part, .place($0.shift))
            }
            return syntax(.joined(shifted, .bitOr) ?? .number(0, .uint64))
        case .convert(let inner, _, _), .present(let inner, _), .optional(let inner, _), .inPacket(let inner):
            return syntax(inner)
        case .finished(let list, _, _): return .atom(list)
        case .bytes, .sender, .initial, .structure, .header, .count, .checksum, .same, .record, .pack, .numbers,
            .isCase, .packAll:
            preconditionFailure("a dialect does not write \(expression)")
        }
    }

    func joined(_ mark: Expression.Operator, _ left: Expression, _ right: Expression) -> Syntax {
        .joined(style.mark(mark), level: style.level(mark), syntax(left), syntax(right))
    }

    private func bits(
        _ number: Expression, _ from: IntegerFormat, _ shift: Int, _ width: Int, _ to: IntegerFormat
    ) -> Expression {
        let wide = number.converted(from: from, to: .uint64)
        if to.isSigned {
            let signed = wide.converted(from: .uint64, to: .int64)
            let left = Expression.binary(.shiftLeft, signed, .place(64 - shift - width))
            return Expression.binary(.shiftRightSigned, left, .place(64 - width)).converted(from: .int64, to: to)
        }
        var bits = shift == 0 ? wide : .binary(.shiftRight, wide, .place(shift))
        if width < 64 { bits = .binary(.bitAnd, bits, .number((1 << Int128(width)) - 1, .uint64)) }
        return bits.converted(from: .uint64, to: to)
    }

    // MARK: Statements

    func lines(_ statements: [Statement]) -> [String] { statements.flatMap { lines($0) } }

    func indented(_ statements: [Statement]) -> [String] { indented(lines(statements)) }

    func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : style.indent + $0 } }

    private func lines(_ statement: Statement) -> [String] {
        if let own = own(statement) { return own }
        switch statement {
        case .evaluate(let value): return [text(value) + style.end]
        case .assign(let target, let value): return ["\(text(target)) = \(text(value))\(style.end)"]
        case .assignAll(let targets, let value, _):
            return ["\(targets.map { text($0) }.joined(separator: ", ")) = \(text(value))\(style.end)"]
        case .choose(let branches, let otherwise): return choose(branches, otherwise)
        case .loop(let condition, let inner):
            let head = condition.map { style.loop.before + text($0) + style.loop.after } ?? style.endlessLoop
            return [head] + indented(inner) + endOfBlock
        case .breakLoop: return ["break" + style.end]
        case .returns(nil): return ["return" + style.end]
        case .returns(let value?), .succeed(let value): return ["return \(text(value))\(style.end)"]
        case .constant, .variable, .count, .select, .returnMore, .fail, .received, .receivedPart, .fit, .newList,
            .append, .makeArm, .arms, .returnBody, .unpack, .unpackRun, .within, .pack:
            preconditionFailure("a dialect does not write \(statement)")
        }
    }

    var endOfBlock: [String] { style.endOfBlock.map { [$0] } ?? [] }

    private func choose(_ branches: [Statement.Branch], _ otherwise: [Statement]) -> [String] {
        guard !branches.isEmpty else { return lines(otherwise) }
        var lines: [String] = []
        for branch in branches {
            let words = lines.isEmpty ? style.branch : style.nextBranch
            lines += [words.before + text(branch.condition) + words.after] + indented(branch.statements)
        }
        return lines + (otherwise.isEmpty ? [] : [style.otherwise] + indented(otherwise)) + endOfBlock
    }
}
