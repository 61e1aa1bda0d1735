// SPDX-License-Identifier: Apache-2.0

package import WirelineTLS
package import WirelineTransport

extension ByteStream {
    /// Inserts TLS between the stream's bytes and the socket. The stream must not have started.
    package func secure(with engine: TLSEngine) { insert(TLSTransform(engine)) }

    /// The stream's TLS, if it has any. A WebSocket that carries packets may be above it.
    var tlsTransform: TLSTransform? {
        transform as? TLSTransform ?? (transform as? ChainedTransform)?.lower as? TLSTransform
    }

    package var transformFailure: ConnectionError? { (transform as? any ConnectionTransform)?.connectionFailure }
}
