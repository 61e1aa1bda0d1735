// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements for fields that count later ones. They reserve bytes, and write the numbers when these are known.
///
/// Variables: `xn` is the offset of such a field, `qn` its number, `kn` the offset of a field that it counts.
struct CounterStatements {
    let builder: StatementBuilder
    let body: BodyFields

    private var countFormat: IntegerFormat { builder.dialect.countFormat }

    /// No number has this value: a size exceeds its bytes by at most 2,147,483,647, and may be negative.
    private static let unknown: Int128 = -2_147_483_648

    func leaving(_ field: GeneratedField) -> [Statement] {
        leaving(field.index, builder.plan.coding.fixedByteCount(of: field.planned.type), [field.index])
    }

    /// Reserves space for a group that shares bytes and contains a count; the count is written later.
    func leaving(_ run: PlannedRun) -> [Statement] {
        let counters = run.bits.filter { body.fields[$0.field].planned.isCounter }
        return leaving(run.bits[0].field, run.byteCount, counters.map(\.field))
    }

    private func leaving(_ first: Int, _ byteCount: Int?, _ counters: [Int]) -> [Statement] {
        [.constant("x\(first)", .position, builder.written("position"))]
            + (byteCount.map { [builder.writing("room", .place($0))] } ?? [])
            + counters.map { .variable("q\($0)", .number(countFormat), .number(Self.unknown, countFormat)) }
    }

    /// Returns the earlier field that counts a field, and how; nil if none does.
    private func counted(_ field: GeneratedField) -> (counter: Int, counted: PlannedDerivation.Counted)? {
        guard let derivation = body.plan.derivation(counting: field.index),
            let counted = derivation.counted.first(where: { $0.field == field.index })
        else { return nil }
        return (derivation.field, counted)
    }

    func before(_ field: GeneratedField) -> [Statement] {
        guard let (_, counted) = counted(field), counted.measure != .items else { return [] }
        return [.constant("k\(field.index)", .position, builder.written("position"))]
    }

    func after(_ field: GeneratedField, _ value: Expression) -> [Statement] {
        guard let (counter, counted) = counted(field) else { return [] }
        let number: Expression =
            counted.measure == .items
            ? .count(value) : builder.written("position").minus("k\(field.index)")
        let agreed = builder.written(
            "agreed", "q\(counter)", number, .place(-counted.count.addend), .text(field.name))
        return [.assign("q\(counter)", agreed)]
    }

    /// The statements that write the numbers, last field first: a varint moves the bytes after it.
    var lines: [Statement] {
        body.fields.reversed().flatMap { field -> [Statement] in
            if let run = body.run(beginningAt: field.index) { return filling(run) }
            return field.planned.isCounter && field.description.packing == nil ? filling(field) : []
        }
    }

    private func number(_ field: GeneratedField, _ format: IntegerFormat) -> Expression {
        builder.written("orZero", "q\(field.index)").converted(from: countFormat, to: format)
    }

    private func filling(_ field: GeneratedField) -> [Statement] {
        if case .varint(let format, _) = field.value {
            let bits = builder.varintBits(format, number(field, builder.dialect.format(of: format)))
            return [builder.writing(builder.dialect.word("insertVarint", for: format), "x\(field.index)", bits)]
        }
        guard case .number(let plan) = field.value else { return [] }
        let number = plan.value(of: number(field, plan.format))
        let place: Expression? = builder.dialect.packsNumbers ? "x\(field.index)" : nil
        let put = builder.putUnchecked(field.value, number, at: place, .text(field.name))
        return place == nil ? filling(field.index, put) : put
    }

    private func filling(_ run: PlannedRun) -> [Statement] {
        guard run.bits.contains(where: { body.fields[$0.field].planned.isCounter }) else { return [] }
        let put = builder.put(run, body) { field in
            guard case .number(let plan) = field.value else { return 0 }
            return number(field, plan.format)
        }
        let first = run.bits[0].field
        guard builder.dialect.packsNumbers, case .evaluate(.call(_, _, let arguments)) = put else {
            return filling(first, [put])
        }
        return [.evaluate(.call("w", "setUint", ["x\(first)"] + arguments))]
    }

    private func filling(_ first: Int, _ put: [Statement]) -> [Statement] {
        let end = "z\(first)"
        return [
            .constant(end, .position, builder.written("position")), builder.writing("seek", "x\(first)"),
        ] + put + [builder.writing("seek", .name(end))]
    }
}
