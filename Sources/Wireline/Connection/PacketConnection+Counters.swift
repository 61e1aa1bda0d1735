// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

extension PacketConnection {
    /// What has passed through the connection so far, and what waits in it; also when it has ended.
    public func counters() async -> ConnectionCounters {
        await loop.run { self.currentCounters }
    }

    package var currentCounters: ConnectionCounters {
        var counters = ConnectionCounters()
        counters.receivedByteCount = Int(clamping: stream.receivedByteCount)
        counters.sentByteCount = Int(clamping: stream.sentByteCount)
        counters.receivedPacketCount = receivedPacketCount
        counters.sentPacketCount = stream.writeCount
        counters.pendingByteCount = stream.pendingByteCount
        counters.unreadByteCount = untakenByteCount + unreadByteCount
        counters.waitingSenderCount = senders.count
        counters.unknownIDCount = Int(unknownIDCount)
        counters.refusedPacketCount = Int(refusedPacketCount)
        return counters
    }

    /// Reads the message of a packet that has been taken, wherever the caller runs.
    func message<Definition: PacketProtocol>(
        in packet: ReceivedPacket, from sender: WirelineCodec.Sender
    ) throws(ConnectionError) -> ReceivedMessage<Definition> {
        try ReceivedMessage(packet, from: sender) { message in
            switch message {
            case .unknownID: loop.execute { self.unknownIDCount &+= 1 }
            case .refused: noteRefusedMessage()
            }
        }
    }

    /// Counts a message that is not what the schema says.
    func noteRefusedMessage() {
        loop.execute { self.refusedPacketCount &+= 1 }
    }
}
