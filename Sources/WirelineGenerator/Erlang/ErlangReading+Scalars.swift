// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// What numbers on the wire mean.
extension ErlangReading {
    /// Returns the condition for a valid scalar and the error reason; nil if every value is valid.
    func check(
        _ type: TypeDescription, _ field: FieldDescription?, _ x: String
    ) -> (good: String, reason: String)? {
        if let field, case .number(let number, _, _) = types.description.constant(of: field) {
            let expected = ErlangTypes.number(number)
            return ("\(x) =:= \(expected)", "{wrong_constant, \(x), \(expected)}")
        }
        switch type {
        case .boolean: return ("\(x) =< 1", "{invalid_boolean, \(x)}")
        case .enumeration(let index, _) where types.description.enumerations[index].isClosed && field?.role == .derived:
            let numbers = types.description.enumerations[index].cases.map { ErlangTypes.number($0.value) }
            return ("lists:member(\(x), [\(numbers.joined(separator: ", "))])", "{unknown_case, \(x)}")
        case .enumeration(let index, _) where types.description.enumerations[index].isClosed:
            return ("is_atom(\(types.nameFunction(index))(\(x)))", "{unknown_case, \(x)}")
        case .integer:
            guard let range = field?.range else { return nil }
            let (low, high) = (ErlangTypes.number(range.lowerBound), ErlangTypes.number(range.upperBound))
            return ("(\(x) >= \(low) andalso \(x) =< \(high))", "{out_of_range, \(x), \(low), \(high)}")
        case .float32, .float64:
            guard let range = field?.floatRange else { return nil }
            let (low, high) = (ErlangText.float(range.lowerBound), ErlangText.float(range.upperBound))
            let value = converted(type, x)
            return ("in_range(\(value), \(low), \(high))", "{float_out_of_range, \(value), \(low), \(high)}")
        default: return nil
        }
    }

    /// Returns the expression for the value that a number means.
    func converted(_ type: TypeDescription, _ x: String) -> String {
        switch type {
        case .float32: "float32(\(x))"
        case .float64: "float64(\(x))"
        case .boolean, .bit: "\(x) =:= 1"
        case .enumeration(let index, _): "\(types.nameFunction(index))(\(x))"
        case .flags(let index, _): "mask_names(\(types.masksFunction(index))(), \(x), 0)"
        default: x
        }
    }
}
