// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline

/// `--tls-key-log`: with its file, tshark reads what tcpdump captures of TLS connections.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .waiting)
struct KeyLogTests {
    private static let files = Result { () throws -> KeyValuePairs<String, String> in
        let root = try CertificateAuthority("root")
        let server = try root.issue(to: ["DNS:localhost", "IP:127.0.0.1"])
        return [
            "Protocols/Scene/Scene.wire": sceneSchema, "root.pem": root.own.certificate, "server.pem": server.chain,
            "server.key": server.key,
        ]
    }

    private static let serving = ["--tls-certificate", "server.pem", "--tls-key", "server.key"]

    /// The labels of the lines in a log, and its mode.
    private func labels(_ name: String, in workspace: Workspace) throws -> Set<String> {
        let path = workspace.folder.appending(path: name).path
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let lines = try workspace.read(name).split(separator: "\n")
        return Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    }

    @Test func `a call, a WebSocket, a proxy and a server log their connections`() throws {
        let files = try Self.files.get()
        let server = try ServingTool(Self.serving + ["--tls-key-log", "serve.log"], files: files)
        let call = ["call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001", "--tls-ca", "root.pem"]
        // By itself, nothing is logged.
        #expect(
            try server.workspace.wire(call.withPatience, environment: ["SSLKEYLOGFILE": "environment.log"])
                == .success(packetLine))
        #expect(throws: (any Error).self) { try server.workspace.read("environment.log") }
        #expect(try server.wire(call + ["--tls-key-log", "call.log"]) == .success(packetLine))
        let proxy = try ServingTool(
            running: [
                "proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--tls-ca", "root.pem", "--tls-key-log",
                "proxy.log",
            ], files: files)
        #expect(
            try proxy.wire("call", proxy.address, "Cs_20001", packetFields, "--expect", "Cs_20001").output == packetLine
        )
        let echo = try ServingTool(
            running: ["websocket", "echo", "127.0.0.1:0"] + Self.serving + ["--tls-key-log", "echo.log"], files: files)
        #expect(
            try echo.workspace.shell(
                "echo hello | wire websocket connect wss://\(echo.address)/ --tls-ca root.pem --tls-key-log live.log"
            ).output == "hello\n")
        let logs = [
            ("serve.log", server), ("call.log", server), ("proxy.log", proxy), ("echo.log", echo), ("live.log", echo),
        ]
        for (name, tool) in logs {
            let found = try labels(name, in: tool.workspace)
            #expect(found.isSuperset(of: ["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"]), "\(name): \(found)")
        }
        for tool in [proxy, echo, server] { #expect(tool.end().status == 0) }
    }

    @Test func `a log that others could read is refused, and so is one without TLS`() throws {
        let workspace = try Workspace(Self.files.get())
        _ = try workspace.shell("touch open.log; chmod 644 open.log; ln -s target.log link.log")
        let serve = "wire serve 127.0.0.1:0 --echo --tls-certificate server.pem --tls-key server.key --tls-key-log "
        let open = try workspace.shell(serve + "open.log")
        let text = "error: TLS: open.log: not a file that only this user may read (chmod 600)\n"
        #expect(open == Outcome(status: 1, output: "", errors: text))
        let link = try workspace.shell(serve + "link.log")
        #expect(link.errors == "error: TLS: link.log: a symbolic link; secrets are not written through links\n")
        let plain = try workspace.shell("wire serve 127.0.0.1:0 --echo --tls-key-log keys.log")
        #expect(plain.status == 2)
        #expect(plain.errors.hasPrefix("error: --tls-key-log needs --tls-certificate and --tls-key\n"))
    }

    // MARK: Read by tshark

    @Test(.enabled(if: RunningCapture.isPossible, "\(RunningCapture.absence)"), arguments: ["-tls1_2", "-tls1_3"])
    func `tshark reads a server's connection with the server's log`(version: String) async throws {
        let server = try ServingTool(Self.serving + ["--tls-key-log", "keys.log"], files: Self.files.get())
        let capture = try RunningCapture(of: server.port, in: server.workspace)
        let client = try OpenSSLTool.process(
            ["s_client", "-connect", server.address, "-quiet", "-verify_quiet", version])
        let (input, output) = (Pipe(), Pipe())
        (client.standardInput, client.standardOutput, client.standardError) = (input, output, FileHandle.nullDevice)
        try client.runWatched()
        try input.fileHandleForWriting.write(contentsOf: packetBytes)
        var reply = Data()
        while reply.count < packetBytes.count {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty)
            reply += piece
        }
        kill(client.processIdentifier, SIGKILL)
        client.waitUntilExit()
        let lines = try await capture.plaintext(keys: "keys.log")
        // There and back.
        #expect(lines.count { $0.contains(packetBytes.hexadecimal) } == 2, "\(lines)")
        #expect(server.end().status == 0)
    }

    @Test(.enabled(if: RunningCapture.isPossible, "\(RunningCapture.absence)"), arguments: ["-tls1_2", "-tls1_3"])
    func `tshark reads a client's connection with the client's log`(version: String) async throws {
        let workspace = try Workspace(Self.files.get())
        let server = try PeerProcess(
            "openssl s_server -accept 127.0.0.1:0 -cert server.pem -key server.key \(version)", in: workspace)
        let capture = try RunningCapture(of: server.port, in: workspace)
        let call = try workspace.wire(
            "call", "127.0.0.1:\(server.port)", "Cs_20001", packetFields, "--no-reply", "--tls-ca", "root.pem",
            "--tls-key-log", "keys.log", "--timeout", "20m")
        #expect(call == .success(""))
        let lines = try await capture.plaintext(keys: "keys.log")
        #expect(lines.count { $0.contains(packetBytes.hexadecimal) } == 1, "\(lines)")
        server.stop()
    }
}

/// `tcpdump`, capturing the connections of a port on the loopback device.
private final class RunningCapture {
    /// Only root may capture.
    static let isPossible = Peers.isWanted("tcpdump") && SharkTool.isWanted && geteuid() == 0
    static let absence = "tcpdump or tshark is not installed, or this is not root"

    private static let marker = Array("the end of the capture".utf8)
    private let process: Process
    private let output = Pipe()
    private let port: UInt16
    private let workspace: Workspace

    /// Starts it, and waits until it captures.
    init(of port: UInt16, in workspace: Workspace) throws {
        (self.port, self.workspace) = (port, workspace)
        process = workspace.process(
            shell: "exec tcpdump -Z root -i lo --immediate-mode -U -w - tcp port \(port)")
        let remarks = Pipe()
        (process.standardOutput, process.standardError) = (output, remarks)
        try process.runWatched()
        var text = ""
        while !text.contains("listening on") {
            let data = remarks.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(text)")
            text += String(decoding: data, as: UTF8.self)
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The plaintext of the first connection in hexadecimal, a line for each record.
    func plaintext(keys: String) async throws -> [Substring] {
        // What the capture has after everything else.
        let last = try await ServingTool.connect(to: port)
        await last.sendRaw(Self.marker)
        var bytes = Data()
        while bytes.range(of: Data(Self.marker)) == nil {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            bytes += more
        }
        // It has inherited a mask that blocks the others.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        last.close()
        let file = workspace.folder.appending(path: keys).path
        return try SharkTool.read(
            Array(bytes), script: "",
            ["-o", "tls.keylog_file:" + file, "-d", "tcp.port==\(port),tls", "-q", "-z", "follow,tls,raw,0"]
        ).split(separator: "\n")
    }
}

extension Data {
    fileprivate var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
