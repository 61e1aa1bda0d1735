// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

extension HeartbeatPassage {
    /// A heartbeat has been written.
    ///
    /// - Parameters:
    ///   - stream: Where to.
    ///   - unwrittenByteCount: How many bytes in front of it have not even been written.
    mutating func began(on stream: ByteStream, unwrittenByteCount: Int = 0) {
        // With TLS a little more is sent than is written, which is as good as nothing here.
        began(
            writtenByteCount: stream.sentByteCount + UInt64(stream.pendingByteCount + unwrittenByteCount),
            acknowledgedByteCount: stream.acknowledgedByteCount)
    }

    /// Whether the peer has acknowledged bytes since this was last asked, up to the heartbeat.
    mutating func hasProgressed(on stream: ByteStream) -> Bool {
        // The system is asked only where that may matter.
        isUnderWay && hasProgressed(acknowledgedByteCount: stream.acknowledgedByteCount)
    }
}
