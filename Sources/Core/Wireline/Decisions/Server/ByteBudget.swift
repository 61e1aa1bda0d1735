// SPDX-License-Identifier: Apache-2.0

/// The limit on the bytes that all connections of a server hold together.
///
/// It counts partial packets, unread packets and queued output.
///
/// A connection asks before it holds more bytes. If the budget has too few left, the connection waits and reads
/// nothing. Waiting connections are served in order. If every connection that holds bytes waits for more, none would
/// ever release any: then the largest holder is closed.
///
/// A connection that holds bytes but moves none blocks those that wait. So while a request waits, time is divided into
/// rounds of ``roundTime``. When a request has waited for ``patience``, slow holders are closed one by one until it can
/// be granted. A holder is too slow if moving as many bytes as it holds takes more than a minute at the speed of the
/// last round. The one that moved the fewest bytes is closed first. A holder that waits for the budget itself is never
/// too slow, because the server does not read from it.
///
/// - Complexity: Requests and releases take a look-up. Choosing what to close, and each round, visit every holder.
package struct ByteBudget<Holder: Hashable> {
    /// What the caller must do.
    @nonexhaustive
    public enum Action {
        /// The connection's request is granted.
        case grant(Holder)
        /// Close the connection, then call ``remove(_:into:)`` for it.
        case close(Holder)
        /// Call ``measured(_:for:into:)`` for the connection.
        case measure(Holder)
    }

    private struct Share {
        var byteCount = 0
        /// Nil: it does not wait.
        var request: Request?
        var isClosing = false
        /// The value of `requestCount` when this share last grew.
        var growth: UInt64 = 0
        /// The total bytes moved at the last measurement; nil: none was made since the share last grew.
        var movedByteCount: UInt64?
        /// The bytes moved between the last two measurements; nil before the second one.
        var progress: UInt64?

        mutating func grow(by byteCount: Int, at growth: UInt64) {
            self.byteCount += byteCount
            self.growth = growth
            (movedByteCount, progress) = (nil, nil)
        }

        /// Whether moving as many bytes as it holds would take more than a minute at its speed.
        var isTooSlow: Bool {
            guard let progress, byteCount > 0 else { return false }
            return progress < UInt64(byteCount) / ByteBudget.roundsPerMinute
        }
    }

    private struct Request {
        let number: UInt64
        let byteCount: Int
    }

    /// The largest number of bytes held at a time.
    public let limit: Int
    /// The number of bytes held.
    public private(set) var byteCount = 0
    private var shares: [Holder: Share] = [:]
    private var waiting: [(number: UInt64, holder: Holder)] = []
    private var waitingHead = 0
    private var requestCount: UInt64 = 0
    /// Holders that wait for nothing, so that they may release bytes. This includes holders that are being closed.
    private var activeCount = 0
    /// The bytes of the holders that are being closed.
    private var closingByteCount = 0

    /// The values of `requestCount` at the start of the last rounds, newest first.
    private var rounds: [UInt64] = []
    /// Holders whose progress is not known in this round.
    private var unmeasured: Set<Holder> = []
    /// The holders that were too slow at the last measurement, slowest last.
    private var laggards: [(holder: Holder, growth: UInt64)] = []
    /// The newest request for which laggards are closed.
    private var urgentRequest: UInt64 = 0

    /// The length of a round while a request waits: 2.5 s.
    public static var roundTime: Duration { .milliseconds(2_500) }
    /// How long a request waits before slow connections are closed for it: 5 s, plus at most one round.
    public static var patience: Duration { roundTime * patientRounds }
    private static var patientRounds: Int { 2 }
    private static var roundsPerMinute: UInt64 { 24 }

    /// Makes an unused budget.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The number of connections that hold bytes or wait for them.
    public var holderCount: Int { shares.count }

    /// The number of bytes that a connection holds.
    public func byteCount(of holder: Holder) -> Int { shares[holder]?.byteCount ?? 0 }

    /// Whether any connection waits for the budget.
    package var hasWaiting: Bool { waitingHead < waiting.count }

    /// Whether a connection waits for the budget.
    public func isWaiting(_ holder: Holder) -> Bool { shares[holder]?.request != nil }

    /// Asks for more bytes. A connection has one request at a time.
    ///
    /// The request is granted at once if the budget allows it, else later by ``Action/grant(_:)``. A request that could
    /// never be granted closes the connection.
    public mutating func request(_ byteCount: Int, for holder: Holder, into actions: inout [Action]) {
        precondition(byteCount >= 0, "a request for less than nothing")
        var share = shares[holder, default: Share()]
        precondition(share.request == nil, "a connection asks again before it was granted what it has asked for")
        guard !share.isClosing else { return }
        requestCount += 1
        if isActive(share) { activeCount -= 1 }
        share.request = Request(number: requestCount, byteCount: byteCount)
        shares[holder] = share
        waiting.append((requestCount, holder))
        if byteCount > limit - share.byteCount {
            close(holder, into: &actions)
        }
        settle(into: &actions)
    }

    /// Takes more bytes without waiting; fails if they are not free or another connection waits.
    ///
    /// - Returns: Whether the connection holds them now.
    public mutating func take(_ byteCount: Int, for holder: Holder) -> Bool {
        precondition(byteCount > 0, "a request for nothing")
        var share = shares[holder, default: Share()]
        guard byteCount <= limit - self.byteCount, !share.isClosing, firstWaiting() == nil else { return false }
        if isActive(share) { activeCount -= 1 }
        share.grow(by: byteCount, at: requestCount)
        self.byteCount += byteCount
        activeCount += 1
        shares[holder] = share
        return true
    }

    /// Releases bytes that a connection holds.
    public mutating func release(_ byteCount: Int, by holder: Holder, into actions: inout [Action]) {
        guard var share = shares[holder], 0...share.byteCount ~= byteCount
        else { preconditionFailure("a connection gives back what it does not hold") }
        if isActive(share) { activeCount -= 1 }
        share.byteCount -= byteCount
        self.byteCount -= byteCount
        if share.isClosing { closingByteCount -= byteCount }
        if isActive(share) { activeCount += 1 }
        shares[holder] = share.byteCount == 0 && share.request == nil && !share.isClosing ? nil : share
        settle(into: &actions)
    }

    /// Withdraws the request of a connection that waits.
    public mutating func withdraw(_ holder: Holder, into actions: inout [Action]) {
        guard var share = shares[holder], share.request != nil else { return }
        share.request = nil
        if isActive(share) { activeCount += 1 }
        shares[holder] = share.byteCount == 0 ? nil : share
        settle(into: &actions)
    }

    /// Removes a connection that has ended: releases its bytes and withdraws its request.
    public mutating func remove(_ holder: Holder, into actions: inout [Action]) {
        guard let share = shares.removeValue(forKey: holder) else { return }
        if isActive(share) { activeCount -= 1 }
        byteCount -= share.byteCount
        if share.isClosing { closingByteCount -= share.byteCount }
        finishMeasurement(of: holder)
        settle(into: &actions)
    }

    // MARK: Rounds

    /// Begins a round: asks for the progress of each connection that holds bytes and does not wait.
    ///
    /// Call it ``roundTime`` after a connection has begun to wait, and then every ``roundTime`` while it returns true.
    ///
    /// - Returns: Whether another round follows.
    public mutating func beginRound(into actions: inout [Action]) -> Bool {
        rounds = [requestCount] + rounds.prefix(Self.patientRounds)
        guard firstWaiting() != nil else {
            rounds = []
            return false
        }
        unmeasured = Set(shares.filter { isActive($0.value) && !$0.value.isClosing }.keys)
        for holder in unmeasured { actions.append(.measure(holder)) }
        return true
    }

    /// Answers ``Action/measure(_:)`` with the total bytes that the connection has moved, in both directions.
    public mutating func measured(_ movedByteCount: UInt64, for holder: Holder, into actions: inout [Action]) {
        guard unmeasured.contains(holder) else { return }
        if var share = shares[holder] {
            share.progress = share.movedByteCount.map { movedByteCount - min($0, movedByteCount) }
            share.movedByteCount = movedByteCount
            shares[holder] = share
        }
        finishMeasurement(of: holder)
        settle(into: &actions)
    }

    private mutating func finishMeasurement(of holder: Holder) {
        guard unmeasured.remove(holder) != nil, unmeasured.isEmpty else { return }
        urgentRequest = rounds.dropFirst(Self.patientRounds).first ?? 0
        let slow = shares.filter { isActive($0.value) && !$0.value.isClosing && $0.value.isTooSlow }
        laggards = slow.sorted { left, right in
            let (left, right) = (left.value, right.value)
            // If two moved the same, the larger holder is slower; if both are equal, the one that grew last.
            return (right.progress ?? 0, left.byteCount, left.growth)
                < (left.progress ?? 0, right.byteCount, right.growth)
        }.map { ($0.key, $0.value.growth) }
    }

    /// Removes and returns the slowest laggard whose share has not changed since it was measured.
    private mutating func takeLaggard() -> Holder? {
        while let (holder, growth) = laggards.popLast() {
            if let share = shares[holder], share.growth == growth, isActive(share), !share.isClosing { return holder }
        }
        return nil
    }

    private func isActive(_ share: Share) -> Bool {
        share.isClosing || (share.byteCount > 0 && share.request == nil)
    }

    private mutating func close(_ holder: Holder, into actions: inout [Action]) {
        guard var share = shares[holder], !share.isClosing else { return }
        if isActive(share) { activeCount -= 1 }
        share.request = nil
        share.isClosing = true
        activeCount += 1
        closingByteCount += share.byteCount
        shares[holder] = share
        actions.append(.close(holder))
    }

    /// Grants requests in order. Closes a holder if all are stuck, or if a request has waited too long.
    private mutating func settle(into actions: inout [Action]) {
        while let first = firstWaiting() {
            let (holder, request) = first
            if request.byteCount <= limit - byteCount {
                waitingHead += 1
                byteCount += request.byteCount
                shares[holder]?.grow(by: request.byteCount, at: requestCount)
                shares[holder]?.request = nil
                if let share = shares[holder], isActive(share) { activeCount += 1 }
                if shares[holder]?.byteCount == 0 { shares[holder] = nil }
                actions.append(.grant(holder))
            } else if activeCount == 0, let largest = largestHolder() {
                close(largest, into: &actions)
            } else if request.number <= urgentRequest, request.byteCount > limit - byteCount + closingByteCount,
                let laggard = takeLaggard()
            {
                close(laggard, into: &actions)
            } else {
                if rounds.isEmpty { rounds = [requestCount] }
                return
            }
        }
    }

    /// The request that has waited longest; nil: none waits.
    private mutating func firstWaiting() -> (Holder, Request)? {
        if waitingHead > 64, waitingHead > waiting.count / 2 {
            waiting.removeFirst(waitingHead)
            waitingHead = 0
        }
        while waitingHead < waiting.count {
            let (number, holder) = waiting[waitingHead]
            if let request = shares[holder]?.request, request.number == number { return (holder, request) }
            waitingHead += 1
        }
        waiting.removeAll(keepingCapacity: true)
        waitingHead = 0
        return nil
    }

    private func largestHolder() -> Holder? {
        // If two hold the same, the newer request: the result must not depend on the order of a hash table.
        shares.max { left, right in
            let (leftCount, rightCount) = (left.value.byteCount, right.value.byteCount)
            guard leftCount == rightCount else { return leftCount < rightCount }
            return left.value.request?.number ?? 0 < right.value.request?.number ?? 0
        }?.key
    }
}

extension ByteBudget: Sendable where Holder: Sendable {}
extension ByteBudget.Action: Sendable where Holder: Sendable {}
extension ByteBudget.Action: Equatable where Holder: Equatable {}
