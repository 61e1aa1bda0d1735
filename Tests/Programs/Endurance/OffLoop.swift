// SPDX-License-Identifier: Apache-2.0

import Scene
import TestingSupport
import Wireline

/// Calls connections from tasks that do not run on their loops, as most programs do.
///
/// Only an optimized build shows whether the optimizer keeps the changes of executor; a call that stays on another
/// thread stops the program.
enum OffLoop {
    static func check(_ findings: Findings) async throws {
        let greeting = Cs_20001(sceneID: 1, line: 2, message: "hi")
        let answer = Sc_20001(res: 1, sceneID: 1, pos: 0, status: 0, type: 0, defaultCombat: 0, message: "")
        let server = try await PacketServer.start(at: "127.0.0.1", port: 0, protocol: SceneProtocol.self) { client in
            while try await client.nextPacket() != nil { try await client.send(answer) }
        }
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: server.address.port, protocol: SceneProtocol.self)
        let reply = try await client.request(greeting)
        findings.check(reply == answer, "a request gets its reply")
        try await client.send(greeting)
        let packet = try await client.nextPacket()
        findings.check(packet?.id == Sc_20001.messageID, "a packet arrives")
        client.close()
        await server.shutDown()
        try await checkWebSocket(findings)
    }

    private static func checkWebSocket(_ findings: Findings) async throws {
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0) { client in
            while let message = try await client.receive() { try await client.send(message) }
        }
        let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(server.address.port)/")
        try await client.send("hi")
        findings.check(try await client.receive() == .text("hi"), "a message arrives")
        let roundTrip = try await client.ping()
        findings.check(roundTrip > .zero, "a ping is answered")
        try await client.close()
        await server.shutDown()
    }
}
