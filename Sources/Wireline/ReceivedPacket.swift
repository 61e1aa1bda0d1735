// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A packet that has arrived, as a slice of what was read with it: nothing has been copied.
///
/// It may be kept and sent to other tasks. While it is, so is the block that it is a part of: at least 128 KiB.
@usableFromInline
package struct ReceivedPacket: Sendable {
    @usableFromInline let block: SharedBlock
    @usableFromInline let start: Int
    @usableFromInline let bounds: PacketBounds

    @inlinable
    init(block: SharedBlock, start: Int, bounds: PacketBounds) {
        self.block = block
        self.start = start
        self.bounds = bounds
    }

    /// The message's ID.
    @inlinable package var id: UInt64 { bounds.id }

    /// How many bytes the packet has, header and trailer included.
    @inlinable package var byteCount: Int { bounds.packetByteCount }

    /// All bytes of the packet.
    @inlinable package var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the packet's bytes lie inside the block, which it holds.
            let span = unsafe RawSpan(_unsafeStart: block.base + start, byteCount: bounds.packetByteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The message's fields.
    @inlinable package var payload: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the payload lies inside the packet.
            let byteCount = bounds.payloadEnd - bounds.payloadStart
            let span = unsafe RawSpan(_unsafeStart: block.base + start + bounds.payloadStart, byteCount: byteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }
}
