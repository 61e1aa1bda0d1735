// SPDX-License-Identifier: Apache-2.0

/// A change to the packets of one connection, at its place between them.
package enum ConnectionChange: Equatable, Sendable {
    /// The end that sends a packet.
    package enum End: Equatable, Sendable {
        case client, server
    }

    /// A key for the packets of one end; nil: for those of both.
    case key(String, [UInt8], for: End?)
    /// The number of a state.
    case state(String, Int128)
}
