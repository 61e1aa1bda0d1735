// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// WebSockets over TLS: `wss`.
@Suite(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), .ahead)
struct WebSocketTLSTests {
    private let certificates: LocalCertificates

    init() throws {
        certificates = try LocalCertificates.made.get()
    }

    private func connect(
        to server: WebSocketServer, _ tls: TLSContext?,
        _ change: (inout WebSocketClientConfiguration) -> Void = { _ in }
    ) async throws -> WebSocketClient {
        var configuration = WebSocketClientConfiguration.patient
        configuration.dialing.tls = tls
        change(&configuration)
        return try await WebSocketClient.connect(
            to: server.url(isSecure: true), on: ConnectionPair.group.get(), configuration: configuration)
    }

    @Test(arguments: [nil, WebSocketDeflate()])
    func `messages of every length come back over TLS, and the pinned key is found`(
        deflate: WebSocketDeflate?
    ) async throws {
        let server = try await WebSocketServer.echo(
            .patient {
                $0.listening.tls = try? certificates.serverContext()
                $0.handshake.deflate = deflate
            })
        let context = try certificates.clientContext { $0.pins = try TLSPins([certificates.server.keyHash]) }
        let client = try await connect(to: server, context) { $0.deflate = deflate }
        let pinned = try TLSPinOutcome.matched(TLSKeyHash(certificates.server.keyHash), depth: 0)
        #expect(try #require(await client.tlsDetails()).pinOutcome == pinned)
        var random = SeededGenerator.forThisRun()
        for byteCount in [0, 1, 125, 126, 16_383, 16_384, 65_535, 65_536, 1_000_000, 5 << 20] {
            let content = random.bytes(byteCount)
            try await client.send(content)
            let isSame = try await client.receive() == .binary(content)
            #expect(isSame, "\(byteCount) bytes")
        }
        let events = client.timeline.entries.map(\.event)
        #expect(
            events.suffix(6) == [
                .handshakeBegan, .handshakeEnded, .pinsChecked(pinned), .webSocketBegan, .webSocketEnded, .firstByte,
            ])
        #expect(try await client.close().isClean)
        await server.shutDown()
    }

    @Test func `a timeline shows TLS, the upgrade, the first byte and the end`() async throws {
        let timelines = Seen<ConnectionTimeline>()
        let server = try await WebSocketServer.echo(.patient { $0.listening.tls = try? certificates.serverContext() })
        let client = try await connect(to: server, certificates.clientContext()) {
            $0.dialing.timelineHandler = { timelines.add($0) }
        }
        let handshakes: [ConnectionTimeline.Event] = [
            .connected(server.address), .handshakeBegan, .handshakeEnded, .webSocketBegan, .webSocketEnded,
        ]
        #expect(client.timeline.entries.map(\.event).suffix(5) == handshakes)
        for _ in 0..<3 {
            try await client.send("hello")
            #expect(try await client.receive() == .text("hello"))
        }
        #expect(client.timeline.entries.map(\.event).suffix(6) == handshakes + [.firstByte])
        try await client.close()
        let timeline = await timelines.first(1)[0]
        #expect(timeline.entries.map(\.event).suffix(7) == handshakes + [.firstByte, .closed(nil)])
        #expect(zip(timeline.entries, timeline.entries.dropFirst()).allSatisfy { $0.time <= $1.time })
        await server.shutDown()
    }

    @Test func `a sender waits over TLS while its peer reads nothing, and nothing is lost`() async throws {
        let mayRead = Gate()
        let server = try await WebSocketServer.serving(
            .patient { $0.listening.tls = try? certificates.serverContext() }
        ) {
            client in
            await mayRead.wait()
            var count = 0
            while case .binary(let content)? = try await client.receive(), !content.isEmpty { count += content.count }
            try await client.send("\(count)")
            while try await client.receive() != nil {}
        }
        let client = try await connect(to: server, certificates.clientContext())
        let sending = Task {
            for _ in 0..<600 { try await client.send([UInt8](repeating: 7, count: 100_000)) }
            try await client.send([])
        }
        #expect(try await eventually { await client.counters().waitingSenderCount > 0 })
        mayRead.open()
        #expect(try await client.receive() == .text("60000000"))
        try await sending.value
        try await client.close()
        await server.shutDown()
    }

    @Test func `a server with a wrong issuer, name or key gets no request`() async throws {
        let requests = Seen<WebSocketUpgradeRequest>()
        let tls = try certificates.serverContext()
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, configuration: .patient { $0.listening.tls = tls }
        ) {
            requests.add($0)
            return .accept()
        } handler: { _ in
        }
        // The system's roots do not contain this one.
        let stranger = await #expect(throws: ConnectionError.self) { try await connect(to: server, nil) }
        guard case .tls(.unknownIssuer) = stranger else { throw try #require(stranger) }
        let other = try certificates.clientContext { $0.pins = try TLSPins([String(repeating: "00", count: 32)]) }
        let unpinned = await #expect(throws: ConnectionError.self) { try await connect(to: server, other) }
        guard case .tls(.pinMismatch) = unpinned else { throw try #require(unpinned) }
        let renamed = await #expect(throws: ConnectionError.self) {
            try await connect(to: server, certificates.clientContext()) {
                $0.dialing.tlsServerName = "elsewhere.example"
            }
        }
        guard case .tls(.wrongHost) = renamed else { throw try #require(renamed) }
        #expect(requests.count == 0)
        await server.shutDown()
    }

    @Test func `if only one side uses TLS, the error says so`() async throws {
        let ends = WebSocketEnds()
        let secure = try await WebSocketServer.echo(
            ends.configure {
                $0.listening.tls = try? certificates.serverContext()
            })
        await #expect(throws: ConnectionError.self) { try await secure.connect() }
        #expect(await ends.first(1)[0].contains("TLS"))
        let plain = try await WebSocketServer.echo()
        let error = await #expect(throws: ConnectionError.self) {
            try await connect(to: plain, certificates.clientContext())
        }
        guard case .tls = error else { throw try #require(error) }
        await secure.shutDown()
        await plain.shutDown()
    }
}
