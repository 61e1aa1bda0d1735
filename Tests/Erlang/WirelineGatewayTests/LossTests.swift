// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway
import WirelineTransport

/// Nodes that are lost or freeze, and gateways that end.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LossTests {
    private static let names: [ErlangNodeName] = ["a@127.0.0.1", "b@127.0.0.1"]

    @Test func `a client outlives the kill of its owner's node`() async throws {
        let first = try ErlangProgram()
        let second = try ErlangProgram("b@127.0.0.1", epmd: first.epmd)
        try first.join()
        let gateway = try await SceneGateway.start(first, names: Self.names) { $0.window = 4 }
        let client = try await SceneGateway.connect(to: gateway)
        try first.accept()
        for number in 1...6 { try await client.say("\(number)") }
        try first.run("C ! {wireline, {state, ann}}, C ! {wireline, {join, room}}")
        let numbers = "[receive {wireline, C, _, #{number := N}} -> N end || N <- lists:seq(1, 4)]"
        #expect(try first.evaluate(numbers) == "[1,2,3,4]")
        try first.run("C ! {wireline, [{send, \(ErlangProgram.answer("two"))}, {confirm, 2}]}")
        #expect(try await client.nextText() == "two")

        try second.join()
        first.signal(SIGKILL)
        let known = "[maps:get(K, I) || K <- [confirmed, state, groups]]"
        try second.accept("resume")
        #expect(try second.evaluate(known) == "[2,ann,[room]]")
        let one = "receive {wireline, C, {cs_20001, 1, 0, T, _}, #{number := N}} -> {N, T} end"
        let texts = "[\(one) || N <- lists:seq(3, 6)]"
        #expect(
            try second.evaluate(texts) == "[{3,<<\"3\">>},{4,<<\"4\">>},{5,<<\"5\">>},{6,<<\"6\">>}]")
        try second.run("{wireline, node(C)} ! {publish, room, \(ErlangProgram.answer("still"))}")
        #expect(try await client.nextText() == "still")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a client whose message is longer than a term may be ends, and its owner misses nothing in between`()
        async throws
    {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program, names: [Self.names[0]]) {
            $0.node.limits.terms.byteCount = 1_000
        }
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        for text in ["one", String(repeating: "x", count: 2_000), "three"] { try await client.say(text) }
        let received = "receive {wireline, C, {cs_20001, 1, 0, T, _}} -> T; {wireline, close, C, R} -> R end"
        #expect(try program.evaluate(received) == "<<\"one\">>")
        #expect(try program.evaluate(received) == "{shutdown,{packet,<<\"a term is over the limit\">>}}")
        #expect(await gateway.metrics().lostTermCount == 1)
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `an operator is told of a member that accepts no client in time, once until it answers`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let reports = Lock<[ErlangGatewayEvent]>([])
        let gateway = try await SceneGateway.start(program, names: [Self.names[0]]) {
            $0.acceptTime = .milliseconds(20)
            $0.eventHandler = { event in
                if case .late = event { reports.withLock { $0.append(event) } }
            }
        }
        var clients = [try await SceneGateway.connect(to: gateway), try await SceneGateway.connect(to: gateway)]
        #expect(try await eventually { await gateway.metrics().ranOutOfferCount == 2 })
        #expect(reports.withLock { $0.count } == 1)
        try program.accept()
        #expect(try await eventually { await gateway.metrics().askedCount == 1 })
        clients.append(try await SceneGateway.connect(to: gateway))
        #expect(try await eventually { await gateway.metrics().ranOutOfferCount == 3 })
        let texts = reports.withLock { $0.map(\.description) }
        #expect(texts.count == 2)
        #expect(
            texts.allSatisfy { $0.hasSuffix(" has not accepted a client in time: it is asked last until it answers") })
        #expect(texts.allSatisfy { $0.hasPrefix("#Pid<'a@127.0.0.1'.") })
        for client in clients { client.close() }
        await gateway.drain(for: .zero)
    }

    @Test func `a gateway drains in its time although a member has stopped`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program, names: [Self.names[0]])
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        program.signal(SIGSTOP)
        let start = ContinuousClock.now
        await gateway.drain(for: .milliseconds(100))
        #expect(ContinuousClock.now - start < .seconds(100))
        #expect(try await client.nextText() == nil)
        program.signal(SIGCONT)
    }

    @Test func `members join although there is no room to monitor them all at once`() async throws {
        let program = try ErlangProgram()
        try program.run(
            "[spawn(fun() -> pg:join(scene, self()), receive stop -> ok end end) || _ <- lists:seq(1, 100)]")
        while try program.evaluate("length(pg:get_members(scene))") != "100" {}
        let gateway = try await SceneGateway.start(program, names: [Self.names[0]]) {
            $0.node.limits.pendingByteCount = 2_000
        }
        let count = "gen_server:call({wireline, 'gw@127.0.0.1'}, info)"
        while try program.evaluate("maps:get(backends, \(count))") != "100" {}
        await gateway.drain(for: .zero)
    }

    @Test func `a backend with a name is found although its node takes longer to answer than a call waits`()
        async throws
    {
        let program = try ErlangProgram()
        let gateway = try await SceneGateway.start(program, names: []) {
            $0.backends = .names(["scene": [Self.names[0]]])
        }
        let client = try await SceneGateway.connect(to: gateway)
        // The gateway asks for the name each second. Connections and answers are the work of net_kernel.
        let forwarder = "spawn(fun F() -> receive M -> S ! M end, F() end)"
        try program.run(
            "S = self(), sys:suspend(net_kernel), register(scene, \(forwarder)), timer:sleep(7000), sys:resume(net_kernel)"
        )
        try program.accept()
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a node that has connected by itself is reported to be gone`() async throws {
        let first = try ErlangProgram()
        let second = try ErlangProgram("b@127.0.0.1", epmd: first.epmd)
        let (events, feed) = AsyncStream.makeStream(of: ErlangGatewayEvent.self)
        let gateway = try await SceneGateway.start(first, names: [Self.names[0]]) {
            $0.eventHandler = { feed.yield($0) }
        }
        #expect(try second.evaluate("net_adm:ping('gw@127.0.0.1')") == "pong")
        second.signal(SIGKILL)
        let end = await events.first { if case .connected = $0 { false } else { true } }
        guard case .gone(Self.names[1], let error)? = end else {
            Issue.record("\(String(describing: end))")
            return await gateway.drain(for: .zero)
        }
        #expect(end?.description == "b@127.0.0.1 is gone: \(error)")
        await gateway.drain(for: .zero)
    }

    @Test func `members of nodes that nobody named are not asked, and an operator is told once`() async throws {
        let first = try ErlangProgram()
        let second = try ErlangProgram("b@127.0.0.1", epmd: first.epmd)
        let (events, feed) = AsyncStream.makeStream(of: ErlangGatewayEvent.self)
        let gateway = try await SceneGateway.start(first, names: [Self.names[0]]) {
            $0.eventHandler = { feed.yield($0) }
        }
        #expect(try second.evaluate("net_adm:ping('gw@127.0.0.1')") == "pong")
        try second.join()
        let told = await events.first { if case .otherMember = $0 { true } else { false } }
        #expect(told == .otherMember(Self.names[1]))
        let client = try await SceneGateway.connect(to: gateway)
        try first.join()
        try first.accept()
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test(arguments: [[ErlangNodePattern.any], [ErlangNodePattern("x*@*"), ErlangNodePattern("b@*.1")]])
    func `members of other nodes are asked if a pattern has their names`(patterns: [ErlangNodePattern]) async throws {
        let first = try ErlangProgram()
        let second = try ErlangProgram("b@127.0.0.1", epmd: first.epmd)
        let gateway = try await SceneGateway.start(first, names: [Self.names[0]]) { $0.otherNodes = patterns }
        #expect(try second.evaluate("net_adm:ping('gw@127.0.0.1')") == "pong")
        try second.join()
        let client = try await SceneGateway.connect(to: gateway)
        try second.accept()
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a pattern has names in which a star stands for anything`() {
        let name: ErlangNodeName = "game12@10.0.0.5"
        for pattern in ["*", "game*@*", "game12@10.0.0.5", "*@10.0.0.5", "game*", "*1*@*.5", "**", "game12*@10.0.0.5"] {
            #expect(ErlangNodePattern(pattern).matches(name), "\(pattern)")
        }
        for pattern in ["", "game", "game*@10.0.0.6", "room*@*", "*12*12*", "game12@10.0.0.5*5", "*@"] {
            #expect(!ErlangNodePattern(pattern).matches(name), "\(pattern)")
        }
    }

    @Test func `a frozen node loses its clients, and doubles nothing when it comes back`() async throws {
        let first = try ErlangProgram(tickSeconds: 8)
        let second = try ErlangProgram("b@127.0.0.1", epmd: first.epmd, tickSeconds: 8)
        try first.join()
        let (events, feed) = AsyncStream.makeStream(of: ErlangGatewayEvent.self)
        let gateway = try await SceneGateway.start(first, names: Self.names) {
            $0.window = 4
            $0.node.tickTime = .seconds(8)
            $0.eventHandler = { feed.yield($0) }
        }
        let client = try await SceneGateway.connect(to: gateway)
        try first.accept()
        try await client.say("once")
        try first.run("receive {wireline, C, _, #{number := 1}} -> ok end, M = monitor(process, C)")
        try second.join()
        first.signal(SIGSTOP)
        try second.accept("resume")
        let loss = await events.first { if case .lost = $0 { true } else { false } }
        #expect(loss == .lost(Self.names[0], .silent(Self.names[0])))
        try second.run("receive {wireline, C, _, #{number := 1}} -> ok end")
        try second.run("C ! {wireline, [{send, \(ErlangProgram.answer("second"))}, {confirm, 1}]}")
        first.signal(SIGCONT)
        try first.run("receive {'DOWN', M, process, C, noconnection} -> ok end")
        // Erlang may lose what is said while both nodes connect to each other.
        try first.run("F = fun F() -> case net_adm:ping(node(C)) of pong -> ok; pang -> F() end end, F()")
        // What the first one says now, on a new connection, is refused as a whole.
        let late = "C ! {wireline, [{send, \(ErlangProgram.answer("first"))}, {confirm, 1}]}"
        #expect(
            try first.evaluate("\(late), receive {wireline, error, C, E} -> maps:get(reason, E) end") == "not_owner")
        try second.run("C ! \(ErlangProgram.answer("last"))")
        #expect(try await client.nextText() == "second")
        #expect(try await client.nextText() == "last")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `two gateways of one name are told that there are two`() async throws {
        let program = try ErlangProgram()
        let name = ErlangNodeName(stringLiteral: ErlangProgram.name)
        let text = "{_, P} = lists:keyfind(\"a\", 1, element(2, erl_epmd:names({127, 0, 0, 1}))), P"
        let port = try #require(UInt16(try program.evaluate(text)))
        let (events, feed) = AsyncStream.makeStream(of: ErlangGatewayEvent.self)
        let first = try await SceneGateway.start(program) { $0.eventHandler = { feed.yield($0) } }
        // It does not ask epmd, which would refuse the name.
        let second = try await SceneGateway.start(program) {
            $0.node.portMapper = .none
            $0.node.nodePorts[name] = port
            $0.eventHandler = { feed.yield($0) }
        }
        for await event in events where event == .note(.otherOfOurName(at: name)) {
            #expect(event.description.contains("another node of our name"))
            break
        }
        await first.drain(for: .zero)
        await second.drain(for: .zero)
    }

    @Test func `a drain tells owners and clients, and ends when the last client has gone`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let goodbye = try ErlangTerm(parsing: ErlangProgram.answer("elsewhere"))
        let gateway = try await SceneGateway.start(program) { $0.goodbye = goodbye }
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        #expect(await gateway.health == .ready)
        let end = Task { await gateway.drain(for: .seconds(500)) }
        #expect(
            try program.evaluate("receive {wireline, drain, Node, Time} -> {Node, Time > 400000} end")
                == "{'gw@127.0.0.1',true}")
        #expect(try await client.nextText() == "elsewhere")
        #expect(await gateway.health == .draining)
        // The listeners close a moment after the core has begun to drain.
        await #expect(throws: ConnectionError.self) {
            while true { try await SceneGateway.connect(to: gateway).close() }
        }
        client.close()
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "normal")
        await end.value
        #expect(try program.evaluate("pg:get_members(wireline_gateways)") == "[]")
    }

    @Test func `a process of the cluster drains a gateway, and clients that stay are closed`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program)
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        #expect(try program.evaluate("gen_server:call({wireline, node(C)}, {drain, 1})") == "ok")
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "{shutdown,drain}")
        #expect(try await client.nextText() == nil)
        await gateway.waitUntilEnded()
    }
}
