// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// Where `wire` serves and connects: several addresses, Unix domain sockets, behind proxies, under systemd.
@Suite(.aside)
struct AddressOptionTests {
    private static let scene: KeyValuePairs = ["Protocols/Scene/Scene.wire": sceneSchema]

    private static func call(_ tool: ServingTool, at address: String) throws -> Outcome {
        try tool.wire("call", address, "Cs_20001", packetFields, "--expect", "Cs_20001")
    }

    @Test func `a server listens at several addresses, and is called at each`() throws {
        let path = try SocketPath()
        let server = try ServingTool("--listen", "unix:" + path.path, "--listen", "127.0.0.1:0", "--socket-mode", "600")
        let addresses = [server.address, try #require(server.nextLine()), try #require(server.nextLine())]
            .map { $0.replacing("listening on ", with: "") }
        #expect(addresses[1] == "unix:" + path.path)
        #expect(try path.permissions() == 0o600)
        for address in addresses {
            let outcome = try Self.call(server, at: address)
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(server.end() == .success(""))
        #expect(!path.exists)
    }

    @Test func `a proxy listens at a Unix domain socket, forwards to another one, and records that`() throws {
        let (outer, inner) = (try SocketPath(), try SocketPath())
        let server = try ServingTool(at: "unix:" + inner.path)
        let record = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pcapng").path
        defer { try? FileManager.default.removeItem(atPath: record) }
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "unix:" + outer.path, "--to", "unix:" + inner.path, "--record", record],
            files: Self.scene)
        let outcome = try Self.call(server, at: "unix:" + outer.path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(proxy.end().status == 0)
        let decoded = try server.wire("decode", "--capture", record)
        #expect(decoded.output.contains("Cs_20001"), "\(decoded)")
        #expect(server.end() == .success(""))
    }

    @Test(arguments: ["serve", "proxy"])
    func `a trusted proxy must say the client's address`(_ command: String) async throws {
        let server = try ServingTool(command == "serve" ? ["--proxy-protocol", "127.0.0.0/8"] : [], files: Self.scene)
        let proxy =
            try command == "proxy"
            ? ServingTool(
                running: [
                    "proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--proxy-protocol", "127.0.0.1",
                ], files: Self.scene) : nil
        let tool = proxy ?? server
        let socket = try RawSocket.connect(to: tool.port)
        let answer = try await onThread {
            try socket.send(Array("PROXY TCP4 192.0.2.7 192.0.2.1 49153 443\r\n".utf8) + Array(packetBytes))
            return try socket.receive(atMost: 1)
        }
        #expect(answer == Array(Array(packetBytes).prefix(1)))
        let wrong = try RawSocket.connect(to: tool.port)
        try wrong.send(Array(packetBytes))
        #expect(tool.nextErrors().hasSuffix(": \(ProxyHeaderError.missing)\n"))
        socket.endOutput()
        if let proxy {
            let outcome = proxy.end()
            #expect(outcome.status == 0 && outcome.output.contains("192.0.2.7:49153"), "\(outcome)")
        }
        #expect(server.end().status == 0)
    }

    @Test func `a WebSocket passes over a Unix domain socket`() throws {
        let path = try SocketPath()
        let server = try ServingTool(running: ["websocket", "echo", "unix:" + path.path])
        let outcome = try server.wire(
            "websocket", "connect", "ws://localhost/", "--unix-socket", path.path, "--wait", "100ms",
            input: Data("hello\n".utf8))
        #expect(outcome.status == 0 && outcome.output.contains("hello"), "\(outcome)")
        #expect(server.end() == .success(""))
    }

    @Test func `connections that come too fast are refused`() async throws {
        let server = try ServingTool("--connection-rate", "1/1000s")
        let first = try await server.connect()
        await first.sendRaw(Array(packetBytes))
        #expect(try await first.next()?.id == 20_001)
        let second = try RawSocket.connect(to: server.port)
        #expect(try await onThread { try second.receive() } == [])
        #expect(server.nextErrors().contains(": more than 1 connections came in "))
        first.close()
        #expect(server.end().status == 0)
    }

    @Test func `lines about connections are limited to the chosen rate`() async throws {
        let server = try ServingTool("--log-rate", "1")
        for _ in 0..<20 {
            let socket = try RawSocket.connect(to: server.port)
            try socket.send([0, 0, 0, 1, 0, 0])
            _ = try? await onThread { socket.drain() }
        }
        let outcome = server.end()
        #expect(outcome.status == 0 && outcome.errors.contains("left out: there were too many"), "\(outcome)")
    }

    @Test(arguments: [
        ["serve", "unix:", "--echo"], ["serve", "systemd:", "--echo"],
        ["serve", "127.0.0.1:0", "--echo", "--socket-mode", "999"],
        ["serve", "127.0.0.1:0", "--echo", "--proxy-protocol", "10.0.0.0/33"],
        ["serve", "127.0.0.1:0", "--echo", "--connection-rate", "10"],
        ["serve", "127.0.0.1:0", "--echo", "--minimum-reading-rate", "x/1s"],
        ["websocket", "echo", "127.0.0.1:0", "--backlog", "0"], ["proxy", "--to", "127.0.0.1:1"],
    ])
    func `wrong values are refused before anything is done`(_ words: [String]) throws {
        let outcome = try Workspace(Self.scene).shell("wire " + words.map { "'\($0)'" }.joined(separator: " "))
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.hasPrefix("error: "), "\(outcome)")
    }

    #if os(Linux)
        @Test(
            .enabled(if: Peers.isWanted("python3"), "python3 is not on the PATH: install python3"))
        func `a server takes over sockets as from systemd, and says when it is ready and when it stops`() throws {
            let path = try SocketPath()
            let state = Pipe()
            // The parent is the service manager: it makes the listening socket, and receives the states.
            let script = """
                import os, socket, sys
                states = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                states.bind("\(path.path)")
                listener = socket.socket()
                listener.bind(("127.0.0.1", 0))
                listener.listen()
                port = listener.getsockname()[1]
                child = os.fork()
                if child == 0:
                    os.dup2(listener.fileno(), 3)
                    os.set_inheritable(3, True)
                    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", NOTIFY_SOCKET="\(path.path)")
                    os.dup2(2, 1)
                    os.execv(sys.argv[1], sys.argv[1:])
                ready = states.recv(100)
                client = socket.create_connection(("127.0.0.1", port))
                client.sendall(bytes.fromhex("000000060001"))
                answer = client.recv(6)
                client.close()
                os.kill(child, 15)
                stopping = states.recv(100)
                print(ready.decode(), answer.hex(), stopping.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
                """
            let workspace = try Workspace(Self.scene)
            let wire = workspace.process(["serve", "systemd:", "--echo"])
            let python = Process()
            python.executableURL = URL(filePath: "/usr/bin/python3")
            python.arguments = ["-c", script, try #require(wire.executableURL).path] + (wire.arguments ?? [])
            python.currentDirectoryURL = wire.currentDirectoryURL
            python.standardInput = FileHandle.nullDevice
            python.standardOutput = state
            python.standardError = FileHandle.nullDevice
            try python.runWatched()
            let text = String(decoding: state.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            python.waitUntilExit()
            #expect(text == "READY=1 000000060001 STOPPING=1 0\n")
        }
    #endif
}
