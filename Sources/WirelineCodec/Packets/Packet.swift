// SPDX-License-Identifier: Apache-2.0

/// One whole packet, lent: its bytes, its message's ID and where its payload stands.
@frozen
public struct Packet: ~Escapable {
    /// All bytes of the packet, header and trailer included.
    public let bytes: RawSpan
    /// The message's ID; 0 where the layout has none.
    ///
    /// The bits of the ID fields, zero-extended: −1 in an `int16` field is 65,535 here.
    public let id: UInt64
    /// INVARIANT: `0 <= payloadStart <= payloadEnd <= bytes.byteCount`
    @usableFromInline let payloadStart: Int
    @usableFromInline let payloadEnd: Int

    @inlinable @inline(__always)
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, id: UInt64, payloadStart: Int, payloadEnd: Int) {
        self.bytes = bytes
        self.id = id
        self.payloadStart = payloadStart
        self.payloadEnd = payloadEnd
    }

    /// The message's fields.
    @inlinable
    public var payload: RawSpan {
        @_lifetime(copy self)
        get {
            // SAFETY: the invariant.
            unsafe bytes.extracting(unchecked: payloadStart..<payloadEnd)
        }
    }

    /// Where the message's fields stand, in bytes from the packet's first.
    @inlinable
    public var payloadRange: Range<Int> { payloadStart..<payloadEnd }

    /// A reader of the message's fields, whose offsets count from the packet's first byte.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public func makeReader(maximumDepth: Int = 32) -> ByteReader {
        ByteReader(bytes, uncheckedStart: payloadStart, end: payloadEnd, maximumDepth: maximumDepth)
    }

    /// Takes bytes that must be exactly one packet of a layout.
    ///
    /// - Parameter limit: The most bytes that a packet may have (default 1 MiB, as in a schema without options).
    /// - Throws: ``CodecError``: `truncated` when bytes are missing, `lengthMismatch` when there are too many, and
    ///   whatever ``PacketSplitter`` refuses.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan, layout: PacketLayout, limit: Int = 1 << 20) throws(CodecError) {
        try self.init(bytes, plan: layout.plan, limit: limit, layout: layout)
    }

    /// - Parameter layout: Asked for only where the plan does not do.
    @inlinable @inline(__always)
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, plan: PacketPlan, limit: Int, layout: @autoclosure () -> PacketLayout) throws(CodecError) {
        let byteCount = bytes.byteCount
        if byteCount >= plan.fastByteCount && byteCount <= limit
            && plan.length.value(in: bytes, packetAt: 0)
                == UInt64(truncatingIfNeeded: byteCount &- plan.lengthToPacket)
        {
            self.init(
                bytes, id: plan.messageID.value(in: bytes, packetAt: 0), payloadStart: plan.headerByteCount,
                payloadEnd: byteCount &- plan.trailerByteCount)
        } else {
            let bounds = try layout().boundsOfOnlyPacket(in: bytes, limit: limit)
            self.init(bytes, id: bounds.id, payloadStart: bounds.payloadStart, payloadEnd: bounds.payloadEnd)
        }
    }
}

/// Where the parts of a packet stand, in bytes from its first.
@usableFromInline
struct PacketBounds: Sendable {
    @usableFromInline var id: UInt64
    @usableFromInline var payloadStart: Int
    @usableFromInline var payloadEnd: Int
    @usableFromInline var packetByteCount: Int
}
