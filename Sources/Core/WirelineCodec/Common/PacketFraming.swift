// SPDX-License-Identifier: Apache-2.0

/// The marks around each packet of a stream, and the escapes for bytes of a packet that look like marks.
///
///     start mark   packet, escaped                      end mark
///     +----------+------------------------------------+----------+
///     | 7E       | 30 7D 02 08 7D 01 55               | 7E       |   the packet is 30 7E 08 7D 55
///     +----------+------------------------------------+----------+
///
/// Lengths, checksums, offsets and limits count the bytes of the packet, without marks and escapes.
///
/// Each packet has both marks. One mark does not end a packet and start the next one, although HDLC allows that (RFC
/// 1662 §4.3): JT/T 808 gives each message two, and its servers (emqx, traccar) read them so. Readers skip marks with
/// nothing between them, also several marks in a row if both are the same byte.
public struct PacketFraming: Equatable, Sendable {
    /// The byte before each packet.
    public var start: UInt8
    /// The byte after each packet, which may be the same.
    public var end: UInt8
    /// How the listed bytes of a packet are written; other bytes stand for themselves.
    public var escapes: [Escape]

    /// The two bytes that replace one byte of a packet.
    public struct Escape: Equatable, Sendable {
        /// The byte of the packet.
        public var byte: UInt8
        /// The first byte on the wire.
        public var first: UInt8
        /// The second byte on the wire.
        public var second: UInt8

        /// Makes an escape: `Escape(0x7E, as: 0x7D, 0x02)`.
        public init(_ byte: UInt8, as first: UInt8, _ second: UInt8) {
            self.byte = byte
            self.first = first
            self.second = second
        }
    }

    /// Makes the framing of a layout, which checks it (``PacketLayoutFault/invalidFraming(_:)``).
    ///
    /// - Parameters:
    ///   - start: The byte before each packet.
    ///   - end: The byte after each packet.
    ///   - escapes: How marks, and the first bytes of these escapes, are written; other bytes may be listed, too.
    public init(start: UInt8, end: UInt8, escapes: [Escape]) {
        self.start = start
        self.end = end
        self.escapes = escapes
    }

    package var hasSameMarks: Bool { start == end }

    /// Why packets could not be told apart, or not be read as they were written.
    @nonexhaustive
    public enum Fault: Equatable, Sendable {
        /// A mark, or the first byte of an escape, that is not listed.
        case unlisted(UInt8)
        /// A byte that is listed twice.
        case repeated(UInt8)
        /// A byte with the same two bytes as an earlier one.
        case ambiguous(UInt8)
        /// An escape that contains a mark.
        case containsMark(UInt8)
    }

    package var fault: Fault? {
        for (index, escape) in escapes.enumerated() {
            let earlier = escapes[..<index]
            if earlier.contains(where: { $0.byte == escape.byte }) { return .repeated(escape.byte) }
            if [start, end].contains(where: { $0 == escape.first || $0 == escape.second }) {
                return .containsMark(escape.byte)
            }
            if earlier.contains(where: { $0.first == escape.first && $0.second == escape.second }) {
                return .ambiguous(escape.byte)
            }
        }
        let needed = [start, end] + escapes.map { $0.first }
        return needed.first { byte in !escapes.contains { $0.byte == byte } }.map { .unlisted($0) }
    }
}

extension PacketFraming.Fault: CustomStringConvertible {
    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .unlisted(let byte): "\(byte.hexadecimal) has no escape, but is a mark or begins an escape"
        case .repeated(let byte): "\(byte.hexadecimal) has two escapes"
        case .ambiguous(let byte): "the escape of \(byte.hexadecimal) is that of an earlier byte"
        case .containsMark(let byte): "the escape of \(byte.hexadecimal) contains a mark"
        }
    }
}

extension UInt8 {
    /// `0x` and two digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return (digits.count == 1 ? "0x0" : "0x") + digits
    }
}
