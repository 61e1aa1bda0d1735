// SPDX-License-Identifier: Apache-2.0

package import WirelineLibraries

extension WebSocketDeflate {
    /// Returns whether compression is available.
    ///
    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` if it is unavailable and not optional.
    package func isAvailable(
        with zlib: Result<Zlib, LibraryFailure> = Zlib.shared
    ) throws(WebSocketError) -> Bool {
        switch zlib {
        case .success: return true
        case .failure(let failure):
            guard isOptional else { throw WebSocketError(failure) }
            return false
        }
    }
}

extension WebSocketError {
    init(_ failure: LibraryFailure) {
        self = .deflateUnavailable(reason: failure.reason(for: "compression"))
    }
}
