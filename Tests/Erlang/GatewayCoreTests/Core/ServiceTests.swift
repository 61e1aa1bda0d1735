// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

/// What the process `wireline` understands.
struct ServiceTests {
    private let owner = GatewayBench.process(1)
    private let service = GatewayBench.service

    private func bench(_ change: (inout GatewaySettings) -> Void = { _ in }) -> (GatewayBench, [ErlangPID]) {
        let bench = GatewayBench(change)
        let clients = (0..<3).map { _ in bench.open(ownedBy: owner) }
        for client in clients { _ = bench.tell(client, .tuple("join", "room"), from: owner) }
        return (bench, clients)
    }

    @Test func `publish reaches each member once`() {
        let (bench, clients) = bench()
        _ = bench.tell(clients[0], .tuple("join", "room"), from: owner)
        _ = bench.tell(clients[1], .tuple("leave", "room"), from: owner)
        #expect(
            bench.send(.tuple("publish", "room", GatewayBench.said("a")), to: service, from: owner)
                == [.writeAll([clients[0].number, clients[2].number], [97])])
        #expect(bench.send(.tuple("publish", "hall", GatewayBench.said("a")), to: service, from: owner) == [])
    }

    @Test func `publish leaves out those that are excepted, and with drop those that are slow`() {
        // They have the same processes each time.
        let clients = bench().1
        let except = ErlangTerm.list([.pid(clients[1]), .pid(owner)])
        let options: [(ErlangTerm, [ErlangPID])] = [
            ([:], clients), (["drop": true], [clients[1], clients[2]]), (["drop": false], clients),
            (["except": except], [clients[0], clients[2]]), (["except": except, "drop": true], [clients[2]]),
        ]
        for (options, receivers) in options {
            let bench = bench { $0.clientByteCount = 4 }.0
            _ = bench.send(GatewayBench.said("abc"), to: clients[0], from: owner)
            #expect(
                bench.send(.tuple("publish", "room", GatewayBench.said("a"), options), to: service, from: owner)
                    == [.writeAll(receivers.map(\.number), [97])], "\(options)")
        }
    }

    @Test func `a message is sent to a list of clients that are there`() {
        let (bench, clients) = bench()
        bench.core.closed(clients[1].number, .normal, at: .zero)
        _ = bench.core.takeEffects()
        let list = ErlangTerm.list((clients + [owner]).map { .pid($0) })
        #expect(
            bench.send(.tuple("send", list, GatewayBench.said("a")), to: service, from: owner)
                == [.writeAll([clients[0].number, clients[2].number], [97])])
    }

    static let refusals: [(ErlangTerm, TermRefusal)] =
        [
            "hello", .tuple("publish", "room"), .tuple("publish", "room", GatewayBench.said("a"), ["more": 1]),
            .tuple("publish", "room", GatewayBench.said("a"), ["drop": 1]),
            .tuple("publish", "room", GatewayBench.said("a"), ["except": ["x"]]),
            .tuple("send", ["x"], GatewayBench.said("a")), .tuple("send", "x", GatewayBench.said("a")),
        ].map { ($0, .unknownAction($0)) } + [
            (.tuple("publish", "room", "x"), .encoding(GatewayBench.unknownMessage)),
            (.tuple("send", [], "x"), .encoding(GatewayBench.unknownMessage)),
        ]

    @Test(arguments: refusals)
    func `what it does not understand is told to its sender`(term: ErlangTerm, refusal: TermRefusal) {
        let bench = bench().0
        #expect(bench.send(term, to: service, from: owner) == [.refusal(refusal, of: service, to: owner)])
    }

    @Test func `calls are answered`() throws {
        let (bench, clients) = bench {
            $0.protocolName = "Scene"
            $0.version = "1.2"
        }
        _ = bench.open()
        bench.core.backendLeft(owner.target, at: bench.now)
        _ = bench.open()
        let reference = try #require(ErlangReference(node: "a@h", creation: 1, words: [1]))
        let from = ErlangTerm.tuple(.pid(owner), .reference(reference))
        let answers: [(ErlangTerm, ErlangTerm)] = [
            (
                "info",
                [
                    "clients": 5, "parked": 1, "backends": 0, "groups": 1, "draining": false,
                    "protocol": .text("Scene"),
                    "version": .text("1.2"),
                ]
            ),
            (.tuple("members", "room"), .list(clients.map { .pid($0) })), (.tuple("members", "hall"), []),
            ("more", .tuple("error", "unknown_request")), (.tuple("drain", -1), .tuple("error", "unknown_request")),
            (.tuple("drain", 500), "ok"),
        ]
        _ = bench.core.takeEffects()
        for (request, answer) in answers {
            let call = try #require(ErlangCall(request: request, from: from))
            #expect(
                bench.send(.tuple("$gen_call", from, request), to: service, from: owner).last
                    == .reply(call, answer, from: service))
        }
        #expect(bench.isDraining)
    }

    @Test func `what one process says takes effect in its order`() {
        let (bench, clients) = bench()
        let newcomer = bench.open(ownedBy: owner)
        var effects = bench.send(.tuple("publish", "room", GatewayBench.said("1")), to: service, from: owner)
        effects += bench.tell(newcomer, [.tuple("send", GatewayBench.said("2")), .tuple("join", "room")], from: owner)
        effects += bench.send(.tuple("publish", "room", GatewayBench.said("3")), to: service, from: owner)
        #expect(
            effects == [
                .writeAll(clients.map(\.number), [0x31]), .write(newcomer.number, [0x32]),
                .writeAll((clients + [newcomer]).map(\.number), [0x33]),
            ])
    }
}
