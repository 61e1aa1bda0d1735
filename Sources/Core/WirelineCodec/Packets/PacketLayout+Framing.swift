// SPDX-License-Identifier: Apache-2.0

extension PacketLayout {
    /// The marks around each packet, and its escapes; nil if packets follow each other directly.
    public var framing: PacketFraming? { framingTable?.framing }

    @inlinable @inline(__always)
    package var isFramed: Bool { storage.isFramed }

    /// Whether something else than a length can tell where packets end: a frame, or the end of a layer's content.
    package var isBounded: Bool { storage.isBounded }

    /// Returns a packet as it stands in a stream: between its marks, escaped.
    ///
    /// Without a frame it is a copy of the packet.
    public func framed(_ packet: RawSpan) -> [UInt8] { framingTable?.framed(packet) ?? [UInt8](copying: packet) }

    /// Returns the same for a packet in an array, which is returned itself without a frame.
    package func framed(_ packet: [UInt8]) -> [UInt8] { framingTable?.framed(packet.rawSpan) ?? packet }

    /// Returns the unescaped packet between the marks of bytes that must be one packet of a stream.
    ///
    /// Without a frame it returns the bytes themselves, without a check that they are a packet.
    ///
    /// - Parameters:
    ///   - bytes: The packet with its marks. Empty marks may stand before it.
    ///   - limit: The most bytes that the packet may have, unescaped.
    /// - Throws: ``CodecError`` as ``PacketSplitter`` throws it, `truncated` if the end mark is missing, and
    ///   `trailingBytes` for bytes after it.
    package func unframed(_ bytes: [UInt8], limit: Int = .max) throws(CodecError) -> [UInt8] {
        isFramed ? try unframed(bytes.rawSpan, limit: limit) : bytes
    }

    package func unframed(_ bytes: RawSpan, limit: Int = .max) throws(CodecError) -> [UInt8] {
        guard let table = framingTable else { return [UInt8](copying: bytes) }
        var frames = FrameReader()
        var position = 0
        let packet: [UInt8]
        switch try frames.nextPacket(in: bytes, from: &position, table, limit: max(0, limit)) {
        case nil: throw CodecError(.truncated(needed: 1, available: 0), offset: frames.byteCount)
        case .given(let range): packet = [UInt8](copying: bytes.extracting(range))
        case .content: packet = frames.takeContent()
        }
        guard position == bytes.byteCount else {
            throw CodecError(.trailingBytes(count: bytes.byteCount - position), offset: packet.count)
        }
        return packet
    }
}
