// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system's resolver says, and what is made of it.
@Suite(.timeLimit(.minutes(300)))
struct SystemResolverTests {
    #if os(Linux)
        /// `EAI_NODATA` and `EAI_ADDRFAMILY`, as `netdb.h` has them.
        static let codesOfAbsence: [Int32] = [-5, -9]
    #else
        static let codesOfAbsence = [EAI_NODATA, EAI_ADDRFAMILY]
    #endif

    @Test(arguments: codesOfAbsence)
    func `that a host has no address of a family is an answer`(code: Int32) {
        #expect(SystemResolver.failure(ofCode: code, "a.test") == nil)
    }

    @Test func `only a host that the system says is not there is unknown`() throws {
        let failure = try #require(SystemResolver.failure(ofCode: EAI_NONAME, "a.test"))
        guard case .unknownHost("a.test", _) = failure else { throw failure }
    }

    @Test(arguments: [EAI_AGAIN, EAI_FAIL, EAI_MEMORY, EAI_OVERFLOW])
    func `what the system could not find out is not said to be absent`(code: Int32) throws {
        let failure = try #require(SystemResolver.failure(ofCode: code, "a.test"))
        guard case .lookupFailed("a.test", let reason) = failure else { throw failure }
        #expect(!reason.isEmpty)
    }

    #if os(Linux)
        /// It is no address to us; the C library takes it for 127.0.0.1, and asks nobody.
        static let hostOfIPv4 = "127.1"

        @Test func `a host of one family has no address of the other`() async throws {
            let resolver = SystemResolver()
            let addresses = try await resolver.addresses(of: Self.hostOfIPv4, .ipv4).addresses
            #expect(addresses.map(\.ipAddress) == ["127.0.0.1"])
            #expect(try await resolver.addresses(of: Self.hostOfIPv4, .ipv6).addresses.isEmpty)
        }

        @Test func `that a host has no address of a family is remembered of the system too`() async throws {
            let policy = CachingResolver.Policy(lookupTimeout: .seconds(3_000))
            let resolver = CachingResolver(SystemResolver(), policy: policy) { MonotonicTime(nanoseconds: 1) }
            try await resolver.resolveAhead(Self.hostOfIPv4)
            // Of what is not remembered the system would not say for how long it holds.
            #expect(
                try await resolver.addresses(of: Self.hostOfIPv4, .ipv6)
                    == ResolvedAddresses([], timeToLive: .seconds(60)))
        }
    #endif
}
