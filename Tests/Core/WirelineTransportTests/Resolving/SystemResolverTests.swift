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

/// The answers of the system's resolver, and what they become.
@Suite(.amongAll)
struct SystemResolverTests {
    #if os(Linux)
        /// `EAI_NODATA` and `EAI_ADDRFAMILY`, as `netdb.h` has them.
        static let codesOfAbsence: [Int32] = [-5, -9]
    #else
        static let codesOfAbsence = [EAI_NODATA, EAI_ADDRFAMILY]
    #endif

    @Test(arguments: codesOfAbsence)
    func `a host without an address of a family is an empty answer`(code: Int32) {
        #expect(SystemResolver.failure(ofCode: code, "a.test") == nil)
    }

    @Test func `a host is unknown only if the system says so`() throws {
        let failure = try #require(SystemResolver.failure(ofCode: EAI_NONAME, "a.test"))
        guard case .unknownHost("a.test", _) = failure else { throw failure }
    }

    @Test(arguments: [EAI_AGAIN, EAI_FAIL, EAI_MEMORY, EAI_OVERFLOW])
    func `a lookup that the system could not do does not make a host unknown`(code: Int32) throws {
        let failure = try #require(SystemResolver.failure(ofCode: code, "a.test"))
        guard case .lookupFailed("a.test", let reason) = failure else { throw failure }
        #expect(!reason.isEmpty)
    }

    #if os(Linux)
        /// It is no address here. The C library reads it as 127.0.0.1, and asks no server.
        static let hostOfIPv4 = "127.1"

        @Test func `a host of one family has no address of the other`() async throws {
            let resolver = SystemResolver()
            let addresses = try await resolver.addresses(of: Self.hostOfIPv4, .ipv4).addresses
            #expect(addresses.map(\.ipAddress) == ["127.0.0.1"])
            #expect(try await resolver.addresses(of: Self.hostOfIPv4, .ipv6).addresses.isEmpty)
        }

        @Test func `an empty answer of the system is cached too`() async throws {
            let policy = CachingResolver.Policy(lookupTimeout: .seconds(3_000))
            let resolver = CachingResolver(SystemResolver(), policy: policy) { MonotonicTime(nanoseconds: 1) }
            try await resolver.resolveAhead(Self.hostOfIPv4)
            // If an answer is not cached, the system does not say how long it is valid.
            #expect(
                try await resolver.addresses(of: Self.hostOfIPv4, .ipv6)
                    == ResolvedAddresses([], timeToLive: .seconds(60)))
        }
    #endif
}
