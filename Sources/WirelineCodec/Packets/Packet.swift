// SPDX-License-Identifier: Apache-2.0

/// One whole packet, borrowed: its bytes, its message ID and the position of its payload.
@frozen
public struct Packet: ~Escapable {
    /// The bytes that contain the packet.
    @usableFromInline let chunk: RawSpan
    /// INVARIANT: `0 <= start <= payloadStart <= payloadEnd <= end <= chunk.byteCount`
    @usableFromInline let start: Int
    @usableFromInline let end: Int
    @usableFromInline let payloadStart: Int
    @usableFromInline let payloadEnd: Int
    /// The message's ID; 0 if the layout has none.
    ///
    /// The bits of the ID fields, zero-extended: −1 in an `int16` field is 65,535 here.
    public let id: UInt64

    @inlinable @inline(__always)
    @_lifetime(copy chunk)
    init(_ chunk: RawSpan, start: Int, end: Int, id: UInt64, payloadStart: Int, payloadEnd: Int) {
        self.chunk = chunk
        self.start = start
        self.end = end
        self.id = id
        self.payloadStart = payloadStart
        self.payloadEnd = payloadEnd
    }

    @inlinable
    @_lifetime(copy chunk)
    package init(_ chunk: RawSpan, _ bounds: PacketBounds, at start: Int) {
        self.init(
            chunk, start: start, end: start &+ bounds.packetByteCount, id: bounds.id,
            payloadStart: start &+ bounds.payloadStart, payloadEnd: start &+ bounds.payloadEnd)
    }

    /// All bytes of the packet, header and trailer included.
    @inlinable
    public var bytes: RawSpan {
        @_lifetime(copy self)
        get {
            // SAFETY: the invariant.
            unsafe chunk.extracting(unchecked: Range(uncheckedBounds: (start, end)))
        }
    }

    /// The message's fields.
    @inlinable @inline(__always)
    public var payload: RawSpan {
        @_lifetime(copy self)
        get {
            // SAFETY: the invariant.
            unsafe chunk.extracting(unchecked: Range(uncheckedBounds: (payloadStart, payloadEnd)))
        }
    }

    /// The position of the message's fields, in bytes from the packet's first.
    @inlinable
    public var payloadRange: Range<Int> { payloadStart - start..<payloadEnd - start }

    /// Returns a reader of the message's fields, whose offsets count from the packet's first byte.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public func makeReader(maximumDepth: Int = 32) -> ByteReader {
        ByteReader(
            bytes, uncheckedStart: payloadStart &- start, end: payloadEnd &- start, maximumDepth: maximumDepth)
    }

    /// Makes a packet of bytes that must be exactly one packet.
    ///
    /// - Parameters:
    ///   - bytes: The packet, from the first byte of its header to the last of its trailer.
    ///   - layout: The fields around the payload.
    ///   - limit: The most bytes that a packet may have (default 1 MiB, as in a schema without options).
    /// - Throws: ``CodecError``: `truncated` if bytes are missing, `trailingBytes` if there are too many, and whatever
    ///   ``PacketSplitter`` refuses.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan, layout: PacketLayout, limit: Int = 1 << 20) throws(CodecError) {
        try self.init(bytes, plan: layout.plan, limit: limit, layout: layout)
    }

    /// - Parameter layout: Evaluated only if the plan is not enough.
    @inlinable @inline(__always)
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, plan: PacketPlan, limit: Int, layout: @autoclosure () -> PacketLayout) throws(CodecError) {
        let byteCount = bytes.byteCount
        // The last comparison is needed: the window can end before the header does.
        if byteCount >= plan.fastByteCount && byteCount <= limit && byteCount <= plan.mostPacketByteCount
            && byteCount >= plan.leastPacketByteCount
        {
            let window = plan.window(in: bytes, packetAt: 0)
            let length = plan.length.value(in: window)
            if length == UInt64(truncatingIfNeeded: byteCount &- plan.lengthToPacket) {
                self.init(
                    bytes, start: 0, end: byteCount, id: plan.messageID.value(in: window),
                    payloadStart: plan.headerByteCount, payloadEnd: byteCount &- plan.trailerByteCount)
                return
            }
        }
        self.init(bytes, try layout().boundsOfOnlyPacket(in: bytes, limit: limit), at: 0)
    }
}

/// The positions of a packet's parts, in bytes from its first.
@usableFromInline
package struct PacketBounds: Equatable, Sendable {
    @usableFromInline package var id: UInt64
    @usableFromInline package var payloadStart: Int
    @usableFromInline package var payloadEnd: Int
    @usableFromInline package var packetByteCount: Int

    @inlinable
    package init(id: UInt64, payloadStart: Int, payloadEnd: Int, packetByteCount: Int) {
        self.id = id
        self.payloadStart = payloadStart
        self.payloadEnd = payloadEnd
        self.packetByteCount = packetByteCount
    }
}
