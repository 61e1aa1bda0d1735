// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import FaultSupport
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway
import WirelineTransport

/// Messages that the gateway's program looks at before owners do.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct EdgeTests {
    /// Answers `ping`, and refuses `wrong` after an answer.
    private static let edge: GatewayEdge = { packet, client in
        let text = (try? Cs_20001(payloadOf: packet))?.message
        guard let text, ["ping", "wrong"].contains(text) else { return .pass }
        let answer = Sc_20001(
            res: 1, sceneID: client.isOpen ? 2 : 1, pos: 1, status: 0, type: 0, defaultCombat: 100,
            message: "no " + text)
        try? client.connection.write(answer)
        return text == "ping" ? .handled : .refuse
    }

    @Test(arguments: [1, 2]) func `a client is opened by the first message that is passed`(
        threadCount: Int
    ) async throws {
        let program = try ErlangProgram()
        try program.join()
        let loops = try EventLoopGroup(threadCount: threadCount)
        let gateway = try await SceneGateway.start(program, on: loops) { $0.edge = Self.edge }
        let client = try await SceneGateway.connect(to: gateway)
        try await client.say("ping")
        #expect(try await client.nextText() == "no ping")
        #expect(await gateway.metrics().openedCount == 0)
        for text in ["hello", "ping", "more"] { try await client.say(text) }
        try program.accept()
        let texts = "[receive {wireline, C, M} -> element(4, M) end || _ <- [1, 2]]"
        #expect(try program.evaluate(texts) == "[<<\"hello\">>,<<\"more\">>]")
        #expect(try await client.nextText() == "no ping")
        try await client.say("wrong")
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "{shutdown,refused}")
        #expect(try await client.nextText() == "no wrong")
        #expect(try await client.nextText() == nil)
        await gateway.drain(for: .zero)
    }

    /// A connection, if it is still in memory.
    private struct Kept: Sendable { weak var connection: PacketConnection? }

    @Test(arguments: [1, 2]) func `clients that have ended leave memory, whoever ends them`(
        threadCount: Int
    ) async throws {
        let program = try ErlangProgram()
        try program.join()
        let kept = Lock<[Kept]>([])
        let loops = try EventLoopGroup(threadCount: threadCount)
        let gateway = try await SceneGateway.start(program, on: loops) {
            $0.edge = { _, client in
                kept.withLock { $0.append(Kept(connection: client.connection)) }
                return .pass
            }
        }
        // Variables keep their values, so each client has one of its own.
        for (name, isKicked) in [("A", true), ("B", false), ("D", true), ("E", false)] {
            let client = try await SceneGateway.connect(to: gateway)
            try await client.say("hello")
            try program.run("receive {wireline, open, \(name), _} -> \(name) ! {wireline, {owner, self()}} end")
            if isKicked { try program.run("\(name) ! {wireline, {kick, bye}}") } else { client.close() }
            #expect(try program.evaluate("receive {wireline, close, \(name), _} -> ok end") == "ok")
            client.close()
        }
        #expect(kept.withLock { $0.count } == 4)
        #expect(try await eventually { kept.withLock { $0.allSatisfy { $0.connection == nil } } })
        #expect(await gateway.metrics().clientCount == 0)
        await gateway.drain(for: .zero)
    }

    /// The loop is that of the gateway's node, or another one.
    @Test(arguments: [1, 2]) func `a closure that blocks its loop does not hold up the end`(
        threadCount: Int
    ) async throws {
        let program = try ErlangProgram()
        try program.answerAll()
        let (isBlocking, mayEnd) = (Gate(), Seen<Void>())
        let gateway = try await SceneGateway.start(program, on: try EventLoopGroup(threadCount: threadCount)) {
            $0.edge = { packet, client in
                guard (try? Cs_20001(payloadOf: packet))?.message == "block" else { return .pass }
                isBlocking.open()
                mayEnd.block(until: 1)
                return .pass
            }
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<threadCount {
            let client = try await SceneGateway.connect(to: gateway)
            try await client.say("hello")
            #expect(try await client.nextText() == "hello")
            clients.append(client)
        }
        // Connections are given to loops in turn, of which one carries the node.
        try await clients[threadCount - 1].say("block")
        await isBlocking.wait()
        await gateway.drain(for: .milliseconds(100))
        mayEnd.add(())
        for client in clients { client.close() }
    }

    @Test func `a client that is refused at once was never opened`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) { $0.edge = Self.edge }
        let client = try await SceneGateway.connect(to: gateway)
        try await client.say("wrong")
        try await client.say("hello")
        #expect(try await client.nextText() == "no wrong")
        #expect(try await client.nextText() == nil)
        client.close()
        // No client is left, so the drain ends at once.
        await gateway.drain(for: .seconds(500))
        #expect(await gateway.metrics().openedCount == 0)
    }
}
