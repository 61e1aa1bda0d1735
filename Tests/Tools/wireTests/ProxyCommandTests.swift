// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// `wire proxy`, as a program, between a client and a server.
@Suite(.waiting)
struct ProxyCommandTests {
    private func proxy(
        to target: String, _ words: String..., at endpoint: String = "127.0.0.1:0", schema: String = sceneSchema,
        files: KeyValuePairs<String, String> = [:]
    ) throws -> ServingTool {
        try ServingTool(
            running: ["proxy", "--listen", endpoint, "--to", target] + words,
            files: ["Protocols/Scene/Scene.wire": schema, files.first?.key ?? "none": files.first?.value ?? ""])
    }

    /// The lines that a proxy printed, without their times and the numbers of connections.
    private func lines(_ outcome: Outcome) -> [String] { lines(outcome.output) }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            String(line.replacing(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z #\d+ /#, with: ""))
        }
    }

    // MARK: Ends

    @Test(arguments: [true, false], [true, false])
    func `a reset of one side ends the other, whether that one reads or not`(
        isOfClient: Bool, isRead: Bool
    ) async throws {
        let listener = try RawSocket.listen()
        let proxy = try proxy(to: "127.0.0.1:\(try listener.port())")
        let client = try RawSocket.connect(to: proxy.port)
        let server = try await onThread { try listener.accept() }
        let (reset, other) = isOfClient ? (client, server) : (server, client)
        if !isRead {
            let piece = [UInt8](repeating: 0, count: 1 << 16)[...]
            #expect(try await eventually { reset.sendAtOnce(piece) == 0 })
        }
        reset.reset()
        try await onThread { other.drain() }
        #expect(proxy.end().status == 0)
    }

    #if os(Linux)
        @Test(arguments: [0, 1_000])
        func `a client that resets before the server answers is let go at once`(byteCount: Int) async throws {
            let listener = try RawSocket.listen(backlog: 0)
            let first = try RawSocket.connect(to: listener.port())
            let proxy = try proxy(to: "127.0.0.1:\(try listener.port())")
            let descriptors = "/proc/\(proxy.processID)/fd"
            func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: descriptors).count }
            let countBefore = try count()
            let client = try RawSocket.connect(to: proxy.port)
            try client.send([UInt8](repeating: 0, count: byteCount))
            // It has accepted the client, and connects to the server.
            #expect(try await eventually { try count() == countBefore + 2 })
            client.reset()
            // The proxy would try for ten seconds.
            let start = ContinuousClock.now
            #expect(proxy.nextLine()?.hasSuffix("client: the peer has reset the connection") == true)
            #expect(ContinuousClock.now - start < .seconds(9))
            let outcome = proxy.end()
            #expect(outcome.status == 0 && outcome.errors == "")
            withExtendedLifetime(first) {}
        }
    #endif

    // MARK: Output

    @Test func `both sides are shown, without sensitive values`() throws {
        let schema = "message Cs_7 { String user; @sensitive String password; uint8[] list; }"
        let server = try ServingTool(files: ["Protocols/Scene/Scene.wire": schema])
        let proxy = try proxy(to: server.address, schema: schema)
        let fields = #"{"user":"ann","password":"s3cret","list":[1,2]}"#
        let outcome = try server.wire("call", proxy.address, "Cs_7", fields, "--expect", "Cs_7")
        #expect(outcome.output.contains(fields) && outcome.status == 0)
        let message = #"{length: 23, id: 7} user: "ann", password: (hidden), list[0]: 1, list[1]: 2"#
        let ending = proxy.end()
        #expect(ending.status == 0 && ending.errors.isEmpty)
        let shown = lines(ending)
        #expect(shown.first?.hasPrefix("connected to \(server.address), for 127.0.0.1:") == true, "\(shown)")
        // The server returns a message that it never sends by the schema.
        let echo = "server: unknown ID 7 (0x07), read as the clients' Cs_7 " + message
        #expect(shown.dropFirst().prefix(2) == ["client: Cs_7 " + message, echo])
        #expect(server.end() == .success(""))
    }

    @Test(arguments: [
        ("", "Cs_7.isNew: a bool is 0 or 1, the byte at offset 8 is 2"),
        ("@sensitive", "Cs_7.isNew: a bool is 0 or 1, the byte at offset 8 is neither"),
    ])
    func `the reason why a message cannot be read is shown, without values if the message hides one`(
        _ attribute: String, _ reason: String
    ) async throws {
        let schema = "message Cs_7 { \(attribute) uint16 pin; bool isNew; } message Sc_7 { uint8 ok; }"
        let server = try ServingTool(files: ["Protocols/Scene/Scene.wire": schema])
        let proxy = try proxy(to: server.address, schema: schema)
        let client = try await proxy.connect()
        let packet = try standardPacket(id: 7, [0x12, 0x34, 2])
        try await client.send(packet: packet)
        #expect(try await client.next().map { [UInt8](copying: $0.bytes) } == packet)
        client.close()
        let shown = lines(proxy.end())
        #expect(shown.contains("client: Cs_7 {length: 9, id: 7} " + reason), "\(shown)")
        // The server's message with this ID can be read; three bytes are left over.
        #expect(shown.contains { $0.hasPrefix("server: Sc_7 {length: 9, id: 7} ok: 18") }, "\(shown)")
        #expect(server.end() == .success(""))
    }

    @Test func `each line has its time and the number of its connection`() async throws {
        let server = try ServingTool()
        let proxy = try proxy(to: server.address)
        let before = Date()
        let clients = [try await proxy.connect(), try await proxy.connect()]
        for client in clients {
            try await client.send(packet: Array(packetBytes))
            #expect(try await client.next()?.id == 20_001)
            client.close()
        }
        let output = proxy.end().output
        var numbers: [String: Set<Substring>] = [:]
        for line in output.split(separator: "\n") {
            let match = try #require(line.firstMatch(of: /^(\S+)\.\d{6}Z #(\d+) (\w+)/), "\(line)")
            let time = try Date("\(match.1)Z", strategy: .iso8601)
            #expect(time > before - 1 && time <= Date())
            numbers[String(match.3), default: []].insert(match.2)
        }
        #expect(numbers == ["connected": ["1", "2"], "client": ["1", "2"], "server": ["1", "2"]])
        #expect(server.end().status == 0)
    }

    @Test func `unknown IDs are shown as such, and broken packets are reported and forwarded`() async throws {
        let server = try ScriptedServer(
            """
            on Cs_3 { send Tick { number: 1, text: "a" }; send Tick { number: 2, text: "b" } wrong { Mark: 1 }; close; }
            on any { echo; }
            """)
        let proxy = try proxy(to: server.tool.address, schema: gameSchema)
        let layout = server.translator.description.layout
        let client = ScriptedConnection(connection: try await proxy.connect(layout), translator: server.translator)
        let payload: [UInt8] = [1, 2]
        let packet = try layout.encode(id: 99, payload: payload.span.bytes, limit: 100)
        try await client.connection.send(packet: packet)
        #expect(try await client.connection.next().map { [UInt8](copying: $0.bytes) } == packet)
        #expect(try await client.ask("Cs_3", "{}") == #"Tick {"number":1,"text":"a"}"#)
        await #expect { _ = try await client.next() } throws: { "\($0)".contains("packet.Mark: 0x01 at offset 4") }
        client.connection.close()
        #expect(server.end() == .success(""))
        let shown = lines(proxy.end())
        #expect(
            shown.contains {
                $0.hasPrefix("client: unknown ID 99 (0x63) {Length: 16, ") && $0.hasSuffix("2 bytes 0102")
            },
            "\(shown)")
        #expect(shown.contains { $0.hasPrefix("server: Tick {") && $0.hasSuffix(#"number: 1, text: "a""#) })
        #expect(
            shown.contains {
                $0.hasPrefix("server: no packets: packet.Mark: 0x01 at offset 4 where the constant ")
                    && $0.hasSuffix("; all that follows is passed on as it is")
            }, "\(shown)")
    }

    // MARK: Forwarding

    @Test func `packets arrive as they were sent, merged and split`() async throws {
        let server = try ServingTool("--threads=2")
        let proxy = try proxy(to: server.address)
        var packets: [[UInt8]] = []
        for index in 0..<500 {
            packets.append(Array(packetBytes))
            packets.append(try standardPacket(id: UInt64(index), Array(repeating: UInt8(index % 251), count: index)))
        }
        let stream = packets.flatMap { $0 }
        for cut in [1, 7, stream.count / 2, stream.count - 1] {
            let connection = try await proxy.connect()
            await connection.sendRaw(Array(stream[..<cut]))
            await connection.sendRaw(Array(stream[cut...]))
            // The server sees the end, ends, too, and so does the client.
            connection.endOutput()
            #expect(try await connection.rest() == packets)
            connection.close()
        }
        let outcome = proxy.end()
        #expect(outcome.status == 0)
        #expect(server.end() == .success(""))
    }

    @Test func `bytes that are not packets are forwarded unchanged in both directions`() throws {
        let echo = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0"])
        let proxy = try proxy(to: echo.address)
        let text = (0..<200).map { "line \($0)\n" }.joined()
        var outcome: Outcome?
        // The client closes after a time without input, in which a busy machine may not answer.
        for time in ["1s", "10s", "60s"] where outcome?.output != text {
            outcome = try echo.wire(
                "websocket", "connect", "ws://\(proxy.address)/", "--wait", time, input: Data(text.utf8))
        }
        #expect(outcome?.status == 0 && outcome?.output == text)
        let shown = lines(proxy.end())
        #expect(shown.contains { $0.hasPrefix("client: no packets: length 0x47455420") }, "\(shown)")
        #expect(shown.contains { $0.hasPrefix("client: ") && $0.hasSuffix(" more bytes that are no packets") })
        #expect(echo.end().status == 0)
    }

    @Test func `a half-close of one side reaches the other, which can continue to send`() async throws {
        let server = try ScriptedServer("on Cs_1 { end; }")
        let proxy = try proxy(to: server.tool.address, schema: gameSchema)
        let layout = server.translator.description.layout
        let client = ScriptedConnection(connection: try await proxy.connect(layout), translator: server.translator)
        try await client.send("Cs_1", #"{"user":""}"#)
        #expect(try await client.rest() == [])
        try await client.send("Cs_3", "{}")
        #expect(server.tool.nextErrors().hasSuffix("no rule for Cs_3\n"))
        client.connection.endOutput()
        // The proxy has seen the end before it is asked to end.
        var shown: [String] = []
        while shown.last != "client: ended", let line = proxy.nextLine() { shown += lines(line) }
        #expect(server.end() == .success(""))
        shown += lines(proxy.end())
        #expect(shown.filter { $0.hasSuffix(": ended") } == ["server: ended", "client: ended"])
    }

    @Test func `a reset of one side becomes a reset of the other`() async throws {
        let (ends, feed) = AsyncStream<String>.makeStream()
        let server = try await peer { connection in
            do {
                while let packet = try await connection.next() {
                    if packet.id == 1 { connection.stream.reset() } else { try await connection.forward(packet) }
                }
                feed.yield("ended")
            } catch {
                feed.yield("\(error)")
            }
        }
        let proxy = try proxy(to: "\(server.address)")
        let first = try await proxy.connect()
        try await first.send(packet: standardPacket(id: 2, []))
        #expect(try await first.next()?.id == 2)
        await first.loop.run { first.stream.reset() }
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == "the peer has reset the connection")
        let second = try await proxy.connect()
        try await second.send(packet: standardPacket(id: 1, []))
        await #expect(throws: ConnectionError.transport(.reset)) { _ = try await second.next() }
        let shown = lines(proxy.end()).filter { $0.hasSuffix("reset the connection") }
        #expect(
            shown == ["client: the peer has reset the connection", "server: the peer has reset the connection"])
        await server.shutDown(within: .zero)
    }

    @Test func `a client's reset is forwarded although the server reads nothing`() async throws {
        let (ends, feed) = AsyncStream<Void>.makeStream()
        let server = try await peer { connection in
            try? await connection.waitUntilEnd()
            feed.yield()
        }
        let proxy = try proxy(to: "\(server.address)", "--write-timeout", "none")
        let client = try await proxy.connect()
        // More than the proxy and both systems can buffer, so that the proxy waits for the server.
        await client.sendRaw([UInt8](repeating: 0, count: 64 << 20))
        #expect(proxy.nextLine()?.contains("connected to") == true)
        await client.loop.run { client.stream.reset() }
        while let line = proxy.nextLine(), !line.hasSuffix("client: the peer has reset the connection") {}
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        #expect(proxy.end().status == 0)
        await server.shutDown(within: .zero)
    }

    /// Two gigabytes are sent towards a client that reads nothing.
    @Test func `a client that does not read costs the proxy no memory`() async throws {
        let server = try ScriptedServer(
            """
            on Cs_1 { repeat 100000 { send Tick { number: 1, text: "\(String(repeating: "x", count: 20_000))" }; } }
            on Cs_3 { reply Sc_1 { ok: 1, greeting: "" }; }
            """)
        let proxy = try proxy(to: server.tool.address, schema: gameSchema)
        let layout = server.translator.description.layout
        let idle = ScriptedConnection(connection: try await proxy.connect(layout), translator: server.translator)
        try await idle.send("Cs_1", #"{"user":""}"#)
        #expect(try await idle.next()?.hasPrefix("Tick") == true)
        let client = ScriptedConnection(connection: try await proxy.connect(layout), translator: server.translator)
        for _ in 0..<20 { #expect(try await client.ask("Cs_3", "{}") == #"Sc_1 {"ok":1,"greeting":""}"#) }
        for tool in [proxy, server.tool] {
            let status = try String(contentsOfFile: "/proc/\(tool.processID)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let peak = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            #expect(try #require(peak) < 1 << 20, "kilobytes")
        }
        // The connections are open when the proxy is asked to end.
        #expect(proxy.end().status == 0)
        #expect(try await client.next() == nil)
        let outcome = server.end()
        #expect(outcome.isGoodButForIdleClients, "\(outcome)")
    }

    // MARK: Recording

    @Test(arguments: ["127.0.0.1:0"] + (ServeTests.hasIPv6 ? ["[::1]:0"] : []))
    func `a recording has all bytes of both sides`(_ endpoint: String) async throws {
        let server = try ServingTool()
        let workspace = try Workspace()
        let file = workspace.folder.appending(path: "out.pcapng")
        let proxy = try proxy(to: server.address, "--record", file.path, at: endpoint)
        var packets = [Array(packetBytes)]
        for index in 1...20 { packets.append(try standardPacket(id: 5, Array(repeating: 7, count: index * 20_000))) }
        let address = try SocketAddress(ipAddress: endpoint.hasPrefix("[") ? "::1" : "127.0.0.1", port: proxy.port)
        let connection = try await PacketConnection.connect(
            to: address.ipAddress, port: proxy.port, layout: .standard, packetLimit: 1 << 20, configuration: .patient)
        for packet in packets { try await connection.send(packet: packet) }
        connection.endOutput()
        #expect(try await connection.rest() == packets)
        connection.close()
        #expect(proxy.end().status == 0)
        let capture = try Capture(Data(contentsOf: file))
        let flags = capture.segments.map(\.flags)
        #expect(flags.prefix(3) == [0x02, 0x12, 0x10] && flags.filter { $0 == 0x11 }.count == 2)
        let client = try #require(capture.segments.first).source
        #expect(try capture.stream(from: client, to: server.port) == packets.flatMap { $0 })
        #expect(try capture.stream(from: server.port, to: client) == packets.flatMap { $0 })
        // Whatever the file contains, only its owner may read it.
        let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        #expect(server.end() == .success(""))
    }

    /// A pipe without a reader stands for a disk that accepts nothing for a while.
    @Test func `a slow disk delays no connection, and the recording is complete in the end`() async throws {
        let server = try ServingTool()
        let workspace = try Workspace()
        let file = workspace.folder.appending(path: "out.pcapng")
        #expect(mkfifo(file.path, 0o600) == 0)
        // A pipe can be opened for writing only after it is open for reading.
        let reading = FileHandle(fileDescriptor: open(file.path, O_RDONLY | O_NONBLOCK), closeOnDealloc: true)
        let proxy = try proxy(to: server.address, "--record", file.path)
        let connection = try await proxy.connect()
        let packets = try (0..<20).map { try standardPacket(id: 5, Array(repeating: $0, count: 100_000)) }
        for packet in packets {
            try await connection.send(packet: packet)
            #expect(try await connection.next().map { [UInt8](copying: $0.bytes) } == packet)
        }
        connection.endOutput()
        #expect(try await connection.rest() == [])
        connection.close()
        proxy.send(SIGTERM)
        _ = fcntl(reading.fileDescriptor, F_SETFL, 0)
        let capture = try Capture(try await onThread { try reading.readToEnd() ?? Data() })
        #expect(proxy.outcome().status == 0)
        let client = try #require(capture.segments.first).source
        #expect(try capture.stream(from: client, to: server.port) == packets.flatMap { $0 })
        #expect(try capture.stream(from: server.port, to: client) == packets.flatMap { $0 })
        #expect(server.end() == .success(""))
    }

    // MARK: TLS

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `the proxy speaks TLS to the server, and gives the reason for a failure`() throws {
        let root = try CertificateAuthority("root")
        let issued = try root.issue(to: ["DNS:localhost", "IP:127.0.0.1"])
        let server = try ServingTool(
            ["--tls-certificate", "server.pem", "--tls-key", "server.key"],
            files: [
                "Protocols/Scene/Scene.wire": sceneSchema, "server.pem": issued.chain, "server.key": issued.key,
            ])
        let authority: KeyValuePairs = ["root.pem": root.own.certificate]
        let trusting = try proxy(to: server.address, "--tls-ca", "root.pem", files: authority)
        let call = ["call", trusting.address, "Cs_20001", packetFields, "--expect", "Cs_20001"]
        for _ in 0..<3 { #expect(try server.wire(call) == .success(packetLine)) }
        #expect(lines(trusting.end()).filter { $0.hasPrefix("client: Cs_20001") }.count == 3)
        let doubting = try proxy(to: server.address, "--tls")
        let outcome = try server.wire("call", doubting.address, "Cs_20001", packetFields, "--expect", "Cs_20001")
        // The proxy may fail before the client knows that it is connected.
        let reset = "\(doubting.address): the peer has reset the connection\n"
        #expect(["error: \(reset)", "error: cannot connect to \(reset)"].contains(outcome.errors))
        #expect(lines(doubting.end()).contains("server: the issuer of the peer's certificate is not trusted"))
        #expect(server.end().status == 0)
    }

    @Test func `a server that is silent during a TLS handshake times out`() async throws {
        let silent = try await rawPeer { _, _ in [] }
        let proxy = try proxy(to: silent.address, "--tls")
        await #expect(throws: ConnectionError.transport(.reset)) {
            let connection = try await proxy.connect()
            _ = try await connection.next()
        }
        let outcome = proxy.end()
        #expect(outcome.status == 0 && outcome.errors.contains("does not answer with TLS"), "\(outcome)")
    }

    // MARK: Errors

    @Test func `without a server the client is reset, and the proxy reports it`() async throws {
        // A port that was free could be in use by now; no program listens on this one.
        let address = "127.0.0.1:1"
        let proxy = try proxy(to: address)
        await #expect(throws: ConnectionError.transport(.reset)) {
            let connection = try await proxy.connect()
            _ = try await connection.next()
        }
        let outcome = proxy.end()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains(": cannot connect to \(address): "), "\(outcome)")
    }

    @Test(arguments: [
        ("--to 127.0.0.1:1", 2, "error: --listen is missing\n"),
        ("--listen 127.0.0.1:0", 2, "error: --to is missing\n"),
        ("--listen 127.0.0.1:0 --to x", 2, "error: --to is a name or an IP address"),
        ("--listen 192.0.2.1:1 --to 127.0.0.1:1", 1, "error: cannot listen on 192.0.2.1:1: bind: "),
        (
            "--listen 127.0.0.1:0 --to 127.0.0.1:1 --record nowhere/x", 1,
            "error: cannot write nowhere/x: No such file or directory\n"
        ),
        (
            "--listen 127.0.0.1:0 --to 127.0.0.1:1 --record /dev/full", 1,
            "error: cannot write /dev/full: No space left on device\n"
        ),
        ("--listen 127.0.0.1:0 --to 127.0.0.1:1 --tls-ca none.pem", 1, "error: TLS: none.pem: "),
    ])
    func `a call that cannot work is refused at once`(_ words: String, _ status: Int32, _ error: String) throws {
        let outcome = try Workspace().shell("wire proxy \(words)")
        #expect(outcome.status == status && outcome.output.isEmpty && outcome.errors.hasPrefix(error), "\(outcome)")
    }
}
