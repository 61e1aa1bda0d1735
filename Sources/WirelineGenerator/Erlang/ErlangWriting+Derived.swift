// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// The numbers of fields that count others: they are known once those are checked.
extension ErlangWriting {
    /// Returns the statement that binds the number of a field which counts others.
    func number(of derivation: PlannedDerivation, _ plan: BodyPlan) -> String {
        let result = "A\(derivation.field + 1)"
        let number = number(counting: derivation, plan)
        if case .varint(let format) = plan.fields[derivation.field].type {
            return "\(result) = leb128(\(format.erlangBits("(\(number))")))"
        }
        return "\(result) = \(number)"
    }

    private func number(counting derivation: PlannedDerivation, _ plan: BodyPlan) -> String {
        guard let last = derivation.counted.last else { return "0" }
        let isAlwaysThere = derivation.counted.contains { !plan.fields[$0.field].mayBeUnset }
        let variable = "D\(last.field + 1)"
        if derivation.isShared {
            return isAlwaysThere ? variable : "case \(variable) of none -> 0; _ -> \(variable) end"
        }
        let needed = Self.needed(by: last)
        return isAlwaysThere ? needed : "case V\(last.field + 1) of undefined -> 0; _ -> \(needed) end"
    }

    /// Returns the statement that compares the number that a field needs with that of earlier ones; none if it is alone.
    func agreement(of field: PlannedField, _ value: String, _ place: ErlangPlace, _ plan: BodyPlan) -> [String] {
        guard let derivation = plan.derivation(counting: field.index), derivation.isShared,
            let position = derivation.counted.firstIndex(where: { $0.field == field.index })
        else { return [] }
        let counted = derivation.counted[position]
        let before = position == 0 ? "none" : "D\(derivation.counted[position - 1].field + 1)"
        let number = Self.needed(by: counted)
        let agreed = "agreed(\(before), \(number), \(counted.count.addend), \(place.name), \(place.path))"
        let variable = "D\(field.index + 1)"
        guard field.mayBeUnset else { return ["\(variable) = \(agreed)"] }
        return ["\(variable) = case \(value) of undefined -> \(before); _ -> \(agreed) end"]
    }

    /// Returns the number that a field needs which has been checked and written.
    private static func needed(by counted: PlannedDerivation.Counted) -> String {
        let number = counted.field + 1
        let count = counted.measure == .items ? "length(V\(number))" : "iolist_size(A\(number))"
        let addend = counted.count.addend
        return addend == 0 ? count : "\(count) \(addend < 0 ? "+" : "-") \(addend.magnitude)"
    }
}
