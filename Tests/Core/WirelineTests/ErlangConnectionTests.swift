// SPDX-License-Identifier: Apache-2.0

import Scene
import Testing
import TestingSupport
import Wireline

/// Clients and servers against Erlang's own sockets: `gen_tcp`, with its packet modes and without.
@Suite(
    .enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct ErlangConnectionTests {
    static let messageCount = 10_000

    @Test func `an Erlang server answers a client's messages, however they are split`() async throws {
        var random = SeededGenerator.forThisRun()
        let server = try ErlangEnd(["serve", "\(random.seed % 1_000_000_007)"])
        defer { server.stop() }
        let requests = (0..<Self.messageCount).map { _ in Self.randomRequest(using: &random) }
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: server.port(), protocol: SceneProtocol.self, configuration: .patient)
        let stream = try requests.flatMap { try $0.encoded() }
        let pieces = Self.cut(stream, using: &random)
        let sending = Task { for piece in pieces { try await client.connection.sendRaw(piece) } }
        for request in requests {
            let packet = try #require(try await client.nextPacket())
            let expected = Sc_20001.entered(request)
            let message = try packet.decode(Sc_20001.self)
            let isSame = try [UInt8](copying: packet.bytes) == expected.encoded()
            guard !isSame || message != expected else { continue }
            Issue.record("\(message) for \(expected); \(random.seedComment)")
            break
        }
        try await sending.value
        client.close()
    }

    @Test func `requests to an Erlang server get their replies`() async throws {
        var random = SeededGenerator.forThisRun()
        let server = try ErlangEnd(["serve", "\(random.seed % 1_000_000_007)"])
        defer { server.stop() }
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: server.port(), protocol: SceneProtocol.self, configuration: .patient)
        let requests = (0..<200).map { _ in Self.randomRequest(using: &random) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for request in requests {
                group.addTask { try await client.request(request) == Sc_20001.entered(request) }
            }
            for try await isRight in group { #expect(isRight, random.seedComment) }
        }
        client.close()
    }

    @Test func `a server answers an Erlang client's messages, however they are split`() async throws {
        let random = SeededGenerator.forThisRun()
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let client = try ErlangEnd(
            ["call", "\(server.address.port)", "\(Self.messageCount)", "\(random.seed % 1_000_000_007)"])
        #expect(try client.output() == "\(Self.messageCount) answers, byte for byte\n", random.seedComment)
        await server.shutDown()
    }

    @Test(arguments: [(1, PacketLayout.erlangPacket1), (2, .erlangPacket2), (4, .erlangPacket4)])
    func `an Erlang listener with its own packet mode returns what it gets`(
        width: Int, layout: PacketLayout
    ) async throws {
        var random = SeededGenerator.forThisRun()
        let server = try ErlangEnd(["packet", "\(width)"])
        defer { server.stop() }
        let connection = try await PacketConnection.connect(
            to: "127.0.0.1", port: server.port(), layout: layout, packetLimit: 1 << 20)
        for count in [0, 1, 2, 100, 255] + (width == 1 ? [] : [256, 65_535]) + (width == 4 ? [300_000] : []) {
            let payload = random.bytes(count)
            let packet = try layout.encode(id: 0, payload: payload.span.bytes)
            try await connection.send(packet: packet)
            #expect(try await connection.nextBytes() == packet, random.seedComment)
        }
        connection.close()
    }

    @Test func `an Erlang node that is killed inside a packet causes an error for a partial packet`() async throws {
        let server = try ErlangEnd(["half"])
        let connection = try await PacketConnection.connect(
            to: "127.0.0.1", port: server.port(), layout: .standard, packetLimit: 1 << 20)
        // It waits for a byte, so that it is not killed before its half packet has left.
        try await connection.sendRaw([0])
        await #expect {
            try await connection.next()
        } throws: { error in
            guard case .codec(let error)? = error as? ConnectionError, case .endOfStream(9, 6) = error.reason
            else { return false }
            return true
        }
        connection.close()
    }

    private static func randomRequest(using random: inout SeededGenerator) -> Cs_20001 {
        let text = (0..<Int.random(in: 0...30, using: &random)).map { _ in
            "a\n\u{e9}进🎮".randomElement(using: &random) ?? "a"
        }
        return Cs_20001(
            sceneID: .random(in: .min ... .max, using: &random), line: .random(in: .min ... .max, using: &random),
            message: String(text))
    }

    /// Single bytes for a while, then small and large pieces.
    private static func cut(_ stream: [UInt8], using random: inout SeededGenerator) -> [[UInt8]] {
        var pieces = stream.prefix(300).map { [$0] }
        var position = pieces.count
        while position < stream.count {
            let most = [1, 9, 200, 60_000].randomElement(using: &random) ?? 1
            let end = min(stream.count, position + Int.random(in: 1...most, using: &random))
            pieces.append(Array(stream[position..<end]))
            position = end
        }
        return pieces
    }
}
