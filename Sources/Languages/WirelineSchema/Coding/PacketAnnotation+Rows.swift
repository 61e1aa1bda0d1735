// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketAnnotation {
    /// A part as columns of text.
    package struct Row: Equatable, Sendable {
        /// The part's offset, padded on the left.
        package let offset: String
        /// Its bytes in hexadecimal, padded on the right: a prefix, a space, the other bytes. For a part that shares
        /// its bytes, its binary digits, with a dot for each bit of other parts.
        package let digits: String
        /// Its name, padded on the right.
        package let path: String
        package let text: String
        package let kind: Kind
    }

    /// The most bytes shown of a part, without its prefix; a longer one is shown with one byte less and an ellipsis.
    private static let shownByteCount = 16

    /// Returns the first parts as aligned columns.
    ///
    /// - Parameters:
    ///   - packet: The annotated packet.
    ///   - maximumCount: The most rows (default: all).
    ///   - hidesSensitive: Whether to hide bytes and values of sensitive parts (default: true).
    package func rows(of packet: [UInt8], maximumCount: Int = .max, hidesSensitive: Bool = true) -> [Row] {
        let parts = parts.prefix(maximumCount)
        let isHidden = { (part: Part) in part.isSensitive && hidesSensitive }
        let digits = parts.map {
            isHidden($0) ? HiddenValue.text : $0.digits(in: packet) ?? Self.digits(of: $0, in: packet)
        }
        let offsetWidth = parts.map { String($0.range.lowerBound).count }.max() ?? 0
        let digitsWidth = digits.map(\.count).max() ?? 0
        let pathWidth = parts.map(\.path.count).max() ?? 0
        return zip(parts, digits).map { part, digits in
            let offset = String(part.range.lowerBound)
            return Row(
                offset: String(repeating: " ", count: offsetWidth - offset.count) + offset,
                digits: digits.padded(to: digitsWidth), path: part.path.padded(to: pathWidth),
                text: isHidden(part) ? HiddenValue.text : part.text, kind: part.kind)
        }
    }

    private static func digits(of part: Part, in packet: [UInt8]) -> String {
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

extension PacketAnnotation.Part {
    /// Returns the bits of a part that shares its bytes, as in the packet: `..10....`; nil for other parts.
    package func digits(in packet: [UInt8]) -> String? {
        guard let bits else { return nil }
        let bytes = range.map { index in
            let position = index - range.lowerBound
            let place = bits.byteOrder == .bigEndian ? range.count - 1 - position : position
            let mask = UInt8(truncatingIfNeeded: bits.mask >> UInt64(8 * place))
            return String(
                (0..<8).reversed().map { (bit: Int) -> Character in
                    guard mask >> bit & 1 == 1 else { return "." }
                    return packet[index] >> bit & 1 == 1 ? "1" : "0"
                })
        }
        return bytes.joined(separator: " ")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
