// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// `wire serve`, as a program.
@Suite(.waiting)
struct ServeTests {
    // MARK: Echoes

    @Test(arguments: [["--threads", "1"], ["--threads=3"], ["--benchmark"]])
    func `packets come back as they were sent, known or unknown, merged and split`(_ words: [String]) async throws {
        let server = try words.count == 1 ? ServingTool(words[0]) : ServingTool(words[0], words[1])
        var packets: [[UInt8]] = []
        for index in 0..<500 {
            packets.append(Array(packetBytes))
            packets.append(try standardPacket(id: UInt64(index), Array(repeating: UInt8(index % 251), count: index)))
        }
        let stream = packets.flatMap { $0 }
        // There are more connections than loops, so that every loop has one.
        for cut in [1, 7, stream.count / 2, stream.count - 1] {
            let connection = try await server.connect()
            await connection.sendRaw(Array(stream[..<cut]))
            await connection.sendRaw(Array(stream[cut...]))
            connection.endOutput()
            #expect(try await connection.rest() == packets)
            connection.close()
        }
        #expect(server.end() == .success(""))
    }

    @Test(arguments: ["big", "little"])
    func `call understands what serve returns, in both byte orders`(_ byteOrder: String) throws {
        let schema = "option byte_order = \(byteOrder);\n" + sceneSchema
        let server = try ServingTool(files: ["Protocols/Scene/Scene.wire": schema])
        let outcome = try server.wire("call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001")
        #expect(outcome == .success(packetLine))
        #expect(server.end() == .success(""))
    }

    @Test func `with --verbose messages are shown, without sensitive values`() throws {
        let schema = "message Cs_7 { String user; @sensitive String password; uint8[] list; }"
        let server = try ServingTool("--verbose", files: ["Protocols/Scene/Scene.wire": schema])
        let fields = #"{"user":"ann","password":"s3cret","list":[1,2]}"#
        var outcome = try server.wire("call", server.address, "Cs_7", fields, "--expect", "Cs_7", "--verbose")
        outcome.errors.replace(server.address, with: "PEER")
        let message = #"Cs_7 {length: 23, id: 7} user: "ann", password: (hidden), list[0]: 1, list[1]: 2"#
        let end = "ended: the connection has been closed on this side"
        let lines = ["opened", "sent " + message, "received " + message, end]
        #expect(outcome.errors == lines.map { "PEER: \($0)\n" }.joined())
        let ending = server.end()
        #expect(ending.errors.contains("received " + message) && ending.errors.contains("sent " + message))
        // The server's lines have the connection's number.
        #expect(ending.errors.contains(/127\.0\.0\.1:\d+ #1: opened\n/))
        #expect(!ending.errors.contains("s3cret"))
    }

    @Test(.enabled(if: hasIPv6))
    func `an IPv6 address is written in brackets`() throws {
        let server = try ServingTool(at: "[::1]:0")
        #expect(server.address.hasPrefix("[::1]:"))
        let outcome = try server.wire("call", server.address, "Cs_20001", packetFields, "--expect=Cs_20001")
        #expect(outcome == .success(packetLine))
        #expect(server.end() == .success(""))
    }

    /// Whether this machine's loopback interface has an IPv6 address.
    static let hasIPv6: Bool = {
        guard let address = try? SocketAddress(ipAddress: "::1", port: 0),
            let group = try? EventLoopGroup.shared, let listener = try? Listener.bind(to: address, on: group)
        else { return false }
        listener.loop.execute { listener.close() }
        return true
    }()

    // MARK: Load generators

    @Test func `a benchmark's packets are counted for each connection, between two answers`() async throws {
        let server = try ServingTool("--benchmark")
        let connection = try await server.connect()
        let counted = try standardPacket(id: 0x7001, [1, 2, 3])
        let ask = try standardPacket(id: 0x7002, [])
        await connection.sendRaw(counted + counted + ask + packetBytes + counted + ask + ask)
        let other = try await server.connect()
        await other.sendRaw(ask)
        connection.endOutput()
        other.endOutput()
        func answer(_ packetCount: UInt8, _ byteCount: UInt8) throws -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: 7)
            return try standardPacket(id: 0x7002, zeros + [packetCount] + zeros + [byteCount])
        }
        let answers = try [answer(2, 6), Array(packetBytes), answer(1, 3), answer(0, 0)]
        #expect(try await connection.rest() == answers)
        #expect(try await other.rest() == [answer(0, 0)])
        connection.close()
        other.close()
        #expect(server.end() == .success(""))
    }

    @Test func `a benchmark's packets may have 16 MiB, and others the schema's limit`() async throws {
        let payload = [UInt8](repeating: 0x5A, count: 16 << 20 - 6)
        let packet = try standardPacket(id: 1, payload)
        let benchmark = try ServingTool("--benchmark")
        let connection = try await benchmark.connect()
        await connection.sendRaw(packet)
        #expect(try await connection.next().map { [UInt8](copying: $0.bytes) } == packet)
        connection.close()
        #expect(benchmark.end() == .success(""))

        let usual = try ServingTool()
        let refused = try await usual.connect()
        await refused.sendRaw(Array(packet.prefix(6)))
        #expect(usual.nextErrors().contains("length 0x01000000 is over the limit of 1048576"))
        refused.close()
        #expect(usual.end() == .success(""))
    }

    // MARK: Errors

    @Test func `a broken packet ends only its own connection, and is reported`() async throws {
        let server = try ServingTool()
        let (good, bad) = (try await server.connect(), try await server.connect())
        await good.sendRaw(Array(packetBytes))
        #expect(try await good.next()?.id == 20_001)
        // Packets before the broken one are answered.
        await bad.sendRaw(Array(packetBytes) + Array("GET / HTTP/1.1\r\n".utf8))
        #expect(try await bad.rest() == [Array(packetBytes)])
        let line = server.nextErrors()
        let text =
            #"length 0x47455420 is over the limit of 1048576; these bytes are ASCII "GET ": is this an HTTP client?"#
        #expect(line.hasPrefix("error: 127.0.0.1:") && line.hasSuffix(": \(text)\n"))
        await good.sendRaw(Array(packetBytes))
        #expect(try await good.next()?.id == 20_001)
        good.close()
        bad.close()
        #expect(server.end() == .success(""))
    }

    @Test func `a connection that ends inside a packet is reported`() async throws {
        let server = try ServingTool()
        let connection = try await server.connect()
        await connection.sendRaw(Array(packetBytes.prefix(9)))
        connection.endOutput()
        #expect(try await connection.rest() == [])
        #expect(
            server.nextErrors().hasSuffix(": the stream ended inside a packet: 9 bytes came, 6 more were needed\n"))
        connection.close()
        #expect(server.end() == .success(""))
    }

    @Test func `a port in use is an error`() throws {
        let server = try ServingTool()
        let outcome = try server.wire("serve", server.address, "--echo")
        let errors = "error: cannot listen on \(server.address): bind: Address already in use\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
        #expect(server.end() == .success(""))
    }

    @Test(arguments: [
        ("127.0.0.1:0", 2, "error: --echo or --script is missing\nusage: wire serve [HOST:PORT] [options]\n"),
        ("--echo", 2, "error: HOST:PORT is missing\nusage: wire serve [HOST:PORT] [options]\n"),
        ("127.0.0.1:0 --echo --tls", 2, "error: unknown option `--tls`\nusage: wire serve [HOST:PORT] [options]\n"),
        ("192.0.2.1:1 --echo", 1, "error: cannot listen on 192.0.2.1:1: bind: Cannot assign requested address\n"),
    ])
    func `a wrong call gives the reason`(_ words: String, _ status: Int32, _ errors: String) throws {
        let outcome = try Workspace().shell("wire serve " + words)
        #expect(outcome == Outcome(status: status, output: "", errors: errors))
    }

    // MARK: Metrics

    @Test func `with --metrics the server answers Prometheus, and load balancers until the end`() async throws {
        let server = try ServingTool("--metrics", "127.0.0.1:0")
        let line = try #require(server.nextLine())
        let port = try #require(line.wholeMatch(of: /metrics on http:\/\/127\.0\.0\.1:(\d+)\/metrics/))
        func get(_ path: String) async throws -> String {
            let port = try #require(UInt16(port.output.1))
            return try await onThread {
                let socket = try RawSocket.connect(to: port)
                try socket.send(Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                return String(decoding: try socket.rest(), as: UTF8.self)
            }
        }
        let connection = try await server.connect()
        await connection.sendRaw(Array(packetBytes))
        #expect(try await connection.next() != nil)
        #expect(try await get("/metrics").contains("\nwireline_received_packets_total 1\n"))
        #expect(try await get("/health").hasSuffix("\r\n\r\nready\n"))
        server.send(SIGTERM)
        #expect(server.nextErrors() == ServingTool.note)
        #expect(try await get("/health").hasPrefix("HTTP/1.1 503 "))
        connection.close()
        #expect(server.outcome() == .success(""))
    }

    @Test func `an address for metrics that is wrong or in use is an error`() throws {
        let workspace = try Workspace(["Protocols/Scene/Scene.wire": sceneSchema])
        let wrong = try workspace.wire("serve", "127.0.0.1:0", "--echo", "--metrics", "9100")
        #expect(wrong.status == 2 && wrong.errors.contains("--metrics is a name or an IP address, and a port"))
        let server = try ServingTool()
        let used = try workspace.wire("serve", "127.0.0.1:0", "--echo", "--metrics", server.address)
        #expect(used.status == 1 && used.errors.contains("cannot listen on \(server.address) for metrics: "))
        #expect(server.end() == .success(""))
    }

    // MARK: Ending

    @Test(arguments: [SIGTERM, SIGINT])
    func `after a signal the server exits with 0`(_ signal: Int32) throws {
        #expect(try ServingTool().end(with: signal) == .success(""))
    }

    @Test func `a background process of a shell ends with Ctrl-C, too`() throws {
        let line = """
            mkfifo out
            wire serve 127.0.0.1:0 --echo > out &
            read -r line < out
            kill -INT $!
            wait $!
            echo $?
            """
        #expect(try Workspace().shell(line) == .success("0\n"))
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `after a signal queued answers still arrive, and no new connection is accepted`(_ signal: Int32) async throws {
        let server = try ServingTool()
        let connection = try await server.connect()
        // One segment on loopback, so that the server has read all of it when the first answer arrives.
        await connection.sendRaw(Array(repeatElement(packetBytes, count: 4_000).joined()))
        #expect(try await connection.next()?.id == 20_001)
        server.send(signal)
        #expect(try await connection.rest().count == 3_999)
        // While this connection is open, no other program gets its port.
        await #expect(throws: ConnectionError.transport(.refused)) { _ = try await server.connect() }
        connection.close()
        #expect(server.outcome() == .success(""))
    }

    /// The time that a draining server waits for its connections. If a busy machine is slower, the attempt proves
    /// nothing, and is repeated.
    private static let drainTime = Duration.seconds(10)
    private static let mostScenes = 10

    /// A server that is draining, and has said so. Its only peer has more to send, and reads no answers.
    private static func drained(
        sending packet: [UInt8]
    ) async throws -> (
        server: ServingTool, connection: PacketConnection, sending: Task<Void, Never>, start: ContinuousClock.Instant
    ) {
        let server = try ServingTool()
        let connection = try await server.connect()
        let sending = Task { while (try? await connection.send(packet: packet)) != nil {} }
        #expect(try await connection.next()?.id == 7)
        let start = ContinuousClock.now
        server.send(SIGTERM)
        #expect(server.nextErrors() == ServingTool.note)
        return (server, connection, sending, start)
    }

    @Test(.ahead) func `a slow reader gets whole packets during a drain, and an end of stream instead of a reset`()
        async throws
    {
        let packet = try standardPacket(id: 7, [UInt8](repeating: 0x5A, count: 1 << 16))
        for scene in 1...Self.mostScenes {
            let (server, connection, sending, start) = try await Self.drained(sending: packet)
            let answers: [[UInt8]]
            do {
                answers = try await connection.rest()
            } catch {
                guard scene < Self.mostScenes, ContinuousClock.now - start >= Self.drainTime else { throw error }
                connection.close()
                await sending.value
                continue
            }
            #expect(answers.allSatisfy { $0 == packet })
            connection.close()
            await sending.value
            #expect(server.outcome() == .success(""))
            break
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a second signal ends the server at once`(_ signal: Int32) async throws {
        let packet = try standardPacket(id: 7, [UInt8](repeating: 0x5A, count: 1 << 16))
        for scene in 1...Self.mostScenes {
            let (server, connection, sending, start) = try await Self.drained(sending: packet)
            let outcome = server.end(with: signal)
            let isLate = ContinuousClock.now - start >= Self.drainTime
            connection.close()
            await sending.value
            // It had ended by itself before the second signal came.
            if outcome.status == 0, isLate, scene < Self.mostScenes { continue }
            #expect(outcome == Outcome(status: 128 + signal, output: "", errors: ""))
            break
        }
    }

    #if os(Linux)
        @Test func `the server may use as many descriptors as the system allows`() throws {
            let line = """
                ulimit -S -n 64
                mkfifo out
                wire serve 127.0.0.1:0 --echo > out &
                read -r line < out
                sed -n 's/^Max open files *\\([0-9a-z]*\\) *\\([0-9a-z]*\\) .*/\\1 \\2/p' /proc/$!/limits
                kill $!
                wait $!
                """
            let outcome = try Workspace().shell(line)
            let limits = outcome.output.split(whereSeparator: \.isWhitespace)
            #expect(outcome.status == 0 && limits.count == 2)
            #expect(limits.first == limits.last)
        }

        @Test func `the server may have more threads than the initial limit of descriptors`() throws {
            let line = """
                ulimit -S -n 64
                mkfifo out
                wire serve 127.0.0.1:0 --echo --threads 60 > out &
                read -r line < out
                echo "${line%:*}"
                kill $!
                wait $!
                """
            let outcome = try Workspace().shell(line)
            #expect(outcome == .success("listening on 127.0.0.1\n"))
        }
    #endif
}
