// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport

#if os(Linux)
    /// What a gateway and a proxy keep of clients that say little, and of a flood that has left. Their memory must be what
    /// their counters and SECURITY.md say of each connection.
    @Suite(.aside)
    struct IdleClientTests {
        private static let count = 500
        /// What the allocator keeps, and the unused blocks of loops.
        private static let otherByteCount = 12 << 20
        /// What is not counted for a connection that has sent a short message.
        private static let ownByteCount = 20 << 10

        private static let message = [UInt8](packetBytes)
        /// Packets with an unknown ID.
        private static let flood: [UInt8] = {
            let packet: [UInt8] = [0, 0, 0xEA, 0x66, 0, 9] + [UInt8](repeating: 7, count: 60_000)
            return Array(repeatElement(packet, count: 40).joined())
        }()

        /// The memory of a process that is in use, in bytes (proc(5)).
        private static func residentByteCount(of process: Int32) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
            return try #require(Int(text.split(separator: " ")[1])) * Int(getpagesize())
        }

        /// Connects clients, each of which sends bytes, as far as the systems take them at once.
        private static func clients(_ count: Int, of port: UInt16, sending bytes: [UInt8]) throws -> [RawSocket] {
            try (0..<count).map { _ in
                let socket = try RawSocket.connect(to: port)
                var rest = bytes[...]
                while !rest.isEmpty, case let sent = socket.sendAtOnce(rest), sent > 0 { rest = rest.dropFirst(sent) }
                return socket
            }
        }

        /// Compares the memory of a process before and while clients are there, and after they and others have left.
        ///
        /// - Parameters:
        ///   - connectionCount: How many connections the process has for a client.
        ///   - held: What the process counts for the clients that are there.
        ///   - clientCount: How many clients the process has.
        private static func compare(
            _ process: Int32, _ port: UInt16, connectionCount: Int, held: () async throws -> Int,
            clientCount: () async throws -> Int
        ) async throws {
            // The first client makes what all share.
            var sockets = try clients(1, of: port, sending: message)
            #expect(try await eventually { try await clientCount() == 1 })
            let before = try residentByteCount(of: process)
            sockets += try clients(count, of: port, sending: message)
            #expect(try await eventually { try await clientCount() == count + 1 })
            let most = try await held() + count * connectionCount * ownByteCount + otherByteCount
            #expect(try await eventually(within: .seconds(60)) { try residentByteCount(of: process) - before < most })
            for socket in sockets { socket.reset() }
            #expect(try await eventually { try await clientCount() == 0 })
            sockets = try clients(200, of: port, sending: flood)
            #expect(try await eventually { try await clientCount() == 200 })
            for socket in sockets { socket.reset() }
            #expect(try await eventually { try await clientCount() == 0 })
            #expect(try await held() == 0)
            // It goes back to the system soon after.
            #expect(
                try await eventually(within: .seconds(60)) {
                    try residentByteCount(of: process) - before < otherByteCount
                })
        }

        /// A value of a page of metrics.
        private static func value(_ name: String, at url: Substring) async throws -> Int {
            let port = try #require(
                url.split(whereSeparator: { ":/".contains($0) }).dropLast().last.flatMap { UInt16($0) })
            let text = try await onThread {
                let socket = try RawSocket.connect(to: port)
                try socket.send(Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                var bytes: [UInt8] = []
                while case let more = try socket.receive(), !more.isEmpty { bytes += more }
                return String(decoding: bytes, as: UTF8.self)
            }
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") })
            return try #require(line.split(separator: " ").last.flatMap { Int($0.split(separator: ".")[0]) })
        }

        @Test func `the memory of a gateway is what it counts, with idle clients and after a flood`() async throws {
            let tool = try GatewayTool(
                [
                    "--name", "gw@127.0.0.1", "--epmd", "none", "--dist", "127.0.0.1:0", "--cookie-file", "cookie",
                    "--group", "scene", "--listen", "tcp://127.0.0.1:0", "--protocol", "Protocols/Scene",
                    "--metrics", "127.0.0.1:0", "--park", "60m", "--first", "0s",
                ], cookie: "secret", files: [:])
            let metrics = try #require(tool.lines.first { $0.hasPrefix("metrics on ") }).dropFirst("metrics on ".count)
            try await Self.compare(
                tool.processID, tool.port, connectionCount: 1,
                held: { try await Self.value("wireline_gateway_held_bytes", at: metrics) },
                clientCount: { try await Self.value("wireline_gateway_clients", at: metrics) })
            #expect(tool.end() == "")
        }

        @Test func `the memory of a proxy is that of its connections, and goes with them`() async throws {
            let server = try ServingTool()
            let proxy = try ServingTool(
                running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--log-rate", "1"],
                files: ["Protocols/Scene/Scene.wire": sceneSchema])
            // Its output is a pipe, which must be read. Only this thread reads it.
            nonisolated(unsafe) let output = proxy
            let reading = Task { try await onThread { while output.nextLine() != nil {} } }
            let process = proxy.processID
            // A proxy has no counters: its connections are descriptors.
            func descriptorCount() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
            }
            let idle = try descriptorCount()
            try await Self.compare(
                process, proxy.port, connectionCount: 2, held: { 0 },
                clientCount: { (try descriptorCount() - idle) / 2 })
            proxy.send(SIGTERM)
            _ = await reading.result
            #expect(server.end().status == 0)
        }
    }
#endif
