// SPDX-License-Identifier: Apache-2.0

/// The addresses that count as one peer: an IPv4 address, or an IPv6 network of 64 bits.
///
/// A subscriber is given at least such a network (RFC 6177) and can use any address in it.
package struct PeerNetwork: Hashable, Sendable {
    /// An IPv4 address, or the first half of an IPv6 address.
    private let bits: UInt64
    private let isIPv4: Bool

    /// The network of an IPv4 address, most significant byte first.
    public init(ipv4 address: UInt32) {
        bits = UInt64(address)
        isIPv4 = true
    }

    /// The network of an IPv6 address, given as two halves, most significant byte first.
    /// An IPv4-mapped address (`::ffff:a.b.c.d`, RFC 4291 §2.5.5.2) counts as its IPv4 address.
    public init(ipv6 high: UInt64, _ low: UInt64) {
        isIPv4 = high == 0 && low >> 32 == 0xFFFF
        bits = isIPv4 ? low & 0xFFFF_FFFF : high
    }
}

/// A limit on the connections of each peer.
package struct ConnectionLimiter: Sendable {
    /// The number of connections that a network may have at a time; nil: no limit.
    public let limit: Int?
    private var counts: [PeerNetwork: Int] = [:]

    /// Makes a limiter.
    public init(limit: Int?) {
        self.limit = limit
    }

    /// The number of networks that have connections.
    public var networkCount: Int { counts.count }

    /// Counts a connection, unless its network has reached the limit.
    ///
    /// - Returns: Whether the connection may stay. Call ``ended(from:)`` only for these.
    public mutating func admit(from network: PeerNetwork) -> Bool {
        guard let limit else { return true }
        let count = counts[network, default: 0]
        guard count < limit else { return false }
        counts[network] = count + 1
        return true
    }

    /// Stops counting a connection.
    public mutating func ended(from network: PeerNetwork) {
        guard limit != nil else { return }
        guard let count = counts[network] else { preconditionFailure("a connection has ended that was not admitted") }
        counts[network] = count > 1 ? count - 1 : nil
    }
}
