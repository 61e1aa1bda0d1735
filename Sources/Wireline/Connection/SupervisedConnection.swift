// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// A connection that is looked after together with others: how much it holds, and whether its peer is slow
/// or silent.
///
/// Everything here is for the thread of the connection's loop.
protocol SupervisedConnection: AnyObject, Sendable {
    /// What carries it.
    var stream: ByteStream { get }
    /// What it has in common with others.
    var supervision: Supervision? { get }
    /// What is kept of it where it is slow or holds much.
    var burden: ConnectionBurden? { get set }

    /// How many bytes it holds: of what nobody has taken, and of what waits to be sent.
    var heldByteCount: Int { get }
    /// Whether a packet or a message has begun, as far as no whole one is there.
    var hasBegun: Bool { get }
    /// How many bytes of that have not come, as far as it is known; less than 1 where it is not.
    var missingByteCount: Int { get }
    /// Changes with each packet or message that has come whole.
    var receivedPacketCount: Int { get }
    /// Whether bytes are wanted from the peer.
    var wantsBytes: Bool { get }

    /// By when the peer must have done its part, and when that is looked at.
    var deadlines: PeerDeadlines { get set }
    var peerTimer: EventLoop.Timer? { get set }
    /// When bytes last arrived.
    var lastArrival: MonotonicTime { get }
    /// Since when something has been wanted of the peer without a break; nil: nothing is.
    var wantedSince: MonotonicTime? { get }

    /// Lets those send who wait, as far as there is room.
    func resumeSenders()
    /// Goes on with what had to wait for room.
    func roomChanged()
    /// Ends the connection for a reason.
    func end(_ error: ConnectionError)
    /// Closes the connection at once for a reason.
    func abort(_ error: ConnectionError)
    /// Closes the connection at once.
    func close()
}

extension SupervisedConnection {
    var loop: EventLoop { stream.loop }
}
