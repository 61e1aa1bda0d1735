// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// One of the addresses of a service.
public struct ServerEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, or the text of an IP address.
    public var host: String
    /// The port.
    public var port: UInt16
    /// The name that the server's certificate must match; nil: ``DialingOptions/tlsServerName``, or ``host``.
    public var tlsServerName: String?

    /// Makes an endpoint.
    public init(_ host: String, port: UInt16, tlsServerName: String? = nil) {
        self.host = host
        self.port = port
        self.tlsServerName = tlsServerName
    }

    public var description: String {
        let name = host.escaped()
        return host.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]:\(port)" : "\(name):\(port)"
    }
}
