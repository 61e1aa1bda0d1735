// SPDX-License-Identifier: Apache-2.0

/// Counts what each peer does against a ``MaximumRate``.
///
/// It remembers at most `networkLimit` peers. For one more, it checks a few of them, and forgets the one that has done
/// least. That peer may then do a little more than the limit allows. All others keep their limits.
package struct NetworkRates: Sendable {
    private struct Peer {
        let network: PeerNetwork
        var bucket = RateBucket()
    }

    private let rate: MaximumRate
    private let networkLimit: Int
    private var peers: [Peer] = []
    /// The index of each peer in ``peers``.
    private var places: [PeerNetwork: Int] = [:]
    /// The index at which the search for a peer to forget starts.
    private var hand = 0

    /// The candidates of a search. With more of them, it would find a peer that has done less. But each connection of
    /// an
    /// attacker would cost more.
    private static let candidateCount = 8

    /// Makes empty buckets.
    ///
    /// - Parameters:
    ///   - rate: The limit for each peer.
    ///   - networkLimit: How many peers are remembered (default 65,536, about 7 MB); at least 1.
    public init(_ rate: MaximumRate, networkLimit: Int = 65_536) {
        self.rate = rate
        self.networkLimit = max(1, networkLimit)
    }

    /// The number of peers that are remembered.
    public var networkCount: Int { peers.count }

    /// Counts one of a peer, unless the limit is reached.
    ///
    /// - Parameters:
    ///   - network: The peer.
    ///   - now: The time; it never goes back.
    /// - Returns: Whether it is within the limit.
    public mutating func take(of network: PeerNetwork, at now: Duration) -> Bool {
        peers[place(of: network, at: now)].bucket.take(rate, at: now)
    }

    /// How long it takes until the next one of a peer is within the limit; zero: it is now.
    public func wait(of network: PeerNetwork, at now: Duration) -> Duration {
        places[network].map { peers[$0].bucket.wait(rate, at: now) } ?? .zero
    }

    /// The index of a peer, which is added if needed.
    private mutating func place(of network: PeerNetwork, at now: Duration) -> Int {
        if let place = places[network] { return place }
        let place: Int
        if peers.count < networkLimit {
            place = peers.count
            peers.append(Peer(network: network))
        } else {
            place = placeToReuse(at: now)
            places[peers[place].network] = nil
            peers[place] = Peer(network: network)
        }
        places[network] = place
        return place
    }

    private mutating func placeToReuse(at now: Duration) -> Int {
        var best = hand
        for step in 1..<max(2, min(Self.candidateCount, peers.count)) {
            let place = (hand + step) % peers.count
            if peers[place].bucket.used(rate, at: now) < peers[best].bucket.used(rate, at: now) { best = place }
        }
        hand = (best + 1) % peers.count
        return best
    }
}
