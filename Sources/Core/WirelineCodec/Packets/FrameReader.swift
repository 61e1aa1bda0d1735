// SPDX-License-Identifier: Apache-2.0

/// Finds the packets between the marks of a stream, and unescapes them.
///
/// It reads each byte once, wherever the stream is cut. It lends a whole packet without escapes from the received
/// bytes. It puts any other one together in ``content``, which never exceeds the limit of packets.
struct FrameReader: Sendable {
    enum Place: Equatable {
        /// In the bytes that were given.
        case given(Range<Int>)
        /// In ``content``, which ``takeContent()`` takes.
        case content
    }

    private enum State: Equatable {
        /// A start mark must follow.
        case outside
        case inside
        /// An escape has begun; the value is its first byte.
        case escape(UInt8)
    }

    private var state = State.outside
    /// The received part of a packet, unescaped.
    private(set) var content: [UInt8] = []

    /// The number of bytes of an unfinished packet that are kept.
    var byteCount: Int {
        if case .escape = state { content.count + 1 } else { content.count }
    }

    /// Returns whether the stream may not end here: a packet has begun.
    ///
    /// If both marks are the same byte, nothing has begun after a mark: it may be the second one of an empty pair.
    func isInsidePacket(_ framing: PacketFraming) -> Bool {
        state != .outside && (byteCount > 0 || !framing.hasSameMarks)
    }

    mutating func takeContent() -> [UInt8] {
        let taken = content
        content = []
        return taken
    }

    /// Reads bytes from `position` on, up to the end of the next packet.
    ///
    /// - Parameters:
    ///   - position: Moved past the bytes that were read.
    ///   - limit: The most bytes of a packet, unescaped.
    /// - Returns: The packet's place; nil if no packet ended, and all bytes were read.
    /// - Throws: `wrongConstant` for another byte in place of a start mark, `invalidEscape`, and `packetTooLong` as
    ///   soon as more bytes have arrived than a packet may have.
    mutating func nextPacket(
        in bytes: RawSpan, from position: inout Int, _ table: FramingTable, limit: Int
    ) throws(CodecError) -> Place? {
        while position < bytes.byteCount {
            switch state {
            case .outside:
                try requireStart(bytes, position, table.framing)
                position += 1
                state = .inside
            case .escape(let first):
                let second = bytes[position]
                guard let byte = table.byte(for: first, second) else { throw invalidEscape(first, second) }
                try requireRoom(for: 1, limit)
                content.append(byte)
                position += 1
                state = .inside
            case .inside:
                if let place = try readInside(bytes, &position, table, limit) { return place }
            }
        }
        return nil
    }

    private mutating func readInside(
        _ bytes: RawSpan, _ position: inout Int, _ table: FramingTable, _ limit: Int
    ) throws(CodecError) -> Place? {
        let run = position..<table.endOfRun(in: bytes, from: position)
        try requireRoom(for: run.count, limit)
        position = run.upperBound
        let use = position < bytes.byteCount ? table.use(of: bytes[position]) : .keep
        if use == .end {
            position += 1
            guard !run.isEmpty || !content.isEmpty else {
                // The frame is empty. If the marks are the same byte, this one may be the start of a packet.
                if !table.framing.hasSameMarks { state = .outside }
                return nil
            }
            state = .outside
            if content.isEmpty { return .given(run) }
        }
        content.append(bytes.extracting(run))
        switch use {
        case .keep: return nil
        case .end: return .content
        case .start: throw invalidEscape(bytes[position], nil)
        case .escape:
            state = .escape(bytes[position])
            position += 1
            return nil
        }
    }

    // MARK: Errors

    private func requireStart(_ bytes: RawSpan, _ position: Int, _ framing: PacketFraming) throws(CodecError) {
        let byte = bytes[position]
        guard byte != framing.start else { return }
        let rest = bytes.extracting(position..<bytes.byteCount)
        throw CodecError(
            .wrongConstant(value: Int128(byte), expected: Int128(framing.start)), offset: 0,
            path: PacketFraming.path, bytes: [UInt8](copying: rest.extracting(first: 16)),
            misdirectedProtocol: .init(recognising: rest))
    }

    /// Refuses more bytes than a packet may have. The error is the same wherever the stream was cut.
    private func requireRoom(for byteCount: Int, _ limit: Int) throws(CodecError) {
        guard byteCount > limit - content.count else { return }
        let length = Int128(limit) + 1
        throw CodecError(
            .packetTooLong(length: length, packetByteCount: length, limit: limit), offset: 0, path: PacketFraming.path)
    }

    private func invalidEscape(_ first: UInt8, _ second: UInt8?) -> CodecError {
        CodecError(.invalidEscape(first, second), offset: content.count, path: PacketFraming.path)
    }
}

extension PacketFraming {
    static let path = "packet.frame"
}
