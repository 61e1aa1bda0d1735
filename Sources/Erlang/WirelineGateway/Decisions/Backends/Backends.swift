// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The backends that may get clients. Each has a number of clients of this gateway, and of open offers.
///
/// - Complexity: Backends with a place are sorted, so a choice usually looks at one. A change moves one of them.
package struct Backends {
    /// The most open offers of a process. So its mailbox stays short, and others get the other clients.
    package static let offerLimit = 64

    private struct Backend {
        /// Its position in the order of arrival.
        var arrival: UInt64
        /// How often it is a member of the group. With 0, it keeps its clients but gets no more.
        var membershipCount: Int
        var clientCount = 0
        var offerCount = 0
        /// Whether an offer ran out after its last answer.
        var isLate = false

        /// Its rank for the next offer; nil if it may not get one.
        var rank: Rank? {
            guard membershipCount > 0, offerCount < Backends.offerLimit else { return nil }
            return Rank(isLate: isLate, clientCount: clientCount + offerCount, arrival: arrival)
        }

        var isUnused: Bool { membershipCount == 0 && clientCount == 0 && offerCount == 0 }
    }

    /// The order of offers: first backends that answer, then those with few clients, then those that came early.
    private struct Rank: Comparable {
        let isLate: Bool
        let clientCount: Int
        let arrival: UInt64

        static func < (left: Rank, right: Rank) -> Bool {
            guard left.isLate == right.isLate else { return right.isLate }
            return (left.clientCount, left.arrival) < (right.clientCount, right.arrival)
        }
    }

    private var backends: [ErlangDestination: Backend] = [:]
    /// Backends with a place, in the order of their ranks.
    private var ranking: [(rank: Rank, backend: ErlangDestination)] = []
    private var lastArrival: UInt64 = 0
    /// Counts the times at which a process may have got a place. Until it changes, a client that found none need not
    /// search.
    package private(set) var placeChangeCount: UInt64 = 0

    package init() {}

    /// The number of backends that are members.
    package var count: Int { backends.values.count { $0.membershipCount > 0 } }

    /// Whether a backend can get another offer.
    package var hasPlace: Bool { !ranking.isEmpty }

    /// Whether it is a member.
    package func contains(_ backend: ErlangDestination) -> Bool { (backends[backend]?.membershipCount ?? 0) > 0 }

    /// A backend's load from this gateway.
    package struct Load {
        package var clientCount = 0
        /// Offers without an answer.
        package var offerCount = 0
    }

    /// The loads of all backends: of the busiest ones, `limit` at most, and the sum of the others; nil: there are no
    /// others.
    package func loads(limit: Int) -> (busiest: [(backend: ErlangDestination, load: Load)], others: Load?) {
        let sorted = backends.sorted {
            let (left, right) = ($0.value, $1.value)
            return (right.clientCount + right.offerCount, left.arrival)
                < (left.clientCount + left.offerCount, right.arrival)
        }
        var others = Load()
        for (_, backend) in sorted.dropFirst(limit) {
            others.clientCount += backend.clientCount
            others.offerCount += backend.offerCount
        }
        let busiest = sorted.prefix(limit).map { backend, known in
            (backend, Load(clientCount: known.clientCount, offerCount: known.offerCount))
        }
        return (busiest, sorted.count > limit ? others : nil)
    }

    // MARK: Coming and going

    /// Adds a membership.
    ///
    /// - Returns: Whether it is the first one of the process.
    package mutating func joined(_ backend: ErlangDestination) -> Bool {
        let isNew = !contains(backend)
        if isNew { lastArrival += 1 }
        let arrival = lastArrival
        if backends[backend] == nil { backends[backend] = Backend(arrival: arrival, membershipCount: 0) }
        change(backend) {
            if isNew { $0.arrival = arrival }
            $0.membershipCount += 1
        }
        return isNew
    }

    /// Removes a membership. The process may still answer its offers.
    ///
    /// - Returns: Whether it was the last one of the process.
    package mutating func left(_ backend: ErlangDestination) -> Bool {
        guard contains(backend) else { return false }
        change(backend) { $0.membershipCount -= 1 }
        return !contains(backend)
    }

    package mutating func ended(_ backend: ErlangDestination) {
        change(backend) { known in
            known.membershipCount = 0
            known.offerCount = 0
        }
    }

    // MARK: Asking

    /// Chooses the backend for an offer: in time before late, then the one with the fewest clients, then the earliest
    /// one.
    ///
    /// - Parameters:
    ///   - isWanted: Whether a process may be asked. A process that has the offer already may not.
    ///   - excluded: The backends that gave the client back. Only if there is no other, one of them is chosen: the one
    ///     that gave it back first.
    ///   - pressure: Knows slow nodes. Their processes are not chosen.
    package func choice(
        where isWanted: (ErlangDestination) -> Bool = { _ in true }, except excluded: [ErlangDestination] = [],
        avoiding pressure: NodePressure? = nil
    ) -> ErlangDestination? {
        var last: Int?
        for (_, backend) in ranking where isWanted(backend) {
            if let pressure, let node = backend.node, pressure.isSlow(node) { continue }
            guard let place = excluded.firstIndex(of: backend) else { return backend }
            last = min(place, last ?? place)
        }
        return last.map { excluded[$0] }
    }

    /// Processes of a node may be asked again, because its queue is shorter.
    package mutating func placesMayBeNew() { placeChangeCount += 1 }

    package mutating func asked(_ backend: ErlangDestination) { change(backend) { $0.offerCount += 1 } }

    package mutating func answered(_ backend: ErlangDestination) {
        change(backend) { known in
            known.offerCount -= 1
            known.isLate = false
        }
    }

    /// A client has ended before the process answered.
    package mutating func withdrew(from backend: ErlangDestination) { change(backend) { $0.offerCount -= 1 } }

    /// A process has not answered in time. It is asked last until it answers.
    ///
    /// - Returns: Whether it was in time before.
    @discardableResult
    package mutating func ranOut(_ backend: ErlangDestination) -> Bool {
        let isNew = backends[backend]?.isLate == false
        change(backend) { $0.isLate = true }
        return isNew
    }

    // MARK: Owning

    /// Does nothing for an unknown backend.
    package mutating func tookClient(_ backend: ErlangDestination) { change(backend) { $0.clientCount += 1 } }

    package mutating func lostClient(_ backend: ErlangDestination) { change(backend) { $0.clientCount -= 1 } }

    private mutating func change(_ backend: ErlangDestination, _ body: (inout Backend) -> Void) {
        guard let index = backends.index(forKey: backend) else { return }
        let before = backends.values[index].rank
        body(&backends.values[index])
        let after = backends.values[index].rank
        if backends.values[index].isUnused { backends.remove(at: index) }
        guard before != after else { return }
        if let before { ranking.remove(at: position(of: before)) } else { placeChangeCount += 1 }
        if let after { ranking.insert((after, backend), at: position(of: after)) }
    }

    /// The position of a rank in ``ranking``, or the one where it belongs.
    private func position(of rank: Rank) -> Int {
        var (low, high) = (0, ranking.count)
        while low < high {
            let middle = (low + high) / 2
            if ranking[middle].rank < rank { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
