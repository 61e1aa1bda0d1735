// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineTransport

/// Handlers that return each packet as it came, known or not.
enum Echo {
    typealias Handler = (_ batch: inout PacketBatch) throws -> Void

    /// What returns the packets of a connection.
    static func makeHandler(of connection: PacketConnection) -> Handler {
        { batch in while let packet = try batch.next() { try connection.write(packet: packet.bytes) } }
    }

    // MARK: For load generators

    /// Packets of this ID are counted and not returned, so that taking packets can be measured without sending any.
    private static let countedID: UInt64 = 0x7001
    /// A packet of this ID is answered with what has been counted since the last one: two big-endian `uint64`, of packets
    /// and of the bytes of their payloads.
    private static let countID: UInt64 = 0x7002
    /// The most bytes of a packet that a load generator sends.
    static let benchmarkPacketLimit = 16 << 20

    /// What returns the packets of a connection, but for those with the two IDs of the load generator.
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
                    // Written anew, as by whom it is compared with.
                    try connection.write(id: packet.id, payload: packet.payload)
                }
            }
        }
    }

    private static func bigEndianBytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
