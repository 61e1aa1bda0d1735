// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements for fields that count later ones: their bytes are found when the numbers are known.
///
/// The number of the field `n` is the local `qn`.
struct LuaCounters {
    let writing: LuaWriting
    let body: BodyFields
    /// The places of the fields in the table of all bytes.
    var places: [Int: Int] = [:]

    init(writing: LuaWriting, body: BodyFields) {
        self.writing = writing
        self.body = body
    }

    /// Returns the statements after a field at a place was written; none if no field counts it.
    func after(_ field: FieldPlan, _ value: String, at place: Int, mayBeUnset: Bool) -> [String] {
        guard let derivation = body.plan.derivation(counting: field.index),
            let counted = derivation.counted.first(where: { $0.field == field.index })
        else { return [] }
        var number = counted.measure == .items ? "#\(value)" : "#o[\(place)]"
        let addend = counted.count.addend
        if addend != 0 { number += addend < 0 ? " + \(-addend)" : " - \(addend)" }
        let own = "q\(derivation.field)"
        let statement = "\(own) = agreed(\(own), \(number), \(LuaText.literal(field.name)))"
        return [mayBeUnset ? "if \(value) ~= nil then \(statement) end" : statement]
    }

    /// The statements that put the numbers among the bytes.
    var lines: [String] {
        body.fields.flatMap { field -> [String] in
            if let run = body.run(endingAt: field.index) {
                guard run.bits.contains(where: { body.fields[$0.field].planned.isCounter }) else { return [] }
                return put(field, writing.put(run, body) { "(q\($0.index) or 0)" })
            }
            guard field.planned.isCounter, field.description.packing == nil else { return [] }
            return put(field, LuaWriting.bytes(field.value, "q\(field.index) or 0"))
        }
    }

    private func put(_ field: FieldPlan, _ bytes: String) -> [String] {
        places[field.index].map { ["o[\($0)] = \(bytes)"] } ?? []
    }
}
