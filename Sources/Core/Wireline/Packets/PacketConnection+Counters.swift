// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

extension PacketConnection {
    /// The connection's counters up to now; also available after its end.
    public func counters() async -> ConnectionCounters {
        await loop.run { self.currentCounters }
    }

    package var currentCounters: ConnectionCounters {
        loop.note(.connectionCounted)
        var counters = ConnectionCounters()
        counters.receivedByteCount = Int(clamping: stream.receivedByteCount)
        counters.sentByteCount = Int(clamping: stream.sentByteCount)
        counters.receivedPacketCount = input.packetCount
        counters.sentPacketCount = stream.writeCount
        counters.pendingByteCount = stream.pendingByteCount
        counters.unreadByteCount = input.byteCount + unreadByteCount
        counters.waitingSenderCount = senders.count
        counters.unknownIDCount = Int(unknownIDCount)
        counters.refusedPacketCount = Int(refusedPacketCount)
        return counters
    }

    /// Counts a message whose ID the schema does not know. Any thread may call it.
    @usableFromInline @inline(never)
    func noteUnknownID() {
        loop.execute { self.unknownIDCount &+= 1 }
    }

    /// Counts a message that does not match the schema, and returns the error to throw. Any thread may call it.
    @usableFromInline @inline(never)
    func refusedMessage(_ error: CodecError) -> ConnectionError {
        loop.execute { self.refusedPacketCount &+= 1 }
        return .codec(error)
    }
}
