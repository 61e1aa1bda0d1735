// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTransport

/// The resolver with servers on loopback.
@Suite(.aside)
struct DNSResolverTests {
    /// For servers that answer; servers that do not answer get less time.
    static let patience = Duration.seconds(3_000)

    static func good() throws -> DNSAnswer {
        DNSAnswer(answers: [try .address("game.example", "192.0.2.7", seconds: 30)])
    }

    static let found = Result { try ResolvedAddresses(ipAddresses: ["192.0.2.7"], timeToLive: .seconds(30)) }

    @Test func `a server answers, and each query has its own number and its own port`() async throws {
        let good = try Self.good()
        let server = try DNSServerStub { query, _ in [good.answering(query)] }
        let resolver = DNSResolver(servers: [server.address], timeout: Self.patience)
        for _ in 0..<20 {
            #expect(try await resolver.addresses(of: "game.example", .ipv4) == Self.found.get())
        }
        var (numbers, ports): (Set<[UInt8]>, Set<UInt16>) = ([], [])
        var queries = server.queries.makeAsyncIterator()
        for _ in 0..<20 {
            let query = try #require(await queries.next())
            numbers.insert(Array(query.bytes.prefix(2)))
            ports.insert(query.port)
            #expect(query.port >= 1024)
        }
        // More than a few equal ones of 20 happen once in 10^10 runs.
        #expect(numbers.count >= 17 && ports.count >= 17)
    }

    @Test func `wrong answers are ignored, and the right one still counts`() async throws {
        let good = try Self.good()
        let server = try DNSServerStub { query, _ in
            let right = good.answering(query)
            var otherNumber = right
            otherNumber[0] ^= 1
            var otherName = right
            otherName[14] ^= 1
            return [otherNumber, [], [1, 2, 3], otherName, Array(right.dropLast(3)), right]
        }
        let resolver = DNSResolver(servers: [server.address], timeout: Self.patience)
        #expect(try await resolver.addresses(of: "game.example", .ipv4) == Self.found.get())
    }

    @Test func `an answer that does not fit, or whose number is guessed at, is fetched over TCP`() async throws {
        let good = try Self.good()
        let cut = try DNSServerStub { query, isStream in
            guard !isStream else { return [good.answering(query)] }
            return [DNSAnswer(flags: 0x8380).answering(query)]
        }
        let guessed = try DNSServerStub { query, isStream in
            isStream ? [good.answering(query)] : Array(repeating: [9], count: 16)
        }
        for server in [cut, guessed] {
            let resolver = DNSResolver(servers: [server.address], timeout: Self.patience)
            #expect(try await resolver.addresses(of: "game.example", .ipv4) == Self.found.get())
        }
    }

    @Test func `an answer over TCP may have 64 KiB`() async throws {
        let addresses = try (0..<1_800).map {
            try DNSAnswer.Record.address("game.example", "10.0.\($0 / 256).\($0 % 256)")
        }
        let server = try DNSServerStub { query, isStream in
            isStream
                ? [DNSAnswer(answers: addresses).answering(query)] : [DNSAnswer(flags: 0x8380).answering(query)]
        }
        let resolver = DNSResolver(servers: [server.address], timeout: Self.patience)
        #expect(try await resolver.addresses(of: "game.example", .ipv4).addresses.count == 1_800)
    }

    @Test func `if a server cannot answer, the next server is asked`() async throws {
        let good = try Self.good()
        let failing = try DNSServerStub { query, _ in [DNSAnswer(flags: 0x8182).answering(query)] }
        let refusing = try DNSServerStub { query, _ in [DNSAnswer(flags: 0x8185).answering(query)] }
        let refusingBriefly = try DNSServerStub { query, _ in
            [Array(query.prefix(2)) + [0x81, 0x85] + [UInt8](repeating: 0, count: 8)]
        }
        let circling = try DNSServerStub { query, _ in
            [DNSAnswer(answers: [.alias("game.example", "game.example")]).answering(query)]
        }
        let nobody = try DNSServerStub.nobody.get()
        let cut = try DNSServerStub { query, isStream in isStream ? [] : [DNSAnswer(flags: 0x8380).answering(query)] }
        let server = try DNSServerStub { query, _ in [good.answering(query)] }
        let servers = [
            failing.address, refusing.address, refusingBriefly.address, circling.address, nobody, cut.address,
            server.address,
        ]
        let resolver = DNSResolver(servers: servers, timeout: Self.patience)
        #expect(try await resolver.addresses(of: "game.example", .ipv4) == Self.found.get())
    }

    @Test func `a silent server is asked again, and the error names it`() async throws {
        let silent = try DNSServerStub { _, _ in [] }
        let failing = try DNSServerStub { query, _ in [DNSAnswer(flags: 0x8182).answering(query)] }
        let resolver = DNSResolver(
            servers: [silent.address, failing.address], timeout: .milliseconds(50), rounds: 2)
        let error = await #expect(throws: TransportError.self) {
            try await resolver.addresses(of: "game.example", .ipv6)
        }
        // On a busy machine the failing server may be too late as well.
        guard case .lookupFailed("game.example", let reason) = error else {
            throw try #require(error)
        }
        #expect(reason.hasPrefix("\(silent.address): no answer within 0.05 seconds; \(failing.address): "))
        var queries = silent.queries.makeAsyncIterator()
        for _ in 0..<2 { #expect(await queries.next()?.bytes.suffix(4) == [0, 28, 0, 1]) }
    }

    @Test func `a name that does not exist is an answer, and no other server is asked`() async throws {
        let server = try DNSServerStub { query, _ in [DNSAnswer(flags: 0x8183).answering(query)] }
        let other = try DNSServerStub { query, _ in [] }
        let resolver = DNSResolver(servers: [server.address, other.address], timeout: Self.patience)
        await #expect(
            throws: TransportError.unknownHost(
                "game.example", reason: "\(server.address) says that there is no such name")
        ) { try await resolver.addresses(of: "game.example", .ipv4) }
    }

    @Test(
        arguments: [
            ([0x8182], "it could not find out (SERVFAIL)"), ([0x8185], "it does not answer us (REFUSED)"),
            ([0x8100], "it looks up no names for others"),
            ([0x8380, 0x8380], "it cuts its answer off over TCP too"),
            ([0x8380, 0x8182], "it could not find out (SERVFAIL)"),
        ] as [([UInt16], String)])
    func `an error says what the server could not do`(flags: [UInt16], reason: String) async throws {
        let server = try DNSServerStub { query, isStream in
            [DNSAnswer(flags: flags[isStream ? 1 : 0]).answering(query)]
        }
        let resolver = DNSResolver(servers: [server.address], timeout: Self.patience, rounds: 1)
        await #expect(throws: TransportError.lookupFailed("game.example", reason: "\(server.address): \(reason)")) {
            try await resolver.addresses(of: "game.example", .ipv4)
        }
    }

    @Test(arguments: [[[1, 2, 3]], [[]], []] as [[[UInt8]]])
    func `an invalid answer over TCP is an error that says so`(messages: [[UInt8]]) async throws {
        let server = try DNSServerStub { query, isStream in
            isStream ? messages : [DNSAnswer(flags: 0x8380).answering(query)]
        }
        let resolver = DNSResolver(servers: [server.address], timeout: Self.patience, rounds: 1)
        await #expect(
            throws: TransportError.lookupFailed(
                "game.example", reason: "\(server.address): what it sends is no answer")
        ) { try await resolver.addresses(of: "game.example", .ipv4) }
    }

    @Test func `a cancelled lookup ends`() async throws {
        let server = try DNSServerStub { _, _ in [] }
        let resolver = DNSResolver(servers: [server.address], timeout: Self.patience)
        let task = Task { try await resolver.addresses(of: "game.example", .ipv4) }
        var queries = server.queries.makeAsyncIterator()
        _ = await queries.next()
        task.cancel()
        await #expect(throws: TransportError.cancelled) { try await task.value }
    }

    @Test(
        arguments: [("localhost", .ipv4, "127.0.0.1"), ("a.LocalHost.", .ipv6, "::1")]
            as [(String, AddressFamily, String)])
    func `local names are not sent to a server`(host: String, family: AddressFamily, address: String) async throws {
        let resolver = DNSResolver(servers: [try DNSServerStub.nobody.get()], timeout: Self.patience)
        #expect(try await resolver.addresses(of: host, family).addresses.map(\.ipAddress) == [address])
    }

    @Test func `an invalid name is not sent to a server`() async throws {
        let resolver = DNSResolver(servers: [try DNSServerStub.nobody.get()], timeout: Self.patience)
        await #expect(throws: TransportError.unknownHost("a..b", reason: "it is not a name of the DNS")) {
            try await resolver.addresses(of: "a..b", .ipv4)
        }
    }

    @Test func `servers are asked over the named interface`() async throws {
        let good = try Self.good()
        let server = try DNSServerStub { query, _ in [good.answering(query)] }
        let resolver = DNSResolver(servers: [server.address], timeout: Self.patience, interface: loopbackInterface)
        #expect(try await resolver.addresses(of: "game.example", .ipv4) == Self.found.get())
        let nowhere = DNSResolver(servers: [server.address], timeout: Self.patience, rounds: 1, interface: "none7")
        await #expect(
            throws: TransportError.lookupFailed(
                "game.example", reason: "\(server.address): there is no network interface \"none7\"")
        ) { try await nowhere.addresses(of: "game.example", .ipv4) }
    }

    // MARK: dnsmasq

    @Test(.enabled(if: DNSMasqTool.isWanted, "\(DNSMasqTool.absence)"))
    func `dnsmasq answers`() async throws {
        let many = (1...200).map { "--host-record=many.test,10.1.0.\($0)" }
        let server = try DNSMasqTool(
            [
                "--host-record=game.test,192.0.2.7,2001:db8::7,90", "--host-record=old.test,192.0.2.8,30",
                "--cname=www.test,game.test,45", "--local=/test/",
            ] + many)
        let address = SocketAddress.loopback(port: server.port)
        let resolver = DNSResolver(servers: [address], timeout: Self.patience)
        func answer(_ addresses: [String], seconds: Int?) throws -> ResolvedAddresses {
            try ResolvedAddresses(ipAddresses: addresses, timeToLive: seconds.map { .seconds($0) })
        }
        #expect(try await resolver.addresses(of: "game.test", .ipv4) == answer(["192.0.2.7"], seconds: 90))
        #expect(try await resolver.addresses(of: "Game.Test.", .ipv6) == answer(["2001:db8::7"], seconds: 90))
        #expect(try await resolver.addresses(of: "www.test", .ipv6) == answer(["2001:db8::7"], seconds: 45))
        #expect(try await resolver.addresses(of: "old.test", .ipv6) == answer([], seconds: nil))
        // These do not fit a datagram.
        #expect(try await resolver.addresses(of: "many.test", .ipv4).addresses.count == 200)
        await #expect(
            throws: TransportError.unknownHost(
                "none.test", reason: "\(address) says that there is no such name")
        ) { try await resolver.addresses(of: "none.test", .ipv4) }
        await #expect(
            throws: TransportError.lookupFailed(
                "elsewhere.invalid-zone", reason: "\(address): it does not answer us (REFUSED)")
        ) { try await resolver.addresses(of: "elsewhere.invalid-zone", .ipv4) }
    }
}

/// The interface of the loopback address.
#if os(Linux)
    let loopbackInterface = "lo"
#else
    let loopbackInterface = "lo0"
#endif
