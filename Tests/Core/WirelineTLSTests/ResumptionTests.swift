// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct ResumptionTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    private func contexts(
        _ version: TLSVersion = .tls13, client change: (inout TLSConfiguration) throws -> Void = { _ in },
        server changeServer: (inout TLSConfiguration) throws -> Void = { _ in }
    ) throws -> (client: TLSContext, server: TLSContext) {
        var (client, server) = (certificates.clientConfiguration(), certificates.serverConfiguration())
        client.maximumVersion = version
        try change(&client)
        try changeServer(&server)
        return try (TLSContext(client), TLSContext(server))
    }

    /// One connection with a few bytes in each direction; its engines are released afterwards.
    private func connect(
        _ contexts: (client: TLSContext, server: TLSContext), to name: String = "server.test", endsWell: Bool = true
    ) throws -> (isResumed: Bool, outcome: TLSPinOutcome) {
        let pair = try Pair(contexts.client, contexts.server, serverName: name)
        try pair.exchange()
        try pair.send([1, 2, 3], from: pair.client)
        try pair.send([4, 5], from: pair.server)
        #expect(pair.server.received == [1, 2, 3])
        #expect(pair.client.received == [4, 5])
        #expect(pair.client.engine.isResumed == pair.server.engine.isResumed)
        #expect(try pair.client.engine.peerKeyHash == TLSKeyHash(certificates.server.keyHash))
        let result = (pair.client.engine.isResumed, pair.client.engine.pinOutcome)
        guard endsWell else {
            #expect(throws: TLSError.truncated(duringHandshake: false)) { try pair.client.engine.endOfInput() }
            return result
        }
        try pair.client.engine.endOutput()
        try pair.server.engine.endOutput()
        try pair.exchange()
        return result
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [true, false])
    func `the second connection resumes the first, however it ended`(version: TLSVersion, endsWell: Bool) throws {
        let contexts = try contexts(version)
        #expect(try !connect(contexts, endsWell: endsWell).isResumed)
        for _ in 0..<3 { #expect(try connect(contexts, endsWell: endsWell).isResumed) }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a session belongs to one host name`(version: TLSVersion) throws {
        let contexts = try contexts(version)
        #expect(try !connect(contexts).isResumed)
        #expect(try !connect(contexts, to: "a.wild.test").isResumed)
        #expect(try connect(contexts, to: "SERVER.test.").isResumed)
        #expect(try connect(contexts, to: "a.wild.test").isResumed)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a session belongs to one context on each side`(version: TLSVersion) throws {
        let (first, second) = (try contexts(version), try contexts(version))
        #expect(try !connect(first).isResumed)
        #expect(try !connect((second.client, first.server)).isResumed)
        #expect(try !connect((first.client, second.server)).isResumed)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [true, false])
    func `nothing is resumed if one side does not want it`(version: TLSVersion, isClient: Bool) throws {
        let contexts = try contexts(
            version, client: { $0.resumesSessions = !isClient }, server: { $0.resumesSessions = isClient })
        for _ in 0..<3 { #expect(try !connect(contexts).isResumed) }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a session keeps the outcome of the pin check`(version: TLSVersion) throws {
        let hash = try TLSKeyHash(certificates.server.keyHash)
        let contexts = try contexts(version, client: { $0.pins = TLSPins([hash]) })
        #expect(try connect(contexts) == (false, .matched(hash, depth: 0)))
        #expect(try connect(contexts) == (true, .matched(hash, depth: 0)))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a refused connection leaves no session to resume`(version: TLSVersion) throws {
        let contexts = try contexts(
            version, client: { $0.pins = try TLSPins([certificates.client.keyHash]) })
        for _ in 0..<2 {
            let pair = try Pair(contexts.client, contexts.server)
            let error = try #require(throws: TLSError.self) { try pair.exchange() }
            guard case .pinMismatch = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a server knows the client certificate of a resumed session`(version: TLSVersion) throws {
        let contexts = try contexts(
            version, client: { $0.identity = TLSIdentity(certificates.client) },
            server: { server in
                server.trustRoots = .only(.text(certificates.root.own.certificate))
                server.clientCertificates = .required
            })
        for isResumed in [false, true] {
            let pair = try Pair(contexts.client, contexts.server)
            try pair.exchange()
            #expect(pair.server.engine.isResumed == isResumed)
            #expect(try pair.server.engine.peerKeyHash == TLSKeyHash(certificates.client.keyHash))
        }
    }

    @Test func `the number of saved sessions is limited`() throws {
        let contexts = try contexts()
        for number in 0...257 { #expect(try !connect(contexts, to: "host\(number).wild.test").isResumed) }
        #expect(try !connect(contexts, to: "host0.wild.test").isResumed)
        #expect(try connect(contexts, to: "host257.wild.test").isResumed)
    }

    @Test func `threads can use the contexts together`() async throws {
        let contexts = try contexts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<20 { _ = try connect(contexts) } }
            }
            try await group.waitForAll()
        }
    }
}
