// SPDX-License-Identifier: Apache-2.0

/// One of the places where a service can be reached.
public struct ServerEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, or the text of an IP address.
    public var host: String
    /// The port.
    public var port: UInt16
    /// The name that the server's certificate must be for; nil: ``ClientConfiguration/tlsServerName``, or ``host``.
    public var tlsServerName: String?

    /// Makes an endpoint.
    public init(_ host: String, port: UInt16, tlsServerName: String? = nil) {
        self.host = host
        self.port = port
        self.tlsServerName = tlsServerName
    }

    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
