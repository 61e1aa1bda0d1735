// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTLS

/// Engines on loopback sockets with `openssl s_server` and `openssl s_client`.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"), .amongAll)
struct InteroperationTests {
    let certificates: Certificates
    let files: CertificateFiles

    init() throws {
        certificates = try Certificates.made.get()
        files = try CertificateFiles(certificates)
    }

    /// A server that returns each line reversed.
    private func server(_ name: String, _ options: [String]) throws -> (process: PeerProcess, port: UInt16) {
        let certificate = ["-cert", name, "-key", name + "-key", "-cert_chain", name + "-chain"]
        let process = try PeerProcess(
            OpenSSLTool.process(
                ["s_server", "-accept", "127.0.0.1:0", "-rev"] + certificate + options, in: files.folder))
        return try (process, process.port(behind: "ACCEPT"))
    }

    private func connect(_ configuration: TLSConfiguration, _ port: UInt16) throws -> SocketSide {
        try SocketSide(TLSContext(configuration).connect(to: "server.test"), connectingTo: port)
    }

    private func expectReversed(_ side: SocketSide) throws {
        try side.write(Array("wireline\n".utf8))
        try side.run { side.side.received.count >= 9 }
        #expect(side.side.received == Array("enileriw\n".utf8))
    }

    @Test(arguments: [("-tls1_2", TLSVersion.tls12), ("-tls1_3", .tls13)])
    func `a client talks to s_server`(option: String, version: TLSVersion) throws {
        let (process, port) = try server("server", [option, "-alpn", "other,wireline"])
        defer { withExtendedLifetime(process) {} }
        var configuration = certificates.clientConfiguration()
        configuration.applicationProtocols = ["wireline"]
        configuration.pins = try TLSPins([certificates.server.keyHash])
        let context = try TLSContext(configuration)
        for isResumed in [false, true] {
            let side = try SocketSide(context.connect(to: "server.test"), connectingTo: port)
            try expectReversed(side)
            #expect(side.engine.version == version)
            #expect(side.engine.applicationProtocol == "wireline")
            #expect(side.engine.isResumed == isResumed)
            try side.end()
        }
    }

    @Test(arguments: [("-tls1_2", TLSVersion.tls12), ("-tls1_3", .tls13)])
    func `a client does not resume with s_server after its certificate has expired`(
        option: String, version: TLSVersion
    ) throws {
        try files.write("short", certificates.root.issue(to: ["DNS:server.test"], validity: .hour))
        let (process, port) = try server("short", [option])
        let clock = TestClock()
        let context = try TLSContext(certificates.clientConfiguration(), now: clock.now)
        for isResumed in [false, true] {
            let side = try SocketSide(context.connect(to: "server.test"), connectingTo: port)
            try expectReversed(side)
            #expect(side.engine.isResumed == isResumed)
            try side.end()
        }
        clock.advance(byHours: 2)
        let side = try SocketSide(context.connect(to: "server.test"), connectingTo: port)
        #expect(throws: TLSError.certificateExpired(depth: 0)) { try side.shakeHands() }
        withExtendedLifetime(process) {}
    }

    // MARK: Attacks

    @Test(arguments: ["other", "over", "stranger", "ownSigned", "attacker"])
    func `s_server with an invalid certificate is refused, and gets the reason`(kind: String) throws {
        var client = certificates.clientConfiguration()
        client.pins = try TLSPins([certificates.server.keyHash])
        let attack = try attack(kind, &client)
        try files.write("attack", attack.certificate)
        let (process, port) = try server("attack", ["-naccept", "1"])
        let side = try connect(client, port)
        #expect(throws: attack.error) { try side.shakeHands() }
        let output = try process.finish().text
        #expect(output.contains(attack.alert), "\(output)")
    }

    private func attack(
        _ kind: String, _ client: inout TLSConfiguration
    ) throws -> (certificate: IssuedCertificate, error: TLSError, alert: String) {
        let key = certificates.server.key
        switch kind {
        case "other":
            let issued = try certificates.root.issue(to: ["DNS:other.test"], key: key)
            return (issued, .wrongHost(expected: "server.test"), "alert bad certificate")
        case "over":
            let issued = try certificates.root.issue(to: ["DNS:server.test"], validity: .over, key: key)
            return (issued, .certificateExpired(depth: 0), "alert certificate expired")
        case "stranger":
            let issued = try certificates.otherRoot.issue(to: ["DNS:server.test"], key: key)
            return (issued, .unknownIssuer(depth: 0), "alert unknown ca")
        case "ownSigned": return (try .selfSigned(), .selfSigned(depth: 0), "alert unknown ca")
        default:
            // A trusted authority was deceived; the genuine chain is sent along.
            client.trustRoots = .only(
                .text(certificates.root.own.certificate + certificates.otherRoot.own.certificate))
            var issued = try certificates.otherRoot.issue(to: ["DNS:server.test"])
            issued.issuers = certificates.server.chain
            let received = try [TLSKeyHash(issued.keyHash), TLSKeyHash(certificates.otherRoot.own.keyHash)]
            return (issued, .pinMismatch(received: received), "alert bad certificate")
        }
    }

    @Test func `s_server with the back-up key is accepted`() throws {
        let renewed = try certificates.root.issue(to: ["DNS:server.test"])
        try files.write("renewed", renewed)
        let (process, port) = try server("renewed", [])
        var client = certificates.clientConfiguration()
        client.pins = try TLSPins([certificates.server.keyHash, renewed.keyHash])
        let side = try connect(client, port)
        try expectReversed(side)
        #expect(try side.engine.pinOutcome == .matched(TLSKeyHash(renewed.keyHash), depth: 0))
        withExtendedLifetime(process) {}
    }

    @Test func `s_server gets the client certificate that it requires`() throws {
        let (process, port) = try server("server", ["-Verify", "3", "-CAfile", "root", "-verify_return_error"])
        let known = try connect(certificates.clientConfiguration(identity: certificates.client), port)
        try expectReversed(known)
        try known.end()
        let unknown = try connect(certificates.clientConfiguration(), port)
        // In TLS 1.3 the client is done before the server has seen that no certificate came.
        #expect(throws: TLSError.alert(.certificateRequired)) { try unknown.run { false } }
        withExtendedLifetime(process) {}
    }

    @Test(arguments: [true, false])
    func `a server without TLS is recognized by its answer`(isHTTP: Bool) throws {
        let listener = try LoopbackListener()
        let answer = isHTTP ? "HTTP/1.1 400 Bad Request\r\n\r\n" : "\0\0\0\u{10}N!"
        let side = try SocketSide(
            TLSContext(certificates.clientConfiguration()).connect(to: "server.test"), connectingTo: listener.port)
        try listener.answerOnce(Array(answer.utf8))
        #expect(throws: TLSError.notTLS(firstBytes: Array(answer.utf8.prefix(8)))) { try side.shakeHands() }
    }

    // MARK: s_client

    /// A client that trusts the root, checks the name, and continues after the end of its input.
    private func client(_ port: UInt16, _ options: [String]) throws -> PeerProcess {
        let common = [
            "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "server.test",
            "-verify_hostname", "server.test", "-CAfile", "root", "-verify_return_error",
        ]
        return try PeerProcess(OpenSSLTool.process(common + options, in: files.folder))
    }

    @Test(arguments: [("-tls1_2", TLSVersion.tls12), ("-tls1_3", .tls13)])
    func `s_client talks to a server`(option: String, version: TLSVersion) throws {
        var configuration = certificates.serverConfiguration()
        configuration.applicationProtocols = ["wireline"]
        let listener = try LoopbackListener()
        let process = try client(listener.port, [option, "-quiet", "-alpn", "other,wireline"])
        let side = try SocketSide(TLSContext(configuration).accept(), accepting: listener)
        try process.write("wireline\n")
        try side.run { side.side.received.count >= 9 }
        #expect(side.side.received == Array("wireline\n".utf8))
        #expect(side.engine.version == version)
        #expect(side.engine.applicationProtocol == "wireline")
        #expect(side.engine.requestedServerName == "server.test")
        try side.write(Array("an answer\n".utf8))
        try side.end()
        let end = try process.finish()
        #expect(end.text.contains("an answer\n"))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `s_client does not resume after its certificate has expired`(option: String) throws {
        try files.write("short", certificates.root.issue(to: ["DNS:client.test"], for: .client, validity: .hour))
        var configuration = certificates.serverConfiguration()
        configuration.trustRoots = .only(.text(certificates.root.own.certificate))
        configuration.clientCertificates = .required
        let clock = TestClock()
        let context = try TLSContext(configuration, now: clock.now)
        let listener = try LoopbackListener()
        for (input, isResumed) in [(nil, false), ("session", true), ("session", nil)] as [(String?, Bool?)] {
            if isResumed == nil { clock.advance(byHours: 2) }
            let identity = ["-cert", "short", "-key", "short-key", "-sess_out", "session"]
            let session = input.map { ["-sess_in", $0] } ?? []
            let process = try client(listener.port, [option] + identity + session)
            let side = try SocketSide(context.accept(), accepting: listener)
            guard let isResumed else {
                #expect(throws: TLSError.certificateExpired(depth: 0)) { try side.shakeHands() }
                #expect(try process.finish().text.contains("alert certificate expired"))
                continue
            }
            // The tool saves a session only after it has received data.
            try side.write(Array("hello\n".utf8))
            #expect(side.engine.isResumed == isResumed)
            try side.end()
            #expect(try process.finish().text.contains("hello"))
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `s_client does not resume a session of another server name`(option: String) throws {
        let context = try TLSContext(certificates.serverConfiguration())
        let listener = try LoopbackListener()
        let first = [option, "-sess_out", "session"]
        let later = first + ["-sess_in", "session", "-servername"]
        for (options, isResumed) in [
            (first, false), (later + ["SERVER.test"], true), (later + ["a.wild.test"], false),
            (later + ["server.test"], false),
        ] {
            let process = try client(listener.port, options)
            let side = try SocketSide(context.accept(), accepting: listener)
            // The tool saves a session only after it has received data.
            try side.write(Array("hello\n".utf8))
            #expect(side.engine.isResumed == isResumed, "\(options)")
            try side.end()
            #expect(try process.finish().text.contains("hello"))
        }
    }

    @Test func `s_client changes keys, and requests new ones`() throws {
        let listener = try LoopbackListener()
        let process = try client(listener.port, ["-tls1_3"])
        let side = try SocketSide(TLSContext(certificates.serverConfiguration()).accept(), accepting: listener)
        try side.shakeHands()
        for (command, line) in [("K\n", "one\n"), ("k\n", "two\n"), ("K\n", "three\n")] {
            // The tool accepts a command only at the beginning of a read.
            try process.write(command)
            try side.receiveOnce()
            let before = side.side.received.count
            try process.write(line)
            try side.run { side.side.received.count > before }
            try side.write(Array("got \(line)".utf8))
        }
        #expect(side.side.received == Array("one\ntwo\nthree\n".utf8))
        try side.end()
        #expect(try process.finish().text.contains("got three"))
    }

    @Test func `s_client is refused a second handshake`() throws {
        let listener = try LoopbackListener()
        let process = try client(listener.port, ["-tls1_2"])
        let side = try SocketSide(TLSContext(certificates.serverConfiguration()).accept(), accepting: listener)
        try side.shakeHands()
        try process.write("R\n")
        // The client gives up, with an alert or by closing.
        let error = RobustnessTests.errorOf { try side.run { false } }
        #expect(error is TLSError, "\(String(describing: error))")
        let end = try process.finish()
        #expect(!end.isSuccess)
        #expect(end.text.contains("no renegotiation"), "\(end.text)")
        #expect(side.side.received.isEmpty)
    }
}
