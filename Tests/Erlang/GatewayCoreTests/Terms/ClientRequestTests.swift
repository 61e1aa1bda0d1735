// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineErlang
import WirelineGateway

/// What a client understands, and what it refuses.
struct ClientRequestTests {
    private let owner = GatewayBench.process(1)

    /// Each is refused, with the owner as the sender.
    static let refusals: [(ErlangTerm, TermRefusal)] = [
        ("hello", .encoding(GatewayBench.unknownMessage)),
        (.tuple("wireline", "x"), .unknownAction("x")),
        (.tuple("wireline", .tuple("x", 1)), .unknownAction(.tuple("x", 1))),
        (.tuple("wireline", .tuple("send", "x")), .encoding(GatewayBench.unknownMessage)),
        (.tuple("wireline", .tuple("send", 1, 2)), .unknownAction(.tuple("send", 1, 2))),
        (.tuple("wireline", .tuple("confirm", "x")), .unknownAction(.tuple("confirm", "x"))),
        (.tuple("wireline", .tuple("confirm", -1)), .unknownAction(.tuple("confirm", -1))),
        (.tuple("wireline", .tuple("owner", "nobody")), .unknownAction(.tuple("owner", "nobody"))),
        (.tuple("wireline", [.tuple("join", "a"), "x"]), .unknownAction("x")),
        (.tuple("wireline", .characters("ab")), .unknownAction(.characters("ab"))),
        (
            .tuple("wireline", .list([.tuple("join", "a")], tail: "x")),
            .unknownAction(.list([.tuple("join", "a")], tail: "x"))
        ),
        (.tuple("wireline", .tuple("join", 1.5)), .unknownAction(.tuple("join", 1.5))),
        (.tuple("wireline", .tuple("join", ["a", [:]])), .unknownAction(.tuple("join", ["a", [:]]))),
        (
            .tuple("wireline", .tuple("join", .binary(.init(repeating: 0, count: 251)))),
            .tooLong(256, limit: 255, path: "join")
        ),
        (
            .tuple("wireline", .tuple("state", .binary(.init(repeating: 0, count: 4_092)))),
            .tooLong(4_097, limit: 4_096, path: "state")
        ),
        (
            .tuple("wireline", .tuple("kick", .binary(.init(repeating: 0, count: 4_092)))),
            .tooLong(4_097, limit: 4_096, path: "kick")
        ),
        (.tuple("wireline", .tuple("key", "session")), .unknownAction(.tuple("key", "session"))),
        (.tuple("wireline", .tuple("key", "session", "x")), .unknownAction(.tuple("key", "session", "x"))),
        (
            .tuple("wireline", .tuple("key", .text("session"), .text("x"))),
            .unknownAction(
                .tuple("key", .text("session"), .text("x")))
        ),
        (
            .tuple("wireline", .tuple("key", "session", .text("x"), "both")),
            .unknownAction(.tuple("key", "session", .text("x"), "both"))
        ),
        (.tuple("wireline", .tuple("key", "session", .text("12345"))), GatewayBench.wrongSize),
        (.tuple("wireline", .tuple("set", "phase", "x")), .unknownAction(.tuple("set", "phase", "x"))),
        (.tuple("wireline", .tuple("set", "phase", 3)), GatewayBench.wrongPhase),
        (.tuple("wireline", [.tuple("join", "a"), .tuple("set", "phase", -1)]), GatewayBench.wrongPhase),
        (.tuple("wireline", .tuple("confirm", 1)), .outOfRange(1, lowest: 1, highest: 0)),
    ]

    @Test(arguments: refusals)
    func `what is refused is told to its sender, and nothing is done`(term: ErlangTerm, refusal: TermRefusal) {
        let bench = GatewayBench { $0.window = 4 }
        let client = bench.open(ownedBy: owner)
        #expect(bench.send(term, to: client, from: owner) == [.refusal(refusal, of: client, to: owner)])
        #expect(bench.core.counters.refusedTermCount == 1)
        #expect(bench.core.groups.count == 0)
    }

    @Test func `limits are the last bytes that are taken`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        let group = ErlangTerm.binary(.init(repeating: 0, count: 250))
        let state = ErlangTerm.binary(.init(repeating: 0, count: 4_091))
        #expect(bench.tell(client, [.tuple("join", group), .tuple("state", state)], from: owner) == [])
        #expect(bench.client(client)?.snapshot.state == state)
        #expect(bench.core.groups.members(of: group) == [client.number])
    }

    @Test func `bytes that are no term are refused`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        // {wireline, {send and its end.
        let bytes: [UInt8] = [104, 2, 119, 8] + Array("wireline".utf8) + [104, 2, 119, 4] + Array("send".utf8)
        bench.core.receive(bytes.span.bytes, for: client, from: owner, at: .zero)
        #expect(
            bench.core.takeEffects() == [.refusal(.unknownAction("undefined"), of: client, to: owner)])
    }

    /// What anyone may do, and what it does.
    static let actions: [(ErlangTerm, @Sendable (ErlangPID) -> [GatewayEffect])] = [
        (GatewayBench.said("a"), { [.write($0.number, [97])] }),
        (.tuple("wireline", .tuple("send", GatewayBench.said("a"))), { [.write($0.number, [97])] }),
        (
            .tuple("wireline", [.tuple("send", GatewayBench.said("a")), .tuple("send", GatewayBench.said("b"))]),
            { [.write($0.number, [97]), .write($0.number, [98])] }
        ),
        (.tuple("wireline", []), { _ in [] }),
        (.tuple("wireline", .tuple("join", .tuple("room", 1))), { _ in [] }),
        (.tuple("wireline", .tuple("leave", "room")), { _ in [] }),
        (
            .tuple("wireline", [.tuple("kick", "bye"), .tuple("send", GatewayBench.said("late"))]),
            {
                [
                    .tell(GatewayBench.process(1).target, .close($0, reason: "bye"), from: $0),
                    .end($0, reason: "bye"), .close($0.number, .kicked("bye"), isFlushed: true),
                ]
            }
        ),
    ]

    @Test(arguments: 0..<actions.count)
    func `anyone may send, join, leave and kick`(index: Int) {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        let (term, expected) = Self.actions[index]
        #expect(bench.send(term, to: client, from: GatewayBench.process(9, at: "other@h")) == expected(client))
    }

    static let ownersActions: [ErlangTerm] = [
        .tuple("confirm", 1), .tuple("owner", .pid(GatewayBench.process(9))), .tuple("owner", "none"),
        .tuple("state", "x"), .tuple("key", "session", .text("x")), .tuple("set", "phase", 1),
        [.tuple("send", GatewayBench.said("a")), .tuple("confirm", 1)],
        [.tuple("owner", .pid(GatewayBench.process(9))), .tuple("confirm", 1)],
    ]

    @Test(arguments: ownersActions)
    func `only the owner may do what is the owner's`(action: ErlangTerm) {
        let bench = GatewayBench { $0.window = 4 }
        let client = bench.open(ownedBy: owner)
        _ = bench.say("hi", by: client)
        // Another process of the owner's node is no owner either.
        let other = GatewayBench.process(9)
        #expect(bench.tell(client, action, from: other) == [.refusal(.notOwner, of: client, to: other)])
        #expect(bench.client(client)?.owner == owner)
        #expect(bench.client(client)?.window.confirmed == 0)
    }

    @Test func `keys and states change at their places between packets`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        let step: ErlangTerm = [
            .tuple("send", GatewayBench.said("a")), .tuple("key", "session", .text("k")),
            .tuple("send", GatewayBench.said("b")), .tuple("set", "phase", 2), .tuple("set", "phase", true),
            .tuple("key", "session", .text("c"), "client"), .tuple("key", "session", .text("s"), "server"),
            .tuple("kick", "bye"), .tuple("key", "session", .text("late")),
        ]
        let effects = bench.tell(client, step, from: owner)
        #expect(
            effects.prefix(7) == [
                .write(client.number, [97]), .change(client.number, .key("session", [107], for: nil)),
                .write(client.number, [98]), .change(client.number, .state("phase", 2)),
                .change(client.number, .state("phase", 1)), .change(client.number, .key("session", [99], for: .client)),
                .change(client.number, .key("session", [115], for: .server)),
            ])
        #expect(effects.last == .close(client.number, .kicked("bye"), isFlushed: true))
    }

    @Test func `the next owner changes keys, and the one before it does not`() {
        let bench = GatewayBench { $0.window = 4 }
        let client = bench.open(ownedBy: owner)
        let next = GatewayBench.process(9)
        _ = bench.tell(client, .tuple("owner", .pid(next)), from: owner)
        let step: ErlangTerm = [.tuple("key", "session", .text("k")), .tuple("send", GatewayBench.said("a"))]
        #expect(bench.tell(client, step, from: owner) == [.refusal(.notOwner, of: client, to: owner)])
        #expect(
            bench.tell(client, step, from: next)
                == [.change(client.number, .key("session", [107], for: nil)), .write(client.number, [97])])
    }

    @Test func `a step of which something is refused does nothing`() {
        let bench = GatewayBench { $0.window = 4 }
        let client = bench.open(ownedBy: owner)
        _ = bench.say("hi", by: client)
        let step: ErlangTerm = [
            .tuple("send", GatewayBench.said("a")), .tuple("join", "room"), .tuple("confirm", 1), .tuple("confirm", 1),
        ]
        #expect(
            bench.tell(client, step, from: owner)
                == [.refusal(.outOfRange(1, lowest: 2, highest: 1), of: client, to: owner)])
        #expect(bench.core.groups.count == 0)
        #expect(bench.client(client)?.window.confirmed == 0)
    }

    @Test func `what follows the giving away in a step is no more the owner's`() {
        let bench = GatewayBench { $0.window = 4 }
        let client = bench.open(ownedBy: owner)
        let other = GatewayBench.process(9)
        #expect(
            bench.tell(client, [.tuple("owner", .pid(other)), .tuple("state", "x")], from: owner)
                == [.refusal(.notOwner, of: client, to: owner)])
        #expect(bench.client(client)?.owner == owner)
    }

    @Test func `a client cannot own a client`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        let other = bench.open()
        let action = ErlangTerm.tuple("owner", .pid(other))
        #expect(bench.tell(client, action, from: owner).last == .refusal(.unknownAction(action), of: client, to: owner))
    }

    @Test func `an error is not told to a client, which would refuse it`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        #expect(bench.send("x", to: client, from: client) == [])
        #expect(bench.send("x", to: client, from: nil) == [])
    }

    @Test func `the call info is answered, and no other`() throws {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        let reference = try #require(ErlangReference(node: "a@h", creation: 1, words: [1, 2, 3]))
        for (request, answer) in [
            ("info", ErlangTerm.map(try #require(bench.client(client)).snapshot.term)),
            ("more", .tuple("error", "unknown_request")),
        ] as [(ErlangTerm, ErlangTerm)] {
            let from = ErlangTerm.tuple(.pid(owner), .reference(reference))
            let call = try #require(ErlangCall(request: request, from: from))
            #expect(
                bench.send(.tuple("$gen_call", from, request), to: client, from: owner)
                    == [.reply(call, answer, from: client)])
        }
    }

    @Test func `a message to a client that has ended is ignored`() {
        let bench = GatewayBench()
        let client = bench.open(ownedBy: owner)
        bench.core.closed(client.number, .normal, at: .zero)
        _ = bench.core.takeEffects()
        #expect(bench.send("x", to: client, from: owner) == [])
    }
}
