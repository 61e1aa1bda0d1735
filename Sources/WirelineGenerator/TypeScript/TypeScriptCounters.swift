// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements for fields that count later ones: room is left for them, and filled when the numbers are known.
///
/// The place of such a field is the constant `cn`, its number `qn`, the place of a field that it counts `kn`.
struct TypeScriptCounters {
    let writing: TypeScriptWriting
    let body: BodyFields

    /// Returns the statements that leave room for a field that counts others.
    func leaving(_ field: FieldPlan) -> [String] {
        ["const c\(field.index) = w.p;"] + room(types.plan.coding.fixedByteCount(of: field.planned.type))
            + ["let q\(field.index)‹: number | undefined›;"]
    }

    /// Returns the statements that leave room for fields that share bytes, of which some count others.
    func leaving(_ run: PlannedRun) -> [String] {
        let counters = run.bits.filter { body.fields[$0.field].planned.isCounter }
        return ["const c\(run.bits[0].field) = w.p;"] + room(run.byteCount)
            + counters.map { "let q\($0.field)‹: number | undefined›;" }
    }

    private func room(_ byteCount: Int?) -> [String] { byteCount.map { ["room(w, \($0));"] } ?? [] }

    private var types: TypeScriptTypes { writing.types }

    /// Returns what an earlier field counts of a field; nil if none does.
    private func counted(_ field: FieldPlan) -> (counter: Int, counted: PlannedDerivation.Counted)? {
        guard let derivation = body.plan.derivation(counting: field.index),
            let counted = derivation.counted.first(where: { $0.field == field.index })
        else { return nil }
        return (derivation.field, counted)
    }

    /// Returns the statements before a field is written.
    func before(_ field: FieldPlan) -> [String] {
        guard let (_, counted) = counted(field), counted.measure != .items else { return [] }
        return ["const k\(field.index) = w.p;"]
    }

    /// Returns the statements after a field was written.
    func after(_ field: FieldPlan) -> [String] {
        guard let (counter, counted) = counted(field) else { return [] }
        let value = field.absent == nil ? "m.\(field.ownName)" : "d\(field.index)"
        var number = counted.measure == .items ? "\(value).length" : "w.p - k\(field.index)"
        let addend = counted.count.addend
        if addend != 0 { number += addend < 0 ? " + \(-addend)" : " - \(addend)" }
        return ["q\(counter) = agreed(w, q\(counter), \(number), \(TypeScriptText.string(field.name)));"]
    }

    /// The statements that write the numbers, the last field's first: a varint moves what follows it.
    var lines: [String] {
        body.fields.reversed().flatMap { field -> [String] in
            if let run = body.run(beginningAt: field.index) { return filling(run) }
            return field.planned.isCounter && field.description.packing == nil ? filling(field) : []
        }
    }

    private func number(_ field: FieldPlan, isWide: Bool) -> String {
        isWide ? "BigInt(q\(field.index) || 0)" : "(q\(field.index) || 0)"
    }

    private func filling(_ field: FieldPlan) -> [String] {
        let number = number(field, isWide: TypeScriptTypes.isWide(field.value))
        guard case .varint(let format, _) = field.value else {
            return filling("c\(field.index)", writing.putUnchecked(field.value, number))
        }
        let insert = format.range.isWide ? "insertWideVarint" : "insertVarint"
        return ["\(insert)(w, c\(field.index), \(TypeScriptWriting.varintBits(format, number)));"]
    }

    private func filling(_ run: PlannedRun) -> [String] {
        guard run.bits.contains(where: { body.fields[$0.field].planned.isCounter }) else { return [] }
        let put = writing.put(run, body) { self.number($0, isWide: TypeScriptTypes.isWide($0.value)) }
        return filling("c\(run.bits[0].field)", [put])
    }

    private func filling(_ place: String, _ put: [String]) -> [String] {
        ["{", "  const end = w.p;", "  w.p = \(place);"] + put.map { "  " + $0 } + ["  w.p = end;", "}"]
    }
}
