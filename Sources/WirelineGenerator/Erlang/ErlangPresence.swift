// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes expressions about fields of the packet that are there only if a condition holds.
///
/// Whether the field `X5` is there is in the variable `P5`, its byte count in `C5`.
enum ErlangPresence {
    /// Returns the expression that a condition holds.
    ///
    /// - Parameter variable: Returns the variable with the number of one of the header's fields.
    static func text(
        of condition: WireCondition, _ types: ErlangTypes, _ variable: @escaping (Int) -> String
    ) -> String {
        let layout = types.description.layout
        return types.condition(condition) { operand in
            guard case .field(let name) = operand, let index = layout.header.firstIndex(where: { $0.name == name })
            else { return "0" }
            return variable(index)
        }
    }

    /// Returns the expression that a line of the packet holds; `false` while not all fields that it tests are read.
    static func text(of rule: WireCondition.Remainder, _ types: ErlangTypes) -> String {
        switch rule {
        case .always: return "true"
        case .never: return "false"
        case .when(let condition):
            let header = types.description.layout.header
            let isKnown = condition.operands.allSatisfy { operand in
                header.contains { .field($0.name) == operand }
            }
            return isKnown ? "(\(text(of: condition, types) { "X\($0 + 1)" }))" : "false"
        }
    }

    /// Returns a check that is made only if a field is there.
    static func check(_ check: String, of index: Int, in layout: PacketLayout) -> String {
        layout.fields[index].condition == nil ? check : "P\(index + 1) andalso \(check)"
    }

    /// Returns an expression for a field that is there, and another one if it may be absent.
    static func value(_ value: String, of index: Int, in layout: PacketLayout, otherwise: String) -> String {
        guard layout.fields[index].condition != nil else { return value }
        return "case P\(index + 1) of true -> \(value); false -> \(otherwise) end"
    }
}
