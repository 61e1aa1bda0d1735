// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Fields of fixed width in a row, which one call reads and writes: `string.unpack` in Lua, `struct.unpack_from` in Python.
///
/// All are numbers, floats or booleans that are always there, of one byte order. A run ends after the first field that can be
/// refused, so no field before a cut is wrong. If the bytes end inside a run, the error names the first field that is cut off. A
/// reader that reads one field after the other gives the same error.
struct FixedRun: Sendable {
    /// The indices of the fields in their body; one field is a run, too.
    let fields: Range<Int>
    /// The bytes of each field.
    let byteCounts: [Int]
    /// The order of the fields' bytes; any if each has one byte.
    let byteOrder: ByteOrder

    /// The bytes of all fields.
    var byteCount: Int { byteCounts.reduce(0, +) }
}

extension BodyFields {
    /// The longest runs of fields of fixed width, in order.
    var fixedRuns: [FixedRun] {
        var runs: [FixedRun] = []
        var open: (start: Int, byteCounts: [Int], byteOrder: ByteOrder?)?
        func close() {
            guard let run = open else { return }
            runs.append(
                FixedRun(
                    fields: run.start..<run.start + run.byteCounts.count, byteCounts: run.byteCounts,
                    byteOrder: run.byteOrder ?? .bigEndian))
            open = nil
        }
        for field in fields {
            guard let width = field.fixedWidth else {
                close()
                continue
            }
            if let order = open?.byteOrder, let own = width.byteOrder, order != own { close() }
            var run = open ?? (field.index, [], nil)
            run.byteCounts.append(width.byteCount)
            run.byteOrder = run.byteOrder ?? width.byteOrder
            open = run
            if field.value.canBeRefused { close() }
        }
        close()
        return runs
    }

    /// Returns the run that a field begins; nil if it begins none.
    func fixedRun(beginningAt index: Int) -> FixedRun? { fixedRuns.first { $0.fields.lowerBound == index } }
}

extension FieldPlan {
    /// The width of a field that can be in a run; nil for other ones. Without an order it has one byte.
    fileprivate var fixedWidth: (byteCount: Int, byteOrder: ByteOrder?)? {
        guard isPlain, absent == nil, constant == nil else { return nil }
        switch value {
        case .number(let number):
            let byteCount = number.format.byteCount
            return (byteCount, byteCount == 1 ? nil : number.byteOrder)
        case .float(let byteCount, let order, _): return (byteCount, order)
        case .boolean: return (1, nil)
        default: return nil
        }
    }
}

extension ValuePlan {
    /// Whether a number, a float or a boolean that is there can be wrong.
    var canBeRefused: Bool {
        switch self {
        case .number(let number): number.range != nil || number.closedNumbers != nil
        case .float(_, _, let range): range != nil
        default: true
        }
    }
}
