// SPDX-License-Identifier: Apache-2.0

/// When heartbeats are sent, and when a silent peer times out.
public struct HeartbeatPolicy: Equatable, Sendable {
    /// The start of the interval.
    @nonexhaustive
    public enum Rhythm: Equatable, Sendable {
        /// From heartbeat to heartbeat, whatever else is sent or arrives.
        /// For servers such as goim, which close clients that send no heartbeats, even while they send to them.
        case steady
        /// From the last byte that arrived, so a busy connection sends no heartbeats.
        case whenQuiet
    }

    /// The time from a heartbeat, or from the last byte, to the next heartbeat (default 30 s; at least 1 ms).
    public var interval: Duration
    /// How long no byte may arrive after a heartbeat before the connection fails (default 10 s).
    public var timeout: Duration
    /// The start of the interval (default ``Rhythm/steady``).
    public var rhythm: Rhythm
    /// As ``timeout``, for the heartbeat that ``PacketSession/hurry()`` sends (default 3 s; the shorter one applies).
    public var probeTimeout: Duration

    /// Makes a policy; values left out have their default.
    public init(
        interval: Duration = .seconds(30), timeout: Duration = .seconds(10), rhythm: Rhythm = .steady,
        probeTimeout: Duration = .seconds(3)
    ) {
        self.interval = interval
        self.timeout = timeout
        self.rhythm = rhythm
        self.probeTimeout = probeTimeout
    }
}

/// Detects whether the peer of a connection is alive.
///
/// Any byte that arrives shows life, answer or not. While the system still takes queued bytes, the timeout is put off:
/// the heartbeat or its answer may wait after a large upload on a slow line.
///
/// An answer belongs to the heartbeat of its number. Without numbers it belongs to the oldest unanswered heartbeat, so
/// a late answer is never taken for an early one to the next. If several unanswered heartbeats have one number, the
/// answer belongs to the oldest. Round trips to a server that leaves many unanswered are not measured until it has
/// answered all of them.
package struct HeartbeatMonitor: Sendable {
    package enum Action: Equatable, Sendable {
        /// Send the heartbeat of this number, counted from 1.
        case beat(UInt64)
        /// The peer has timed out.
        case giveUp
    }

    private struct Beat {
        let number: UInt64
        let time: Duration
    }

    /// The largest number of heartbeats that wait for answers; beyond it the peer does not answer each one.
    private var mostUnanswered: Int { Int(min(16, maximumSequence ?? 16)) }

    private let policy: HeartbeatPolicy
    private let maximumSequence: UInt64?
    private var beatCount: UInt64 = 0
    private var unanswered: [Beat] = []
    /// The number of the last heartbeat that is known to have been answered.
    private var lastAnswered: UInt64 = 0
    /// Without numbers: the count of heartbeats after those in `unanswered` that wait for answers.
    private var untimedCount: UInt64 = 0
    private var isMeasuring = true
    private var nextBeat: Duration
    private var lastProgress: Duration
    /// The time of the first heartbeat since the last arrival; nil: none since then.
    private var askedAt: Duration?
    /// When the program asked whether the peer is alive; nil if bytes have arrived since.
    private var probedAt: Duration?
    package private(set) var roundTrips = RoundTrips()

    package init(policy: HeartbeatPolicy, maximumSequence: UInt64?, at now: Duration) {
        var policy = policy
        policy.interval = max(.milliseconds(1), policy.interval)
        self.policy = policy
        self.maximumSequence = maximumSequence
        nextBeat = now + policy.interval
        lastProgress = now
    }

    /// When to call ``timerFired(at:)`` at the latest.
    package var deadline: Duration {
        guard let judgement else { return nextBeat }
        return min(nextBeat, judgement)
    }

    private var judgement: Duration? {
        guard let askedAt else { return nil }
        let regular = max(askedAt, lastProgress) + policy.timeout
        guard let probedAt else { return regular }
        return min(regular, max(probedAt, lastProgress) + policy.probeTimeout)
    }

    /// Bytes have arrived.
    ///
    /// - Parameter isEnough: Whether they put off the next heartbeat; false if a message waits for a heartbeat's
    ///   answer.
    package mutating func received(at now: Duration, isEnough: Bool = true) {
        (askedAt, probedAt) = (nil, nil)
        if policy.rhythm == .whenQuiet, isEnough { nextBeat = now + policy.interval }
    }

    /// Makes the next heartbeat due at once.
    package mutating func hurry(at now: Duration) {
        nextBeat = min(nextBeat, now)
    }

    /// Asks at once whether the peer is alive, unless such a question is open.
    package mutating func probe(at now: Duration) {
        guard probedAt == nil else { return }
        probedAt = now
        hurry(at: now)
    }

    /// The system has taken queued bytes.
    package mutating func progressed(at now: Duration) {
        lastProgress = now
    }

    /// A heartbeat was answered.
    ///
    /// - Parameter sequence: The number of the answer; nil if there are no numbers.
    /// - Returns: The heartbeat that was certainly answered; nil if that is unknown.
    package mutating func answered(sequence: UInt64?, at now: Duration) -> UInt64? {
        received(at: now)
        let place: Int?
        if maximumSequence != nil {
            // Earlier heartbeats are answered late or never, and then by their own number.
            place = unanswered.firstIndex { self.sequence(of: $0.number) == sequence }
        } else {
            place = unanswered.isEmpty ? nil : 0
        }
        if let sequence, let forgotten = forgottenBeat(sequence) {
            lastAnswered = forgotten
            return forgotten
        }
        guard let place else { return answeredUntimed() }
        let beat = unanswered.remove(at: place)
        lastAnswered = max(lastAnswered, beat.number)
        if isMeasuring { roundTrips.add(now - beat.time) }
        startMeasuringIfAllAnswered()
        return beat.number
    }

    /// The oldest heartbeat with this number that was dropped from `unanswered` before its answer came.
    private func forgottenBeat(_ sequence: UInt64) -> UInt64? {
        guard let maximumSequence, 1...maximumSequence ~= sequence else { return nil }
        let (place, start) = (sequence - 1, lastAnswered % maximumSequence)
        let distance = place >= start ? place - start : maximumSequence - (start - place)
        guard distance < beatCount - lastAnswered else { return nil }
        let number = lastAnswered + 1 + distance
        return number < unanswered.first?.number ?? .max ? number : nil
    }

    private mutating func answeredUntimed() -> UInt64? {
        guard untimedCount > 0 else { return nil }
        let number = beatCount - untimedCount + 1
        untimedCount -= 1
        startMeasuringIfAllAnswered()
        return number
    }

    private mutating func startMeasuringIfAllAnswered() {
        if unanswered.isEmpty, untimedCount == 0 { isMeasuring = true }
    }

    /// Checks the timeout, and returns the heartbeat that is due.
    ///
    /// - Parameters:
    ///   - now: The current time; the next interval starts here.
    ///   - heard: The time up to which all arrivals are known (default: now). A program that blocks its loop reads
    /// late.
    ///     Without this, it would take its own delay for the peer's silence.
    package mutating func timerFired(at now: Duration, heard: Duration? = nil) -> Action? {
        let heard = min(heard ?? now, now)
        if let judgement, judgement <= heard { return .giveUp }
        guard nextBeat <= heard else { return nil }
        nextBeat = now + policy.interval
        beatCount += 1
        if askedAt == nil { askedAt = now }
        note(Beat(number: beatCount, time: now))
        return .beat(beatCount)
    }

    private mutating func note(_ beat: Beat) {
        if maximumSequence != nil {
            unanswered.append(beat)
            if unanswered.count > mostUnanswered { unanswered.removeFirst() }
        } else if untimedCount == 0, unanswered.count < mostUnanswered {
            unanswered.append(beat)
        } else {
            untimedCount += 1
            isMeasuring = false
        }
    }

    /// The number in the sequence field.
    package func sequence(of number: UInt64) -> UInt64? {
        maximumSequence.map { 1 + (number - 1) % $0 }
    }
}
