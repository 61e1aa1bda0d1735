// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec

/// However a stream is cut, and whatever its receiver refuses: the same packets, the same error, no more kept than the
/// limit; and each packet is what a reader of whole packets says, and what is written for its parts.
///
///     +--------+-------+------------------+---------- - - -+-------- - - -
///     | layout | limit | 0 sender 0       | piece sizes    | stream
///     |        |       | refusing cuts    |                |
///     +--------+-------+------------------+---------- - - -+-------- - - -
///
/// A layout of 128 and more is made up from the bytes that follow it.
struct SplitterCheck {
    private let layout: PacketLayout
    private let limit: Int
    private let stream: [UInt8]

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        guard let (layout, ownLimit) = input.layout() else { return }
        let limit = input.byte()
        let manner = input.byte()
        let pieces = (0..<manner & 7).map { _ in Int(input.byte()) }
        let check = SplitterCheck(
            layout: layout.layout(from: manner & 0x40 == 0 ? .client : .server),
            limit: limit == 0 ? ownLimit : Int(limit) - 1, stream: Array(input.rest))
        let whole = try check.split(in: [], refusingEvery: 0)
        let cut = try check.split(in: pieces, refusingEvery: Int(manner >> 3 & 7))
        try require(cut == whole, "whole \(whole), in pieces of \(pieces) \(cut)")
        for packet in whole.packets { try check.verify(packet) }
    }

    private struct Part: Equatable {
        var bytes: [UInt8]
        var id: UInt64
        var payloadRange: Range<Int>
    }

    private struct Outcome: Equatable {
        var packets: [Part] = []
        /// Without what the first bytes look like, which is not known before they have come.
        var error: String?

        mutating func fail(_ error: CodecError) {
            self.error = CodecError(error.reason, offset: error.offset, path: error.path).description
        }
    }

    // MARK: Splitting

    /// - Parameters:
    ///   - pieces: The byte counts of the pieces, over and over; none for one piece.
    ///   - interval: The receiver throws at each so-many-th packet; 0 for never.
    private func split(in pieces: [Int], refusingEvery interval: Int) throws(Finding) -> Outcome {
        var splitter = PacketSplitter(layout: layout, maximumPacketByteCount: limit)
        var outcome = Outcome()
        let pieces = pieces.contains { $0 > 0 } ? pieces : [max(1, stream.count)]
        var start = 0
        var index = 0
        while start < stream.count {
            let end = min(stream.count, start + pieces[index % pieces.count])
            try receive(start..<end, &splitter, &outcome, refusingEvery: interval)
            if outcome.error != nil { return outcome }
            start = end
            index += 1
        }
        do throws(CodecError) {
            try splitter.finish()
        } catch {
            outcome.fail(error)
        }
        // A start mark begins a packet, but is not kept.
        let isKept = splitter.pendingByteCount > 0 || layout.isFramed && outcome.error != nil
        try require(isKept == (outcome.error != nil), "\(splitter.pendingByteCount) bytes are left, but \(outcome)")
        return outcome
    }

    /// Gives a piece to the splitter, and again nothing for as long as the receiver refuses what it is lent.
    private func receive(
        _ piece: Range<Int>, _ splitter: inout PacketSplitter, _ outcome: inout Outcome, refusingEvery interval: Int
    ) throws(Finding) {
        var piece = piece
        var isRefused = true
        while isRefused {
            isRefused = false
            do throws(CodecError) {
                try splitter.receive(stream.span.bytes.extracting(piece)) { packet throws(CodecError) in
                    outcome.packets.append(
                        Part(bytes: [UInt8](copying: packet.bytes), id: packet.id, payloadRange: packet.payloadRange))
                    isRefused = interval > 0 && outcome.packets.count % interval == 0
                    if isRefused { throw CodecError(.invalidHex) }
                }
            } catch {
                if !isRefused { return try fail(error, &splitter, &outcome) }
            }
            piece = piece.upperBound..<piece.upperBound
        }
        let kept = splitter.pendingByteCount
        // Between marks, the whole packet is kept until its end mark comes, and the first byte of an escape after it.
        let most = layout.isFramed ? limit + 2 : max(limit, layout.mostHeaderByteCount)
        try require(kept < most, "\(kept) bytes are kept of a packet of at most \(most)")
    }

    private func fail(
        _ error: CodecError, _ splitter: inout PacketSplitter, _ outcome: inout Outcome
    ) throws(Finding) {
        outcome.fail(error)
        var again: CodecError?
        do throws(CodecError) {
            try splitter.receive(stream.span.bytes) { _ in }
        } catch {
            again = error
        }
        try require(again == error, "after \(error): \(String(describing: again))")
        try require(splitter.pendingByteCount == 0, "\(splitter.pendingByteCount) bytes are kept after \(error)")
    }

    // MARK: One packet

    private func verify(_ part: Part) throws(Finding) {
        do throws(CodecError) {
            let packet = try Packet(part.bytes.span.bytes, layout: layout, limit: limit)
            let again = Part(bytes: part.bytes, id: packet.id, payloadRange: packet.payloadRange)
            guard again == part else { throw CodecError(.invalidHeaderField("\(again)")) }
            try verifyWriting(packet)
        } catch {
            throw Finding("\(part) in a stream, alone \(error)")
        }
    }

    /// What is written for the parts of a packet is the packet again.
    ///
    /// If the ID fields have conditions, an ID may have several forms. The widest is written, and other fields may be there
    /// with it, so such a packet need not be the same.
    private func verifyWriting(_ packet: borrowing Packet) throws(CodecError) {
        let header = try layout.settableHeader(of: packet)
        guard let written = try written(for: packet, header) else { return }
        let other = try Packet(written.rawSpan, layout: layout, limit: limit)
        let isAlike = other.id == packet.id && [UInt8](copying: other.payload) == [UInt8](copying: packet.payload)
        let isSame =
            layout.hasUnseenBytes
            ? try layout.settableHeader(of: other) == header : written == [UInt8](copying: packet.bytes)
        guard isAlike, isSame || layout.hasIDForms else {
            throw CodecError(.invalidHeaderField("written \(Hexadecimal.text(of: written))"))
        }
    }

    /// - Returns: nil if the ID has another form with which the packet cannot be written.
    private func written(for packet: borrowing Packet, _ header: PacketHeader) throws(CodecError) -> [UInt8]? {
        do throws(CodecError) {
            let written = try layout.encode(id: packet.id, header: header, payload: packet.payload, limit: limit)
            return try layout.unframed(written)
        } catch {
            // Its other fields may be missing, or be too long for the limit.
            guard layout.hasIDForms else { throw error }
            return nil
        }
    }
}

extension PacketLayout {
    /// Whether a packet may have bytes that are not looked at, and are written as zeros: those after the NUL of a text, and padding.
    fileprivate var hasUnseenBytes: Bool {
        fields.contains { field in
            if case .text(_, padding: 0) = field.format { true } else { field.role == .padding }
        }
    }

    /// Whether a number may be the ID of packets with different ID fields.
    fileprivate var hasIDForms: Bool { fields.contains { $0.role == .messageID && $0.condition != nil } }

    /// A packet is refused when its header has come: so much can be kept even where the limit is less.
    fileprivate var mostHeaderByteCount: Int {
        header.reduce(0) { sum, field in
            if case .varint(let format) = field.format { return sum + format.maximumByteCount }
            return sum + (field.format.byteCount ?? 0)
        }
    }
}

extension Input {
    /// A layout, and the limit of its protocol; nil for one that cannot work.
    fileprivate mutating func layout() -> (PacketLayout, limit: Int)? {
        let selector = byte()
        guard selector >= 0x80 else {
            let generated = Subject.all[Int(selector) % Subject.all.count].codecs.generated
            return (generated.layout, generated.maximumPacketByteCount)
        }
        let framing = selector & 0x40 == 0 ? nil : framing()
        let headerCount = 1 + Int(selector & 7)
        let trailerCount = Int(selector >> 3 & 3)
        let fields = (0..<headerCount + trailerCount).map { index in
            let format = self.format()
            return PacketField(
                "f\(index)", format, role(of: format), if: selector & 0x20 == 0 ? nil : condition(of: index))
        }
        do throws(CodecError) {
            return (
                try PacketLayout(
                    framing: framing, header: Array(fields[..<headerCount]), trailer: Array(fields[headerCount...])),
                1 << 20
            )
        } catch {
            return nil
        }
    }

    /// Marks that may be the same, and escapes with one or two first bytes; often one that cannot work.
    private mutating func framing() -> PacketFraming {
        let (selector, start, first) = (byte(), byte(), byte())
        let end = selector & 1 == 0 ? start : byte()
        let second = selector & 2 == 0 ? first : byte()
        let bytes = [start, end, first, second].reduce(into: [UInt8]()) { if !$0.contains($1) { $0.append($1) } }
        let escapes = bytes.enumerated().map { index, byte in
            PacketFraming.Escape(byte, as: index & 1 == 0 ? first : second, UInt8(index) &+ selector >> 2)
        }
        return PacketFraming(start: start, end: end, escapes: escapes)
    }

    /// A condition about two fields before one, or about itself if it is the first; often none.
    private mutating func condition(of index: Int) -> WireCondition? {
        let selector = byte()
        guard selector & 0x40 == 0 else { return nil }
        let comparisons = WireCondition.Comparison.allCases
        let first = WireCondition.Operand.field("f\(Int(selector & 7) % max(1, index))")
        let number = Int128(Int8(bitPattern: byte()))
        let comparison = comparisons[Int(selector >> 3 & 7) % comparisons.count]
        let test: WireCondition =
            switch number {
            case 0x7F: .compares(.sender, .equal, 1)
            case 0x7E: .isSet(.nested)
            default: .compares(first, comparison, number)
            }
        guard selector & 0x80 != 0 else { return test }
        let second = WireCondition.isSet(.field("f\(choice(of: max(1, index)))"))
        return number & 1 == 0 ? .or(.not(test), second) : .and(test, .not(second))
    }

    private mutating func format() -> PacketField.Format {
        let selector = byte()
        switch selector & 15 {
        case 10:
            let byteCount = Int(byte() & 31)
            switch selector >> 6 {
            case 0: return .digits(byteCount: byteCount)
            case 1: return .bytes(byteCount: byteCount)
            default: return .text(byteCount: byteCount, padding: selector & 0x20)
            }
        case 11: return .bit
        case 12, 13:
            let format = IntegerFormat(bitWidth: 1 + Int(byte() & 63), isSigned: selector & 16 != 0)
            return .integer(format, selector < 0x80 ? .bigEndian : .littleEndian)
        case 14: return .boolean
        case 15:
            let encodings = VarintFormat.Encoding.allCases
            return .varint(VarintFormat(encodings[Int(byte()) % encodings.count], maximumByteCount: Int(selector >> 4)))
        default:
            let formats = Array(IntegerFormat.allCases)
            return .integer(formats[Int(selector & 15) % formats.count], selector < 0x80 ? .bigEndian : .littleEndian)
        }
    }

    private mutating func role(of format: PacketField.Format) -> PacketField.Role {
        let number = Int(Int8(bitPattern: byte()))
        let selector = byte()
        if let text = text(in: format, number), selector & 3 == 0 {
            return selector & 4 == 0 ? .value(default: .text(text)) : .constant(.text(text))
        }
        if selector & 0xF8 == 0x80 { return .fitting([Int128(number), Int128(byte()), 0]) }
        if selector & 0xF8 == 0x88 { return .padding }
        switch selector & 7 {
        case 0: return .length(of: .packet, plus: number)
        case 1: return .length(of: .payload, plus: number)
        case 2: return .length(of: .rest, plus: number)
        case 3: return .messageID
        case 4: return .constant(.integer(Int128(number)))
        case 5: return .sequence
        case 6:
            let kinds = ChecksumKind.allCases
            let kind = kinds[Int(UInt8(bitPattern: Int8(number)) & 15) % kinds.count]
            switch number & 0x30 {
            case 0: return .checksum(PacketChecksum(kind))
            case 0x10: return .checksum(PacketChecksum(kind, of: .rest))
            default: return .checksum(PacketChecksum(kind, of: .parts(.field("f0"), through: .payload)))
            }
        default: return .value(default: .integer(Int128(number)))
        }
    }

    /// A text that the field can hold; nil for a number, and if it is 0.
    private func text(in format: PacketField.Format, _ number: Int) -> String? {
        guard number != 0 else { return nil }
        switch format {
        case .text(let byteCount, _): return String(repeating: "a", count: min(byteCount, Int(number.magnitude)))
        case .digits(let format): return String(repeating: "\(number.magnitude % 10)", count: 2 * format.byteCount)
        default: return nil
        }
    }
}
