// SPDX-License-Identifier: Apache-2.0

/// One whole packet, borrowed: its bytes, its message ID and the position of its payload.
///
/// It has four words, so that functions get it in registers.
@frozen
public struct Packet: ~Escapable {
    /// All bytes of the packet, header and trailer included, but no marks and escapes of a frame.
    public let bytes: RawSpan
    /// The message's ID; 0 if the layout has none.
    ///
    /// The bits of the ID fields, zero-extended: −1 in an `int16` field is 65,535 here.
    public let id: UInt64
    /// The bytes around the payload; together at most as many as the packet has.
    @usableFromInline let frame: PacketFrame

    @inlinable @inline(__always)
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, id: UInt64, _ frame: PacketFrame) {
        self.bytes = bytes
        self.id = id
        self.frame = frame
    }

    /// Makes a packet of all of these bytes, which the caller has checked.
    @inlinable @inline(__always)
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan, _ bounds: PacketBounds) {
        self.init(bytes, id: bounds.id, bounds.frame)
    }

    /// Makes a packet of some of these bytes, which the caller has checked.
    @inlinable @inline(__always)
    @_lifetime(copy chunk)
    package init(_ chunk: RawSpan, _ bounds: PacketBounds, at start: Int) {
        // SAFETY: `0 <= start`, and the packet ends inside the bytes: bounds are made only for whole packets.
        let bytes = unsafe chunk.extracting(
            unchecked: Range(uncheckedBounds: (start, start &+ bounds.packetByteCount)))
        self.init(bytes, id: bounds.id, bounds.frame)
    }

    /// The message's fields.
    @inlinable @inline(__always)
    public var payload: RawSpan {
        @_lifetime(copy self)
        get {
            // SAFETY: header and trailer lie inside the packet.
            unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (payloadStart, payloadEnd)))
        }
    }

    package var bounds: PacketBounds { PacketBounds(id: id, packetByteCount: bytes.byteCount, frame) }

    @inlinable @inline(__always)
    var payloadStart: Int { Int(truncatingIfNeeded: frame.headerByteCount) }

    @inlinable @inline(__always)
    var payloadEnd: Int { bytes.byteCount &- Int(truncatingIfNeeded: frame.trailerByteCount) }

    /// The position of the message's fields, in bytes from the packet's first.
    @inlinable
    public var payloadRange: Range<Int> { payloadStart..<payloadEnd }

    /// Returns a reader of the message's fields, whose offsets count from the packet's first byte.
    ///
    /// In a packet with layers they count from the first byte inside the innermost one.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public func makeReader(maximumDepth: Int = 32) -> ByteReader {
        let base = frame.contentStart
        // SAFETY: layers begin inside the packet, before the payload or with it.
        let content = unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (base, bytes.byteCount)))
        return ByteReader(
            content, uncheckedStart: payloadStart &- base, end: payloadEnd &- base, maximumDepth: maximumDepth)
    }

    /// Whether the payload is a part of a message, or of something else that the schema says is not read (`opaque`).
    ///
    /// Such a packet is an unknown message, whatever its ID is.
    @inlinable
    public var isOpaque: Bool { frame.isOpaque }

    /// The position of the first byte inside the layers, from which offsets in errors count; 0 without layers.
    package var contentStart: Int { frame.contentStart }

    /// Makes a packet of bytes that must be exactly one packet.
    ///
    /// - Parameters:
    ///   - bytes: The packet, from the first byte of its header to the last of its trailer. Of a frame, these are the
    ///     bytes between its marks, without escapes.
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
                self.init(bytes, id: plan.messageID.value(in: window), plan.frame)
                return
            }
        }
        self.init(bytes, try layout().boundsOfOnlyPacket(in: bytes, limit: limit), at: 0)
    }
}

/// The numbers of bytes before and after a payload, and the packet's layout.
///
/// Each number is at most ``PacketLayout/maximumHeaderByteCount``.
///
/// It fits in one word, so that a packet stays in registers.
@frozen
@usableFromInline
package struct PacketFrame: Equatable, Sendable {
    @usableFromInline let headerByteCount: UInt16
    /// The position of the layout among those of a layout that depends on the context.
    @usableFromInline let variant: UInt16
    @usableFromInline let trailerByteCount: UInt16
    /// Where the content of layers begins, at most at the end of the header; the highest bit says that it is opaque.
    @usableFromInline let content: UInt16

    @inlinable @inline(__always)
    init(headerByteCount: Int, trailerByteCount: Int, variant: UInt16) {
        self.headerByteCount = UInt16(truncatingIfNeeded: headerByteCount)
        self.variant = variant
        self.trailerByteCount = UInt16(truncatingIfNeeded: trailerByteCount)
        content = 0
    }

    /// - Parameter contentStart: At most the header's byte count.
    init(headerByteCount: Int, trailerByteCount: Int, variant: Int, contentStart: Int, isOpaque: Bool) {
        self.headerByteCount = UInt16(truncatingIfNeeded: headerByteCount)
        self.variant = UInt16(truncatingIfNeeded: variant)
        self.trailerByteCount = UInt16(truncatingIfNeeded: trailerByteCount)
        content = UInt16(truncatingIfNeeded: contentStart) | (isOpaque ? 0x8000 : 0)
    }

    @inlinable @inline(__always)
    var contentStart: Int { Int(truncatingIfNeeded: content & 0x7FFF) }

    @inlinable
    var isOpaque: Bool { content & 0x8000 != 0 }
}

extension PacketPlan {
    /// The bytes around each payload, in a header of fixed width.
    @inlinable @inline(__always)
    var frame: PacketFrame {
        PacketFrame(headerByteCount: headerByteCount, trailerByteCount: trailerByteCount, variant: variant)
    }
}

/// The positions of a whole packet's parts, in bytes from its first.
@frozen
@usableFromInline
package struct PacketBounds: Equatable, Sendable {
    @usableFromInline package var id: UInt64
    @usableFromInline package let packetByteCount: Int
    @usableFromInline let frame: PacketFrame

    @inlinable @inline(__always)
    init(id: UInt64, packetByteCount: Int, _ frame: PacketFrame) {
        self.id = id
        self.packetByteCount = packetByteCount
        self.frame = frame
    }

    @inlinable package var variant: UInt16 { frame.variant }

    package static var none: PacketBounds {
        PacketBounds(id: 0, packetByteCount: 0, PacketFrame(headerByteCount: 0, trailerByteCount: 0, variant: 0))
    }

    package var payloadStart: Int { Int(truncatingIfNeeded: frame.headerByteCount) }
    package var payloadEnd: Int { packetByteCount - Int(truncatingIfNeeded: frame.trailerByteCount) }
}
