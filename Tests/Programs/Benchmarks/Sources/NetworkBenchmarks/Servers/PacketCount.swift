// SPDX-License-Identifier: Apache-2.0

internal import CNetwork

/// What one connection has been sent to count.
struct PacketCount {
    var packets: UInt64 = 0
    var payloadByteCount: UInt64 = 0

    static let countedID = UInt16(network_counted_id)
    static let countID = UInt16(network_count_id)

    mutating func add(payloadByteCount: Int) {
        packets += 1
        self.payloadByteCount += UInt64(payloadByteCount)
    }

    /// What was counted; the next packet is the first one again.
    mutating func take() -> PacketCount {
        defer { self = PacketCount() }
        return self
    }
}

/// The longest packet that every server takes.
let maximumPacketByteCount = 16 << 20
