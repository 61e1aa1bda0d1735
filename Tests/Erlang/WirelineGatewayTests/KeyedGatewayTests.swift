// SPDX-License-Identifier: Apache-2.0

import Ciphers
import ErlangSupport
import KeyedGame
import States
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway

/// Backends that set keys and states between the packets of a client.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct KeyedGatewayTests {
    @Test(arguments: [1, 2])
    func `a key counts from its place in the step on, in both directions`(threadCount: Int) async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(
            program, protocol: try SceneGateway.schema("Protocols/KeyedGame/keyedgame.wire"),
            on: try EventLoopGroup(threadCount: threadCount))
        let key = Array("sixteen bytes...".utf8)
        var clients: [PacketClient<KeyedGameProtocol>] = []
        for _ in 0..<threadCount {
            clients.append(try await SceneGateway.connect(to: gateway, speaking: KeyedGameProtocol.self))
        }
        for (index, client) in clients.enumerated() {
            let (process, password) = ("C\(index)", "secret \(index)")
            try await client.send(Login(account: "ann", password: password, client: 1))
            try program.run(
                "receive {wireline, open, \(process), _} -> \(process) ! {wireline, {owner, self()}} end")
            // The packet with the key has none. The next one has it, although the client has answered nothing.
            let step = "[{send, {key_packet, K, <<>>}}, {key, session, K}, {send, {worlds, 7, [], <<>>}}]"
            try program.run(
                """
                K = <<"\(String(decoding: key, as: UTF8.self))">>, \
                receive {wireline, \(process), {login, _, P\(index), _, _}} -> \(process) ! {wireline, \(step)} end
                """)
            guard case .keyPacket(let packet)? = try await client.nextMessage()?.message else {
                throw UnexpectedMessage()
            }
            #expect(packet.key == key)
            try client.layers.setKey("session", packet.key)
            guard case .worlds(let worlds)? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
            #expect(worlds.account == 7)
            try await client.send(Login(account: "ann", password: "sealed", client: 1))
            #expect(
                try program.evaluate(
                    "receive {wireline, \(process), {login, _, S\(index), _, _}} -> {P\(index), S\(index)} end")
                    == "{<<\"\(password)\">>,<<\"sealed\">>}")
            client.close()
        }
        await gateway.drain(for: .zero)
    }

    @Test func `keys stay with the connection when its owner dies, and a step with a key is done once`() async throws {
        let program = try ErlangProgram()
        let gateway = try await SceneGateway.start(program, protocol: try Self.ciphers) { $0.window = 4 }
        let client = try await SceneGateway.connect(to: gateway, speaking: CiphersProtocol.self)
        try client.layers.setKey("session", Self.firstKey)
        // The first owner gets the question, and dies without an answer.
        try program.run(
            """
            spawn(fun() -> pg:join(scene, self()), receive {wireline, open, C, _} -> C ! {wireline, {owner, self()}} end, \
            receive {wireline, C, {ask, _}, #{number := 1}} -> ok end end)
            """)
        try await client.send(Ask(text: "who"))
        try program.join()
        try program.accept("resume")
        // The question was opened once, and comes again as a term. The answer has the old key.
        try program.run(
            """
            receive {wireline, C, {ask, T}, #{number := 1}} -> \
            C ! {wireline, [{send, {answer, T}}, {key, session, <<"second">>}, {send, {note, <<"new">>}}, {confirm, 1}]} end
            """)
        guard case .answer(let answer)? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
        #expect(answer.text == "who")
        try client.layers.setKey("session", Array("second".utf8))
        #expect(try await client.nextNote() == "new")
        // The same step again is refused as a whole: its key would begin the keystream anew.
        try program.run("C ! {wireline, [{key, session, <<\"second\">>}, {confirm, 1}]}")
        try program.run("receive {wireline, error, C, #{path := <<\"confirm\">>}} -> ok end")
        try program.run("C ! {note, <<\"further\">>}")
        #expect(try await client.nextNote() == "further")
        // The keystream of the client goes on for the next owner, too.
        try await client.send(Ask(text: "again"))
        #expect(
            try program.evaluate("receive {wireline, C, {ask, Again}, #{number := 2}} -> Again end") == "<<\"again\">>")
        // What the packets have is counted, and not about so much.
        let byteCounts = ["who", "new", "further"].map { 5 + $0.utf8.count }
        #expect(await gateway.metrics().sentByteCount == UInt64(byteCounts.reduce(0, +)))
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a key for the packets of one end leaves those of the other end`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program, protocol: try Self.ciphers)
        let client = try await SceneGateway.connect(to: gateway, speaking: CiphersProtocol.self)
        try client.layers.setKey("session", Self.firstKey)
        try program.accept()
        try program.run("C ! {wireline, [{join, room}, {key, session, <<\"mine\">>, server}]}")
        try client.layers.setKey("session", Array("mine".utf8), for: .server)
        // What is for a group is sealed by each member, in the same order.
        try program.run("{wireline, 'gw@127.0.0.1'} ! {publish, room, {note, <<\"to all\">>}}")
        #expect(try await client.nextNote() == "to all")
        try await client.send(Ask(text: "old key"))
        #expect(try program.evaluate("receive {wireline, C, {ask, T}, _} -> T end") == "<<\"old key\">>")
        try program.run("C ! {wireline, [{key, session, <<\"yours\">>, client}, {send, {note, <<\"go\">>}}]}")
        #expect(try await client.nextNote() == "go")
        try client.layers.setKey("session", Array("yours".utf8), for: .client)
        try await client.send(Ask(text: "new key"))
        #expect(try program.evaluate("receive {wireline, C, {ask, N}, _} -> N end") == "<<\"new key\">>")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a state counts from its place in the step on`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(
            program, protocol: try SceneGateway.schema("Protocols/States/states.wire"))
        let client = try await SceneGateway.connect(to: gateway, speaking: StatesProtocol.self)
        try program.accept()
        // Only the last phase has room for the ID of `wide`.
        try program.run("C ! {wireline, [{send, {note, <<\"before\">>}}, {set, phase, 2}, {send, {wide}}]}")
        guard case .note? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
        try await client.setState(.phase, to: .play)
        guard case .wide? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
        try await client.send(Note(text: "in play"))
        #expect(try program.evaluate("receive {wireline, C, N, _} -> N end") == "{note,<<\"in play\">>}")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test(arguments: [
        ("{key, other, <<\"k\">>}", "{<<\"key\">>,{unknown_key,other}}"),
        ("{key, session, <<>>}", "{<<\"key\">>,{wrong_key_size,0,<<\"1 to 256\">>}}"),
        ("{set, phase, 1}", "{<<\"set\">>,{unknown_state,phase}}"),
        ("{key, session, 7}", "{<<>>,{unknown_action,{key,session,7}}}"),
        ("{key, session, <<\"k\">>, both}", "{<<>>,{unknown_action,{key,session,<<\"k\">>,both}}}"),
    ])
    func `a step with a wrong key is refused, and no keystream moves`(action: String, error: String) async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program, protocol: try Self.ciphers)
        let client = try await SceneGateway.connect(to: gateway, speaking: CiphersProtocol.self)
        try client.layers.setKey("session", Self.firstKey)
        try program.accept()
        try program.run("C ! {wireline, [{send, {note, <<\"never\">>}}, {key, session, <<\"never\">>}, \(action)]}")
        #expect(
            try program.evaluate("receive {wireline, error, C, #{path := P, reason := R}} -> {P, R} end") == error)
        // Only the owner sets keys.
        try program.run(
            "Self = self(), spawn(fun() -> C ! {wireline, {key, session, <<\"k\">>}}, "
                + "receive {wireline, error, C, #{reason := W}} -> Self ! {other, W} end end)")
        #expect(try program.evaluate("receive {other, Why} -> Why end") == "not_owner")
        // A group has no keys.
        try program.run("{wireline, 'gw@127.0.0.1'} ! {publish, room, \(action)}")
        try program.run("receive {wireline, error, _, _} -> ok end")
        try program.run("C ! {note, <<\"one\">>}")
        #expect(try await client.nextNote() == "one")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a plain protocol has no keys and no states`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program)
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        for (action, reason) in [
            ("{key, session, <<1>>}", "{unknown_key,session}"), ("{set, phase, true}", "{unknown_state,phase}"),
        ] {
            try program.run("C ! {wireline, \(action)}")
            try program.run("receive {wireline, error, C, #{reason := \(reason)}} -> ok end")
        }
        client.close()
        await gateway.drain(for: .zero)
    }

    // MARK: Helpers

    private static let firstKey = Array("first".utf8)

    /// RC4 from the first packet on.
    private static var ciphers: GatewayProtocol {
        get throws {
            var schema = try SceneGateway.schema("Tests/Conformance/GeneratedTypes/Ciphers/ciphers.wire")
            try schema.setKey("session", firstKey)
            return schema
        }
    }
}

extension PacketClient<CiphersProtocol> {
    /// The text of the next message, which must be a note.
    fileprivate func nextNote() async throws -> String {
        guard case .note(let note)? = try await nextMessage()?.message else { throw UnexpectedMessage() }
        return note.text
    }
}
