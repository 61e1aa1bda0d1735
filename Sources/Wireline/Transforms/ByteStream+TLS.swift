// SPDX-License-Identifier: Apache-2.0

package import WirelineTLS
package import WirelineTransport

/// TLS for streams with any content.
extension ByteStream {
    /// Inserts TLS between the stream's bytes and the socket; the stream must not be started yet.
    package func secure(with engine: TLSEngine) { insert(TLSTransform(engine)) }

    /// The stream's TLS, if it has any; a WebSocket that carries packets may be above it.
    var tlsTransform: TLSTransform? {
        transform as? TLSTransform ?? (transform as? ChainedTransform)?.lower as? TLSTransform
    }

    /// The error that made the transform fail; nil if it did not.
    package var transformFailure: ConnectionError? { (transform as? any ConnectionTransform)?.connectionFailure }
}
