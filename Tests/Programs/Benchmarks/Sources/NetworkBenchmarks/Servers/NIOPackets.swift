// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// A packet as a NIO program hands it on.
struct NIOPacket: Sendable {
    var id: UInt16
    var payload: ByteBuffer
}

/// The stream holds something that is no packet.
private struct BadLength: Error {}

extension ByteBuffer {
    mutating func readPacket() throws -> NIOPacket? {
        guard let (length, id) = peekMultipleIntegers(as: (UInt32, UInt16).self) else { return nil }
        guard length >= 6, length <= maximumPacketByteCount else { throw BadLength() }
        guard var packet = readSlice(length: Int(length)) else { return nil }
        packet.moveReaderIndex(forwardBy: 6)
        return NIOPacket(id: id, payload: packet)
    }

    mutating func write(_ packet: NIOPacket) {
        writeMultipleIntegers(UInt32(6 + packet.payload.readableBytes), packet.id)
        writeImmutableBuffer(packet.payload)
    }
}

extension PacketCount {
    /// The reply to a packet; nil for one that has none.
    mutating func reply(to packet: NIOPacket) -> NIOPacket? {
        switch packet.id {
        case Self.countedID:
            add(payloadByteCount: packet.payload.readableBytes)
            return nil
        case Self.countID:
            let count = take()
            var payload = ByteBuffer()
            payload.writeMultipleIntegers(count.packets, count.payloadByteCount)
            return NIOPacket(id: packet.id, payload: payload)
        default:
            return packet
        }
    }
}

extension ServerBootstrap {
    /// As all peers: one thread, replies leave at once.
    static func ofOneThread() -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }
}

extension Channel {
    func announce() {
        announceListening(port: localAddress?.port ?? 0)
    }
}
