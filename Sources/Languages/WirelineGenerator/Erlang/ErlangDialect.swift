// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Erlang writes expressions. Its functions consist of ``ErlangCode`` rather than statements.
struct ErlangDialect: Dialect {
    let plan: GeneratorModel

    let style = CodeStyle(
        nothing: "undefined", not: "not ",
        marks: [
            .or: "orelse", .and: "andalso", .equal: "=:=", .unequal: "=/=", .lessOrEqual: "=<", .bitOr: "bor",
            .bitAnd: "band", .shiftLeft: "bsl", .shiftRight: "bsr", .shiftRightSigned: "bsr",
        ])

    var unwrapParameter: String { "sender" }
    var valueChecks: ValueChecks { .type }

    func type(_ type: CodeType) -> String { "" }
    /// Integers have no limit.
    func range(of format: IntegerFormat) -> ClosedRange<Int128> { .min ... .max }
    func string(_ text: String) -> String { ErlangText.binary(text) }
    func own(_ statement: Statement) -> [String]? { nil }

    /// Returns the name of a variable: `X5` for `x5`.
    func variable(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .number(let number, _): .atom(ErlangTypes.number(number))
        case .float(let number, _): .atom(ErlangText.float(number))
        case .bytes(let bytes): .atom(ErlangText.binary(bytes))
        case .name(let name): .atom(variable(name))
        case .sender(let sender): .atom(sender.erlangAtom)
        case .call(nil, let function, let arguments):
            .call(.atom(function), arguments.map(syntax))
        // Erlang's shifts bind as tightly as sums, from the left; so they get parentheses.
        case .binary(let mark, let left, let right) where mark == .shiftLeft || mark == .shiftRight:
            .parentheses(.joined(style.mark(mark), level: 9, syntax(left), syntax(right)))
        case .bits(let number, let from, let shift, let width, let to): bits(number, from, shift, width, to)
        default: nil
        }
    }

    private func bits(
        _ number: Expression, _ from: IntegerFormat, _ shift: Int, _ width: Int, _ to: IntegerFormat
    ) -> Syntax {
        var bits = shift == 0 ? number : .binary(.shiftRight, number, .place(shift))
        if from.isSigned || shift + width < from.bitWidth {
            bits = .binary(.bitAnd, bits, .number((1 << Int128(width)) - 1, .uint64))
        }
        return syntax(to.isSigned ? .call(nil, "signed", [bits, .place(width)]) : bits)
    }
}
