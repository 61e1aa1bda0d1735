// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Servers whose clients come through a proxy that tells their addresses.
@Suite(.ahead)
struct ProxyProtocolTests {
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    private static func line(from address: String) -> [UInt8] {
        Array("PROXY TCP4 \(address) 198.51.100.1 49153 443\r\n".utf8)
    }

    private static func binary(from address: String) throws -> [UInt8] {
        let addresses = try ["\(address)", "198.51.100.1"].flatMap { try SocketAddress(ipAddress: $0, port: 0).bytes }
        return signature + [0x21, 0x11, 0, 12] + addresses + [0xC0, 0x01, 0x01, 0xBB]
    }

    /// What a server has reported, with the addresses.
    private final class Reports: Sendable {
        let ends = Seen<String>()
        let peers = Seen<String>()
    }

    /// An echo server that trusts a network.
    private static func echo(
        trusting networks: [String] = ["127.0.0.0/8"], at addresses: [ListeningAddress] = [.host("127.0.0.1", port: 0)],
        on group: EventLoopGroup? = nil, _ reports: Reports = Reports(),
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> SceneServer {
        var configuration = ServerConfiguration.patient
        var proxies = ListeningOptions.ProxyProtocol(
            from: try networks.map { try IPNetwork($0) }, trustsUnixSockets: true)
        proxies.timeout = .seconds(500)
        configuration.listening.proxyProtocol = proxies
        configuration.listening.connectionEnded = { address, error in
            reports.ends.add("\(address): \(error.map { "\($0)" } ?? "clean")")
        }
        change(&configuration)
        return try await PacketServer.startBatched(
            at: addresses, protocol: SceneProtocol.self, on: group ?? EventLoopGroup(threadCount: 1),
            configuration: configuration
        ) { client in
            reports.peers.add("\(client.connection.peerAddress)")
            return { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
    }

    private static func hello() throws -> [UInt8] { try packet(payload: [1, 2, 3]) }

    /// Sends bytes in the given pieces, and expects the packet back.
    private static func talk(_ pieces: [[UInt8]], to port: UInt16) async throws -> RawSocket {
        let socket = try RawSocket.connect(to: port)
        let hello = try hello()
        try await onThread {
            for piece in pieces + [hello] { try socket.send(piece) }
            var answer: [UInt8] = []
            while answer.count < hello.count {
                let bytes = try socket.receive()
                if bytes.isEmpty { break }
                answer += bytes
            }
            #expect(answer == hello)
        }
        return socket
    }

    // MARK: Headers

    @Test func `a client behind a trusted proxy has its own address, with each version and however it is cut`()
        async throws
    {
        let reports = Reports()
        let server = try await Self.echo(reports)
        let headers = [Self.line(from: "192.0.2.7"), try Self.binary(from: "192.0.2.7")]
        for header in headers {
            _ = try await Self.talk([header], to: server.address.port)
            _ = try await Self.talk(header.map { [$0] }, to: server.address.port)
        }
        #expect(await reports.peers.first(4) == Array(repeating: "192.0.2.7:49153", count: 4))
        #expect(await reports.ends.first(4) == Array(repeating: "192.0.2.7:49153: clean", count: 4))
        #expect(await server.counters().acceptedConnectionCount == 4)
        await server.shutDown()
    }

    @Test func `a proxy that speaks for itself keeps its own address`() async throws {
        let reports = Reports()
        let server = try await Self.echo(reports)
        for header in [Self.signature + [0x20, 0, 0, 0], Array("PROXY UNKNOWN\r\n".utf8)] {
            _ = try await Self.talk([header], to: server.address.port)
        }
        for peer in await reports.peers.first(2) { #expect(peer.hasPrefix("127.0.0.1:")) }
        await server.shutDown()
    }

    @Test func `a server can take clients of proxies alone`() async throws {
        let reports = Reports()
        let server = try await Self.echo(reports) { $0.listening.proxyProtocol?.isRequired = true }
        _ = try await Self.talk([Self.line(from: "192.0.2.7")], to: server.address.port)
        #expect(await reports.peers.first(1) == ["192.0.2.7:49153"])
        for header in [Self.signature + [0x20, 0, 0, 0], Array("PROXY UNKNOWN\r\n".utf8)] {
            let socket = try RawSocket.connect(to: server.address.port)
            try socket.send(header)
            try? await onThread { socket.drain() }
        }
        #expect(await server.counters().refusedConnectionCounts == [.proxyHeader: 2])
        await server.shutDown()
        let closed = try await Self.echo(trusting: ["10.0.0.0/8"], reports) {
            $0.listening.proxyProtocol?.isRequired = true
        }
        let socket = try RawSocket.connect(to: closed.address.port)
        try? await onThread { socket.drain() }
        #expect(await reports.ends.first(4).last?.hasSuffix(": \(ProxyHeaderError.notAProxy)") == true)
        await closed.shutDown()
    }

    @Test func `nobody else can name an address`() async throws {
        let reports = Reports()
        let server = try await Self.echo(trusting: ["10.0.0.0/8"], reports)
        _ = try await Self.talk([], to: server.address.port)
        #expect(await reports.peers.first(1)[0].hasPrefix("127.0.0.1:"))
        let forger = try RawSocket.connect(to: server.address.port)
        try forger.send(try Self.binary(from: "192.0.2.7"))
        // The signature is the length of a packet that is too long.
        let ends = await reports.ends.first(2)
        #expect(ends.allSatisfy { $0.hasPrefix("127.0.0.1:") })
        #expect(ends.count { $0.hasSuffix(": clean") } == 1)
        withExtendedLifetime(forger) {}
        await server.shutDown()
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", ProxyHeaderError.missing), ("PROXY TCP4 1.2.3 4.5.6.7 1 2\r\n", .malformedLine),
        ("PROX", .truncated),
    ])
    func `a trusted proxy must send a header`(text: String, error: ProxyHeaderError) async throws {
        let reports = Reports()
        let server = try await Self.echo(reports)
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(Array(text.utf8))
        socket.endOutput()
        #expect(await reports.ends.first(1)[0].hasSuffix(": \(error)"))
        try? await onThread { socket.drain() }
        let counters = await server.counters()
        #expect(counters.refusedConnectionCounts == [.proxyHeader: 1])
        #expect(counters.acceptedConnectionCount == 0)
        #expect(reports.peers.count == 0)
        await server.shutDown()
    }

    @Test func `a header that does not come in time ends the connection`() async throws {
        let reports = Reports()
        let server = try await Self.echo(reports) { $0.listening.proxyProtocol?.timeout = .milliseconds(50) }
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(Self.line(from: "192.0.2.7").dropLast())
        #expect(await reports.ends.first(1)[0].hasSuffix(": \(ProxyHeaderError.timedOut)"))
        withExtendedLifetime(socket) {}
        await server.shutDown()
    }

    @Test func `a health check that sends nothing is no fault`() async throws {
        let reports = Reports()
        let server = try await Self.echo(reports)
        try RawSocket.connect(to: server.address.port).endOutput()
        #expect(await reports.ends.first(1)[0].hasSuffix(": clean"))
        #expect(await server.counters().refusedConnectionCount == 0)
        await server.shutDown()
    }

    @Test func `a client of a proxy that connects while the server shuts down gets the message, too`() async throws {
        let reason = Sc_20001.entered(Cs_20001(sceneID: 9, line: 9, message: "go away"))
        let (group, mayGoOn) = (try EventLoopGroup(threadCount: 1), Seen<Void>())
        let server = try await Self.echo(on: group)
        group.loops[0].execute { mayGoOn.block(until: 1) }
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(Self.line(from: "192.0.2.7"))
        async let shutDown: Void = server.shutDown(within: .seconds(500), telling: reason)
        #expect(try await eventually { server.isDraining })
        mayGoOn.add(())
        #expect(try await onThread { try socket.rest() } == reason.encoded())
        withExtendedLifetime(socket) {}
        try await shutDown
    }

    @Test func `a server that shuts down does not wait for late headers`() async throws {
        let reports = Reports()
        let server = try await Self.echo(reports)
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(Self.line(from: "192.0.2.7").dropLast())
        await server.shutDown(within: .seconds(500))
        #expect(await reports.ends.first(1)[0].hasSuffix(": clean"))
        withExtendedLifetime(socket) {}
    }

    @Test func `whoever connects to a trusted Unix domain socket must send a header, too`() async throws {
        let path = try SocketPath()
        let reports = Reports()
        let server = try await Self.echo(trusting: [], at: [.unix(path.path)], reports)
        var configuration = ClientConfiguration.patient
        configuration.dialing.unixPath = path.path
        let client = try await PacketClient.connect(
            to: "localhost", port: 80, protocol: SceneProtocol.self, configuration: configuration)
        let hello = try Self.hello()
        try await client.connection.sendRaw(try Self.binary(from: "192.0.2.7") + hello)
        #expect(try await client.connection.nextBytes() == hello)
        #expect(await reports.peers.first(1) == ["192.0.2.7:49153"])
        client.close()
        await server.shutDown()
    }

    // MARK: What the address is for

    @Test func `the limit per address counts clients, and not their proxy`() async throws {
        let reports = Reports()
        let server = try await Self.echo(reports) { $0.listening.connectionLimitPerAddress = 1 }
        let first = try await Self.talk([Self.line(from: "192.0.2.7")], to: server.address.port)
        let other = try await Self.talk([Self.line(from: "192.0.2.8")], to: server.address.port)
        let second = try RawSocket.connect(to: server.address.port)
        try second.send(Self.line(from: "192.0.2.7"))
        let limit = ConnectionError.tooManyConnections(limit: 1)
        #expect(await reports.ends.first(1) == ["192.0.2.7:49153: \(limit)"])
        #expect(try await onThread { try second.receive() }.isEmpty)
        #expect(await server.counters().refusedConnectionCounts == [.addressLimit: 1])
        withExtendedLifetime((first, other)) {}
        await server.shutDown(within: .zero)
    }

    @Test func `the log names the client`() async throws {
        let entries = Seen<String>()
        let server = try await Self.echo {
            $0.log = TrafficLog(of: SceneProtocol.self) { entries.add("\($0)") }
        }
        let socket = try await Self.talk([Self.line(from: "192.0.2.7")], to: server.address.port)
        for entry in await entries.first(2) { #expect(entry.contains("192.0.2.7:49153")) }
        withExtendedLifetime(socket) {}
        await server.shutDown(within: .zero)
    }
}
