// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The heartbeat of a WebSocket, if it has one: its timer, and whether the peer answers.
///
/// Only the connection's loop uses this.
struct WebSocketHeartbeat {
    private var monitor: HeartbeatMonitor?
    private var timer: EventLoop.Timer?
    /// The latest arrival of bytes that the monitor knows of.
    private var lastHeardArrival = MonotonicTime(nanoseconds: 0)
    /// How far an unanswered heartbeat has come.
    private var inTransit = HeartbeatInTransit()

    /// The round-trip times; nil without a heartbeat.
    var roundTrips: RoundTrips? { monitor?.roundTrips }

    /// Begins with the heartbeat.
    mutating func begin(_ policy: HeartbeatPolicy, at now: MonotonicTime) {
        monitor = HeartbeatMonitor(policy: policy, maximumSequence: .max, at: now.sinceOrigin)
    }

    /// Calls a closure when the next deadline comes. No timer may be set.
    mutating func setTimer(on loop: EventLoop, _ action: @escaping () -> Void) {
        guard let deadline = monitor?.deadline else { return }
        timer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline), action)
    }

    /// Sets no more timers.
    mutating func stop(on loop: EventLoop) { loop.cancel(&timer) }

    /// Takes bytes that were read for a sign of life.
    mutating func received(on loop: EventLoop) {
        monitor?.received(at: loop.now.sinceOrigin)
        inTransit.forget()
    }

    /// Makes the next deadline come at once, and gives the peer little time to answer. No timer may be set.
    mutating func probe(on stream: ByteStream) {
        // What has arrived before says nothing.
        lastHeardArrival = stream.lastArrival
        monitor?.probe(at: stream.loop.now.sinceOrigin)
    }

    /// Takes a pong for the answer to a heartbeat.
    mutating func answered(_ number: UInt64, at now: Duration) { _ = monitor?.answered(sequence: number, at: now) }

    /// Forgets the timer, which has fired.
    mutating func forgetTimer() { timer = nil }

    /// Judges the peer, and says what to do now; nil: nothing.
    ///
    /// - Parameter isAwaitingPeer: Whether the stream is read; otherwise an answer cannot be seen.
    mutating func judgePeer(on stream: ByteStream, isAwaitingPeer: Bool) -> HeartbeatMonitor.Action? {
        let loop = stream.loop
        if !isAwaitingPeer { monitor?.received(at: loop.now.sinceOrigin) }
        // With TLS, part of a record may have arrived, which counts as a sign of life.
        if stream.lastArrival > lastHeardArrival {
            lastHeardArrival = stream.lastArrival
            monitor?.received(at: lastHeardArrival.sinceOrigin)
        }
        if inTransit.hasProgressed(on: stream) { monitor?.progressed(at: loop.now.sinceOrigin) }
        // Bytes that arrived since this turn of the loop began have not been read.
        return monitor?.timerFired(at: loop.now.sinceOrigin, heard: loop.turnTime.sinceOrigin)
    }

    /// Stores that a heartbeat was sent.
    mutating func markSent(on stream: ByteStream, unwrittenByteCount: Int) {
        inTransit.began(on: stream, unwrittenByteCount: unwrittenByteCount)
    }
}
