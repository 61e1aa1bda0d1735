// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system's errors say of a connection.
struct SystemErrorTests {
    @Test(
        arguments: [
            (ECONNRESET, .reset), (EPIPE, .reset), (ECONNREFUSED, .refused), (ETIMEDOUT, .timedOut),
        ] as [(Int32, TransportError)])
    func `what the peer has done, or has not, is an error of its own, whatever call tells of it`(
        code: Int32, error: TransportError
    ) {
        for call in ["connect", "recv", "send"] as [StaticString] {
            #expect(TransportError(SystemCallError(call, code)) == error)
        }
    }

    @Test(arguments: [EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, ENOBUFS])
    func `what this machine cannot do, a way to the peer included, remains the system's`(code: Int32) {
        let error = SystemCallError("recv", code)
        #expect(TransportError(error) == .system(error))
    }
}
