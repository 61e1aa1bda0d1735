// SPDX-License-Identifier: Apache-2.0

/// Finds the addresses of hosts.
///
/// A resolver asks the system (``SystemResolver``) or given DNS servers (``DNSResolver``), caches another one
/// (``CachingResolver``), or is a closure (``ClosureResolver``). Your own type can be one, such as a client of an HTTP
/// DNS service.
///
/// The two families are asked for separately and at the same time, so that connecting begins with the first answer (RFC
/// 8305 §3). The text of an IP address is never looked up. TLS keeps the name: whatever a resolver says, the server's
/// certificate must match the host.
public protocol HostResolver: Sendable {
    /// Looks up a host's addresses of one family.
    ///
    /// The task is cancelled when the answer is no longer needed; a resolver that continues does no harm.
    ///
    /// - Parameters:
    ///   - host: A name.
    ///   - family: The wanted family; other addresses in the answer are ignored.
    /// - Returns: The addresses, best first; none if the host exists but has none of this family.
    /// - Throws: ``TransportError/unknownHost(_:reason:)`` if the host does not exist,
    ///   ``TransportError/lookupFailed(_:reason:)`` if that is unknown, ``TransportError/cancelled`` if the task is.
    func addresses(of host: String, _ family: AddressFamily) async throws(TransportError) -> ResolvedAddresses

    /// Notes that a host's addresses did not answer: a resolver that caches must look it up again.
    ///
    /// Sessions call it after a timeout of connecting or login, an empty lookup, or a silent peer. Clients of all kinds
    /// call it if the system can reach none of the addresses, as in another network. The default does nothing.
    ///
    /// - Parameter host: A name, or the text of an IP address.
    func expire(_ host: String)
}

extension HostResolver {
    /// Does nothing.
    public func expire(_ host: String) {}
}

/// A resolver's answer.
public struct ResolvedAddresses: Equatable, Sendable {
    /// The addresses, best first. Their ports mean nothing.
    public var addresses: [SocketAddress]
    /// How long the answer is valid from now; nil: unknown.
    public var timeToLive: Duration?

    /// Makes an answer from addresses.
    public init(_ addresses: [SocketAddress], timeToLive: Duration? = nil) {
        self.addresses = addresses
        self.timeToLive = timeToLive
    }

    /// Makes an answer from the texts of IP addresses, of either family.
    ///
    /// - Throws: ``TransportError/invalidAddress``.
    public init(ipAddresses: [String], timeToLive: Duration? = nil) throws(TransportError) {
        var addresses: [SocketAddress] = []
        for text in ipAddresses { addresses.append(try SocketAddress(ipAddress: text, port: 0)) }
        self.init(addresses, timeToLive: timeToLive)
    }
}

/// A resolver made from a closure.
public struct ClosureResolver: HostResolver {
    private let body: @Sendable (String, AddressFamily) async throws(TransportError) -> ResolvedAddresses

    /// Makes a resolver.
    ///
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
