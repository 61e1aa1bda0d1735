// SPDX-License-Identifier: Apache-2.0

/// How much may happen in a time: messages, or connections.
///
///     MaximumRate(50, per: .seconds(1))
///
/// So many may come at once, and after that one more in each part of the time.
public struct MaximumRate: Equatable, Sendable {
    /// How many may come in ``time``, at least 1.
    public let count: Int
    /// The time; 0 or less: there is no limit.
    public let time: Duration
    /// The time after which one more may come.
    fileprivate let secondsForOne: Double

    /// Makes a rate.
    ///
    /// - Parameters:
    ///   - count: How many may come in the time; less than 1 counts as 1.
    ///   - time: The time (default 1 s).
    public init(_ count: Int, per time: Duration = .seconds(1)) {
        self.count = max(1, count)
        self.time = time
        secondsForOne = max(0, time / .seconds(1)) / Double(self.count)
    }
}

/// Counts what has happened against a ``MaximumRate``.
public struct RateBucket: Sendable {
    private var used = 0.0
    private var last: Duration?

    /// Makes an empty bucket.
    public init() {}

    /// Counts one, unless the limit is reached.
    ///
    /// - Parameters:
    ///   - rate: The limit; the same one for all calls.
    ///   - now: The time; it never goes back.
    /// - Returns: Whether it is within the limit.
    public mutating func take(_ rate: MaximumRate, at now: Duration) -> Bool {
        used = used(rate, at: now)
        last = now
        // Less than a thousandth is the error of rounding.
        guard used + 1 <= Double(rate.count) + 0.001 else { return false }
        used += 1
        return true
    }

    /// Whether nothing is left to remember.
    func isEmpty(_ rate: MaximumRate, at now: Duration) -> Bool { used(rate, at: now) == 0 }

    private func used(_ rate: MaximumRate, at now: Duration) -> Double {
        guard let last, rate.secondsForOne > 0 else { return 0 }
        return max(0, used - (now - last) / .seconds(1) / rate.secondsForOne)
    }
}

/// A limit on how fast connections may come: all together, and those of each peer.
///
/// A connection that is refused because of its peer does not count for the others. The limiter remembers at most
/// `networkLimit` peers; if more connect in the same time, those beyond share one bucket.
public struct ConnectionRateLimiter: Sendable {
    /// Why a connection is refused.
    public enum Refusal: Equatable, Sendable {
        /// Too many connections came together.
        case total(MaximumRate)
        /// Too many connections came from its peer.
        case network(MaximumRate)
    }

    private let totalRate: MaximumRate?
    private let networkRate: MaximumRate?
    private let networkLimit: Int
    private var total = RateBucket()
    private var networks: [PeerNetwork: RateBucket] = [:]
    private var others = RateBucket()
    /// When empty buckets were last removed.
    private var lastSweep: Duration?

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - total: The limit for all connections; nil: none.
    ///   - perNetwork: The limit for the connections of each peer; nil: none.
    ///   - networkLimit: How many peers are remembered (default 65,536, about 4 MB).
    public init(total: MaximumRate?, perNetwork: MaximumRate?, networkLimit: Int = 65_536) {
        totalRate = total
        networkRate = perNetwork
        self.networkLimit = networkLimit
    }

    /// The number of peers that are remembered.
    public var networkCount: Int { networks.count }

    /// Counts a connection, unless it comes too early.
    ///
    /// - Parameters:
    ///   - network: Its peer; nil: only the limit for all connections applies.
    ///   - now: The time; it never goes back.
    /// - Returns: Why it is refused; nil: it may stay.
    public mutating func admit(from network: PeerNetwork?, at now: Duration) -> Refusal? {
        if let networkRate, let network, !take(networkRate, of: network, at: now) { return .network(networkRate) }
        if let totalRate, !total.take(totalRate, at: now) { return .total(totalRate) }
        return nil
    }

    private mutating func take(_ rate: MaximumRate, of network: PeerNetwork, at now: Duration) -> Bool {
        if networks.count >= networkLimit, networks[network] == nil {
            sweep(rate, at: now)
            guard networks.count < networkLimit else { return others.take(rate, at: now) }
        }
        return networks[network, default: RateBucket()].take(rate, at: now)
    }

    /// Removes empty buckets. Each one is empty after the rate's time, so looking more often would only cost time.
    private mutating func sweep(_ rate: MaximumRate, at now: Duration) {
        if let lastSweep, now - lastSweep < rate.time { return }
        lastSweep = now
        networks = networks.filter { !$0.value.isEmpty(rate, at: now) }
    }
}
