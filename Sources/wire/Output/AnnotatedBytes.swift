// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A packet as a table for people: a line a part, with its offset, its bytes, its name and its value.
struct AnnotatedBytes {
    let annotation: PacketAnnotation
    /// The packet.
    let bytes: [UInt8]

    /// How many bytes of a part are shown; of a longer one all but the last of these, and an ellipsis.
    private static let shownByteCount = 16
    private static let hidden = HiddenValue.text

    /// The lines, without newlines.
    func lines(style: TextStyle) -> [String] {
        let rows = annotation.parts.map { part in
            (offset: String(part.range.lowerBound), digits: digits(of: part), part: part)
        }
        let offsetWidth = rows.map(\.offset.count).max() ?? 0
        let digitsWidth = rows.map(\.digits.count).max() ?? 0
        let pathWidth = rows.map(\.part.path.count).max() ?? 0
        return rows.map { row in
            let offset = String(repeating: " ", count: offsetWidth - row.offset.count) + row.offset
            let digits = row.digits.padded(to: digitsWidth)
            let path = row.part.path.padded(to: pathWidth)
            let text = row.part.isSensitive ? Self.hidden : row.part.text
            let isField = row.part.kind == .field
            return style.faint(offset) + "  " + digits + "  " + (isField ? style.strong(path) : path) + "  " + text
        }
    }

    private func digits(of part: PacketAnnotation.Part) -> String {
        guard !part.isSensitive else { return Self.hidden }
        let (start, end) = (part.range.lowerBound, part.range.upperBound)
        let prefix = Hexadecimal.text(of: Array(bytes[start..<start + part.prefixByteCount]))
        let content = bytes[(start + part.prefixByteCount)..<end]
        let shown =
            content.count <= Self.shownByteCount
            ? Hexadecimal.text(of: Array(content))
            : Hexadecimal.text(of: Array(content.prefix(Self.shownByteCount - 1))) + "…"
        return [prefix, shown].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
