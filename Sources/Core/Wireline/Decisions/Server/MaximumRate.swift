// SPDX-License-Identifier: Apache-2.0

/// How much may happen in a time: messages, or connections.
///
///     MaximumRate(50, per: .seconds(1))
///
/// So many may come at once, and after that one more in each part of the time.
public struct MaximumRate: Equatable, Sendable {
    /// The most events in ``time``, at least 1.
    public let count: Int
    /// The time; 0 or less: there is no limit.
    public let time: Duration
    /// The time after which one more event may come, in seconds.
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
package struct RateBucket: Sendable {
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
        // A difference below a thousandth is a rounding error.
        guard used + 1 <= Double(rate.count) + 0.001 else { return false }
        used += 1
        return true
    }

    /// The time until the next event is within the limit; zero: it is now.
    public func wait(_ rate: MaximumRate, at now: Duration) -> Duration {
        let excess = used(rate, at: now) + 1 - (Double(rate.count) + 0.001)
        // A microsecond more covers rounding errors.
        return excess > 0 ? .seconds(excess * rate.secondsForOne) + .microseconds(1) : .zero
    }

    /// The number of events that still count.
    func used(_ rate: MaximumRate, at now: Duration) -> Double {
        guard let last, rate.secondsForOne > 0 else { return 0 }
        return max(0, used - (now - last) / .seconds(1) / rate.secondsForOne)
    }
}

/// A limit on how fast connections may come: all together, and those of each peer.
///
/// If a peer is refused, that does not count against the other peers. ``NetworkRates`` limits the peers that are
/// remembered.
package struct ConnectionRateLimiter: Sendable {
    /// Why a connection is refused.
    public enum Refusal: Equatable, Sendable {
        /// Too many connections came together.
        case total(MaximumRate)
        /// Too many connections came from its peer.
        case network(MaximumRate)
    }

    private let totalRate: MaximumRate?
    private let networkRate: MaximumRate?
    private var total = RateBucket()
    private var networks: NetworkRates?

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - total: The limit for all connections; nil: none.
    ///   - perNetwork: The limit for the connections of each peer; nil: none.
    ///   - networkLimit: How many peers are remembered (default 65,536, about 7 MB).
    public init(total: MaximumRate?, perNetwork: MaximumRate?, networkLimit: Int = 65_536) {
        totalRate = total
        networkRate = perNetwork
        networks = perNetwork.map { NetworkRates($0, networkLimit: networkLimit) }
    }

    /// The number of peers that are remembered.
    public var networkCount: Int { networks?.networkCount ?? 0 }

    /// Counts a connection, unless it comes too early.
    ///
    /// - Parameters:
    ///   - network: Its peer; nil: only the limit for all connections applies.
    ///   - now: The time; it never goes back.
    /// - Returns: Why it is refused; nil: it may stay.
    public mutating func admit(from network: PeerNetwork?, at now: Duration) -> Refusal? {
        if let networkRate, let network, networks?.take(of: network, at: now) == false { return .network(networkRate) }
        if let totalRate, !total.take(totalRate, at: now) { return .total(totalRate) }
        return nil
    }
}
