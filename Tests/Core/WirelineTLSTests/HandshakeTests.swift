// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct HandshakeTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    func pair(_ version: TLSVersion, serverName: String = "server.test") throws -> Pair {
        var client = certificates.clientConfiguration()
        client.minimumVersion = version
        client.maximumVersion = version
        return try Pair(client, certificates.serverConfiguration(), serverName: serverName)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client and a server complete a handshake`(version: TLSVersion) throws {
        let pair = try pair(version)
        #expect(pair.client.engine.version == nil)
        #expect(!pair.client.engine.isHandshakeComplete)
        try pair.exchange()
        for engine in [pair.client.engine, pair.server.engine] {
            #expect(engine.isHandshakeComplete)
            #expect(engine.version == version)
            #expect(engine.applicationProtocol == nil)
            #expect(!engine.isResumed)
            #expect(engine.pinOutcome == .notChecked)
        }
        #expect(pair.client.engine.cipher == pair.server.engine.cipher)
        #expect(try #require(pair.client.engine.cipher).contains("AES"))
        #expect(pair.server.engine.requestedServerName == "server.test")
        #expect(try pair.client.engine.peerKeyHash == TLSKeyHash(certificates.server.keyHash))
        #expect(pair.server.engine.peerKeyHash == nil)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a handshake can arrive byte by byte`(version: TLSVersion) throws {
        let pair = try pair(version)
        try pair.exchange { bytes in bytes.map { [$0] } }
        #expect(pair.client.engine.version == version)
        #expect(pair.server.engine.version == version)
    }

    /// Each handshake splits every byte string that a side sends at one place; each handshake uses another place.
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a handshake can be split anywhere`(version: TLSVersion) throws {
        let longest = try longestFlight(version)
        let client = try pair(version).client.engine.context
        let server = try TLSContext(certificates.serverConfiguration())
        for place in 1...longest {
            let pair = try Pair(client, server, serverName: "server.test")
            try pair.exchange { [Array($0.prefix(place)), Array($0.dropFirst(place))] }
            guard pair.client.engine.isHandshakeComplete, pair.server.engine.isHandshakeComplete else {
                Issue.record("cut at \(place) the handshake does not end")
                return
            }
        }
        #expect(longest > 500)
    }

    private func longestFlight(_ version: TLSVersion) throws -> Int {
        var longest = 0
        try pair(version).exchange { bytes in
            longest = max(longest, bytes.count)
            return [bytes]
        }
        return longest
    }

    @Test func `an unsupported version is refused with an alert`() throws {
        var server = certificates.serverConfiguration()
        server.minimumVersion = .tls13
        let pair = try Pair(TLSContext(pair(.tls12).client.engine.context.configuration), TLSContext(server))
        let error = try #require(throws: TLSError.self) { try pair.exchange() }
        guard case .violation(_, .protocolVersion) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(pair.client.engine.failure == .alert(.protocolVersion))
    }

    // MARK: Names

    @Test(arguments: ["server.test", "SERVER.test", "server.test.", "a.wild.test"])
    func `a name in the certificate is accepted, and the server gets it`(name: String) throws {
        let pair = try pair(.tls13, serverName: name)
        try pair.exchange()
        #expect(pair.server.engine.requestedServerName == (name.hasPrefix("a") ? "a.wild.test" : "server.test"))
    }

    @Test(arguments: ["127.0.0.1", "::1", "[::1]"])
    func `an address in the certificate is accepted, and the server does not get it`(address: String) throws {
        let pair = try pair(.tls13, serverName: address)
        try pair.exchange()
        #expect(pair.server.engine.requestedServerName == nil)
        #expect(pair.client.engine.isHandshakeComplete)
    }

    @Test(
        arguments: [
            "", ".", "a..b", "server test", "sérver.test", "a/b", "1.2.3", "1.2.3.4.5", "1.2.3.256", "::g", "[]", "a:1",
            String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "a",
        ])
    func `a server name that is no host name and no address is refused`(name: String) throws {
        let context = try TLSContext(certificates.clientConfiguration())
        let error = try #require(throws: TLSError.self) { _ = try context.connect(to: name) }
        guard case .invalidServerName = error else {
            Issue.record("\(error)")
            return
        }
    }

    // MARK: Application protocols

    @Test(
        arguments: [
            (["wireline", "h2"], ["h2", "wireline"], "h2"), (["a"], ["b", "a"], "a"), (["a"], [], nil),
            ([], ["a"], nil),
        ] as [([String], [String], String?)])
    func `the server chooses the application protocol if there is a common one`(
        offered: [String], known: [String], agreed: String?
    ) throws {
        var (client, server) = (certificates.clientConfiguration(), certificates.serverConfiguration())
        client.applicationProtocols = offered
        server.applicationProtocols = known
        let pair = try Pair(client, server)
        try pair.exchange()
        #expect(pair.client.engine.applicationProtocol == agreed)
        #expect(pair.server.engine.applicationProtocol == agreed)
    }

    @Test func `a client that offers only unknown application protocols is refused`() throws {
        var (client, server) = (certificates.clientConfiguration(), certificates.serverConfiguration())
        client.applicationProtocols = ["a"]
        server.applicationProtocols = ["b"]
        let pair = try Pair(client, server)
        #expect(throws: TLSError.self) { try pair.exchange() }
        #expect(pair.client.engine.failure == .alert(.noApplicationProtocol))
    }

    @Test(arguments: ["", String(repeating: "a", count: 256)])
    func `the name of an application protocol has 1 to 255 bytes`(name: String) {
        var client = TLSConfiguration.client()
        client.applicationProtocols = [name]
        #expect(throws: TLSError.invalidApplicationProtocol(name)) { try TLSContext(client) }
    }
}
