// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// Why a connection has ended other than by a clean end of stream, or why something could not be sent.
@usableFromInline
package enum ConnectionError: Error, Equatable, Sendable {
    /// The peer has sent what is no packet, or has ended inside one; or a value does not fit its packet.
    case codec(CodecError)
    /// The network, the peer or the system has ended the connection.
    case transport(TransportError)
    /// The task that waited was cancelled.
    case cancelled
}
