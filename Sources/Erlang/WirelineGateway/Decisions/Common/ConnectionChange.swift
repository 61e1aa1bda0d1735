// SPDX-License-Identifier: Apache-2.0

/// A change to the packets of one connection. It takes effect at its position between them.
package enum ConnectionChange: Equatable, Sendable {
    /// The end that sends the packets.
    package enum End: Equatable, Sendable {
        case client, server
    }

    /// A key for the packets of one end; nil: of both ends.
    case key(String, [UInt8], for: End?)
    case state(String, Int128)
}
