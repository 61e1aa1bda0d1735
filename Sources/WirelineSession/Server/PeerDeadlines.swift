// SPDX-License-Identifier: Apache-2.0

/// By when a peer must have done its part, or its connection ends: one stage after the other.
///
/// 1. The handshakes of TLS and of a WebSocket must be complete, whether anybody wants something of the peer or not.
/// 2. The first packet must have come whole.
/// 3. Bytes must come again and again.
/// 4. When this side has finished, the peer may still take what is on its way to it, and end.
///
/// In the second and the third stage, time in which nothing is wanted of the peer is not the peer's. The clock runs in one
/// direction, from wherever it likes.
public struct PeerDeadlines: Sendable {
    /// How long each stage may take; nil: as long as it likes.
    public struct Limits: Equatable, Sendable {
        /// Within which time the handshakes must be complete.
        public var handshake: Duration?
        /// Within which time the first whole packet must have come; nil: what holds later holds at once.
        public var firstPacket: Duration?
        /// For how long no byte may come.
        public var silence: Duration?

        /// Makes limits; what is left out has none.
        public init(handshake: Duration? = nil, firstPacket: Duration? = nil, silence: Duration? = nil) {
            self.handshake = handshake
            self.firstPacket = firstPacket
            self.silence = silence
        }
    }

    /// What is known of a peer when its time may be over.
    public struct Signs: Equatable, Sendable {
        /// When bytes last arrived.
        public var lastArrival: Duration
        /// Since when something has been wanted of the peer without a break; nil: nothing is.
        public var wantedSince: Duration?
        /// Whether something that was sent has not left.
        public var hasOutput: Bool

        /// Makes signs.
        public init(lastArrival: Duration, wantedSince: Duration?, hasOutput: Bool = false) {
            self.lastArrival = lastArrival
            self.wantedSince = wantedSince
            self.hasOutput = hasOutput
        }
    }

    /// What follows when the time has come to look.
    @nonexhaustive
    public enum Verdict: Equatable, Sendable {
        /// Nothing: there is another ``PeerDeadlines/deadline``, or none.
        case goOn
        /// The peer has not done its part: the connection fails.
        case tooLate
        /// The connection has finished.
        case close
    }

    private enum Stage: Equatable {
        case handshake
        case firstPacket
        case packets
        /// `isFixed`: it is over by `end` in any case.
        case ending(end: Duration, isFixed: Bool)
    }

    /// For how long a connection that has finished waits for a peer that is silent, and at first for one that is not.
    private static let (silentLingerTime, lingerTime) = (Duration.seconds(2), Duration.seconds(30))

    private let limits: Limits
    private var stage: Stage
    /// Since when the peer has not done what is waited for, as far as is known.
    private var start: Duration

    /// Begins with the first stage, or with a later one where the first is empty.
    ///
    /// - Parameters:
    ///   - limits: How long each stage may take.
    ///   - isShakingHands: Whether there are handshakes to complete.
    ///   - now: The time.
    public init(_ limits: Limits = Limits(), isShakingHands: Bool = false, at now: Duration) {
        self.limits = limits
        start = now
        stage = isShakingHands ? .handshake : limits.firstPacket == nil ? .packets : .firstPacket
    }

    /// Whether ``packetCame(at:)`` changes anything.
    public var isAwaitingFirstPacket: Bool { stage == .firstPacket }

    /// When ``timerFired(at:_:)`` is to be called; nil: never.
    public var deadline: Duration? {
        switch stage {
        case .handshake: limits.handshake.map { start + $0 }
        case .firstPacket: limits.firstPacket.map { start + $0 }
        case .packets: limits.silence.map { start + $0 }
        case .ending(let end, _): min(end, start + Self.silentLingerTime)
        }
    }

    /// The handshakes are complete.
    public mutating func handshakeCompleted(at now: Duration) {
        guard stage == .handshake else { return }
        self = PeerDeadlines(limits, at: now)
    }

    /// A packet has come whole.
    public mutating func packetCame(at now: Duration) {
        guard stage == .firstPacket else { return }
        (stage, start) = (.packets, now)
    }

    /// This side sends nothing more, and wants nothing more.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - timeout: After which time the connection is closed in any case; nil: what is on its way to a peer that takes it
    ///     may take as long as it likes.
    public mutating func finish(at now: Duration, within timeout: Duration?) {
        if case .ending = stage { return }
        (stage, start) = (.ending(end: now + (timeout ?? Self.lingerTime), isFixed: timeout != nil), now)
    }

    /// The time has come to look.
    public mutating func timerFired(at now: Duration, _ signs: Signs) -> Verdict {
        switch stage {
        case .handshake: .tooLate
        case .firstPacket: judge(signs.wantedSince, at: now)
        case .packets: judge(signs.wantedSince.map { max($0, signs.lastArrival) }, at: now)
        case .ending(let end, let isFixed): linger(until: end, isFixed, signs, at: now)
        }
    }

    private mutating func judge(_ silentSince: Duration?, at now: Duration) -> Verdict {
        if let silentSince, silentSince <= start { return .tooLate }
        start = silentSince ?? now
        return .goOn
    }

    private mutating func linger(until end: Duration, _ isFixed: Bool, _ signs: Signs, at now: Duration) -> Verdict {
        // Whoever takes nothing meets the deadline for writing.
        let mayBeDone = isFixed && end <= now || !signs.hasOutput
        let isSilent = signs.lastArrival + Self.silentLingerTime <= now
        if mayBeDone, isSilent || end <= now { return .close }
        start = now
        if !mayBeDone, !isFixed { stage = .ending(end: now + Self.lingerTime, isFixed: false) }
        return .goOn
    }
}
