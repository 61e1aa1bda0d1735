// SPDX-License-Identifier: Apache-2.0

/// A range of IP addresses: those that begin with the same bits.
///
///     try IPNetwork("10.0.0.0/8")
///     try IPNetwork("2001:db8::/32")
///     try IPNetwork("192.0.2.7")
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8]
    private let bitCount: Int

    /// Makes a network from an address, or an address, a slash and the number of bits that count (CIDR, RFC 4632).
    ///
    /// Bits after those that count are ignored. IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) count as IPv4 addresses.
    ///
    /// - Throws: ``TransportError/invalidAddress``.
    public init(_ text: String) throws(TransportError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let address = try SocketAddress(ipAddress: parts[0], port: 0).bytes
        let mapped = Self.ipv4(in: address)
        let width = address.count * 8
        var bitCount = width
        if parts.count == 2 {
            guard let count = Int(parts[1]), String(count) == parts[1], (0...width).contains(count),
                mapped == nil || count >= 96
            else { throw .invalidAddress }
            bitCount = count
        }
        bytes = mapped ?? address
        self.bitCount = mapped == nil ? bitCount : bitCount - 96
    }

    /// Whether an address is in the network. A Unix domain socket is in none.
    public func contains(_ address: SocketAddress) -> Bool {
        let other = Self.ipv4(in: address.bytes) ?? address.bytes
        guard other.count == bytes.count else { return false }
        let wholeCount = bitCount / 8
        guard other.prefix(wholeCount) == bytes.prefix(wholeCount) else { return false }
        return bitCount % 8 == 0 || (other[wholeCount] ^ bytes[wholeCount]) >> (8 - bitCount % 8) == 0
    }

    public var description: String {
        let address = SocketAddress(bytes: bytes, port: 0)?.ipAddress ?? ""
        return bitCount == bytes.count * 8 ? address : "\(address)/\(bitCount)"
    }

    /// The IPv4 address in an IPv4-mapped one (RFC 4291 §2.5.5.2); nil if it is none.
    private static func ipv4(in bytes: [UInt8]) -> [UInt8]? {
        let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return bytes.count == 16 && bytes.starts(with: prefix) ? Array(bytes.suffix(4)) : nil
    }
}
