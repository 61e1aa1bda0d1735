// SPDX-License-Identifier: Apache-2.0

import Scene
import Testing
import Wireline

/// What a server does about too many connections, slow ones, and those that hold too much.
@Suite(.timeLimit(.minutes(10)))
struct ServerLimitTests {
    @Test func `a connection too many from one address is closed, and the next one behind an end is not`() async throws
    {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(configuration: ends.configure { $0.connectionLimitPerAddress = 2 }) {
            client in for try await packet in client.packets { try await client.forward(packet) }
        }
        let first = try await server.connect()
        let second = try await server.connect()
        for client in [first, second] {
            try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
            #expect(try await client.nextPacket() != nil)
        }
        let third = try await server.connect()
        #expect(await ends.next() as? ConnectionError == .tooManyConnections(limit: 2))
        #expect(try await third.nextPacket() == nil)
        first.close()
        #expect(await ends.next() == nil)
        let fourth = try await server.connect()
        try await fourth.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        #expect(try await fourth.nextPacket() != nil)
        for client in [second, third, fourth] { client.close() }
        await server.shutDown()
    }

    @Test(
        arguments: [
            ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false), ("2001:db8::1", "2001:db8::ffff:1", true),
            ("2001:db8::1", "2001:db8:0:1::1", false), ("::ffff:10.1.2.3", "10.1.2.3", true),
        ])
    func `addresses that one subscriber can choose from are one`(left: String, right: String, areOne: Bool) throws {
        let networks = try [left, right].map { PeerNetwork(try SocketAddress(ipAddress: $0, port: 1)) }
        #expect((networks[0] == networks[1]) == areOne)
    }
}
