// SPDX-License-Identifier: Apache-2.0

/// Which of the two Internet protocols an address is of.
public enum AddressFamily: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case ipv6
    case ipv4

    public var description: String { self == .ipv6 ? "IPv6" : "IPv4" }
}

/// What finds the addresses of hosts: the system (``SystemResolver``), DNS servers of one's own choice
/// (``DNSResolver``), a memory in front of another one (``CachingResolver``), a closure (``ClosureResolver``), or any type
/// that conforms, such as a client of an HTTP DNS service.
///
/// The two families are asked for apart and at the same time, so that connecting begins with the first that answers
/// (RFC 8305 §3). The text of an IP address is no name, and never asked for. Who connects keeps the name, for TLS too:
/// whatever a resolver says, the server's certificate must be for the host.
public protocol HostResolver: Sendable {
    /// Looks up a host's addresses of one family.
    ///
    /// The task is cancelled when the answer is of no use any more; a resolver that goes on keeps nobody waiting.
    ///
    /// - Parameters:
    ///   - host: A name.
    ///   - family: Which addresses are wanted; others in the answer are passed over.
    /// - Returns: The addresses, the best first; none where the host is known and has none of this family.
    /// - Throws: ``TransportError/unknownHost(_:reason:)`` when there is no such host,
    ///   ``TransportError/lookupFailed(_:reason:)`` when that could not be found out, ``TransportError/cancelled`` when
    ///   the task is.
    func addresses(of host: String, _ family: AddressFamily) async throws(TransportError) -> ResolvedAddresses

    /// Takes note that nobody has answered at a host's addresses: who remembers what was found looks it up anew when it
    /// is next asked for.
    ///
    /// Sessions call it when connecting or a login has timed out, no address was found, or a peer has fallen silent; clients
    /// of all kinds do where the system can reach none of the addresses, as in another network. Left out, it does nothing.
    ///
    /// - Parameter host: A name, or the text of an IP address.
    func expire(_ host: String)
}

extension HostResolver {
    /// Does nothing.
    public func expire(_ host: String) {}
}

/// What a resolver has found.
public struct ResolvedAddresses: Equatable, Sendable {
    /// The addresses, the best first. Their ports mean nothing.
    public var addresses: [SocketAddress]
    /// For how long that holds, counted from now; nil: nobody knows.
    public var timeToLive: Duration?

    /// Makes an answer of addresses.
    public init(_ addresses: [SocketAddress], timeToLive: Duration? = nil) {
        self.addresses = addresses
        self.timeToLive = timeToLive
    }

    /// Makes an answer of the texts of IP addresses, of either family.
    ///
    /// - Throws: ``TransportError/invalidAddress``.
    public init(ipAddresses: [String], timeToLive: Duration? = nil) throws(TransportError) {
        var addresses: [SocketAddress] = []
        for text in ipAddresses { addresses.append(try SocketAddress(ipAddress: text, port: 0)) }
        self.init(addresses, timeToLive: timeToLive)
    }
}

/// A resolver that is a closure.
public struct ClosureResolver: HostResolver {
    private let body: @Sendable (String, AddressFamily) async throws(TransportError) -> ResolvedAddresses

    /// - Parameter body: As ``HostResolver/addresses(of:_:)``.
    public init(
        _ body:
            @escaping @Sendable (_ host: String, _ family: AddressFamily) async throws(TransportError)
            -> ResolvedAddresses
    ) {
        self.body = body
    }

    public func addresses(
        of host: String, _ family: AddressFamily
    ) async throws(TransportError) -> ResolvedAddresses {
        try await body(host, family)
    }
}
