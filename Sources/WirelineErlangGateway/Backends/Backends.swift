// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// The processes that may be asked to own clients. For each one: how many clients of this gateway it has, and how many
/// offers it has not answered.
///
/// - Complexity: Processes that have a place are sorted, so a choice usually looks at one. A change moves one of them.
package struct Backends {
    /// The most offers that a process has not answered. What waits in its mailbox stays short, and others get the rest.
    package static let offerLimit = 64

    private struct Backend {
        /// When it came, in relation to others.
        var arrival: UInt64
        /// How often it is a member of the group. With 0, it gets no clients and keeps its own.
        var membershipCount: Int
        var clientCount = 0
        var offerCount = 0
        /// Whether an offer ran out since it last answered one.
        var isLate = false

        /// Its place among those that may be asked; nil if it may not be.
        var rank: Rank? {
            guard membershipCount > 0, offerCount < Backends.offerLimit else { return nil }
            return Rank(isLate: isLate, clientCount: clientCount + offerCount, arrival: arrival)
        }

        var isUnused: Bool { membershipCount == 0 && clientCount == 0 && offerCount == 0 }
    }

    /// Who is asked first: those that answer, then those with few clients, then those that are there longest.
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
    /// Those with a place, the first to be asked first.
    private var ranking: [(rank: Rank, backend: ErlangDestination)] = []
    private var lastArrival: UInt64 = 0
    /// How often a process may have got a place. While it stays the same, a client that found none need not look again.
    package private(set) var placeChangeCount: UInt64 = 0

    package init() {}

    /// The number of those that may be asked.
    package var count: Int { backends.values.count { $0.membershipCount > 0 } }

    /// Whether one of them has a place for another offer.
    package var hasPlace: Bool { !ranking.isEmpty }

    /// Whether a process may be asked.
    package func contains(_ backend: ErlangDestination) -> Bool { (backends[backend]?.membershipCount ?? 0) > 0 }

    /// What a process has of this gateway.
    package struct Load {
        package var clientCount = 0
        /// The offers that it has not answered.
        package var offerCount = 0
    }

    /// What the processes have that may be asked or have clients: those with most first, at most so many, and the others
    /// together; nil if there are no others.
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

    /// A process has come.
    ///
    /// - Returns: Whether it was not there before.
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

    /// A process has left the group once. It may still answer what it was asked.
    ///
    /// - Returns: Whether it is no member any more.
    package mutating func left(_ backend: ErlangDestination) -> Bool {
        guard contains(backend) else { return false }
        change(backend) { $0.membershipCount -= 1 }
        return !contains(backend)
    }

    /// A process has ended.
    package mutating func ended(_ backend: ErlangDestination) {
        change(backend) { known in
            known.membershipCount = 0
            known.offerCount = 0
        }
    }

    // MARK: Asking

    /// Who is to be asked: one that answers rather than one that did not, then the one with the fewest clients, then the one
    /// that is there longest.
    ///
    /// - Parameters:
    ///   - isWanted: Whether a process may be asked: who has not answered yet is not asked again.
    ///   - excluded: Who gave the client back. It is asked again only if there is no other.
    ///   - pressure: Knows the nodes that do not take what is sent to them. Their processes are not asked.
    package func choice(
        where isWanted: (ErlangDestination) -> Bool = { _ in true }, except excluded: ErlangDestination? = nil,
        avoiding pressure: NodePressure? = nil
    ) -> ErlangDestination? {
        var last: ErlangDestination?
        for (_, backend) in ranking where isWanted(backend) {
            if let pressure, let node = backend.node, pressure.isSlow(node) { continue }
            if backend != excluded { return backend }
            last = backend
        }
        return last
    }

    /// Processes of a node may be asked again, because less waits for it.
    package mutating func placesMayBeNew() { placeChangeCount += 1 }

    /// A process was asked to own a client.
    package mutating func asked(_ backend: ErlangDestination) { change(backend) { $0.offerCount += 1 } }

    /// A process has answered an offer.
    package mutating func answered(_ backend: ErlangDestination) {
        change(backend) { known in
            known.offerCount -= 1
            known.isLate = false
        }
    }

    /// A client has ended before a process has answered.
    package mutating func withdrew(from backend: ErlangDestination) { change(backend) { $0.offerCount -= 1 } }

    /// A process has not answered in time. It is asked last until it answers.
    ///
    /// - Returns: Whether it was not late before.
    @discardableResult
    package mutating func ranOut(_ backend: ErlangDestination) -> Bool {
        let isNew = backends[backend]?.isLate == false
        change(backend) { $0.isLate = true }
        return isNew
    }

    // MARK: Owning

    /// A client counts for a backend, of which nothing may be known.
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

    /// Where a rank is, or belongs.
    private func position(of rank: Rank) -> Int {
        var (low, high) = (0, ranking.count)
        while low < high {
            let middle = (low + high) / 2
            if ranking[middle].rank < rank { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
