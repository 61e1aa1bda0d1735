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

/// What the system's errors mean for a connection.
struct SystemErrorTests {
    @Test(
        arguments: [
            (ECONNRESET, .reset), (EPIPE, .reset), (ECONNREFUSED, .refused), (ETIMEDOUT, .timedOut),
        ] as [(Int32, TransportError)])
    func `an error that the peer causes has its own case, for every call that returns it`(
        code: Int32, error: TransportError
    ) {
        for call in ["connect", "recv", "send"] as [StaticString] {
            #expect(TransportError(SystemCallError(call, code)) == error)
        }
    }

    @Test(arguments: [EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, ENOBUFS])
    func `an error of this machine, or of the route, stays a system error`(code: Int32) {
        let error = SystemCallError("recv", code)
        #expect(TransportError(error) == .system(error))
    }

    @Test(arguments: [ECONNABORTED, EPROTO, ENETDOWN, EHOSTUNREACH, ENETUNREACH, EPERM])
    func `an error of a connection that is accepted does not hold up the next one`(code: Int32) {
        #expect(SystemCallError("accept4", code).isOfOneConnection)
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func `an error of the machine does`(code: Int32) {
        #expect(!SystemCallError("accept4", code).isOfOneConnection)
    }
}
