// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Reads adjacent numbers with few calls of `string.unpack`, because the calls take the time.
enum LuaRuns {
    /// Returns the statements that read values of a body, and move past them.
    static func body(_ parts: [(target: Expression, format: PackedFormat, name: Expression)]) -> [Statement] {
        let byteCount = parts.reduce(0) { $0 + $1.format.byteCount }
        let cut = parts.map { Statement.evaluate(.call("r", "take", [.place($0.format.byteCount), $0.name])) }
        let isCut = Expression.binary(.less, .binary(.minus, "stop", "here"), .place(byteCount - 1))
        return [.choose(if: isCut, cut)] + rows(parts.map { ($0.target, $0.format) }, "input", "here")
            + [.assign("here", Expression.name("here").plus(byteCount))]
    }

    /// Returns the statements that read the numbers of a header. If it has arrived only in part, missing numbers are 0
    /// and not used.
    static func header(_ fields: [(name: String, format: PackedFormat)]) -> [Statement] {
        let byteCount = fields.reduce(0) { $0 + $1.format.byteCount }
        let rows = rows(fields.map { (.name($0.name), $0.format) }, "head", "first")
        guard !rows.isEmpty else { return [] }
        return [
            .variable("head", .bytes, "s"), .variable("first", .position, "position"),
            .choose(
                if: .binary(.less, "size", .place(byteCount)),
                [.assignAll(["head", "first"], .call("r", "headed", [.place(byteCount)]))]),
        ] + rows
    }

    /// Declares variables for the numbers at an offset of some bytes.
    private static func rows(
        _ parts: [(target: Expression, format: PackedFormat)], _ bytes: Expression, _ place: Expression
    ) -> [Statement] {
        var statements: [Statement] = []
        var row: (formats: String, targets: [Expression], place: Expression) = ("", [], place)
        var shortFloats: [(target: Expression, value: Expression)] = []
        func close() {
            guard !row.targets.isEmpty else { return }
            let isByte = row.formats.dropFirst() == "B"
            let read =
                isByte
                ? Expression.call(nil, "byte", [bytes, row.place])
                : .call(nil, "unpack", [.text(row.formats), bytes, row.place])
            statements.append(.assignAll(row.targets, read, declares: true))
            statements += shortFloats.map { .assign($0.target, $0.value) }
            (row, shortFloats) = (("", [], place), [])
        }
        var offset = 0
        for (target, format) in parts {
            let at = place.plus(offset)
            offset += format.byteCount
            let text = LuaFormat.text(format)
            if text == nil || row.targets.count == LuaWords.mostValues { close() }
            if let text {
                if row.targets.isEmpty { row.place = at }
                row = (LuaFormat.joined(row.formats, text), row.targets + [target], row.place)
                if case .float(2, _) = format { shortFloats.append((target, format.value(ofPacked: target))) }
                continue
            }
            guard case .integer(let integer, let order) = format else { continue }
            let arguments: [Expression] = [bytes, at, .place(integer.byteCount), order.isLittle]
            if let low = target.lowHalf {
                statements.append(.assignAll([target, low], .call(nil, "pair", arguments), declares: true))
            } else {
                let value = Expression.call(nil, "wide_at", arguments + [.boolean(integer.isSigned)])
                statements.append(.assignAll([target], value, declares: true))
            }
        }
        close()
        return statements
    }
}

extension PackedFormat {
    /// Converts a number from `string.unpack` to its value: there is no format for 16-bit floats.
    func value(ofPacked number: Expression) -> Expression {
        if case .float(2, _) = self { .call(nil, "value16", [number]) } else { number }
    }
}

/// A prefix by its code in the vocabulary of statements.
struct LuaPrefix {
    /// Its size in bytes; 0 for a varint.
    let byteCount: Int
    let mark: String
    /// The format of `string.pack`; nil for a varint.
    let format: String?
    /// The factor of a varint's number: 2 for zigzag, otherwise 1.
    let scale: Int

    init?(_ code: Expression, isSigned: Bool = false) {
        guard case .number(let number, _) = code else { return nil }
        scale = number == 32 ? 2 : 1
        byteCount = Int(number % 16)
        let order = number > 16 && number < 32 ? ByteOrder.littleEndian : .bigEndian
        mark = LuaFormat.mark(order)
        format =
            byteCount == 0
            ? nil : LuaFormat.text(.integer(IntegerFormat(bitWidth: 8 * byteCount, isSigned: isSigned), order))
    }
}

enum LuaFormat {
    static func mark(_ order: ByteOrder) -> String { order == .littleEndian ? "<" : ">" }

    /// Returns the format of a number; nil for other values, and for integers that may exceed 53 bits. A 16-bit float
    /// has the format of its bits.
    static func text(_ format: PackedFormat) -> String? {
        switch format {
        case .integer(let format, _) where format.byteCount == 1: format.isSigned ? ">b" : ">B"
        case .integer(let format, let order) where format.byteCount <= 6:
            "\(mark(order))\(format.isSigned ? "i" : "I")\(format.byteCount)"
        case .float(let byteCount, let order): mark(order) + ([2: "I2", 4: "f"][byteCount] ?? "d")
        case .integer, .bytes, .filler: nil
        }
    }

    /// Appends a format, without its byte order mark if that changes nothing: single bytes have no order.
    static func joined(_ formats: String, _ next: String) -> String {
        let items = next.dropFirst()
        let isMarked = formats.last { "<>".contains($0) } == next.first
        return formats + (isMarked || !formats.isEmpty && ["B", "b"].contains(items) ? items : next[...])
    }
}
