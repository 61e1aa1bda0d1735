// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension PacketConnection: LimitedConnection {
    /// The memory that the connection holds, not the number of bytes in that memory.
    var heldByteCount: Int {
        let byteCount = input.capacity + stream.heldByteCount + unreadCost
        guard let layeredTraffic else { return byteCount }
        return byteCount + layeredTraffic.deferred.heldByteCount + (layeredTraffic.sent?.waitingByteCount ?? 0)
    }

    private var unreadCost: Int {
        guard let requests else { return 0 }
        return requests.unreadCost + requests.readers.unreadCost
    }

    var hasBegun: Bool { input.byteCount > 0 }

    var missingByteCount: Int { input.missingByteCount }

    var receivedPacketCount: Int { input.packetCount }

    func abort(_ error: ConnectionError) {
        // The input may have ended before.
        if !ending.isLeaving { ending.fail(error) }
        end(error)
    }

    func continueWithMemory() {
        peerWatch.restartWaiting(at: loop.now)
        resumeSenders()
        readIfWanted()
    }
}
