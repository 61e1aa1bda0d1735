// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// A packet that has arrived, as a slice of what was read with it: nothing has been copied.
///
/// It may be kept and sent to other tasks. While it is, so is the block that it is a part of: at least 128 KiB.
package struct ReceivedPacket: Sendable {
    let block: SharedBlock
    let start: Int
    let bounds: PacketBounds

    /// The message's ID.
    package var id: UInt64 { bounds.id }

    /// How many bytes the packet has, header and trailer included.
    package var byteCount: Int { bounds.packetByteCount }

    /// All bytes of the packet.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the packet's bytes lie inside the block, which it holds.
            let span = unsafe RawSpan(_unsafeStart: block.base + start, byteCount: bounds.packetByteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The message's fields.
    package var payload: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the payload lies inside the packet.
            let byteCount = bounds.payloadEnd - bounds.payloadStart
            let span = unsafe RawSpan(_unsafeStart: block.base + start + bounds.payloadStart, byteCount: byteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }
}
