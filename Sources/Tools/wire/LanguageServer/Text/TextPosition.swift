// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// The unit in which positions count characters (LSP 3.17, "PositionEncodingKind").
enum PositionEncoding: String {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
}

/// A line, and the number of units before the position on that line. Both start at 0.
struct TextPosition: Equatable {
    var line: Int
    var character: Int

    init(line: Int, character: Int) {
        self.line = line
        self.character = character
    }

    init(_ value: JSONValue?) throws(RPCError) {
        guard let line = value?["line"]?.wholeNumber, let character = value?["character"]?.wholeNumber, line >= 0,
            character >= 0
        else { throw RPCError(.invalidParams, "a position is a `line` and a `character`, from 0") }
        self.init(line: line, character: character)
    }

    var json: JSONValue { ["line": .integer(Int128(line)), "character": .integer(Int128(character))] }
}

extension SourceText {
    /// - Complexity: O(*n*) in the bytes of the line.
    func position(at offset: Int, in encoding: PositionEncoding) -> TextPosition {
        let offset = min(max(0, offset), bytes.count)
        let line = lineIndex(at: offset)
        return TextPosition(line: line, character: unitCount(in: lineStarts[line]..<offset, encoding))
    }

    /// Returns the offset of a position.
    ///
    /// A position after the end of its line is moved to the end of the line. A position after the last line is moved to
    /// the end of the text. A position inside a character is moved to the start of the character.
    func offset(of position: TextPosition, in encoding: PositionEncoding) -> Int {
        guard position.line < lineStarts.count else { return bytes.count }
        var offset = lineStarts[position.line]
        let end = max(offset, lineRange(position.line).upperBound)
        var rest = position.character
        while offset < end {
            let (unitCount, byteCount) = step(at: offset, encoding)
            guard unitCount <= rest else { break }
            rest -= unitCount
            offset += byteCount
        }
        return offset
    }

    func unitCount(in range: Range<Int>, _ encoding: PositionEncoding) -> Int {
        guard encoding == .utf16 else { return range.count }
        var offset = range.lowerBound
        var count = 0
        while offset < range.upperBound {
            let (unitCount, byteCount) = step(at: offset, encoding)
            count += unitCount
            offset += byteCount
        }
        return count
    }

    /// Returns the units and bytes of the character at an offset. A byte that is not UTF-8 counts as one unit.
    private func step(at offset: Int, _ encoding: PositionEncoding) -> (unitCount: Int, byteCount: Int) {
        guard bytes[offset] >= 0x80, let (scalar, byteCount) = scalar(at: offset) else { return (1, 1) }
        return (encoding == .utf8 ? byteCount : scalar.value > 0xFFFF ? 2 : 1, byteCount)
    }
}

/// The positions of many offsets. They are found in one pass, because a line can be as long as the file.
struct PositionTable {
    private var positions: [Int: TextPosition] = [:]

    init(_ offsets: [Int], in source: SourceText, _ encoding: PositionEncoding) {
        var last: (offset: Int, position: TextPosition)?
        for offset in offsets.sorted() {
            let line = source.lineIndex(at: offset)
            var position = TextPosition(line: line, character: 0)
            if let last, last.position.line == line {
                position.character =
                    last.position.character + source.unitCount(in: last.offset..<offset, encoding)
            } else {
                position = source.position(at: offset, in: encoding)
            }
            positions[offset] = position
            last = (offset, position)
        }
    }

    /// Returns the range of a span whose ends are in the table.
    func range(_ span: SourceSpan) -> JSONValue {
        let none = TextPosition(line: 0, character: 0)
        return [
            "start": (positions[span.start] ?? none).json, "end": (positions[max(span.start, span.end)] ?? none).json,
        ]
    }
}
