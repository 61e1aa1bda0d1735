// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// How far the first heartbeat behind which nothing has arrived has come: as long as it is on its way, behind a large upload
/// for example, the line is slow, and the peer need not be dead.
struct HeartbeatPassage {
    /// How many bytes were written up to that heartbeat; nil where there is none.
    private var end: UInt64?
    private var acknowledgedByteCount: UInt64 = 0

    /// Whether it is on its way, as far as is known.
    var isUnderWay: Bool { end.map { acknowledgedByteCount < $0 } ?? false }

    /// Something has arrived, or nobody looks for an answer.
    mutating func forget() { end = nil }

    /// A heartbeat has been written.
    ///
    /// - Parameters:
    ///   - stream: Where to.
    ///   - unwrittenByteCount: How many bytes in front of it have not even been written.
    mutating func began(on stream: ByteStream, unwrittenByteCount: Int = 0) {
        guard end == nil else { return }
        // With TLS a little more is sent than is written, which is as good as nothing here.
        end = stream.sentByteCount + UInt64(stream.pendingByteCount + unwrittenByteCount)
        acknowledgedByteCount = stream.acknowledgedByteCount ?? .max
    }

    /// Whether the peer has acknowledged bytes since this was last asked, in front of the heartbeat or the heartbeat
    /// itself. What is acknowledged behind it proves nothing, for the peer's system does that alone.
    mutating func hasProgressed(on stream: ByteStream) -> Bool {
        guard let end, acknowledgedByteCount < end, let count = stream.acknowledgedByteCount,
            count > acknowledgedByteCount
        else { return false }
        acknowledgedByteCount = count
        return true
    }
}
