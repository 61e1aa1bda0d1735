// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTLS

/// Engines on loopback sockets with Erlang's own `ssl`.
@Suite(
    .enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"),
    .enabled(if: ErlangInterpreter.isWantedWithTLS, "\(ErlangInterpreter.absenceOfTLS)"), .amongAll)
struct ErlangTLSTests {
    let certificates: Certificates
    let files: CertificateFiles

    init() throws {
        certificates = try Certificates.made.get()
        files = try CertificateFiles(certificates)
    }

    private func erlang(_ arguments: [String]) throws -> PeerProcess {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Erlang/tls.escript")
        return try PeerProcess(ErlangInterpreter.process(script: script, arguments: arguments))
    }

    @Test(arguments: [("tlsv1.2", TLSVersion.tls12), ("tlsv1.3", .tls13)])
    func `an Erlang server returns what a client sends`(name: String, version: TLSVersion) throws {
        var random = SeededGenerator.forThisRun()
        let process = try erlang(["serve", name, files.path("server-chain"), files.path("server-key")])
        let port = try process.port(behind: "")
        var configuration = certificates.clientConfiguration()
        configuration.applicationProtocols = ["wireline"]
        configuration.pins = try TLSPins([certificates.server.keyHash])
        let context = try TLSContext(configuration)
        let side = try SocketSide(context.connect(to: "server.test"), connectingTo: port)
        try side.shakeHands()
        #expect(side.engine.version == version)
        #expect(side.engine.applicationProtocol == "wireline")
        let bytes = random.bytes(300_000)
        for start in stride(from: 0, to: bytes.count, by: 30_000) {
            try side.write(Array(bytes[start..<start + 30_000]))
            try side.run { side.side.received.count >= start + 30_000 }
        }
        #expect(side.side.received == bytes, random.seedComment)
        try side.end()

        let other = try SocketSide(context.connect(to: "other.test"), connectingTo: port)
        #expect(throws: TLSError.wrongHost(expected: "other.test")) { try other.shakeHands() }
        try process.endInput()
        #expect(try process.finish().isSuccess)
    }

    @Test(arguments: [("tlsv1.2", TLSVersion.tls12), ("tlsv1.3", .tls13)])
    func `an Erlang client gets back what it sends to a server`(name: String, version: TLSVersion) throws {
        let listener = try LoopbackListener()
        let process = try erlang(["call", name, files.path("root"), "\(listener.port)", "300000"])
        let side = try SocketSide(TLSContext(certificates.serverConfiguration()).accept(), accepting: listener)
        try side.shakeHands()
        #expect(side.engine.version == version)
        var count = 0
        while count < 300_000 {
            try side.run { side.side.received.count > count }
            try side.write(Array(side.side.received[count...]))
            count = side.side.received.count
        }
        // Erlang ends with a close_notify.
        try side.run { false }
        #expect(side.engine.hasReceivedEnd)
        #expect(try process.finish().text == "300000 bytes\n")
    }
}
