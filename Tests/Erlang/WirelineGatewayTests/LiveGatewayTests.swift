// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway

/// A gateway between clients and a real Erlang node, whose shell is the backend.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LiveGatewayTests {
    @Test func `a client is a process that is owned, answered, monitored and called`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program)
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        let port = gateway.addresses[0].port
        let known = "[node(C), maps:get(transport, I), maps:get(state, I), maps:get(proxy, I), maps:get(local, I)]"
        #expect(
            try program.evaluate(known) == "['gw@127.0.0.1',tcp,undefined,undefined,{{127,0,0,1},\(port)}]")
        try program.run("M = monitor(process, C)")

        try await client.send(Cs_20001(sceneID: 7, line: 2, message: "hi"))
        #expect(try program.evaluate("receive {wireline, C, R} -> R end") == "{cs_20001,7,2,<<\"hi\">>,<<>>}")
        try program.run("C ! {sc_20001, 1, 9, 1, 0, 0, 100, <<\"you\">>, <<>>}")
        guard case .sc20001(let answer)? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
        #expect((answer.sceneID, answer.message) == (9, "you"))

        #expect(try program.evaluate("maps:get(received, gen_server:call(C, info))") == "1")
        #expect(try program.evaluate("gen_server:call(C, what)") == "{error,unknown_request}")
        let refusal = "receive {wireline, error, C, E} -> maps:get(reason, E) end"
        #expect(try program.evaluate("C ! hello, \(refusal)") == "not_a_message")

        client.close()
        #expect(try program.evaluate("receive {wireline, close, C, Why} -> Why end") == "normal")
        #expect(try program.evaluate("receive {'DOWN', M, process, C, Reason} -> Reason end") == "normal")
        await gateway.drain(for: .zero)
    }

    @Test func `a message that does not fit is refused with the error of encode`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program)
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        let wrong = "C ! {sc_20001, 300, 9, 1, 0, 0, 100, <<\"you\">>, <<>>}"
        #expect(
            try program.evaluate("\(wrong), receive {wireline, error, C, E} -> E end")
                == "#{message => <<\"Sc_20001\">>,path => <<\"Sc_20001.Res\">>,reason => {out_of_range,300,0,255}}")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a term over the limit is skipped and counted`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) { $0.node.limits.terms.byteCount = 1_000 }
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        try program.run("C ! binary:copy(<<0>>, 100000), C ! \(ErlangProgram.answer("next"))")
        #expect(try await client.nextText() == "next")
        #expect(await gateway.metrics().refusedTermCount == 1)
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a longer term is read if the limit allows it`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) { $0.node.limits.terms.byteCount = 20 << 20 }
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        let refusal = "receive {wireline, error, C, E} -> E end"
        let send = "C ! {unknown, 9, binary:copy(<<0>>, 17 bsl 20)}"
        // Only the protocol's own limit is in its way.
        #expect(try program.evaluate("\(send), \(refusal)").contains("too_long"))
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `groups, kicks and exits reach clients`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program)
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        try program.run("C ! {wireline, {join, room}}, W = {wireline, node(C)}")
        try program.run("W ! {publish, room, \(ErlangProgram.answer("all"))}")
        #expect(try await client.nextText() == "all")
        #expect(try program.evaluate("gen_server:call(W, {members, room}) =:= [C]") == "true")
        #expect(try program.evaluate("maps:get(clients, gen_server:call(W, info))") == "1")
        #expect(try program.evaluate("length(pg:get_members(wireline_gateways))") == "1")

        #expect(try program.evaluate("C ! {wireline, {kick, bye}}, receive {wireline, close, C, Y} -> Y end") == "bye")
        #expect(try await client.nextText() == nil)

        let other = try await SceneGateway.connect(to: gateway)
        let exit =
            "receive {wireline, open, D, _} -> D ! {wireline, {owner, self()}}, N = monitor(process, D), exit(D, boom), "
        #expect(try program.evaluate(exit + "receive {'DOWN', N, process, D, X} -> X end end") == "boom")
        #expect(try await other.nextText() == nil)
        await gateway.drain(for: .zero)
    }

    @Test(arguments: [1, 2])
    func `a group with more members than are written to in a turn gets all messages in order`(
        threadCount: Int
    ) async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program, on: EventLoopGroup(threadCount: threadCount))
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<300 { clients.append(try await SceneGateway.connect(to: gateway)) }
        let join = "receive {wireline, open, X, _} -> X ! {wireline, [{owner, self()}, {join, room}]}, X end"
        try program.run("Cs = [\(join) || _ <- lists:seq(1, 300)], W = {wireline, node(hd(Cs))}")
        for text in ["1", "2", "3"] { try program.run("W ! {publish, room, \(ErlangProgram.answer(text))}") }
        try program.run("[X ! {wireline, {kick, bye}} || X <- Cs]")
        for client in clients {
            for text in ["1", "2", "3"] { #expect(try await client.nextText() == text) }
            #expect(try await client.nextText() == nil)
        }
        await gateway.drain(for: .zero)
    }

    @Test func `who links to a client shares its fate`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program)
        let first = try await SceneGateway.connect(to: gateway)
        try program.accept()
        let linked = "S = self(), P = spawn(fun() -> link(C), S ! linked, receive stop -> exit(enough) end end)"
        try program.run("\(linked), receive linked -> ok end, P ! stop")
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "enough")
        #expect(try await first.nextText() == nil)

        let second = try await SceneGateway.connect(to: gateway)
        try program.run("receive {wireline, open, D, _} -> D ! {wireline, {owner, S}} end")
        // When the call is answered, the link is there.
        try program.run("process_flag(trap_exit, true), link(D), gen_server:call(D, info)")
        second.close()
        #expect(try program.evaluate("receive {'EXIT', D, Q} -> Q end") == "normal")
        await gateway.drain(for: .zero)
    }

    @Test func `a client whose owner ends is resumed with what nobody confirmed`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) { $0.window = 8 }
        let client = try await SceneGateway.connect(to: gateway)
        let owner = "P = spawn(fun() -> receive stop -> ok end end)"
        try program.run("receive {wireline, open, C, _} -> \(owner), C ! {wireline, {owner, P}} end")
        try await client.say("one")
        try program.run("P ! stop")
        #expect(
            try program.evaluate(
                "receive {wireline, resume, C, J} -> C ! {wireline, {owner, self()}}, maps:get(confirmed, J) end")
                == "0")
        #expect(
            try program.evaluate("receive {wireline, C, {cs_20001, 1, 0, T, _}, #{number := 1}} -> T end")
                == "<<\"one\">>")
        let answer = "C ! {wireline, [{send, \(ErlangProgram.answer("once"))}, {confirm, 1}]}"
        #expect(
            try program.evaluate("\(answer), \(answer), receive {wireline, error, C, E} -> maps:get(reason, E) end")
                == "{out_of_range,1,2,1}")
        #expect(try await client.nextText() == "once")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a node that refuses the cookie ends the start, and one that is not there does not`() async throws {
        let program = try ErlangProgram()
        let error = await #expect(throws: ErlangGatewayError.self) {
            _ = try await SceneGateway.start(program, cookie: "wrong")
        }
        #expect(error == .cookieRefused(by: ["a@127.0.0.1"], cookie: "a cookie"))
        let reported = Seen<ErlangGatewayEvent>()
        let gateway = try await SceneGateway.start(program, names: ["nobody@127.0.0.1", "a@127.0.0.1"]) {
            $0.eventHandler = { reported.add($0) }
        }
        let events = await reported.first(2)
        #expect(events.contains(.connected("a@127.0.0.1")))
        #expect(events.contains(.unreachable("nobody@127.0.0.1", .unreachable("nobody@127.0.0.1"))))
        #expect(await gateway.health == .noBackend)
        await gateway.drain(for: .zero)
    }
}
