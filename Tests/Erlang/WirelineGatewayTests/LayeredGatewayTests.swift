// SPDX-License-Identifier: Apache-2.0

import Bilibili
import Ciphers
import ErlangSupport
import Minecraft
import States
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway

/// Protocols whose packets have layers, or depend on states of the connection.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct LayeredGatewayTests {
    @Test func `packets are compressed behind the message that says so, up to the goodbye`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let goodbye = try ErlangTerm(parsing: "{set_compression, 7, <<>>}")
        let gateway = try await SceneGateway.start(
            program, protocol: try SceneGateway.schema("Protocols/Minecraft/minecraft.wire")
        ) {
            $0.endpoints[0].serving.layers.threshold = 64
            $0.goodbye = goodbye
        }
        let client = try await SceneGateway.connect(to: gateway, speaking: MinecraftProtocol.self) {
            $0.layers.threshold = 64
        }
        try program.accept()
        try await client.send(Chat(text: "plain"))
        #expect(try program.evaluate("receive {wireline, C, M, _} -> M end") == "{chat,<<\"plain\">>,<<>>}")
        let entries = "[{entry, 1, {text, list_to_binary(lists:duplicate(500, $x))}}]"
        try program.run(
            "C ! {wireline, [{send, {set_compression, 64, <<>>}}, {send, {entity_metadata, 7, \(entries), <<>>}}]}")
        guard case .setCompression(let began)? = try await client.nextMessage()?.message else {
            throw UnexpectedMessage()
        }
        #expect(began.threshold == 64)
        guard case .entityMetadata(let metadata)? = try await client.nextMessage()?.message else {
            throw UnexpectedMessage()
        }
        #expect(metadata.entries.first?.data == .text(String(repeating: "x", count: 500)))
        try await client.send(Chat(text: String(repeating: "y", count: 300)))
        #expect(try program.evaluate("receive {wireline, C, {chat, T, _}, _} -> byte_size(T) end") == "300")
        let end = Task { await gateway.drain(for: .seconds(500)) }
        guard case .setCompression(let last)? = try await client.nextMessage()?.message else {
            throw UnexpectedMessage()
        }
        #expect(last.threshold == 7)
        client.close()
        await end.value
    }

    @Test func `messages together in a compressed packet reach a client and a group`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(
            program, protocol: try SceneGateway.schema("Protocols/Bilibili/bilibili.wire"))
        var clients: [PacketClient<BilibiliProtocol>] = []
        for index in 0..<3 {
            clients.append(try await SceneGateway.connect(to: gateway, speaking: BilibiliProtocol.self))
            try program.acceptMember("C\(index)")
        }
        let lines = "{#{version => zlib}, {packets, 5, [{notification, <<\"a\">>}, {notification, <<\"b\">>}]}}"
        try program.run("{wireline, 'gw@127.0.0.1'} ! {publish, room, \(lines)}")
        try program.run("C2 ! \(lines)")
        // In a packet of this version there are none inside.
        try program.run("C2 ! {wireline, {send, {#{version => plain}, {packets, 5, []}}}}")
        try program.run("receive {wireline, error, C2, #{reason := _}} -> ok end")
        for (index, client) in clients.enumerated() {
            for text in index == 2 ? ["a", "b", "a", "b"] : ["a", "b"] {
                guard case .notification(let line)? = try await client.nextMessage()?.message else {
                    throw UnexpectedMessage()
                }
                #expect(line.body == text)
            }
            client.close()
        }
        await gateway.drain(for: .zero)
    }

    @Test func `each client has a keystream of its own`() async throws {
        let program = try ErlangProgram()
        try program.join()
        var schema = try SceneGateway.schema("Tests/Conformance/GeneratedTypes/Ciphers/ciphers.wire")
        let key: [UInt8] = Array("a key of any length".utf8)
        #expect(throws: LayerKeyError.self) { try schema.setKey("other", key) }
        try schema.setKey("session", key)
        let gateway = try await SceneGateway.start(program, protocol: schema)
        var clients: [PacketClient<CiphersProtocol>] = []
        for index in 0..<2 {
            let client = try await SceneGateway.connect(to: gateway, speaking: CiphersProtocol.self)
            try client.layers.setKey("session", key)
            clients.append(client)
            try program.acceptMember("C\(index)")
        }
        // The keystream of the second one is further on.
        try program.run("C1 ! {note, <<\"for you\">>}")
        for text in ["one", "two"] {
            try program.run("{wireline, 'gw@127.0.0.1'} ! {publish, room, {note, <<\"\(text)\">>}}")
        }
        for (index, client) in clients.enumerated() {
            for text in index == 1 ? ["for you", "one", "two"] : ["one", "two"] {
                guard case .note(let note)? = try await client.nextMessage()?.message else {
                    throw UnexpectedMessage()
                }
                #expect(note.text == text)
            }
            async let answer = client.request(Ask(text: "who"))
            let answering = "receive {wireline, X, {ask, T}, #{header := H}} -> X ! {H, {answer, T}} end"
            try program.run("(fun() -> \(answering) end)()")
            #expect(try await answer.text == "who")
            client.close()
        }
        await gateway.drain(for: .zero)
    }

    @Test func `a message goes out in the states of its client`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(
            program, protocol: try SceneGateway.schema("Protocols/States/states.wire"))
        let client = try await SceneGateway.connect(to: gateway, speaking: StatesProtocol.self)
        try program.acceptMember("C")
        // No states have room for this ID.
        try program.run("C ! {unknown, 70000, <<>>}")
        let refusal = try program.evaluate("receive {wireline, error, C, #{reason := R}} -> R end")
        #expect(refusal == "{invalid_message_id,70000}")
        // Only the last phase has room for this one, so the group's packet is left out here.
        try program.run("{wireline, 'gw@127.0.0.1'} ! {publish, room, {wide}}")
        try await client.send(Hello(version: 3))
        try program.run("receive {wireline, C, {hello, 3}, _} -> C ! {welcome, <<\"Ann\">>} end")
        try program.run("{wireline, 'gw@127.0.0.1'} ! {publish, room, {wide}}")
        guard case .welcome(let welcome)? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
        #expect(welcome.name == "Ann")
        guard case .wide? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
        try await client.send(Note(text: "in play"))
        #expect(try program.evaluate("receive {wireline, C, N, _} -> N end") == "{note,<<\"in play\">>}")
        client.close()
        try program.run("receive {wireline, close, C, normal} -> ok end")
        await gateway.drain(for: .zero)
    }

    @Test func `a message that its client must not miss and cannot get ends the client`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(
            program, protocol: try SceneGateway.schema("Protocols/States/states.wire"))
        let client = try await SceneGateway.connect(to: gateway, speaking: StatesProtocol.self)
        try program.accept()
        let messages = ["{note, <<\"before\">>}", "{wide}", "{note, <<\"behind\">>}"].map { "{send, \($0)}" }
        try program.run("C ! {wireline, [\(messages.joined(separator: ", "))]}")
        guard case .note(let note)? = try await client.nextMessage()?.message else { throw UnexpectedMessage() }
        #expect(note.text == "before")
        let reason = try program.evaluate("receive {wireline, close, C, {shutdown, {packet, Why}}} -> Why end")
        #expect(reason == "<<\"no message can have ID 261 here\">>")
        #expect(try await client.nextMessage() == nil)
        await gateway.drain(for: .zero)
    }

    @Test func `a goodbye that no server sends is an error at the start`() async throws {
        let program = try ErlangProgram()
        await #expect(throws: ErlangGatewayError.self) {
            _ = try await SceneGateway.start(program) { $0.goodbye = "nonsense" }
        }
    }
}

extension ErlangProgram {
    /// Owns the next client, whose process is the variable then, and lets it join the group `room`.
    fileprivate func acceptMember(_ variable: String) throws {
        try run(
            "receive {wireline, open, \(variable), _} -> \(variable) ! {wireline, [{owner, self()}, {join, room}]} end")
    }
}
