// SPDX-License-Identifier: Apache-2.0

import Foundation
import Goim
import Scene
import Testing
import TestingSupport
import Wireline

/// `PacketClient` and `PacketServer` over real sockets, as a user writes them.
@Suite(.ahead)
struct ClientServerTests {
    @Test func `a client asks, and the server answers`() async throws {
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let client = try await server.connect()
        let reply = try await client.request(Cs_20001(sceneID: 7, line: 2, message: "hi"))
        #expect(reply == Sc_20001.entered(Cs_20001(sceneID: 7, line: 2, message: "hi")))
        client.close()
        await server.shutDown()
    }

    @Test func `known messages arrive with their types, and unknown ones as packets`() async throws {
        let unknown = try PacketLayout.standard.encode(id: 9, payload: RawSpan())
        let server = try await SceneServer.start { client in
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: 2, message: "3")))
            try await client.send(packet: unknown)
        }
        let client = try await server.connect()
        var seen: [String] = []
        while let received = try await client.nextMessage() {
            switch received.message {
            case .sc20001(let scene): seen.append("scene \(scene.sceneID)")
            case .unknown(let id): seen.append("unknown \(id)")
            }
        }
        #expect(seen == ["scene 1", "unknown 9"])
        await server.shutDown()
    }

    @Test func `a client times out on a silent server, whatever it waits for`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        var configuration = ClientConfiguration.patient
        configuration.idleTimeout = .milliseconds(50)
        let receiving = try await server.connect(configuration: configuration)
        await #expect(throws: ConnectionError.transport(.timedOut)) { _ = try await receiving.nextPacket() }
        let asking = try await server.connect(configuration: configuration)
        await #expect(throws: ConnectionError.transport(.timedOut)) {
            _ = try await asking.request(Cs_20001(sceneID: 7, line: 2, message: "hi"))
        }
        await server.shutDown()
    }

    @Test func `header fields can be set and read`() async throws {
        let server = try await GoimServer.start { client in
            while let received = try await client.nextMessage() {
                let header = try received.header
                guard case .heartbeat = received.message else { continue }
                let count = UInt32(truncatingIfNeeded: header["Version"] ?? 0)
                try await client.reply(to: received, with: HeartbeatReply(popularity: count), header: ["Version": 3])
            }
        }
        let client = try await server.connect()
        try await client.send(Heartbeat(body: ""), header: ["Version": 2, "Sequence": 77])
        var iterator = client.messages.makeAsyncIterator()
        let reply = try #require(try await iterator.next())
        let header = try reply.header
        #expect(header["Version"] == 3)
        #expect(header["Sequence"] == 77)
        guard case .heartbeatReply(let message) = reply.message else { throw ConnectionError.endedBeforeReply }
        #expect(message.popularity == 2)
        await #expect(throws: ConnectionError.self) {
            try await client.send(Heartbeat(body: ""), header: ["Operation": 1])
        }
        client.close()
        await server.shutDown()
    }

    @Test func `a message that the schema refuses is an error, and the messages after it still arrive`() async throws {
        let broken = try PacketLayout.standard.encode(id: 20_001, payload: [1].span.bytes)
        let server = try await SceneServer.start { client in
            try await client.send(packet: broken)
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 5, line: 0, message: "")))
        }
        let client = try await server.connect()
        var iterator = client.messages.makeAsyncIterator()
        do {
            _ = try await iterator.next()
            Issue.record("the broken message passed")
        } catch {
            #expect("\(error)".hasPrefix("Sc_20001"))
        }
        guard case .sc20001(let scene)? = try await iterator.next()?.message else {
            throw ConnectionError.endedBeforeReply
        }
        #expect(scene.sceneID == 5)
        #expect(try await iterator.next() == nil)
        await server.shutDown()
    }

    @Test func `a client without references closes its connection`() async throws {
        let (ended, feed) = AsyncStream<Void>.makeStream()
        let server = try await SceneServer.start { client in
            defer { feed.yield() }
            while try await client.nextMessage() != nil {}
        }
        do {
            let client = try await server.connect()
            try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        }
        var iterator = ended.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        await server.shutDown()
    }

    @Test func `a client's message sequence keeps its connection open`() async throws {
        let server = try await SceneServer.start { client in
            for number in 0..<100 {
                try await client.send(Sc_20001.entered(Cs_20001(sceneID: UInt8(number), line: 0, message: "")))
            }
        }
        let messages = try await server.connect().messages
        var count = 0
        for try await _ in messages { count += 1 }
        #expect(count == 100)
        await server.shutDown()
    }

    @Test func `a client connects to a host name`() async throws {
        let server = try await SceneServer.start(at: "localhost") { client in
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 9, line: 0, message: "")))
        }
        let client = try await PacketClient.connect(
            to: "localhost", port: server.address.port, protocol: SceneProtocol.self, configuration: .patient)
        #expect(try await client.nextPacket()?.id == 20_001)
        client.close()
        await server.shutDown()
    }

    @Test func `an unknown host name is an error that names it`() async throws {
        do {
            _ = try await PacketClient.connect(
                to: "no-such-host.invalid", port: 1, protocol: SceneProtocol.self, configuration: .patient)
            Issue.record("it was found")
        } catch {
            #expect("\(error)".contains("no-such-host.invalid"))
        }
    }

    @Test func `a port without a listener refuses the connection`() async throws {
        await #expect(throws: ConnectionError.transport(.refused)) {
            _ = try await PacketClient.connect(
                to: ServerEndpoint.nobody.host, port: ServerEndpoint.nobody.port, protocol: SceneProtocol.self,
                configuration: .patient)
        }
    }
}

/// A server of the seed's messages on loopback. It has no timeouts, unless a test is about them.
typealias SceneServer = PacketServer<SceneProtocol>

/// A server whose header has a sequence field.
typealias GoimServer = PacketServer<GoimProtocol>

extension EventLoopGroup {
    private static let many = Result { () throws(TransportError) in
        // The thread sanitizer makes all so slow that what has waited for a loop comes at once.
        if ProcessInfo.processInfo.environment["TSAN_OPTIONS"] == nil { EventLoop.checkSteps() }
        return try EventLoopGroup(threadCount: 24)
    }

    /// A loop that the tests of this moment hardly share. Not one for each test: loops run until the process ends, and
    /// Foundation starts no program in a process with 1,360 descriptors (it reads beyond its list of them).
    static func ofFewTests() throws -> EventLoopGroup { EventLoopGroup(loops: [try many.get().nextLoop()]) }
}

extension PacketServer {
    static func start(
        at host: String = "127.0.0.1", on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = .patient,
        _ handler: @escaping @Sendable (ServerConnection<Definition>) async throws -> Void
    ) async throws -> PacketServer {
        try await start(
            at: host, port: 0, protocol: Definition.self, on: group ?? .ofFewTests(),
            configuration: configuration, handler: handler)
    }

    func connect(
        on group: EventLoopGroup? = nil, configuration: ClientConfiguration = .patient
    ) async throws(ConnectionError) -> PacketClient<Definition> {
        try await PacketClient.connect(
            to: address.ipAddress, port: address.port, protocol: Definition.self, on: group,
            configuration: configuration)
    }
}

extension ServerConfiguration {
    /// Without timeouts, for machines that do many other things at the same time.
    static var patient: ServerConfiguration {
        var configuration = ServerConfiguration(firstPacketTimeout: nil)
        configuration.listening.minimumRate = nil
        configuration.listening.minimumReadingRate = nil
        configuration.listening.handshakeTimeout = nil
        configuration.limits.writeTimeout = nil
        return configuration
    }
}

extension ClientConfiguration {
    /// For machines that do many other things at the same time.
    static let patient = ClientConfiguration(
        dialing: DialingOptions(connectTimeout: .seconds(500)), requestTimeout: .seconds(500),
        limits: ConnectionLimits(writeTimeout: nil))
}

extension Sc_20001 {
    /// The reply of the tests' server.
    static func entered(_ request: Cs_20001) -> Sc_20001 {
        Sc_20001(
            res: 1, sceneID: UInt32(request.sceneID), pos: 0, status: 0, type: 0, defaultCombat: request.line,
            message: request.message)
    }
}
