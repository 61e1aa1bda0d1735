// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
package import WirelineSession
import WirelineTransport

/// What connections have in common: those of a server, or those that are seen by one log.
package final class Supervision: Sendable {
    /// How slowly the rest of a packet may come; nil: as it likes.
    let minimumRate: MinimumRate?
    /// What all of them may hold; nil: as much as each of them may.
    let heldBytes: HeldBytes?

    /// Who is told of what passes; nil: nobody.
    let log: TrafficLog?
    /// Which end of the connections this is.
    let side: WirelineCodec.Sender

    package init(
        minimumRate: MinimumRate? = nil, heldByteLimit: Int? = nil, log: TrafficLog? = nil, side: WirelineCodec.Sender
    ) {
        self.log = log
        self.side = side
        self.minimumRate = minimumRate
        heldBytes = heldByteLimit.map { HeldBytes(limit: $0) }
    }
}

/// What is kept of a connection that waits for a packet's rest, or holds more than each may: most have none.
final class ConnectionBurden {
    /// Whether the rest comes as fast as it must; nil before one is waited for.
    var rest: RateWatch?
    /// How many packets had been taken when the packet began.
    var packetCount = 0
    /// When the rest is looked at.
    var timer: EventLoop.Timer?
    /// How many bytes the connection has been granted, and whether it waits for more.
    var share = HeldBytes.Share()
}
