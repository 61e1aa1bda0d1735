// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketAnnotation {
    /// A part as columns of text.
    package struct Row: Equatable, Sendable {
        /// Where the part stands, padded on the left.
        package let offset: String
        /// Its bytes in hexadecimal, padded on the right: a prefix, a space, the rest.
        package let digits: String
        /// What it is called, padded on the right.
        package let path: String
        /// Its value, as ``Part/text``.
        package let text: String
        /// What it is for.
        package let kind: Kind
    }

    /// How many bytes of a part are shown; of a longer one all but the last of these, and an ellipsis.
    private static let shownByteCount = 16

    /// The first parts as columns that line up; of sensitive ones neither bytes nor values.
    ///
    /// - Parameters:
    ///   - packet: What was annotated.
    ///   - maximumCount: The most rows; all of them by default.
    package func rows(of packet: [UInt8], maximumCount: Int = .max) -> [Row] {
        let parts = parts.prefix(maximumCount)
        let digits = parts.map { Self.digits(of: $0, in: packet) }
        let offsetWidth = parts.map { String($0.range.lowerBound).count }.max() ?? 0
        let digitsWidth = digits.map(\.count).max() ?? 0
        let pathWidth = parts.map(\.path.count).max() ?? 0
        return zip(parts, digits).map { part, digits in
            let offset = String(part.range.lowerBound)
            return Row(
                offset: String(repeating: " ", count: offsetWidth - offset.count) + offset,
                digits: digits.padded(to: digitsWidth), path: part.path.padded(to: pathWidth),
                text: part.isSensitive ? HiddenValue.text : part.text, kind: part.kind)
        }
    }

    private static func digits(of part: Part, in packet: [UInt8]) -> String {
        guard !part.isSensitive else { return HiddenValue.text }
        let (start, end) = (part.range.lowerBound, part.range.upperBound)
        let prefix = Hexadecimal.text(of: Array(packet[start..<start + part.prefixByteCount]))
        let content = packet[(start + part.prefixByteCount)..<end]
        let shown =
            content.count <= shownByteCount
            ? Hexadecimal.text(of: Array(content))
            : Hexadecimal.text(of: Array(content.prefix(shownByteCount - 1))) + "…"
        return [prefix, shown].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
