// SPDX-License-Identifier: Apache-2.0

import Bilibili
import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Sessions whose packets have layers.
@Suite(.ahead)
struct LayeredSessionTests {
    private static let compressed: PacketHeader = ["Version": 2]

    @Test func `messages that are given as one packet leave together, behind the login`() async throws {
        let seen = Seen<String>()
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: BilibiliProtocol.self
        ) { client in
            while let received = try await client.nextMessage() {
                switch received.message {
                case .authentication(let login):
                    seen.add("login " + login.body)
                    try await client.reply(to: received, with: AuthenticationReply(body: "{}"))
                case .heartbeat(let heartbeat): seen.add(heartbeat.body)
                case .unknown: seen.add("unknown")
                }
            }
        }
        let session = try server.session { login in _ = try await login.client.request(Authentication(body: "me")) }
        let sent = try await session.send(
            packets: [Heartbeat(body: "a"), Heartbeat(body: "b")], id: 2, header: Self.compressed)
        #expect(try await sent.outcome() == .given)
        try await session.send(Heartbeat(body: "c"))
        #expect(await seen.first(4) == ["login me", "a", "b", "c"])
        session.end()
        await server.shutDown()
    }

    @Test func `messages that cannot be in one packet are refused when they are given`() async throws {
        let layered = try PacketSession.start(
            to: [.nobody], protocol: BilibiliProtocol.self, configuration: .patient)
        await #expect(throws: ConnectionError.codec(CodecError(.wrongPresence(isSet: true), path: "packets"))) {
            try await layered.send(packets: [Heartbeat(body: "a")], id: 2)
        }
        layered.end()
        let plain = try PacketSession.start(to: [.nobody], protocol: SceneProtocol.self, configuration: .patient)
        await #expect(throws: ConnectionError.codec(CodecError(.wrongPresence(isSet: true), path: "packets"))) {
            try await plain.send(packets: [Cs_20001(sceneID: 1, line: 2, message: "")], id: 12)
        }
        plain.end()
    }
}
