// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension ScriptConnection {
    func isTrue(_ condition: Script.Expression, _ occasion: Occasion) throws(ScriptFailure) -> Bool {
        try truth(condition, evaluation(occasion))
    }

    /// Returns the value of an expression. It fails if a variable cannot hold the value.
    func scalar(
        _ expression: Script.Expression, _ occasion: Occasion, _ shared: [JSONValue]
    ) throws(ScriptFailure) -> JSONValue {
        let value = try value(of: expression, Evaluation(occasion: occasion, shared: shared))
        guard value.isScalar else {
            let reason = "a variable holds no \(value.scriptKind == .list ? "list" : "object")"
            throw ScriptFailure(span: expression.span, reason: reason)
        }
        return value
    }

    struct Evaluation {
        let occasion: Occasion
        let shared: [JSONValue]
        var right: Int128?
    }

    func evaluation(_ occasion: Occasion) -> Evaluation {
        Evaluation(occasion: occasion, shared: run.sharedValues)
    }

    func value(of expression: Script.Expression, _ evaluation: Evaluation) throws(ScriptFailure) -> JSONValue {
        switch expression.kind {
        case .literal(let value): return value
        case .array(let items):
            var values: [JSONValue] = []
            for item in items { values.append(try value(of: item, evaluation)) }
            return .array(values)
        case .object(let members):
            var values: [JSONValue.Member] = []
            for member in members {
                values.append(JSONValue.Member(member.name, try value(of: member.value, evaluation)))
            }
            return .object(values)
        case .request: return evaluation.occasion.line?["fields"] ?? .null
        case .header: return evaluation.occasion.line?["header"] ?? .null
        case .messageName: return evaluation.occasion.line?["message"] ?? .null
        case .messageID: return (evaluation.occasion.line?["id"] ?? .null).asInteger
        case .connection: return .integer(Int128(number))
        case .count: return .integer(Int128(evaluation.occasion.count))
        case .right: return evaluation.right.map { .integer($0) } ?? .null
        case .variable(let index, let isShared): return isShared ? evaluation.shared[index] : variables[index]
        case .member(let object, let name, let isInteger):
            // An optional value can be absent. Then its members are absent, too.
            let member = try value(of: object, evaluation)[name] ?? .null
            return isInteger || expression.isOfHeader ? member.asInteger : member
        case .item(let list, let index, let isInteger):
            let item = try item(of: list, at: index, evaluation)
            return isInteger ? item.asInteger : item
        case .random(let least, let most): return try randomNumber(least, most, evaluation)
        case .size(let operand): return try size(of: operand, evaluation)
        case .not(let operand): return .boolean(try !truth(operand, evaluation))
        case .negative(let operand):
            guard case .number(let number) = try value(of: operand, evaluation), let negative = number.negated else {
                throw ScriptFailure(span: operand.span, reason: "only a number can be negative")
            }
            return .number(negative)
        case .operation(.and, let left, let right):
            return .boolean(try truth(left, evaluation) ? truth(right, evaluation) : false)
        case .operation(.or, let left, let right):
            return .boolean(try truth(left, evaluation) ? true : truth(right, evaluation))
        case .operation(let operation, let left, let right):
            switch try value(of: left, evaluation).result(of: operation, value(of: right, evaluation)) {
            case .success(let value): return value
            case .failure(let reason): throw ScriptFailure(span: expression.span, reason: reason.text)
            }
        }
    }

    private func truth(_ condition: Script.Expression, _ evaluation: Evaluation) throws(ScriptFailure) -> Bool {
        guard case .boolean(let isTrue) = try value(of: condition, evaluation) else {
            throw ScriptFailure(span: condition.span, reason: "this is neither true nor false")
        }
        return isTrue
    }

    func integer(_ expression: Script.Expression, _ evaluation: Evaluation) throws(ScriptFailure) -> Int128 {
        guard case .number(let number) = try value(of: expression, evaluation), let integer = number.integer else {
            throw ScriptFailure(span: expression.span, reason: "this is no integer")
        }
        return integer
    }

    private func item(
        of list: Script.Expression, at index: Script.Expression, _ evaluation: Evaluation
    ) throws(ScriptFailure) -> JSONValue {
        let values = try value(of: list, evaluation)
        guard case .array(let items) = values else {
            // An item of an absent list is absent.
            if values.isNull { return .null }
            throw ScriptFailure(span: list.span, reason: "this is no list")
        }
        let number = try integer(index, evaluation)
        guard number >= 0, number < Int128(items.count) else {
            let count = items.count == 1 ? "1 item" : "\(items.count) items"
            throw ScriptFailure(span: index.span, reason: "there is no item \(number): the list has \(count), from 0")
        }
        return items[Int(number)]
    }

    private func randomNumber(
        _ least: Script.Expression, _ most: Script.Expression, _ evaluation: Evaluation
    ) throws(ScriptFailure) -> JSONValue {
        let (lower, upper) = (try integer(least, evaluation), try integer(most, evaluation))
        guard lower <= upper, let lower = Int64(exactly: lower), let upper = Int64(exactly: upper) else {
            throw ScriptFailure(span: most.span, reason: "there is no number from \(lower) to \(upper)")
        }
        return .integer(Int128(Int64.random(in: lower...upper, using: &random)))
    }

    private func size(
        of operand: Script.Expression, _ evaluation: Evaluation
    ) throws(ScriptFailure) -> JSONValue {
        switch try value(of: operand, evaluation) {
        case .string(let text): return .integer(Int128(text.utf8.count))
        case .array(let items): return .integer(Int128(items.count))
        case .null: return 0
        default: throw ScriptFailure(span: operand.span, reason: "only a text and a list have a size")
        }
    }
}

extension Script.Expression {
    /// Whether the expression is a field of the received header.
    fileprivate var isOfHeader: Bool {
        if case .member(let object, _, _) = kind, case .header = object.kind { true } else { false }
    }
}

extension JSONValue {
    /// The value; a string with an integer becomes a number.
    fileprivate var asInteger: JSONValue {
        guard case .string(let text) = self, let integer = Int128(text) else { return self }
        return .integer(integer)
    }
}
