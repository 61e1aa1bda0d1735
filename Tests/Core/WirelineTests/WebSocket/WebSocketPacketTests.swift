// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec

@testable import WirelineTransport

/// Packets over a WebSocket, with and without TLS: everything that works over TCP works here.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct WebSocketPacketTests {
    enum Carrier: CaseIterable {
        case webSocket, secureWebSocket
    }

    private static let hello = Cs_20001(sceneID: 7, line: 2, message: "hi")

    /// A busy machine is slow at handshakes, and writes wait for those.
    private static let limits = ConnectionLimits(maximumPacketByteCount: 4 << 20, writeTimeout: nil)

    private static func server(
        _ carrier: Carrier, _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws -> ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.limits = limits
        configuration.webSocket = ServerConfiguration.WebSocketOptions()
        if carrier == .secureWebSocket { configuration.listening.tls = try LocalTLS.contexts.get().server }
        change(&configuration)
        return configuration
    }

    private static func client(
        _ carrier: Carrier, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> ClientConfiguration {
        var configuration = ClientConfiguration.patient
        configuration.limits = limits
        configuration.webSocket = ClientConfiguration.WebSocketOptions()
        if carrier == .secureWebSocket {
            configuration.dialing.tls = try LocalTLS.contexts.get().client
            configuration.dialing.tlsServerName = "localhost"
        }
        change(&configuration)
        return configuration
    }

    private static func answer(_ client: ServerConnection<SceneProtocol>) async throws {
        while let received = try await client.nextMessage() {
            guard case .cs20001(let enter) = received.message else { continue }
            try await client.send(Sc_20001.entered(enter))
        }
    }

    private static func echo(_ configuration: ServerConfiguration) async throws -> SceneServer {
        try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: configuration
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
    }

    // MARK: Valid peers

    @Test(arguments: Carrier.allCases)
    func `a client asks, and the server answers, with the agreed subprotocol`(carrier: Carrier) async throws {
        let requests = Lock<[WebSocketUpgradeRequest?]>([])
        let ends = ConnectionEnds()
        var serverConfiguration = ends.configure()
        serverConfiguration.webSocket = ServerConfiguration.WebSocketOptions(
            paths: ["/live/room"], subprotocols: ["b", "c"])
        serverConfiguration.listening.tls = try Self.server(carrier).listening.tls
        let server = try await SceneServer.start(configuration: serverConfiguration) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                let request = await client.connection.webSocketRequest()
                requests.withLock { $0.append(request) }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let client = try await server.connect(
            configuration: Self.client(carrier) {
                $0.webSocket = ClientConfiguration.WebSocketOptions(
                    path: "/live/room?line=2", subprotocols: ["a", "b", "c"], headers: ["X-Room": "7"])
            })
        #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
        #expect(await client.connection.webSocketAgreement()?.subprotocol == "b")
        #expect(await (client.connection.tlsDetails() != nil) == (carrier == .secureWebSocket))
        let request = try #require(requests.withLock { $0.first ?? nil })
        #expect(request.target == "/live/room?line=2")
        #expect(request.headers["X-Room"] == "7")
        #expect(request.host == "127.0.0.1:\(server.address.port)")

        var stages: [ConnectionTimeline.Event] = []
        for event in client.timeline.entries.map(\.event) {
            switch event {
            case .handshakeBegan, .handshakeEnded, .webSocketBegan, .webSocketEnded, .firstByte: stages.append(event)
            default: break
            }
        }
        let tls: [ConnectionTimeline.Event] = carrier == .webSocket ? [] : [.handshakeBegan, .handshakeEnded]
        #expect(stages == tls + [.webSocketBegan, .webSocketEnded, .firstByte])
        client.close()
        #expect(await ends.next() == nil)
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases, [true, false])
    func `packets of every length come back as they were sent`(carrier: Carrier, compresses: Bool) async throws {
        var random = SeededGenerator.forThisRun()
        let deflate = compresses ? WebSocketDeflate() : nil
        let server = try await Self.echo(Self.server(carrier) { $0.webSocket?.handshake.deflate = deflate })
        let client = try await server.connect(configuration: Self.client(carrier) { $0.webSocket?.deflate = deflate })
        #expect(await client.connection.webSocketAgreement()?.compresses == compresses)
        var byteCounts = (0..<2_000).map { _ in Int.random(in: 0...300, using: &random) }
        byteCounts += [119, 120, 65_529, 65_530, 65_531, 16_378, 16_379, 131_066, 1_000_000, 3_000_000, 0, 1]
        byteCounts.shuffle(using: &random)
        let packets = try byteCounts.enumerated().map { index, count in
            try packet(id: UInt64(index), payload: [UInt8](repeating: UInt8(index % 251), count: count))
        }
        let sending = Task { for packet in packets { try await client.connection.send(packet: packet) } }
        for expected in packets {
            let bytes = try await client.connection.nextBytes()
            guard bytes != expected else { continue }
            #expect(bytes?.count == expected.count, random.seedComment)
            break
        }
        try await sending.value
        client.close()
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `a sender waits while its peer reads nothing, and nothing is lost`(carrier: Carrier) async throws {
        let mayRead = Gate()
        let server = try await SceneServer.start(configuration: Self.server(carrier)) { client in
            await mayRead.wait()
            var count = 0
            while let packet = try await client.nextPacket(), packet.byteCount > 6 { count += packet.byteCount }
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 0, line: numericCast(count), message: "")))
        }
        let client = try await server.connect(configuration: Self.client(carrier))
        let big = try packet(payload: [UInt8](repeating: 7, count: 100_000))
        let last = try packet(payload: [])
        let sending = Task {
            for _ in 0..<600 { try await client.connection.send(packet: big) }
            try await client.connection.send(packet: last)
        }
        // 60 MB are more than the systems buffer: the rest waits, here no more than the limit and a packet. Less is left
        // if a system takes some of it later: the sender waits until it has taken all.
        #expect(try await eventually { await client.connection.counters().waitingSenderCount == 1 })
        #expect(try await client.connection.onLoop { $0.stream.pendingByteCount } <= (64 << 10) + big.count)
        mayRead.open()
        try await sending.value
        let reply = try #require(try await client.nextPacket())
        #expect(try Sc_20001(packet: reply.bytes).defaultCombat == UInt32(600 * big.count))
        client.close()
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `a client that has ended its output still gets every answer, and a clean end`(carrier: Carrier) async throws {
        let server = try await Self.echo(Self.server(carrier))
        let client = try await server.connect(configuration: Self.client(carrier))
        let message = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 1_000))
        let byteCount = try message.encoded().count
        let sending = Task {
            for _ in 0..<10_000 { try await client.send(message) }
            client.endOutput()
        }
        var received = 0
        while let packet = try await client.nextPacket() { received += packet.byteCount }
        try await sending.value
        #expect(received == 10_000 * byteCount)
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `a handler can answer long after its client has ended its output`(carrier: Carrier) async throws {
        let (mayAnswer, ends) = (Gate(), ConnectionEnds())
        var configuration = try Self.server(carrier)
        configuration.listening.connectionEnded = ends.configure().listening.connectionEnded
        let server = try await SceneServer.start(configuration: configuration) { client in
            var count: UInt32 = 0
            while try await client.nextPacket() != nil { count += 1 }
            await mayAnswer.wait()
            for line in 0..<count {
                try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: line, message: "")))
            }
        }
        let client = try await server.connect(configuration: Self.client(carrier))
        for _ in 0..<100 { try await client.send(Self.hello) }
        client.endOutput()
        #expect(try await eventually { try await client.connection.onLoop({ $0.stream.hasEndedOutput }) })
        mayAnswer.open()
        var lines: [UInt32] = []
        while let received = try await client.nextMessage() {
            if case .sc20001(let reply) = received.message { lines.append(reply.defaultCombat) }
        }
        #expect(lines == Array(0..<100))
        client.close()
        #expect(await ends.next() == nil)
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `a handler's output arrives even if the handler ends at once, and the end is clean`(
        carrier: Carrier
    ) async throws {
        let server = try await SceneServer.start(configuration: Self.server(carrier)) { client in
            for _ in 0..<50 { try await client.send(packet: packet(payload: [UInt8](repeating: 1, count: 10_000))) }
        }
        let client = try await server.connect(configuration: Self.client(carrier))
        var count = 0
        while try await client.nextPacket() != nil { count += 1 }
        #expect(count == 50)
        #expect(client.timeline.entries.last?.event != .closed(.transport(.reset)))
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `a broadcast reaches all clients, and so does a shutdown message`(carrier: Carrier) async throws {
        let server = try await SceneServer.start(
            on: ConnectionPair.group.get(), configuration: Self.server(carrier)
        ) { client in while try await client.nextPacket() != nil {} }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<10 { clients.append(try await server.connect(configuration: Self.client(carrier))) }
        #expect(try await eventually { server.connections.count >= 10 })
        let message = Sc_20001.entered(Cs_20001(sceneID: 3, line: 4, message: "all"))
        // A client that is not ready yet has nothing queued, and gets the message then.
        #expect(try await server.broadcast(message).isEmpty)
        async let shutDown: Void = server.shutDown(within: .seconds(500), telling: Sc_20001.entered(Self.hello))
        for client in clients {
            var messages: [Sc_20001] = []
            while let received = try await client.nextMessage() {
                if case .sc20001(let message) = received.message { messages.append(message) }
            }
            #expect(messages == [message, Sc_20001.entered(Self.hello)])
            client.close()
        }
        try await shutDown
    }

    @Test(arguments: Carrier.allCases)
    func `replies in another order find their requests`(carrier: Carrier) async throws {
        let server = try await GoimServer.start(configuration: Self.server(carrier)) { client in
            var waiting: [(packet: ReceivedPacket, body: String)] = []
            while let received = try await client.nextMessage() {
                guard case .heartbeat(let heartbeat) = received.message else { continue }
                waiting.append((received.packet, heartbeat.body))
                guard waiting.count == 10 else { continue }
                for (packet, body) in waiting.reversed() {
                    try await client.reply(to: packet, with: HeartbeatReply(popularity: UInt32(body) ?? 0))
                }
                waiting = []
            }
        }
        let client = try await server.connect(configuration: Self.client(carrier))
        try await withThrowingTaskGroup(of: (UInt32, UInt32).self) { group in
            for number in 0..<100 as Range<UInt32> {
                group.addTask { (number, try await client.request(Heartbeat(body: "\(number)")).popularity) }
            }
            for try await (number, popularity) in group { #expect(number == popularity) }
        }
        client.close()
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `a session reconnects to a server that restarts`(carrier: Carrier) async throws {
        #if os(Linux)
            // A separate address for each: another test could get the port meanwhile.
            let host = carrier == .webSocket ? "127.0.0.16" : "127.0.0.17"
        #else
            let host = "127.0.0.1"
        #endif
        let first = try await SceneServer.start(at: host, configuration: Self.server(carrier), Self.answer)
        var configuration = PacketSessionConfiguration.patient
        configuration.client = try Self.client(carrier)
        let session = try PacketSession.start(
            to: [first.endpoint], protocol: SceneProtocol.self, configuration: configuration)
        #expect(try await session.request(Self.hello) == Sc_20001.entered(Self.hello))
        await first.shutDown()
        async let reply = session.request(Self.hello, delivery: .atLeastOnce, timeout: .seconds(500))
        let second = try await PacketServer.start(
            at: host, port: first.address.port, protocol: SceneProtocol.self,
            configuration: Self.server(carrier), handler: Self.answer)
        session.hurry()
        #expect(try await reply == Sc_20001.entered(Self.hello))
        session.end()
        await second.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `the log and the counters show packets`(carrier: Carrier) async throws {
        let records = Lock<[String]>([])
        let log = TrafficLog(of: SceneProtocol.self) { entry in records.withLock { $0.append("\(entry)") } }
        let server = try await SceneServer.start(configuration: Self.server(carrier), Self.answer)
        let client = try await server.connect(configuration: Self.client(carrier) { $0.log = log })
        #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
        let counters = await client.connection.counters()
        #expect(counters.sentPacketCount == 1)
        #expect(counters.receivedPacketCount == 1)
        #expect(counters.sentByteCount > 100)
        client.close()
        await server.shutDown()
        let lines = records.withLock { $0 }
        #expect(lines.contains { $0.contains("Cs_20001") })
        #expect(lines.contains { $0.contains("Sc_20001") })
    }

    @Test(arguments: Carrier.allCases)
    func `a waiting connection holds no block`(carrier: Carrier) async throws {
        let server = try await SceneServer.start(configuration: Self.server(carrier), Self.answer)
        let client = try await server.connect(configuration: Self.client(carrier))
        #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
        let waiting = Task { try await client.nextPacket() }
        for end in [client.connection, server.connections[0].connection] {
            #expect(try await eventually { try await end.onLoop({ $0.stream.wantsToRead }) })
            let hasBlock = try await end.onLoop { $0.stream.transformState?.hasBlock }
            #expect(hasBlock == false)
        }
        client.close()
        _ = try? await waiting.value
        await server.shutDown()
    }

    // MARK: Invalid peers

    @Test(arguments: Carrier.allCases)
    func `an end of stream without a close frame is an error`(carrier: Carrier) async throws {
        let ends = ConnectionEnds()
        var configuration = try Self.server(carrier)
        configuration.listening.connectionEnded = ends.configure().listening.connectionEnded
        let server = try await SceneServer.start(configuration: configuration, Self.answer)
        let client = try await server.connect(configuration: Self.client(carrier))
        #expect(try await client.request(Self.hello) == Sc_20001.entered(Self.hello))
        // The system's own end of stream, without a close frame.
        try await client.connection.onLoop { SystemCall.shutdownSending($0.stream.number) }
        switch (carrier, await ends.next() as? ConnectionError) {
        case (.webSocket, .webSocketEnded(let end)?):
            #expect(end.cause == .cut)
            #expect(end.code == .abnormal)
        case (.secureWebSocket, .tls(.truncated(duringHandshake: false))?): break
        case (_, let error): Issue.record("\(String(describing: error))")
        }
        client.close()
        await server.shutDown()
    }

    @Test(arguments: Carrier.allCases)
    func `a server's refusal reaches the client with its reason`(carrier: Carrier) async throws {
        let ends = ConnectionEnds()
        var configuration = try Self.server(carrier)
        configuration.listening.connectionEnded = ends.configure().listening.connectionEnded
        configuration.webSocket = ServerConfiguration.WebSocketOptions(paths: ["/a", "/b"]) { request in
            request.credentials?.user == "wang"
                ? .accept(subprotocol: request.path == "/b" ? "never asked for" : nil)
                : .refuse(status: 401, headers: ["WWW-Authenticate": "Basic"], body: "who?")
        }
        let server = try await SceneServer.start(configuration: configuration, Self.answer)

        func status(_ path: String, _ user: String?, origin: String? = nil) async throws -> Int? {
            let configuration = try Self.client(carrier) {
                $0.webSocket?.path = path
                $0.webSocket?.origin = origin
                $0.webSocket?.credentials = user.map { WebSocketCredentials(user: $0, password: "") }
            }
            do throws(ConnectionError) {
                let client = try await server.connect(configuration: configuration)
                client.close()
                #expect(await ends.next() == nil)
                return nil
            } catch {
                guard case .webSocket(.refused(let response)) = error else { throw error }
                if response.status == 401 {
                    #expect(response.headers["WWW-Authenticate"] == "Basic")
                    #expect(String(decoding: response.body, as: UTF8.self) == "who?")
                }
                return response.status
            }
        }
        #expect(try await status("/a", "wang") == nil)
        #expect(try await status("/c", "wang") == 404)
        #expect(await ends.next() as? ConnectionError == .webSocket(.requestRefused(status: 404)))
        #expect(try await status("/a", "li") == 401)
        #expect(await ends.next() as? ConnectionError == .webSocket(.requestRefused(status: 401)))
        #expect(try await status("/b", "wang") == 500)
        #expect(await ends.next() as? ConnectionError == .webSocket(.invalidSubprotocol("never asked for")))
        #expect(try await status("/a", "wang", origin: "https://evil.test") == 403)
        #expect(await ends.next() as? ConnectionError == .webSocket(.invalidRequest(.origin, status: 403)))
        await server.shutDown()
    }

    @Test func `an invalid request is refused before connecting`() async throws {
        for (change, error) in [
            ({ $0.path = "nowhere" }, .invalidURL(.character, offset: 0)),
            ({ $0.headers = ["Upgrade": "h2c"] }, .reservedHeader(name: "Upgrade")),
            ({ $0.subprotocols = ["a b"] }, .invalidSubprotocol("a b")),
        ] as [((inout ClientConfiguration.WebSocketOptions) -> Void, WebSocketError)] {
            var configuration = ClientConfiguration.patient
            var options = ClientConfiguration.WebSocketOptions()
            change(&options)
            configuration.webSocket = options
            await #expect(throws: ConnectionError.webSocket(error)) {
                _ = try await PacketClient.connect(
                    to: "unknown.invalid", port: 1, protocol: SceneProtocol.self, configuration: configuration)
            }
        }
    }

    @Test func `a secure WebSocket refuses a wrong issuer, host name or key`() async throws {
        let server = try await SceneServer.start(configuration: Self.server(.secureWebSocket), Self.answer)
        await #expect(throws: ConnectionError.tls(.wrongHost(expected: "other.test"))) {
            _ = try await server.connect(
                configuration: Self.client(.secureWebSocket) { $0.dialing.tlsServerName = "other.test" })
        }
        await server.shutDown()
    }
}
