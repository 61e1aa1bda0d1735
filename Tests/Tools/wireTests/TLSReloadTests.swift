// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline

/// SIGHUP makes servers read their certificate files again.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .aside)
struct TLSReloadTests {
    private static let root = Result { try CertificateAuthority("root") }

    /// Two certificates of one host, and the files for a server with the first.
    private struct Setting {
        let (first, second): (IssuedCertificate, IssuedCertificate)
        let files: KeyValuePairs<String, String>

        init() throws {
            let root = try TLSReloadTests.root.get()
            (first, second) = (try root.issue(to: ["IP:127.0.0.1"]), try root.issue(to: ["IP:127.0.0.1"]))
            files = [
                "Protocols/Scene/Scene.wire": sceneSchema, "root.pem": root.own.certificate,
                "server.pem": first.chain, "server.key": first.key,
            ]
        }
    }

    /// Reads from standard error until the line about SIGHUP has come, and returns it. Other lines are about connections
    /// that ended without a message.
    private func report(of server: ServingTool) throws -> String {
        var text = ""
        while true {
            let more = server.nextErrors()
            try #require(!more.isEmpty, "\(text)")
            text += more
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if let line = lines.dropLast().first(where: { $0.contains("SIGHUP") }) { return String(line) }
        }
    }

    @Test(arguments: [["serve", "127.0.0.1:0", "--echo"], ["websocket", "echo", "127.0.0.1:0"]])
    func `SIGHUP loads the new certificate, and keeps the old one if a file is wrong`(words: [String]) throws {
        let setting = try Setting()
        let tls = ["--tls-certificate", "server.pem", "--tls-key", "server.key"]
        let server = try ServingTool(running: words + tls, files: setting.files)
        let shown = { () throws -> String in
            let client = try OpenSSLTool.process(["s_client", "-connect", server.address])
            let output = Pipe()
            (client.standardInput, client.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            client.standardOutput = output
            try client.runWatched()
            defer { client.waitUntilExit() }
            return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        #expect(try shown().contains(setting.first.certificate))

        // The key alone: it does not belong to the certificate.
        try server.workspace.write(setting.second.key, to: "server.key")
        server.send(SIGHUP)
        let refusal = "error: SIGHUP: the old certificates stay: the private key is not that of the first certificate"
        #expect(try report(of: server) == refusal + " of the chain")
        #expect(try shown().contains(setting.first.certificate))

        try server.workspace.write(setting.second.chain, to: "server.pem")
        server.send(SIGHUP)
        let line = "note: SIGHUP: new connections use what was loaded from server.pem, server.key"
        #expect(try report(of: server) == line)
        #expect(try shown().contains(setting.second.certificate))

        try server.workspace.write("", to: "server.pem")
        server.send(SIGHUP)
        #expect(
            try report(of: server).hasPrefix("error: SIGHUP: the old certificates stay: the certificate chain cannot"))
        #expect(try shown().contains(setting.second.certificate))
        #expect(server.end().status == 0)
    }

    @Test func `the answer to SIGHUP is printed however many errors there are`() async throws {
        let setting = try Setting()
        let server = try ServingTool(
            ["--tls-certificate", "server.pem", "--tls-key", "server.key", "--log-rate", "1"], files: setting.files)
        // Clients that do not speak TLS use up what may be printed in each second.
        func makeNoise() async throws {
            for _ in 0..<20 {
                let stranger = try await server.connect()
                await stranger.sendRaw(Array("GET / HTTP/1.1\r\n\r\n".utf8))
                _ = try? await stranger.next()
                stranger.close()
            }
        }
        try await makeNoise()
        server.send(SIGHUP)
        try await makeNoise()
        try server.workspace.write("", to: "server.key")
        server.send(SIGHUP)
        try await makeNoise()
        let lines = server.end().errors.split(separator: "\n").filter { $0.contains("SIGHUP") }
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.last?.hasPrefix("error: SIGHUP: the old certificates stay: ") == true)
    }

    /// The pipe has no writer: whoever opened it would wait for ever.
    @Test func `a pipe in place of a key is refused, and the next SIGHUP is obeyed`() throws {
        let setting = try Setting()
        let server = try ServingTool(
            ["--tls-certificate", "server.pem", "--tls-key", "server.key"], files: setting.files)
        #expect(try server.workspace.shell("rm server.key && mkfifo server.key").status == 0)
        server.send(SIGHUP)
        #expect(
            try report(of: server) == "error: SIGHUP: the old certificates stay: server.key: it is not a regular file")
        #expect(try server.workspace.shell("rm server.key").status == 0)
        try server.workspace.write(setting.first.key, to: "server.key")
        server.send(SIGHUP)
        #expect(try report(of: server).hasPrefix("note: SIGHUP: new connections use "))
        #expect(server.end().status == 0)
    }

    @Test func `SIGHUP replaces the authorities of clients`() throws {
        let setting = try Setting()
        let others = try CertificateAuthority("others")
        let client = try others.issue(to: ["DNS:client.test"], for: .client)
        let server = try ServingTool(
            ["--tls-certificate", "server.pem", "--tls-key", "server.key", "--tls-ca", "clients.pem"],
            files: [
                "Protocols/Scene/Scene.wire": sceneSchema, "root.pem": try Self.root.get().own.certificate,
                "server.pem": setting.first.chain, "server.key": setting.first.key,
                "clients.pem": try Self.root.get().own.certificate, "client.pem": client.chain,
                "client.key": client.key,
            ])
        let call = [
            "call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001", "--tls-ca", "root.pem",
            "--tls-certificate", "client.pem", "--tls-key", "client.key",
        ]
        #expect(try server.wire(call).errors.contains("unknown_ca"))
        try server.workspace.write(others.own.certificate, to: "clients.pem")
        server.send(SIGHUP)
        #expect(try report(of: server).hasSuffix("server.pem, server.key, clients.pem"))
        #expect(try server.wire(call) == .success(packetLine))
        #expect(server.end().status == 0)
    }
}
