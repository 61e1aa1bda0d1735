// SPDX-License-Identifier: Apache-2.0

/// The packets that were written to one client in a turn, one after another.
struct WrittenPackets: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ packet: [UInt8]) {
        bytes += packet
        count += 1
    }

    /// Forgets the packets and keeps their memory.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }
}
