// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// `wire call` and `wire serve` with TLS, as programs, against each other and against `openssl`.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .waiting)
struct TLSTests {
    private struct Certificates {
        let root: CertificateAuthority
        let server: IssuedCertificate
        let client: IssuedCertificate
        let game: IssuedCertificate
        let wild: IssuedCertificate
        /// The files for a server and a client.
        let files: KeyValuePairs<String, String>

        init() throws {
            root = try CertificateAuthority("root")
            server = try root.issue(to: ["DNS:localhost", "IP:127.0.0.1"])
            client = try root.issue(to: ["DNS:client.test"], for: .client)
            game = try root.issue(to: ["DNS:game.example.test"])
            wild = try root.issue(to: ["DNS:*.example.test", "IP:127.0.0.1"])
            files = [
                "Protocols/Scene/Scene.wire": sceneSchema, "root.pem": root.own.certificate,
                "server.pem": server.chain, "server.key": server.key, "client.pem": client.chain,
                "client.key": client.key, "game.pem": game.chain, "game.key": game.key, "wild.pem": wild.chain,
                "wild.key": wild.key,
            ]
        }
    }

    private static let made = Result { try Certificates() }
    private let certificates: Certificates

    init() throws {
        certificates = try Self.made.get()
    }

    private func server(_ words: String...) throws -> ServingTool {
        try ServingTool(
            ["--tls-certificate", "server.pem", "--tls-key", "server.key"] + words, files: certificates.files)
    }

    @Test func `a call works with the root, and with the server's key pinned`() throws {
        let server = try server()
        let call = ["call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001", "--tls-ca", "root.pem"]
        #expect(try server.wire(call) == .success(packetLine))
        #expect(try server.wire(call + ["--tls-pin", certificates.server.keyHash]) == .success(packetLine))
        let pins = certificates.client.keyHash + "," + certificates.server.keyHash
        #expect(try server.wire(call + ["--tls", "--tls-pin=" + pins]) == .success(packetLine))
        #expect(server.end() == .success(""))
    }

    @Test func `a call works over a secure WebSocket`() throws {
        let server = try server("--websocket", "/sub")
        let call = ["call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001", "--tls-ca", "root.pem"]
        #expect(try server.wire(call + ["--websocket", "/sub"]) == .success(packetLine))
        #expect(server.end() == .success(""))
    }

    private func webSocketEcho(_ words: String...) throws -> ServingTool {
        try ServingTool(running: ["websocket", "echo", "127.0.0.1:0"] + words, files: certificates.files)
    }

    @Test func `a WebSocket is echoed over TLS, with the root and with the server's key pinned`() throws {
        let server = try webSocketEcho("--tls-certificate", "server.pem", "--tls-key", "server.key")
        let pin = ["--tls-ca", "root.pem", "--tls-pin", certificates.server.keyHash]
        let connect = ["websocket", "connect", "wss://\(server.address)/"] + pin
        var outcome: Outcome?
        // The client closes after a time without input, in which a busy machine may not answer.
        for time in ["1s", "10s", "60s"] where outcome != .success("hello\n") {
            outcome = try server.wire(connect + ["--wait", time], input: Data("hello\n".utf8))
        }
        #expect(outcome == .success("hello\n"))
        #expect(server.end() == .success(""))
    }

    @Test func `a WebSocket client with TLS to a server without it, or the reverse, gets the reason`() throws {
        let secure = try webSocketEcho("--tls-certificate", "server.pem", "--tls-key", "server.key")
        let plain = try webSocketEcho()
        let met = try secure.wire("websocket", "connect", "ws://\(secure.address)/")
        #expect(met.status == 1)
        #expect(met.errors.hasPrefix("error: no WebSocket at ws://\(secure.address)/: the peer does not speak HTTP"))
        #expect(met.errors.hasSuffix("\nhelp: an address that begins with wss:// is asked with TLS\n"), "\(met)")
        let missed = try plain.wire("websocket", "connect", "wss://\(plain.address)/", "--tls-ca", "root.pem")
        #expect(missed.status == 1)
        #expect(missed.errors.hasPrefix("error: no WebSocket at wss://\(plain.address)/: "))
        let doubt = "\nhelp: does it speak TLS at this port? an address that begins with ws:// is asked without\n"
        #expect(missed.errors.hasSuffix(doubt), "\(missed)")
        for server in [secure, plain] { #expect(server.end().status == 0) }
    }

    @Test func `a call to an untrusted server fails with the reason`() throws {
        let server = try server()
        let call = ["call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001"]
        let cannot = "error: cannot connect to \(server.address): "
        let refusals: KeyValuePairs = [
            ["--tls"]: cannot + "the issuer of the peer's certificate is not trusted",
            ["--tls-ca", "root.pem", "--tls-name", "other.test"]:
                cannot + "the peer's certificate is not for \"other.test\"",
            ["--tls-ca", "root.pem", "--tls-pin", certificates.client.keyHash]: cannot
                + "none of the chain's keys is pinned",
            ["--tls-ca", "missing.pem"]: "error: TLS: missing.pem: No such file or directory",
            ["--tls-name", "a b"]: cannot + "\"a b\" is neither a host name",
        ]
        for (options, error) in refusals {
            let outcome = try server.wire(call + options)
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix(error), "\(options): \(outcome.errors)")
        }
        let pinned = try server.wire(call + ["--tls-pin", "abc"])
        #expect(pinned.status == 2)
        #expect(pinned.errors.hasPrefix("error: --tls-pin: \"abc\" is not a SHA-256"), "\(pinned)")
        let alone = try server.wire(call + ["--tls-key", "client.key"])
        #expect(alone.status == 2)
        #expect(alone.errors.hasPrefix("error: --tls-certificate is missing: --tls-key goes with it\n"))
        #expect(server.end().status == 0)
    }

    private static let doubt = "help: does it speak TLS at this port? without the --tls options plain TCP is spoken\n"

    @Test func `if a server answers with plain packets, the error asks whether it speaks TLS`() async throws {
        let workspace = try Workspace(certificates.files)
        let answering = try await rawPeer { _, _ in Array(packetBytes) }
        // The input is read first: unread input would turn an end into a reset, and an early reset would not be the
        // handshake's.
        let ending = try await peer { connection in
            await connection.loop.run { connection.stream.endOutput() }
            _ = try? await connection.next()
        }
        let resetting = try await peer { connection in
            _ = try? await connection.next()
            await connection.loop.run { connection.stream.reset() }
        }
        let errors = [
            answering.address: "the peer does not speak TLS: its first bytes are 00 00 00 0f 4e 21 01 00",
            ending.address.description: "the connection has ended inside the TLS handshake",
            resetting.address.description: "the peer has reset the connection",
        ]
        for (address, error) in errors {
            for command in ["call \(address) Cs_20001 '\(packetFields)'", "conform --target \(address) --generate 1"] {
                let outcome = try workspace.shell("wire \(command) --timeout 20m --tls")
                let text = "error: cannot connect to \(address): \(error)\n" + Self.doubt
                #expect(outcome == Outcome(status: 1, output: "", errors: text))
            }
        }
        for server in [ending, resetting] { await server.shutDown(within: .seconds(60)) }
    }

    @Test func `if a server waits for more of a packet, the error asks whether it speaks TLS`() async throws {
        let silent = try await rawPeer { _, _ in [] }
        let workspace = try Workspace(certificates.files)
        // The timeout includes connecting, which may use all of it on a busy machine. Then it is longer in the next
        // try.
        for time in ["200ms", "5s", "60s"] {
            let outcome = try workspace.shell(
                "wire call \(silent.address) Cs_20001 '\(packetFields)' --timeout \(time) --tls")
            let error = "error: no connection to \(silent.address) within \(time)"
            if outcome.errors == error + "\n", time != "60s" { continue }
            let errors = error + ": it does not answer with TLS\n" + Self.doubt
            #expect(outcome == Outcome(status: 1, output: "", errors: errors))
            break
        }
    }

    @Test func `a call without TLS to a server with it recognises TLS`() throws {
        let server = try server()
        let outcome = try server.wire("call", server.address, "Cs_20001", packetFields)
        let errors =
            "error: \(server.address): length 0x15030300 is over the limit of 1048576; these bytes begin a TLS record: "
            + "is this a TLS server?\nhelp: with --tls, or --tls-ca FILE, the call speaks TLS\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
        #expect(server.end().status == 0)
    }

    @Test func `a server can require a client's certificate`() throws {
        let server = try server("--tls-ca", "root.pem")
        let call = ["call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001", "--tls-ca", "root.pem"]
        let identity = ["--tls-certificate", "client.pem", "--tls-key", "client.key"]
        #expect(try server.wire(call + identity) == .success(packetLine))
        let outcome = try server.wire(call)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("certificate_required"), "\(outcome.errors)")
        #expect(server.end().status == 0)
    }

    @Test func `a client gets the certificate for the host it asks for, or else the first one`() throws {
        let server = try server(
            "--tls-certificate", "wild.pem", "--tls-certificate", "game.pem", "--tls-key", "wild.key", "--tls-key",
            "game.key")
        let choices = [
            ("-servername game.example.test", certificates.game),
            ("-servername GAME.example.test", certificates.game),
            ("-servername other.example.test", certificates.wild), ("-servername localhost", certificates.server),
            ("-servername a.b.example.test", certificates.server), ("-noservername", certificates.server),
        ]
        for (asked, issued) in choices {
            let client = try OpenSSLTool.process(
                ["s_client", "-connect", server.address] + asked.split(separator: " ").map(String.init))
            let output = Pipe()
            (client.standardInput, client.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            client.standardOutput = output
            try client.runWatched()
            let shown = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            client.waitUntilExit()
            #expect(shown.contains(issued.certificate), "\(asked): \(shown)")
        }
        #expect(server.end().status == 0)
    }

    @Test func `certificates and keys come in pairs, and one that cannot be chosen is refused`() throws {
        let workspace = try Workspace(certificates.files)
        let serve = "wire serve 127.0.0.1:0 --echo --tls-certificate server.pem --tls-key server.key "
        let missing = try workspace.shell(serve + "--tls-certificate game.pem")
        #expect(missing.status == 2)
        #expect(missing.errors.hasPrefix("error: --tls-key is missing: --tls-certificate goes with it\n"))
        let mixed = try workspace.shell(serve + "--tls-certificate game.pem --tls-key wild.key")
        #expect(mixed.status == 1)
        #expect(mixed.errors.hasPrefix("error: TLS: the private key is not that of the first certificate"))
        let nameless = try workspace.shell(serve + "--tls-certificate root.pem --tls-key game.key")
        #expect(nameless.status == 1)
        #expect(nameless.errors.contains("it names no host, so nobody can ask for it"), "\(nameless.errors)")
    }

    @Test func `openssl's client gets its packet back`() throws {
        let server = try server()
        let client = try OpenSSLTool.process(["s_client", "-connect", server.address, "-quiet", "-verify_quiet"])
        let (input, output) = (Pipe(), Pipe())
        (client.standardInput, client.standardOutput, client.standardError) = (input, output, FileHandle.nullDevice)
        try client.runWatched()
        try input.fileHandleForWriting.write(contentsOf: packetBytes)
        var reply = Data()
        while reply.count < packetBytes.count {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { break }
            reply += piece
        }
        #expect(reply == packetBytes)
        // It does not end with its input, and ignores the signal to end if the thread that started it does.
        kill(client.processIdentifier, SIGKILL)
        client.waitUntilExit()
        #expect(server.end().status == 0)
    }

    // MARK: Probing

    @Test func `a probe looks inside TLS`() throws {
        let server = try server()
        let patience = ["--silence", "2s", "--timeout", "20m"]
        let outside = try server.wire(["probe", server.address] + patience)
        #expect(
            outside
                == .success("\(server.address) speaks TLS; with --tls, the protocol inside it can be told\n"))
        let inside = try server.wire(["probe", server.address, "--tls-ca", "root.pem"] + patience)
        let text =
            "\(server.address) speaks TLS, and inside it packets with a uint32 length, big-endian, that counts the whole "
            + "packet, itself included: what a schema without a header declares\n"
        #expect(inside.status == 0 && inside.output.hasPrefix(text), "\(inside)")
        let untrusted = try server.wire(["probe", server.address, "--tls"] + patience)
        #expect(untrusted.status == 1)
        let reason = "error: cannot connect to \(server.address): the issuer of the peer's certificate is not trusted\n"
        #expect(untrusted.errors == reason)
        #expect(server.end().status == 0)
    }

    @Test func `a probe inside TLS says that a server does not speak it`() async throws {
        let peer = try await rawPeer { _, _ in Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8) }
        let outcome = try Workspace().shell("wire probe \(peer.address) --tls --timeout 20m")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: cannot connect to \(peer.address): "), "\(outcome)")
        #expect(outcome.errors.hasSuffix("help: without the --tls options plain TCP is probed\n"), "\(outcome)")
    }
}
