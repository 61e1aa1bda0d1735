// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension PacketConnection: SupervisedConnection {
    var heldByteCount: Int { untakenByteCount + stream.pendingByteCount + (requests?.unreadCost ?? 0) }

    var hasBegun: Bool { untakenByteCount > 0 }

    var missingByteCount: Int { splitter.neededByteCount - untakenByteCount }

    func abort(_ error: ConnectionError) { end(error) }

    func roomChanged() {
        waitingSince = loop.now
        resumeSenders()
        readIfWanted()
    }
}
