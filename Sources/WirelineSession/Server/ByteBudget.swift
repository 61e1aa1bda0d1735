// SPDX-License-Identifier: Apache-2.0

/// How many bytes all connections of a server may hold together: packets that have not come whole, and what waits to be
/// dealt with or sent.
///
/// A connection asks before it holds more. Where there is no room it waits, and reads nothing; those who wait get room in
/// the order in which they came. When all who hold bytes wait for more, nobody would ever give any back: then the one
/// that holds the most is closed.
///
/// - Complexity: Asking and giving back cost a look-up; choosing whom to close looks at everybody who holds something.
public struct ByteBudget<Holder: Hashable> {
    /// What is to be done.
    @nonexhaustive
    public enum Action {
        /// A connection has the room that it asked for.
        case grant(Holder)
        /// A connection is to be closed, and then ``remove(_:into:)`` to be called for it.
        case close(Holder)
    }

    private struct Share {
        var byteCount = 0
        /// What it waits for.
        var request: Request?
        var isClosing = false
    }

    private struct Request {
        let number: UInt64
        let byteCount: Int
    }

    /// The most bytes that are held at a time.
    public let limit: Int
    /// How many bytes are held.
    public private(set) var byteCount = 0
    private var shares: [Holder: Share] = [:]
    private var waiting: [(number: UInt64, holder: Holder)] = []
    private var waitingHead = 0
    private var requestCount: UInt64 = 0
    /// How many hold bytes and wait for nothing, so that they may give some back; those that are being closed count.
    private var activeCount = 0

    /// Makes a budget of which nothing is used.
    public init(limit: Int) {
        self.limit = limit
    }

    /// How many connections hold bytes or wait for them.
    public var holderCount: Int { shares.count }

    /// How many bytes a connection holds.
    public func byteCount(of holder: Holder) -> Int { shares[holder]?.byteCount ?? 0 }

    /// Whether a connection waits for room.
    public func isWaiting(_ holder: Holder) -> Bool { shares[holder]?.request != nil }

    /// A connection wants to hold more bytes. It has one request at a time.
    ///
    /// Either there is room and it is granted at once, or it comes later as ``Action/grant(_:)``; one that could never
    /// be granted closes the connection.
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

    /// A connection wants to hold more bytes, and does not wait where there is no room: it gets on without, or gives some
    /// back of its own accord. Those who wait come first.
    ///
    /// - Returns: Whether it holds them.
    public mutating func take(_ byteCount: Int, for holder: Holder) -> Bool {
        precondition(byteCount > 0, "a request for nothing")
        var share = shares[holder, default: Share()]
        guard byteCount <= limit - self.byteCount, !share.isClosing, firstWaiting() == nil else { return false }
        if isActive(share) { activeCount -= 1 }
        share.byteCount += byteCount
        self.byteCount += byteCount
        activeCount += 1
        shares[holder] = share
        return true
    }

    /// A connection holds fewer bytes.
    public mutating func release(_ byteCount: Int, by holder: Holder, into actions: inout [Action]) {
        guard var share = shares[holder], 0...share.byteCount ~= byteCount
        else { preconditionFailure("a connection gives back what it does not hold") }
        if isActive(share) { activeCount -= 1 }
        share.byteCount -= byteCount
        self.byteCount -= byteCount
        if isActive(share) { activeCount += 1 }
        shares[holder] = share.byteCount == 0 && share.request == nil && !share.isClosing ? nil : share
        settle(into: &actions)
    }

    /// A connection does not want any more what it waits for.
    public mutating func withdraw(_ holder: Holder, into actions: inout [Action]) {
        guard var share = shares[holder], share.request != nil else { return }
        share.request = nil
        if isActive(share) { activeCount += 1 }
        shares[holder] = share.byteCount == 0 ? nil : share
        settle(into: &actions)
    }

    /// A connection has ended: what it holds is free, and it waits for nothing.
    public mutating func remove(_ holder: Holder, into actions: inout [Action]) {
        guard let share = shares.removeValue(forKey: holder) else { return }
        if isActive(share) { activeCount -= 1 }
        byteCount -= share.byteCount
        settle(into: &actions)
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
        shares[holder] = share
        actions.append(.close(holder))
    }

    /// Grants what there is room for, in order, and closes somebody where that would never go on.
    private mutating func settle(into actions: inout [Action]) {
        while let first = firstWaiting() {
            let (holder, request) = first
            if request.byteCount <= limit - byteCount {
                waitingHead += 1
                byteCount += request.byteCount
                shares[holder]?.byteCount += request.byteCount
                shares[holder]?.request = nil
                if let share = shares[holder], isActive(share) { activeCount += 1 }
                if shares[holder]?.byteCount == 0 { shares[holder] = nil }
                actions.append(.grant(holder))
            } else if activeCount == 0, let largest = largestHolder() {
                close(largest, into: &actions)
            } else {
                return
            }
        }
    }

    /// Who has waited longest and still does.
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
        // Of two that hold the same, the one that came last: so it does not depend on the order of a hash table.
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
