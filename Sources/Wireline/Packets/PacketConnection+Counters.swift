// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

extension PacketConnection {
    /// The connection's counters up to now; also available after its end.
    public func counters() async -> ConnectionCounters {
        await loop.run { self.currentCounters }
    }

    package var currentCounters: ConnectionCounters {
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

    /// Decodes the message of a packet that was taken; any thread may call it.
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

    /// Counts a message that does not match the schema.
    func noteRefusedMessage() {
        loop.execute { self.refusedPacketCount &+= 1 }
    }
}
