// SPDX-License-Identifier: Apache-2.0

package import WirelineTLS
package import WirelineTransport

/// TLS for streams that carry anything.
extension ByteStream {
    /// Puts TLS between what is read and written and the socket; the stream has not been started yet.
    package func secure(with engine: TLSEngine) { insert(TLSTransform(engine)) }

    /// TLS, where there is some; a WebSocket that carries packets may stand above it.
    var tlsTransform: TLSTransform? {
        transform as? TLSTransform ?? (transform as? ChainedTransform)?.lower as? TLSTransform
    }

    /// What has made TLS fail; nil where nothing has.
    package var transformFailure: ConnectionError? { (transform as? any ConnectionTransform)?.connectionFailure }
}
