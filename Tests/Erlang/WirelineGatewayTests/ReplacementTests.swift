// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway
import WirelineTransport

/// A gateway that is started at the addresses of another one, which it replaces.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct ReplacementTests {
    @Test func `the newest gateway of a port gets all new clients`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let first = try await SceneGateway.start(program) { $0.sharesPorts = true }
        let port = first.addresses[0].port
        let second = try await SceneGateway.start(program, as: "gw2@127.0.0.1") {
            $0.endpoints[0].address = .host("127.0.0.1", port: port)
            $0.sharesPorts = true
        }
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<20 { clients.append(try await SceneGateway.connect(to: first)) }
        let nodes = "lists:usort([receive {wireline, open, C, _} -> node(C) end || _ <- lists:seq(1, 20)])"
        #expect(try program.evaluate(nodes) == "['gw2@127.0.0.1']")
        await first.drain(for: .zero)
        clients.append(try await SceneGateway.connect(to: first))
        #expect(try program.evaluate("receive {wireline, open, C, _} -> node(C) end") == "'gw2@127.0.0.1'")
        for client in clients { client.close() }
        await second.drain(for: .zero)
    }

    /// Clients connect and talk all the time. Each one that is told to go elsewhere gets its last answer, goes, and connects
    /// again. A connection that is refused, or that ends in another way, fails the test.
    @Test func `a gateway is replaced while clients connect and talk`() async throws {
        let program = try ErlangProgram()
        try program.answerAll()
        let goodbye = try ErlangTerm(parsing: ErlangProgram.answer(Self.goodbye))
        let first = try await SceneGateway.start(program) {
            $0.sharesPorts = true
            $0.goodbye = goodbye
        }
        let address = first.addresses[0]
        let (talks, talked) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let tally = Tally()
        try await withThrowingTaskGroup { group in
            for index in 0..<16 {
                // Some stay until they are told to go.
                let questionCount = index < 4 ? Int.max : 5
                group.addTask {
                    do {
                        while !tally.isOver {
                            try await Self.converse(with: first, questionCount, tally)
                            talked.yield()
                        }
                    } catch {
                        Issue.record(error)
                        tally.end()
                        talked.finish()
                    }
                }
            }
            // All talk before the second one is there, and go on after the first one has ended.
            for await _ in talks.prefix(30) {}
            let second = try await SceneGateway.start(program, as: "gw2@127.0.0.1") {
                $0.endpoints[0].address = .host("127.0.0.1", port: address.port)
                $0.sharesPorts = true
                $0.goodbye = goodbye
            }
            for await _ in talks.prefix(30) {}
            let taken = await first.metrics().openedCount
            // It ends when the last client has gone: a test that waits so long has failed.
            await first.drain(for: .seconds(500))
            for await _ in talks.prefix(30) {}
            #expect(taken >= 30)
            #expect(await second.metrics().openedCount >= 30)
            tally.end()
            try await group.waitForAll()
            await second.drain(for: .zero)
        }
        #expect(tally.goodbyeCount >= 4)
    }

    private static let goodbye = "elsewhere"

    /// Connects, asks questions one after another, and closes; earlier if the client is told to go elsewhere.
    private static func converse(with gateway: ErlangGateway, _ questionCount: Int, _ tally: Tally) async throws {
        let client = try await SceneGateway.connect(to: gateway)
        defer { client.close() }
        var number = 0
        while number < questionCount, !tally.isOver {
            number += 1
            try await client.say("\(number)")
            var isTold = false
            while let text = try await client.nextText(), text != "\(number)" {
                guard text == goodbye, !isTold else { throw UnexpectedMessage() }
                isTold = true
            }
            if isTold { return tally.countGoodbye() }
        }
    }

    /// How many clients were told to go.
    private final class Tally: Sendable {
        private let state = Lock((isOver: false, goodbyeCount: 0))

        var isOver: Bool { state.withLock { $0.isOver } }
        var goodbyeCount: Int { state.withLock { $0.goodbyeCount } }

        func countGoodbye() { state.withLock { $0.goodbyeCount += 1 } }
        func end() { state.withLock { $0.isOver = true } }
    }
}
