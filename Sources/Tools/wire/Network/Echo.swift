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

    /// The server counts packets with this ID and does not return them, to measure receiving without sending.
    private static let countedID: UInt64 = 0x7001
    /// The server answers a packet with this ID with its counts since the last such packet.
    ///
    /// The answer is two big-endian `uint64`: the number of packets, and the bytes of their payloads.
    private static let countID: UInt64 = 0x7002
    /// The largest packet that a load generator sends, in bytes.
    static let benchmarkPacketLimit = 16 << 20

    /// Returns a handler that also serves the two IDs of the load generator.
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
                    // Written again as a new packet, as the compared servers do.
                    try connection.write(id: packet.id, payload: packet.payload)
                }
            }
        }
    }

    private static func bigEndianBytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
