// SPDX-License-Identifier: Apache-2.0

/// Those addresses that count as one peer: an IPv4 address, or an IPv6 network of 64 bits, which is the least that one
/// subscriber is given (RFC 6177) and can choose addresses from at will.
public struct PeerNetwork: Hashable, Sendable {
    /// An IPv4 address, or the first half of an IPv6 address.
    private let bits: UInt64
    private let isIPv4: Bool

    /// The network of an IPv4 address, its first byte the most significant.
    public init(ipv4 address: UInt32) {
        bits = UInt64(address)
        isIPv4 = true
    }

    /// The network of an IPv6 address, in halves, the first byte the most significant. One that stands for an IPv4
    /// address (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) is that.
    public init(ipv6 high: UInt64, _ low: UInt64) {
        isIPv4 = high == 0 && low >> 32 == 0xFFFF
        bits = isIPv4 ? low & 0xFFFF_FFFF : high
    }
}

/// How many connections each peer may have at a server.
public struct ConnectionLimiter: Sendable {
    /// How many connections one network may have at a time; nil: any number.
    public let limit: Int?
    private var counts: [PeerNetwork: Int] = [:]

    /// Makes a limiter.
    public init(limit: Int?) {
        self.limit = limit
    }

    /// How many networks have connections: what is remembered.
    public var networkCount: Int { counts.count }

    /// Counts a connection, unless its network has as many as it may.
    ///
    /// - Returns: Whether the connection may stay; only then ``ended(from:)`` is to be called for it.
    public mutating func admit(from network: PeerNetwork) -> Bool {
        guard let limit else { return true }
        let count = counts[network, default: 0]
        guard count < limit else { return false }
        counts[network] = count + 1
        return true
    }

    /// Counts a connection no more.
    public mutating func ended(from network: PeerNetwork) {
        guard limit != nil else { return }
        guard let count = counts[network] else { preconditionFailure("a connection has ended that was not admitted") }
        counts[network] = count > 1 ? count - 1 : nil
    }
}
