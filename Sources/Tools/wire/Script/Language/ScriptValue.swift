// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension JSONValue {
    /// The kind; nil if it is not known before the script runs.
    var scriptKind: ScriptType.Kind? {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .number: .number
        case .string: .string
        case .array: .list
        case .object: .object
        }
    }

    /// Whether a variable can hold the value: anything but lists and objects.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    /// The value as text; nil for lists and objects.
    var scriptText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.text
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .null: "null"
        case .array, .object: nil
        }
    }

    /// The limit in bytes. A script that keeps doubling a text must not fill the memory.
    private static let longestText = 1 << 20

    /// - Returns: The result, or a failure with the reason if the values do not support the operation.
    func result(of operation: Script.Operator, _ other: JSONValue) -> Result<JSONValue, Reason> {
        switch operation {
        case .or, .and: break
        case .equal: return .success(.boolean(isSame(as: other)))
        case .unequal: return .success(.boolean(!isSame(as: other)))
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return comparison(operation, other)
        case .plus:
            if case .string(let text) = self { return Self.joined(text, other.scriptText) }
            if case .string(let text) = other { return Self.joined(scriptText, text) }
            return arithmetic(operation, other)
        case .minus, .times, .dividedBy, .remainder: return arithmetic(operation, other)
        }
        return .failure("`\(operation.rawValue)` needs true or false")
    }

    struct Reason: Error, ExpressibleByStringInterpolation {
        let text: String

        init(stringLiteral text: String) { self.text = text }
    }

    private static func joined(_ left: String?, _ right: String?) -> Result<JSONValue, Reason> {
        guard let left, let right else { return .failure("only a number, true or false can be put to a text") }
        guard left.utf8.count + right.utf8.count <= longestText else {
            return .failure("the text has more than \(longestText) bytes")
        }
        return .success(.string(left + right))
    }

    /// Returns whether two values are equal. Numbers are compared by value, so 1 equals 1.0.
    private func isSame(as other: JSONValue) -> Bool {
        guard case .number(let left) = self, case .number(let right) = other else { return self == other }
        if let left = left.integer, let right = right.integer { return left == right }
        return left.double == right.double
    }

    private func comparison(_ operation: Script.Operator, _ other: JSONValue) -> Result<JSONValue, Reason> {
        func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch operation {
            case .less: left < right
            case .lessOrEqual: left <= right
            case .greater: left > right
            default: left >= right
            }
        }
        switch (self, other) {
        case (.string(let left), .string(let right)): return .success(.boolean(compare(left, right)))
        case (.number(let left), .number(let right)):
            guard let leftInteger = left.integer, let rightInteger = right.integer else {
                return .success(.boolean(compare(left.double, right.double)))
            }
            return .success(.boolean(compare(leftInteger, rightInteger)))
        default: return .failure("`\(operation.rawValue)` needs two numbers or two texts")
        }
    }

    private func arithmetic(_ operation: Script.Operator, _ other: JSONValue) -> Result<JSONValue, Reason> {
        guard case .number(let left) = self, case .number(let right) = other else {
            return .failure("`\(operation.rawValue)` needs two numbers")
        }
        guard let leftInteger = left.integer, let rightInteger = right.integer else {
            return Self.floating(operation, left.double, right.double)
        }
        let (value, overflow) =
            switch operation {
            case .plus: leftInteger.addingReportingOverflow(rightInteger)
            case .minus: leftInteger.subtractingReportingOverflow(rightInteger)
            case .times: leftInteger.multipliedReportingOverflow(by: rightInteger)
            case .dividedBy: leftInteger.dividedReportingOverflow(by: rightInteger)
            default: leftInteger.remainderReportingOverflow(dividingBy: rightInteger)
            }
        guard !overflow else {
            let isDivision = operation == .dividedBy || operation == .remainder
            return .failure(isDivision && rightInteger == 0 ? "division by zero" : "the number is too large")
        }
        return .success(.integer(value))
    }

    private static func floating(
        _ operation: Script.Operator, _ left: Double, _ right: Double
    ) -> Result<JSONValue, Reason> {
        let value =
            switch operation {
            case .plus: left + right
            case .minus: left - right
            case .times: left * right
            case .dividedBy: left / right
            default: left.truncatingRemainder(dividingBy: right)
            }
        guard let number = JSONNumber(value) else { return .failure("the result is no number") }
        return .success(.number(number))
    }
}

extension JSONNumber {
    /// The negated number; nil if it exceeds 128 bits.
    var negated: JSONNumber? {
        guard isInteger else { return JSONNumber(-double) }
        guard let integer, integer != .min else { return nil }
        return JSONNumber(-integer)
    }
}
