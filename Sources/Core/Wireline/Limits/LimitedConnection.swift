// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A connection whose memory counts together with that of others, and whose peer must not be slow or silent.
///
/// Only the thread of the connection's loop uses this.
protocol LimitedConnection: AnyObject, Sendable {
    var stream: ByteStream { get }
    /// The limits and the log that the connection shares with others.
    var sharedLimits: SharedLimits? { get }
    /// The state of a connection that is slow or holds much; nil for others.
    var slowPeer: SlowPeerState? { get set }

    /// The memory of unread input and of queued output, in bytes.
    var heldByteCount: Int { get }
    /// The memory of packets that are still being sealed, in bytes; 0 for most connections.
    var deferredByteCount: Int { get }
    /// Whether a partial packet or message is buffered.
    var hasBegun: Bool { get }
    /// The missing memory for the partial packet or message, in bytes, if it is known; less than 1 otherwise.
    var missingByteCount: Int { get }
    /// The memory that the content of the next packet may need, in bytes, if it was requested and the packet is not
    /// opened; 0 otherwise.
    var awaitedContentByteCount: Int { get }
    /// A counter that changes with each whole packet or message.
    var receivedPacketCount: Int { get }
    var wantsBytes: Bool { get }

    var peerWatch: PeerWatch { get set }
    /// The start of the current wait for the peer; nil: the connection does not wait.
    var wantedSince: MonotonicTime? { get }

    func resumeSenders()
    func continueWithMemory()
    func end(_ error: ConnectionError)
    /// Closes the connection at once with an error.
    func abort(_ error: ConnectionError)
    /// Closes the connection at once.
    func close()
}

extension LimitedConnection {
    var loop: EventLoop { stream.loop }

    var deferredByteCount: Int { 0 }

    var awaitedContentByteCount: Int { 0 }

    /// The time of the last arrival at the socket. With TLS or a WebSocket the bytes may not contain any data yet.
    var lastArrival: MonotonicTime { stream.lastArrival }
}
