// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// The options for limits and timeouts of commands that serve.
@Suite(.aside)
struct LimitOptionTests {
    private static let commands = ["serve", "websocket echo", "proxy"]

    @Test(arguments: commands)
    func `help lists every limit of a command with its default`(_ command: String) throws {
        let help = try Workspace().shell("wire \(command) --help").output
        for option in [
            "connection-limit N", "connection-limit-per-address N|none", "connection-rate N/TIME|none",
            "connection-rate-per-address N/TIME|none", "idle-timeout TIME|none", "listen HOST:PORT", "backlog N",
            "proxy-protocol FROM", "share-port", "socket-mode MODE", "log-rate N",
        ] {
            #expect(help.contains("--\(option) "), "\(option)")
        }
        #expect(help.contains("(default 2048/60s)") == (command != "proxy"))
        #expect(help.contains("this long (default 30s)"))
        #expect(help.contains("--handshake-timeout") == (command != "proxy"))
        #expect(help.contains("(default 1073741824)") == (command != "proxy"))
        #expect(help.contains("(default 1024/30s)") == (command != "proxy"))
        #expect(help.contains("(default 30s; with --benchmark none)") == (command == "serve"))
    }

    // MARK: serve

    private static let tooLong = ": it has sent nothing, or has taken nothing of what was sent to it, for too long\n"

    @Test(arguments: [
        ["--first-packet-timeout", "100ms"], ["--idle-timeout", "100ms"],
        ["--benchmark", "--first-packet-timeout", "100ms"],
    ])
    func `a silent client is closed after the chosen timeout`(_ words: [String]) async throws {
        let server = try ServingTool(words, files: ["Protocols/Scene/Scene.wire": sceneSchema])
        let connection = try await server.connect()
        #expect(try await connection.rest() == [])
        #expect(server.nextErrors().hasSuffix(Self.tooLong))
        connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `a client that sends a packet too slowly is closed`() async throws {
        let server = try ServingTool("--minimum-rate", "1000/100ms")
        let connection = try await server.connect()
        await connection.sendRaw(Array(packetBytes.dropLast()))
        #expect(try await connection.rest() == [])
        let error = "\(ConnectionError.tooSlow(MinimumRate(byteCount: 1_000, window: .milliseconds(100))))"
        #expect(server.nextErrors().hasSuffix(": \(error)\n"))
        connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `a packet that exceeds the memory for all connections ends its connection`() async throws {
        let server = try ServingTool("--held-bytes", "100000")
        let connection = try await server.connect()
        await connection.sendRaw(Array(try standardPacket(id: 1, [UInt8](repeating: 0, count: 500_000)).dropLast()))
        #expect(server.nextErrors().contains(": no memory left: "))
        connection.close()
        #expect(server.end() == .success(""))
    }

    @Test(arguments: ["serve", "proxy"])
    func `a client over the limit for one address is closed`(_ command: String) async throws {
        let server = try ServingTool(command == "serve" ? ["--connection-limit-per-address", "1"] : [], files: scene)
        let proxy = try command == "proxy" ? proxy(to: server, "--connection-limit-per-address", "1") : nil
        let tool = proxy ?? server
        let first = try await tool.connect()
        await first.sendRaw(Array(packetBytes))
        #expect(try await first.next()?.id == 20_001)
        let second = try? await tool.connect()
        _ = try? await second?.next()
        #expect(tool.nextErrors().hasSuffix(": \(ConnectionError.tooManyConnections(limit: 1))\n"))
        second?.close()
        first.endOutput()
        #expect(try await first.rest() == [])
        // Its place is free after the tool has noticed its end.
        while true {
            guard let third = try? await tool.connect() else { continue }
            defer { third.close() }
            await third.sendRaw(Array(packetBytes))
            if (try? await third.next())?.id == 20_001 { break }
        }
        first.close()
        if let proxy { #expect(proxy.end().status == 0) }
        #expect(server.end().status == 0)
    }

    @Test func `a client that reads no output is closed`() async throws {
        let server = try ServingTool("--write-timeout", "200ms")
        let connection = try await server.connect()
        let packet = try standardPacket(id: 1, [UInt8](repeating: 0, count: 900_000))
        // It does not learn of its end, because it does not read.
        for _ in 0..<40 { await connection.sendRaw(packet) }
        #expect(server.nextErrors().hasSuffix(Self.tooLong))
        connection.close()
        #expect(server.end() == .success(""))
    }

    // MARK: Others

    private let scene: KeyValuePairs = ["Protocols/Scene/Scene.wire": sceneSchema]

    private func proxy(to server: ServingTool, _ words: String...) throws -> ServingTool {
        try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address] + words, files: scene)
    }

    @Test func `a proxy closes both sides after neither has sent anything for the chosen timeout`() async throws {
        let server = try ServingTool()
        let proxy = try proxy(to: server, "--idle-timeout", "100ms")
        let connection = try await proxy.connect()
        #expect(try await connection.rest() == [])
        connection.close()
        while let line = proxy.nextLine(), !line.hasSuffix("closed: neither side has sent anything for 0.1 seconds") {}
        #expect(proxy.end().status == 0)
        #expect(server.end() == .success(""))
    }

    @Test func `a silent WebSocket is closed after the chosen timeout`() async throws {
        let server = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0", "--idle-timeout", "100ms"])
        let outcome = try server.wire("websocket", "connect", "ws://\(server.address)/", "--wait", "20m")
        #expect(outcome.output.isEmpty)
        #expect(server.nextErrors().hasSuffix(Self.tooLong))
        #expect(server.end() == .success(""))
    }

    @Test func `a proxy takes only as many clients as it has descriptors for, two for each`() async throws {
        let server = try ServingTool()
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address], files: scene, descriptorLimit: 100)
        let packet = Array(packetBytes)
        let port = proxy.port
        let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    let connection = try await ServingTool.connect(to: port)
                    defer { connection.close() }
                    await connection.sendRaw(packet)
                    return try await connection.next()?.id == 20_001
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answered == 60)
        let outcome = proxy.end()
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(server.end() == .success(""))
    }

    @Test(arguments: [["serve", "127.0.0.1:0", "--echo"], ["websocket", "echo", "127.0.0.1:0"]])
    func `a server without descriptors reports that once, and not for each client`(_ words: [String]) async throws {
        let server = try ServingTool(running: words + ["--threads", "1"], files: scene, descriptorLimit: 40)
        var connections: [PacketConnection] = []
        for _ in 0..<60 { connections.append(try await server.connect()) }
        var errors = server.nextErrors()
        for connection in connections { connection.close() }
        let outcome = server.end()
        errors += outcome.errors
        let lines = errors.split(separator: "\n").filter { $0.hasPrefix("error: no further connection is taken") }
        #expect(lines.first?.hasSuffix("; it is tried again every 100 ms") == true, "\(errors)")
        #expect(lines.count < 20)
        #expect(outcome.status == 0)
    }
}
