// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineTransport
package import WirelineWebSocket

/// The limits and the log that a server's connections, or the connections of one log, share.
package final class SharedLimits: Sendable {
    /// The least speed of a packet that has begun to arrive; nil: no limit.
    let minimumRate: MinimumRate?
    /// The least speed at which a peer takes output that waits; nil: no limit.
    let minimumReadingRate: MinimumRate?
    /// The byte budget of all connections; nil: only each connection's own limits.
    let byteBudget: SharedByteBudget?
    /// The memory that zlib may keep for all WebSockets; nil: there are none.
    let compressionBudget: CompressionBudget?

    let log: TrafficLog?
    let side: WirelineCodec.Sender
    /// How long handlers take for each type of message; nil: not measured.
    package let messageTimes: MessageTimes?

    package init(
        minimumRate: MinimumRate? = nil, minimumReadingRate: MinimumRate? = nil, heldByteLimit: Int? = nil,
        compressionBudget: CompressionBudget? = nil, log: TrafficLog? = nil, side: WirelineCodec.Sender,
        messageTimes: MessageTimes? = nil
    ) {
        self.compressionBudget = compressionBudget
        self.messageTimes = messageTimes
        self.log = log
        self.side = side
        self.minimumRate = minimumRate
        self.minimumReadingRate = minimumReadingRate
        byteBudget = heldByteLimit.map { SharedByteBudget(limit: $0) }
    }
}
