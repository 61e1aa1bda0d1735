// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport

extension ListeningOptions {
    /// Which proxies tell the server the addresses of the clients whose connections they pass on.
    ///
    ///     configuration.listening.proxyProtocol = ListeningOptions.ProxyProtocol(from: [try IPNetwork("10.0.0.0/8")])
    ///
    /// A trusted proxy must begin each connection with a header of the PROXY protocol, version 1 or 2; it comes before
    /// TLS and a WebSocket. Then the address of the connection is the client's, everywhere: in logs, in counters, for
    /// ``ListeningOptions/connectionLimitPerAddress`` and for ``ListeningOptions/connectionRatePerAddress``. If the
    /// proxy speaks for itself, as in health checks, the address stays its own. A connection without a valid header
    /// ends with ``ConnectionError/proxyHeader(_:)``; one that ends before its first byte, as simple health checks do,
    /// ends cleanly.
    ///
    /// Everybody else is a client: a header is not read, and cannot be forged. If only the proxy may connect, listen at
    /// an address that only the proxy reaches.
    ///
    /// Source: HAProxy's "The PROXY protocol, Versions 1 & 2". Additional fields (TLV) are skipped; a checksum is
    /// verified if there is one.
    public struct ProxyProtocol: Equatable, Sendable {
        /// The addresses of trusted proxies, as the server sees them.
        public var networks: [IPNetwork]
        /// Whether every client of a Unix domain socket of the server is a trusted proxy (default false).
        public var trustsUnixSockets: Bool
        /// Whether only clients behind trusted proxies may connect (default false).
        ///
        /// Then everybody else is refused, and so is a proxy that speaks for itself.
        public var isRequired = false
        /// How long a header may take (default 5 s).
        public var timeout = Duration.seconds(5)
        /// The most bytes of a header, its additional fields included (default 4,096; at least 536 are allowed).
        ///
        /// A line of version 1 has at most 107 bytes in any case.
        public var byteCountLimit = 4_096

        /// Makes options; all other properties have their defaults.
        public init(from networks: [IPNetwork], trustsUnixSockets: Bool = false) {
            self.networks = networks
            self.trustsUnixSockets = trustsUnixSockets
        }

        func trusts(_ address: SocketAddress) -> Bool {
            address.unixPath == nil ? networks.contains { $0.contains(address) } : trustsUnixSockets
        }
    }
}
