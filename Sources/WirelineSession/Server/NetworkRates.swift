// SPDX-License-Identifier: Apache-2.0

/// Counts what each peer does against a ``MaximumRate``.
///
/// It remembers at most `networkLimit` peers; if more come in the same time, those beyond share one bucket.
public struct NetworkRates: Sendable {
    private let rate: MaximumRate
    private let networkLimit: Int
    private var networks: [PeerNetwork: RateBucket] = [:]
    private var others = RateBucket()
    /// When empty buckets were last removed.
    private var lastSweep: Duration?

    /// Makes empty buckets.
    ///
    /// - Parameters:
    ///   - rate: The limit for each peer.
    ///   - networkLimit: How many peers are remembered (default 65,536, about 4 MB).
    public init(_ rate: MaximumRate, networkLimit: Int = 65_536) {
        self.rate = rate
        self.networkLimit = networkLimit
    }

    /// The number of peers that are remembered.
    public var networkCount: Int { networks.count }

    /// Counts one of a peer, unless the limit is reached.
    ///
    /// - Parameters:
    ///   - network: The peer.
    ///   - now: The time; it never goes back.
    /// - Returns: Whether it is within the limit.
    public mutating func take(of network: PeerNetwork, at now: Duration) -> Bool {
        if networks.count >= networkLimit, networks[network] == nil {
            sweep(at: now)
            guard networks.count < networkLimit else { return others.take(rate, at: now) }
        }
        return networks[network, default: RateBucket()].take(rate, at: now)
    }

    /// How long it takes until the next one of a peer is within the limit; zero: it is now.
    public func wait(of network: PeerNetwork, at now: Duration) -> Duration {
        if let bucket = networks[network] { return bucket.wait(rate, at: now) }
        return networks.count < networkLimit ? .zero : others.wait(rate, at: now)
    }

    /// Removes empty buckets. Each one is empty after the rate's time, so looking more often would only cost time.
    private mutating func sweep(at now: Duration) {
        if let lastSweep, now - lastSweep < rate.time { return }
        lastSweep = now
        networks = networks.filter { !$0.value.isEmpty(rate, at: now) }
    }
}
