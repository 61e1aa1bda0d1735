// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// A connection whose memory is counted together with that of others, and whose peer must not be slow or silent.
///
/// Only the thread of the connection's loop uses this.
protocol LimitedConnection: AnyObject, Sendable {
    /// The stream that carries it.
    var stream: ByteStream { get }
    /// The limits and the log that it shares with others.
    var sharedLimits: SharedLimits? { get }
    /// Its state if it is slow or holds much; nil otherwise.
    var pressure: PressureState? { get set }

    /// The memory that it holds, in bytes: for unread input and for queued output.
    var heldByteCount: Int { get }
    /// The memory of what is not written to the stream yet, because it is still being sealed; 0 for most.
    var lateByteCount: Int { get }
    /// Whether a partial packet or message is buffered.
    var hasBegun: Bool { get }
    /// The number of bytes of it that there is no memory for yet, as far as it is known; less than 1 if it is not.
    var missingByteCount: Int { get }
    /// A counter that changes with each whole packet or message.
    var receivedPacketCount: Int { get }
    /// Whether bytes are wanted from the peer.
    var wantsBytes: Bool { get }

    /// The peer's deadlines, and the timer that checks them.
    var peerWatch: PeerWatch { get set }
    /// Since when the connection has waited for the peer without a break; nil: it does not wait.
    var wantedSince: MonotonicTime? { get }

    /// Sends what waits, as far as the limits allow.
    func resumeSenders()
    /// Continues what had to wait for memory.
    func continueWithMemory()
    /// Ends the connection with an error.
    func end(_ error: ConnectionError)
    /// Closes the connection at once with an error.
    func abort(_ error: ConnectionError)
    /// Closes the connection at once.
    func close()
}

extension LimitedConnection {
    var loop: EventLoop { stream.loop }

    var lateByteCount: Int { 0 }

    /// When bytes last arrived at the socket. With TLS or a WebSocket they may not contain any data yet.
    var lastArrival: MonotonicTime { stream.lastArrival }
}
