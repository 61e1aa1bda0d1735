// SPDX-License-Identifier: Apache-2.0

/// When heartbeats leave, and when a peer that does not answer is held for dead.
public struct HeartbeatPolicy: Equatable, Sendable {
    /// What the interval counts from.
    @nonexhaustive
    public enum Rhythm: Equatable, Sendable {
        /// From heartbeat to heartbeat, whatever else is sent or arrives: for servers that throw out who sends none, as
        /// goim does, even while they talk to it all the time.
        case steady
        /// From the last byte that has arrived, so a connection that is busy sends none.
        case whenQuiet
    }

    /// How long after one heartbeat, or after the last byte, the next one leaves (default 30 s; less than a
    /// millisecond counts as one).
    public var interval: Duration
    /// How long no byte may arrive after a heartbeat was sent, before the connection is given up (default 10 s).
    public var timeout: Duration
    /// What the interval counts from (default ``Rhythm/steady``).
    public var rhythm: Rhythm

    /// Makes a policy; what is left out has its default.
    public init(interval: Duration = .seconds(30), timeout: Duration = .seconds(10), rhythm: Rhythm = .steady) {
        self.interval = interval
        self.timeout = timeout
        self.rhythm = rhythm
    }
}

/// Whether a connection's peer is alive.
///
/// Any byte that arrives is life, answer or not. While bytes wait to be sent and the system takes some of them, judgement
/// is put off: the heartbeat, or its answer, stands behind a large upload on a slow line.
///
/// An answer belongs to the heartbeat of its number, or, where there are no numbers, to the oldest that has none: so a
/// late answer is never taken for an early one of the next. Where several that are not answered have one number, it is the
/// oldest's. A server that leaves many unanswered is not measured until it has answered all of them.
package struct HeartbeatMonitor: Sendable {
    package enum Action: Equatable, Sendable {
        /// The heartbeat of this number, counted from 1, is to be sent.
        case beat(UInt64)
        /// The peer is to be held for dead.
        case giveUp
    }

    private struct Beat {
        let number: UInt64
        let time: Duration
    }

    /// More heartbeats than this do not wait for their answers: the peer does not answer each.
    private var mostUnanswered: Int { Int(min(16, maximumSequence ?? 16)) }

    private let policy: HeartbeatPolicy
    private let maximumSequence: UInt64?
    private var beatCount: UInt64 = 0
    private var unanswered: [Beat] = []
    /// The last one that is known to have been answered.
    private var lastAnswered: UInt64 = 0
    /// How many heartbeats behind `unanswered` wait for their answers, where there are no numbers.
    private var untimedCount: UInt64 = 0
    private var isMeasuring = true
    private var nextBeat: Duration
    private var lastProgress: Duration
    /// When the first heartbeat was sent behind which nothing has arrived.
    private var askedAt: Duration?
    package private(set) var roundTrips = RoundTrips()

    package init(policy: HeartbeatPolicy, maximumSequence: UInt64?, at now: Duration) {
        var policy = policy
        policy.interval = max(.milliseconds(1), policy.interval)
        self.policy = policy
        self.maximumSequence = maximumSequence
        nextBeat = now + policy.interval
        lastProgress = now
    }

    /// When ``timerFired(at:)`` is to be called at the latest.
    package var deadline: Duration {
        guard let judgement else { return nextBeat }
        return min(nextBeat, judgement)
    }

    private var judgement: Duration? {
        askedAt.map { max($0, lastProgress) + policy.timeout }
    }

    /// Bytes have arrived.
    ///
    /// - Parameter isEnough: Whether that does, or something waits for a heartbeat's own answer.
    package mutating func received(at now: Duration, isEnough: Bool = true) {
        askedAt = nil
        if policy.rhythm == .whenQuiet, isEnough { nextBeat = now + policy.interval }
    }

    /// The next heartbeat is due at once.
    package mutating func hurry(at now: Duration) {
        nextBeat = min(nextBeat, now)
    }

    /// The system has taken bytes that waited to be sent.
    package mutating func progressed(at now: Duration) {
        lastProgress = now
    }

    /// A heartbeat was answered.
    ///
    /// - Parameter sequence: The number of the answer, where there are numbers.
    /// - Returns: Which heartbeat surely was; nil where that cannot be said.
    package mutating func answered(sequence: UInt64?, at now: Duration) -> UInt64? {
        received(at: now)
        let place: Int?
        if maximumSequence != nil {
            // Earlier ones are answered late or not at all, and then by their own number.
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

    /// The oldest heartbeat with a number, behind those that are known to have been answered, that has made room for later
    /// ones.
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

    package mutating func timerFired(at now: Duration) -> Action? {
        if let judgement, judgement <= now { return .giveUp }
        guard nextBeat <= now else { return nil }
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

    /// The number of a heartbeat as the sequence field can say it.
    package func sequence(of number: UInt64) -> UInt64? {
        maximumSequence.map { 1 + (number - 1) % $0 }
    }
}
