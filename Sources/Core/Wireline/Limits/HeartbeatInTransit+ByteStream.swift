// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension HeartbeatInTransit {
    /// Call it when a heartbeat was written to the stream.
    ///
    /// - Parameter unwrittenByteCount: The earlier bytes that have not even been written to the stream.
    mutating func began(on stream: ByteStream, unwrittenByteCount: Int = 0) {
        // TLS sends a little more. The difference does not matter here.
        began(
            writtenByteCount: stream.sentByteCount + UInt64(stream.pendingByteCount + unwrittenByteCount),
            acknowledgedByteCount: stream.acknowledgedByteCount)
    }

    /// Whether the peer has acknowledged bytes since the last call, up to the heartbeat.
    mutating func noteProgress(on stream: ByteStream) -> Bool {
        // The check asks the system only if the answer can matter.
        isUnderWay && noteProgress(acknowledgedByteCount: stream.acknowledgedByteCount)
    }
}
