// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A WebSocket's heartbeat: its timer, and whether the peer answers. Only the connection's loop uses this.
struct WebSocketHeartbeat {
    private var monitor: HeartbeatMonitor?
    private var timer: EventLoop.Timer?
    /// The latest arrival of bytes that was reported to the monitor.
    private var lastHeardArrival = MonotonicTime(nanoseconds: 0)
    /// The progress of an unanswered heartbeat on its way.
    private var inTransit = HeartbeatInTransit()

    var roundTrips: RoundTrips? { monitor?.roundTrips }

    mutating func begin(_ policy: HeartbeatPolicy, at now: MonotonicTime) {
        monitor = HeartbeatMonitor(policy: policy, maximumSequence: .max, at: now.sinceOrigin)
    }

    /// Calls a closure when the next deadline comes. No timer may be set.
    mutating func setTimer(on loop: EventLoop, _ action: @escaping () -> Void) {
        guard let deadline = monitor?.deadline else { return }
        timer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline), action)
    }

    mutating func stop(on loop: EventLoop) { loop.cancel(&timer) }

    /// Reports bytes that were read as a sign of life.
    mutating func received(on loop: EventLoop) {
        monitor?.received(at: loop.now.sinceOrigin)
        inTransit.forget()
    }

    /// Makes the next deadline come at once, and gives the peer little time to answer. No timer may be set.
    mutating func probe(on stream: ByteStream) {
        // Earlier arrivals do not count.
        lastHeardArrival = stream.lastArrival
        monitor?.probe(at: stream.loop.now.sinceOrigin)
    }

    /// Reports a pong as the answer to a heartbeat.
    mutating func answered(_ number: UInt64, at now: Duration) { _ = monitor?.answered(sequence: number, at: now) }

    /// Call it when the timer has fired.
    mutating func forgetTimer() { timer = nil }

    /// Judges the peer, and returns the next action; nil: none.
    ///
    /// - Parameter isAwaitingPeer: Whether the stream reads; otherwise an answer cannot be seen.
    mutating func judgePeer(on stream: ByteStream, isAwaitingPeer: Bool) -> HeartbeatMonitor.Action? {
        let loop = stream.loop
        if !isAwaitingPeer { monitor?.received(at: loop.now.sinceOrigin) }
        // With TLS, part of a record may have arrived, which counts as a sign of life.
        if stream.lastArrival > lastHeardArrival {
            lastHeardArrival = stream.lastArrival
            monitor?.received(at: lastHeardArrival.sinceOrigin)
        }
        if inTransit.noteProgress(on: stream) { monitor?.progressed(at: loop.now.sinceOrigin) }
        // Bytes that arrived since this turn of the loop began have not been read.
        return monitor?.timerFired(at: loop.now.sinceOrigin, heard: loop.turnTime.sinceOrigin)
    }

    mutating func markSent(on stream: ByteStream, unwrittenByteCount: Int) {
        inTransit.began(on: stream, unwrittenByteCount: unwrittenByteCount)
    }
}
