// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The deadlines of a connection's peer, and the time for which the connection has waited for it. Only the connection's
/// loop uses this.
///
/// `PeerDeadlines` decides the action when a deadline passes.
struct PeerWatch {
    private var deadlines = PeerDeadlines(at: .zero)
    private var timer: EventLoop.Timer?
    /// The start of the last wait, minus the time of earlier waits without input.
    private(set) var waitingSince = MonotonicTime(nanoseconds: 0)
    /// The total time of the waits since the last bytes. It is no `Duration`: each read would convert it, which takes
    /// as long as several packets.
    private var waitedNanoseconds: Int64 = 0

    var isAwaitingFirstPacket: Bool { deadlines.isAwaitingFirstPacket }

    // MARK: Deadlines

    mutating func begin(_ limits: PeerDeadlines.Limits, isShakingHands: Bool, at now: MonotonicTime) {
        deadlines = PeerDeadlines(limits, isShakingHands: isShakingHands, at: now.sinceOrigin)
    }

    mutating func handshakeCompleted(at now: MonotonicTime) { deadlines.handshakeCompleted(at: now.sinceOrigin) }

    mutating func packetCame(at now: MonotonicTime) { deadlines.packetCame(at: now.sinceOrigin) }

    /// Sets the deadline for the connection's end: the peer must read all output, and end its side.
    mutating func finish(at now: MonotonicTime, within timeout: Duration?, undeliveredByteCount: Int) {
        deadlines.finish(at: now.sinceOrigin, within: timeout, undeliveredByteCount: undeliveredByteCount)
    }

    /// Calls a closure at the next deadline, and drops an earlier closure.
    mutating func setTimer(on loop: EventLoop, _ action: @escaping () -> Void) {
        loop.cancel(&timer)
        guard let deadline = deadlines.deadline else { return }
        timer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline), action)
    }

    /// Judges the peer. Call it when the timer has fired.
    mutating func timerFired(at now: MonotonicTime, _ signs: PeerDeadlines.PeerActivity) -> PeerDeadlines.Verdict {
        timer = nil
        return deadlines.timerFired(at: now.sinceOrigin, signs)
    }

    mutating func stop(on loop: EventLoop) { loop.cancel(&timer) }

    // MARK: Waiting

    /// Begins to wait for the peer, after a pause.
    mutating func beginWaiting(at now: MonotonicTime) {
        waitingSince = MonotonicTime(nanoseconds: now.nanoseconds - waitedNanoseconds)
        waitedNanoseconds = 0
    }

    /// Starts the wait again: the time so far does not count for the peer.
    mutating func restartWaiting(at now: MonotonicTime) { waitingSince = now }

    /// Stops waiting. The peer's time is paused: many short waits add up, instead of each starting at zero.
    mutating func stopWaiting(at now: MonotonicTime, lastArrival: MonotonicTime) {
        // Bytes alone are not a first packet.
        let since = isAwaitingFirstPacket ? waitingSince : max(waitingSince, lastArrival)
        waitedNanoseconds = max(0, now.nanoseconds - since.nanoseconds)
    }
}
