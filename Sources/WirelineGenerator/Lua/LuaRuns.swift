// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Fields that one call of `string.unpack` reads, or of `string.pack` writes.
///
/// It is a ``FixedRun``, or a part of one: Lua has no number for every integer of 7 and 8 bytes, which are read by themselves,
/// and a function has room for 200 locals. After a run that no field ends, the prefix of the next value belongs to it.
struct LuaRun {
    let fields: Range<Int>
    /// The bytes of each field, and those of the prefix.
    let byteCounts: [Int]
    /// What `string.unpack` wants to know.
    let format: String
    /// The field whose prefix stands after the run; nil if none does.
    let prefixed: Int?

    var byteCount: Int { byteCounts.reduce(0, +) }

    /// Returns all runs of a body.
    static func all(in body: BodyFields) -> [LuaRun] { body.fixedRuns.flatMap { parts(of: $0, body) } }

    private static func parts(of run: FixedRun, _ body: BodyFields) -> [LuaRun] {
        var runs: [LuaRun] = []
        var start = run.fields.lowerBound
        func close(_ end: Int) {
            if start < end { runs.append(LuaRun(start..<end, run, body)) }
            start = end
        }
        for index in run.fields {
            if LuaTypes.isWide(body.fields[index].value) {
                close(index)
                start = index + 1
            } else if index - start == 24 {
                close(index)
            }
        }
        close(run.fields.upperBound)
        return runs
    }

    private init(_ fields: Range<Int>, _ run: FixedRun, _ body: BodyFields) {
        self.fields = fields
        var byteCounts = fields.map { run.byteCounts[$0 - run.fields.lowerBound] }
        var format = LuaFormat.mark(run.byteOrder)
        for index in fields { format += LuaFormat.letter(body.fields[index].value) }
        prefixed = Self.prefixed(after: fields, body)
        if let prefixed, let prefix = body.fields[prefixed].description.count {
            byteCounts.append(prefix.format.fixedByteCount ?? 0)
            if (prefix.format.fixedByteCount ?? 0) > 1 { format += LuaFormat.mark(prefix.byteOrder) }
            format += LuaFormat.letter(prefix)
        }
        self.byteCounts = byteCounts
        self.format = LuaFormat.simplified(format)
    }

    /// Returns the field after a run whose prefix one call can read, too: nothing before it can be refused.
    private static func prefixed(after fields: Range<Int>, _ body: BodyFields) -> Int? {
        let next = fields.upperBound
        guard next < body.fields.count, let last = fields.last, !body.fields[last].value.canBeRefused else {
            return nil
        }
        let field = body.fields[next]
        guard field.isPlain, field.absent == nil, field.constant == nil,
            let prefix = field.description.count, prefix.format.fixedByteCount != nil
        else { return nil }
        switch field.value {
        case .text(.prefix), .bytes(.prefix), .utf16(.prefix, _), .list(_, .prefix, _): return next
        default: return nil
        }
    }
}

/// The formats of `string.pack` and `string.unpack`.
enum LuaFormat {
    static func mark(_ order: ByteOrder) -> String { order == .littleEndian ? "<" : ">" }

    /// Returns the letter of an integer of up to 6 bytes.
    static func letter(_ format: IntegerFormat) -> String {
        let letter = format.isSigned ? "i" : "I"
        return format.byteCount == 1 ? (format.isSigned ? "b" : "B") : letter + String(format.byteCount)
    }

    static func letter(_ value: ValuePlan) -> String {
        switch value {
        case .number(let number): letter(number.format)
        case .float(let byteCount, _, _): byteCount == 4 ? "f" : "d"
        default: "B"
        }
    }

    static func letter(_ prefix: PlannedCount) -> String {
        switch prefix.format {
        case .uint8: "B"
        case .uint16: "I2"
        case .uint32: "I4"
        case .int16: "i2"
        case .int32: "i4"
        case .varint, .zigzag: ""
        }
    }

    static func text(_ prefix: PlannedCount) -> String {
        LuaText.literal(simplified(mark(prefix.byteOrder) + letter(prefix)))
    }

    static func text(_ format: IntegerFormat, _ order: ByteOrder) -> String {
        LuaText.literal(simplified(mark(order) + letter(format)))
    }

    static func text(_ value: ValuePlan, _ order: ByteOrder) -> String {
        LuaText.literal(simplified(mark(order) + letter(value)))
    }

    /// Returns a format without marks that change nothing.
    static func simplified(_ format: String) -> String {
        var (result, mark, pending) = ("", Character(">"), Character(">"))
        var isFirst = true
        for character in format {
            if character == "<" || character == ">" {
                pending = character
                continue
            }
            if isFirst || (pending != mark && character != "B" && character != "b" && !character.isNumber) {
                // Single bytes have no order.
                result.append(pending)
                mark = pending
                isFirst = false
            }
            result.append(character)
        }
        return result
    }
}
