// SPDX-License-Identifier: Apache-2.0

/// The local end of a connection, if the system does not choose it.
package struct ConnectionOrigin: Equatable, Sendable {
    package var interface: String?
    /// The address that the peer sees; with port 0 the system chooses one.
    package var address: SocketAddress?

    package init(interface: String? = nil, address: SocketAddress? = nil) {
        self.interface = interface
        self.address = address
    }
}
