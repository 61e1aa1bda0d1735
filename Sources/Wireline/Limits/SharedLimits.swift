// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
package import WirelineSession
import WirelineTransport

/// What a server's connections, or the connections of one log, have in common.
package final class SharedLimits: Sendable {
    /// The least speed of a packet that has begun to arrive; nil: no limit.
    let minimumRate: MinimumRate?
    /// The byte budget of all connections; nil: only each connection's own limits.
    let byteBudget: SharedByteBudget?

    /// The log; nil: none.
    let log: TrafficLog?
    /// This side of the connections.
    let side: WirelineCodec.Sender

    package init(
        minimumRate: MinimumRate? = nil, heldByteLimit: Int? = nil, log: TrafficLog? = nil, side: WirelineCodec.Sender
    ) {
        self.log = log
        self.side = side
        self.minimumRate = minimumRate
        byteBudget = heldByteLimit.map { SharedByteBudget(limit: $0) }
    }
}

/// The state of a connection that waits for the end of a packet, or holds more than the uncounted bytes.
///
/// Most connections have none.
final class PressureState {
    /// The watch on the packet's speed; nil before a packet has begun.
    var rest: RateWatch?
    /// How many packets had been taken when the packet began.
    var packetCount = 0
    /// How many bytes had arrived at the socket at the last check.
    var countedByteCount: UInt64 = 0
    /// The timer for the next check.
    var timer: EventLoop.Timer?
    /// How many bytes the connection has been granted, and whether it waits for more.
    var share = SharedByteBudget.Share()
}
