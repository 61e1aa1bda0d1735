// SPDX-License-Identifier: Apache-2.0

/// The timeouts of a peer, stage by stage; the connection fails if the peer misses one.
///
/// 1. The TLS and WebSocket handshakes must complete, even if this side is not waiting for the peer.
/// 2. The first packet must arrive completely.
/// 3. Bytes must keep arriving.
/// 4. After this side has finished, the peer may still read what is on its way to it, and then end.
///
/// In stages 2 and 3, only time during which this side waits for the peer counts. Times are durations since any fixed
/// moment of a monotonic clock.
package struct PeerDeadlines: Sendable {
    /// The time limit of each stage; nil: no limit.
    public struct Limits: Equatable, Sendable {
        /// How long the handshakes may take.
        public var handshake: Duration?
        /// How long the first whole packet may take; nil: the silence limit applies at once.
        public var firstPacket: Duration?
        /// How long the peer may send no byte.
        public var silence: Duration?

        /// Makes limits; those left out are nil.
        public init(handshake: Duration? = nil, firstPacket: Duration? = nil, silence: Duration? = nil) {
            self.handshake = handshake
            self.firstPacket = firstPacket
            self.silence = silence
        }
    }

    /// The state of a peer when a deadline is checked.
    public struct PeerActivity: Equatable, Sendable {
        /// When bytes last arrived.
        public var lastArrival: Duration
        /// Since when this side has waited for the peer without interruption; nil: it does not wait.
        public var wantedSince: Duration?
        /// The number of bytes sent but not acknowledged by the peer, in this program's or the system's buffers.
        /// 0 if the system cannot tell.
        public var undeliveredByteCount: Int

        /// Makes signs.
        public init(lastArrival: Duration, wantedSince: Duration?, undeliveredByteCount: Int = 0) {
            self.lastArrival = lastArrival
            self.wantedSince = wantedSince
            self.undeliveredByteCount = undeliveredByteCount
        }
    }

    /// The result of a deadline check.
    @nonexhaustive
    public enum Verdict: Equatable, Sendable {
        /// Continue: there is another ``PeerDeadlines/deadline``, or none.
        case goOn
        /// The peer has missed its deadline: the connection fails.
        case tooLate
        /// The connection has finished and can be closed.
        case close
    }

    private enum Stage: Equatable {
        case handshake
        case firstPacket
        case packets
        /// Separate memory, because it is the largest part, and most connections are in another stage.
        indirect case ending(Ending)
    }

    private struct Ending: Equatable {
        /// When the linger time ends for a peer that is not silent.
        var end: Duration
        /// Whether the connection closes at `end` in any case.
        let isFixed: Bool
        /// The unacknowledged bytes at the last check.
        var undeliveredByteCount: Int
        /// When a check last saw that the peer had acknowledged bytes.
        var lastAcknowledgement: Duration
        var nextCheck: Duration
    }

    /// The linger time for a silent peer, and the first one for a peer that is not silent.
    private static let (silentLingerTime, lingerTime) = (Duration.seconds(2), Duration.seconds(30))
    /// The interval between two checks for acknowledgements. No event reports them.
    private static let acknowledgementInterval = Duration.milliseconds(250)

    private let limits: Limits
    private var stage: Stage
    /// The time from which the peer has not done its part, as far as is known.
    private var start: Duration

    /// Starts with the first stage that has something to wait for.
    ///
    /// - Parameters:
    ///   - limits: The time limit of each stage.
    ///   - isShakingHands: Whether there are handshakes to complete.
    ///   - now: The current time.
    public init(_ limits: Limits = Limits(), isShakingHands: Bool = false, at now: Duration) {
        self.limits = limits
        start = now
        stage = isShakingHands ? .handshake : limits.firstPacket == nil ? .packets : .firstPacket
    }

    /// Whether ``packetCame(at:)`` has an effect.
    public var isAwaitingFirstPacket: Bool { stage == .firstPacket }

    /// When to call ``timerFired(at:_:)``; nil: never.
    public var deadline: Duration? {
        switch stage {
        case .handshake: limits.handshake.map { start + $0 }
        case .firstPacket: limits.firstPacket.map { start + $0 }
        case .packets: limits.silence.map { start + $0 }
        case .ending(let ending): min(ending.end, ending.nextCheck)
        }
    }

    /// Notes that the handshakes are complete.
    public mutating func handshakeCompleted(at now: Duration) {
        guard stage == .handshake else { return }
        self = PeerDeadlines(limits, at: now)
    }

    /// Notes that a whole packet has arrived.
    public mutating func packetCame(at now: Duration) {
        guard stage == .firstPacket else { return }
        (stage, start) = (.packets, now)
    }

    /// Notes that this side sends nothing more and waits for nothing more.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - timeout: When the connection is closed in any case; nil: a peer that keeps acknowledging bytes has no limit.
    ///   - undeliveredByteCount: The number of bytes sent but not acknowledged by the peer.
    public mutating func finish(at now: Duration, within timeout: Duration?, undeliveredByteCount: Int = 0) {
        if case .ending = stage { return }
        let end = now + (timeout ?? Self.lingerTime)
        let interval = undeliveredByteCount > 0 ? Self.acknowledgementInterval : Self.silentLingerTime
        stage = .ending(
            Ending(
                end: end, isFixed: timeout != nil, undeliveredByteCount: undeliveredByteCount,
                lastAcknowledgement: now, nextCheck: now + interval))
    }

    /// Checks the deadline.
    public mutating func timerFired(at now: Duration, _ signs: PeerActivity) -> Verdict {
        switch stage {
        case .handshake: .tooLate
        case .firstPacket: judge(signs.wantedSince, at: now)
        case .packets: judge(signs.wantedSince.map { max($0, signs.lastArrival) }, at: now)
        case .ending(let ending): linger(ending, signs, at: now)
        }
    }

    private mutating func judge(_ silentSince: Duration?, at now: Duration) -> Verdict {
        if let silentSince, silentSince <= start { return .tooLate }
        start = silentSince ?? now
        return .goOn
    }

    /// Waits for a peer that still acknowledges bytes. The write timeout handles a peer that acknowledges none.
    private mutating func linger(_ ending: Ending, _ signs: PeerActivity, at now: Duration) -> Verdict {
        var ending = ending
        if signs.undeliveredByteCount < ending.undeliveredByteCount { ending.lastAcknowledgement = now }
        ending.undeliveredByteCount = signs.undeliveredByteCount
        let isOver = ending.end <= now
        let mayClose = ending.isFixed && isOver || signs.undeliveredByteCount == 0
        let silenceEnd = max(signs.lastArrival, ending.lastAcknowledgement) + Self.silentLingerTime
        if mayClose, silenceEnd <= now || isOver { return .close }
        if !mayClose, !ending.isFixed { ending.end = now + Self.lingerTime }
        ending.nextCheck = signs.undeliveredByteCount > 0 ? now + Self.acknowledgementInterval : silenceEnd
        stage = .ending(ending)
        return .goOn
    }
}
