// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport

/// Handlers that return each packet unchanged, even those with unknown IDs.
enum Echo {
    typealias Handler = (_ batch: inout PacketBatch) throws -> Void

    static func makeHandler(of connection: PacketConnection) -> Handler {
        let layout = connection.layout
        guard layout.dependsOnContext || layout.isFramed else {
            return { batch in while let packet = try batch.next() { try connection.write(packet: packet.bytes) } }
        }
        guard !layout.hasContent else {
            return { batch in
                while let packet = try batch.next() { try connection.writeAgain(packet) }
            }
        }
        return { batch in
            while let packet = try batch.next() {
                let returned =
                    layout.dependsOnContext
                    ? try layout.packet(returning: packet, in: connection.sentContext, limit: .max)
                    : layout.framed(packet.bytes)
                try connection.write(packet: returned.rawSpan)
            }
        }
    }

    // MARK: For load generators

    /// Packets with this ID are counted and not returned, to measure receiving without sending.
    private static let countedID: UInt64 = 0x7001
    /// A packet with this ID is answered with the counts since the last such packet.
    ///
    /// The answer is two big-endian `uint64`: the number of packets, and the bytes of their payloads.
    private static let countID: UInt64 = 0x7002
    /// The largest packet that a load generator sends, in bytes.
    static let benchmarkPacketLimit = 16 << 20

    /// Returns a handler that also serves ``countedID`` and ``countID``.
    static func makeBenchmarkHandler(of connection: PacketConnection) -> Handler {
        var packetCount: UInt64 = 0
        var payloadByteCount: UInt64 = 0
        return { batch in
            while let packet = try batch.next() {
                switch packet.id {
                case countedID:
                    packetCount += 1
                    payloadByteCount += UInt64(packet.payload.byteCount)
                case countID:
                    let counts = bigEndianBytes(packetCount) + bigEndianBytes(payloadByteCount)
                    try connection.write(id: countID, payload: counts.rawSpan)
                    (packetCount, payloadByteCount) = (0, 0)
                default:
                    // The packet is encoded again, as the servers do that this one is compared with.
                    try connection.write(id: packet.id, payload: packet.payload)
                }
            }
        }
    }

    private static func bigEndianBytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
