// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

extension HeartbeatInTransit {
    /// Records that a heartbeat was written.
    ///
    /// - Parameters:
    ///   - stream: The stream to which it was written.
    ///   - unwrittenByteCount: The number of bytes before it that have not even been written to the stream.
    mutating func began(on stream: ByteStream, unwrittenByteCount: Int = 0) {
        // TLS sends a little more than is written. The difference does not matter here.
        began(
            writtenByteCount: stream.sentByteCount + UInt64(stream.pendingByteCount + unwrittenByteCount),
            acknowledgedByteCount: stream.acknowledgedByteCount)
    }

    /// Returns whether the peer has acknowledged bytes since the last call, up to the heartbeat.
    mutating func hasProgressed(on stream: ByteStream) -> Bool {
        // Asks the system only if the answer can matter.
        isUnderWay && hasProgressed(acknowledgedByteCount: stream.acknowledgedByteCount)
    }
}
