// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension ConnectionError {
    /// Runs a function of the transport and throws its errors as ``ConnectionError/transport(_:)`` or
    /// ``ConnectionError/cancelled``.
    static func wrapping<Value>(
        _ body: () async throws(TransportError) -> Value
    ) async throws(ConnectionError) -> Value {
        do throws(TransportError) {
            return try await body()
        } catch {
            throw error == .cancelled ? .cancelled : .transport(error)
        }
    }
}
