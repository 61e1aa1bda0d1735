// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Foundation
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway
import WirelineTLS
import WirelineWebSocket

/// Clients that come through TLS, WebSockets and proxies, on one loop or several, and how many may come.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct CarrierTests {
    @Test func `a client of TLS is known by its certificate`() async throws {
        let root = try CertificateAuthority("root")
        let own = try root.issue(to: ["DNS:localhost"])
        let clients = try root.issue(to: ["DNS:ann.example"], for: .client)
        var server = TLSConfiguration.server(
            identity: TLSIdentity(certificateChain: .text(own.chain), privateKey: .text(own.key)))
        server.trustRoots = .only(.text(root.own.certificate))
        server.clientCertificates = .required
        let serverContext = try TLSContext(server)
        var client = TLSConfiguration.client(
            identity: TLSIdentity(certificateChain: .text(clients.chain), privateKey: .text(clients.key)))
        client.trustRoots = .only(.text(root.own.certificate))
        let clientContext = try TLSContext(client)

        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) {
            $0.endpoints[0].serving.listening.tls = serverContext
        }
        let connection = try await SceneGateway.connect(to: gateway) {
            $0.dialing.tls = clientContext
            $0.dialing.tlsServerName = "localhost"
        }
        try program.accept()
        try program.run("#{tls := #{version := V, cipher := Cipher, server_name := S, certificate := Der}} = I")
        #expect(try program.evaluate("[V, S, is_binary(Cipher)]") == "[<<\"TLSv1.3\">>,<<\"localhost\">>,true]")
        let pem = clients.certificate.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        #expect(try program.evaluate("base64:encode(Der)") == "<<\"\(pem)\">>")
        try await connection.say("secret")
        #expect(try program.evaluate("receive {wireline, C, R} -> element(4, R) end") == "<<\"secret\">>")
        connection.close()
        #expect(try program.evaluate("receive {wireline, close, C, Why} -> Why end") == "normal")
        await gateway.drain(for: .zero)
    }

    @Test func `a WebSocket is known by its request, and told why it is closed`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) {
            $0.endpoints[0].serving.webSocket = .init(paths: ["/play"])
        }
        let client = try await SceneGateway.connect(to: gateway) {
            $0.webSocket = .init(path: "/play?token=7", headers: ["X-Team": "red"])
        }
        try program.accept()
        try program.run("#{transport := T, path := P, headers := H} = I")
        #expect(
            try program.evaluate("[T, P, proplists:get_value(<<\"x-team\">>, H)]")
                == "[websocket,<<\"/play?token=7\">>,<<\"red\">>]")
        try await client.say("hi")
        #expect(try program.evaluate("receive {wireline, C, R} -> element(4, R) end") == "<<\"hi\">>")
        try program.run("C ! {wireline, [{send, \(ErlangProgram.answer("bye"))}, {kick, enough}]}")
        #expect(try await client.nextText() == "bye")
        let error = await #expect(throws: ConnectionError.self) { while try await client.nextText() != nil {} }
        guard case .webSocketEnded(let end)? = error else { throw UnexpectedMessage() }
        #expect(end.received?.code == .policyViolation)
        await #expect(throws: ConnectionError.self) {
            _ = try await SceneGateway.connect(to: gateway) { $0.webSocket = .init(path: "/elsewhere") }
        }
        await gateway.drain(for: .zero)
    }

    @Test func `the reason of a WebSocket's end has the code that the client is told`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) {
            $0.endpoints[0].serving.webSocket = .init(paths: ["/play"])
        }
        let client = try await WebSocketClient.connect(to: "ws://127.0.0.1:\(gateway.addresses[0].port)/play")
        try program.accept()
        try await client.send(.text("not a packet"))
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "{shutdown,{websocket,1003}}")
        _ = try? await client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `only a proxy may connect where a header is needed, and it names the client`() async throws {
        let program = try ErlangProgram()
        try program.join()
        var proxy = ListeningOptions.ProxyProtocol(from: [try IPNetwork("127.0.0.0/8")])
        proxy.isRequired = true
        let gateway = try await SceneGateway.start(program) { [proxy] in
            $0.endpoints[0].serving.listening.proxyProtocol = proxy
        }
        let port = gateway.addresses[0].port
        let connect = "{ok, S} = gen_tcp:connect({127, 0, 0, 1}, \(port), [binary, {active, false}])"
        try program.run("\(connect), gen_tcp:send(S, <<\"PROXY TCP4 192.0.2.7 198.51.100.1 4711 443\\r\\n\">>)")
        try program.accept()
        #expect(
            try program.evaluate("{ok, Own} = inet:sockname(S), [maps:get(peer, I), maps:get(proxy, I) =:= Own]")
                == "[{{192,0,2,7},4711},true]")
        // A proxy that speaks for itself, and a client without a header, are closed.
        for header in ["PROXY UNKNOWN\\r\\n", "\\r\\n\\r\\n\\0\\r\\nQUIT\\n\\x20\\0\\0\\0", "hello, hello, hello"] {
            let opened = "{ok, Q} = gen_tcp:connect({127, 0, 0, 1}, \(port), [binary, {active, false}])"
            let closed = "\(opened), gen_tcp:send(Q, <<\"\(header)\">>), gen_tcp:recv(Q, 0)"
            #expect(try program.evaluate("(fun() -> \(closed) end)()").hasPrefix("{error,") == true)
        }
        #expect(await gateway.metrics().refusedConnectionCounts[.proxyHeader] == 3)
        #expect(await gateway.metrics().clientCount == 1)
        await gateway.drain(for: .zero)
    }

    @Test func `what one process says takes effect in its order on several loops`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let loops = try EventLoopGroup(threadCount: 3)
        let gateway = try await SceneGateway.start(program, on: loops)
        var clients: [PacketClient<SceneProtocol>] = []
        for _ in 0..<6 { clients.append(try await SceneGateway.connect(to: gateway)) }
        let accept = "receive {wireline, open, C, _} -> C ! {wireline, {owner, self()}}, C end"
        try program.run("Cs = [\(accept) || _ <- lists:seq(1, 6)]")
        try program.run("W = {wireline, node(hd(Cs))}, A = fun(T) -> {sc_20001, 1, 1, 1, 0, 0, 100, T, <<>>} end")
        // A snapshot, the room, and then the room's messages; between them messages to each one.
        try program.run("[C ! {wireline, [{send, A(<<\"snapshot\">>)}, {join, room}]} || C <- Cs]")
        let own = "[C ! A(<<\"own\", (integer_to_binary(N))/binary>>) || C <- Cs]"
        let both = "begin W ! {publish, room, A(integer_to_binary(N))}, \(own) end"
        try program.run("[\(both) || N <- lists:seq(1, 200)]")
        for client in clients {
            #expect(try await client.nextText() == "snapshot")
            for number in 1...200 {
                #expect(try await client.nextText() == "\(number)")
                #expect(try await client.nextText() == "own\(number)")
            }
        }
        // What clients say comes in order as well.
        for number in 1...100 { for client in clients { try await client.say("\(number)") } }
        let number = "receive {wireline, C, R} -> binary_to_integer(element(4, R)) end"
        let texts = "[[\(number) || _ <- lists:seq(1, 100)] || C <- Cs]"
        #expect(try program.evaluate("lists:usort(\(texts)) =:= [lists:seq(1, 100)]") == "true")
        for client in clients { client.close() }
        await gateway.drain(for: .zero)
    }

    @Test func `a client that talks too fast is read later, and loses nothing`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) {
            $0.messageRate = MaximumRate(5, per: .milliseconds(50))
            $0.messageRatePerAddress = MaximumRate(6, per: .milliseconds(60))
        }
        let client = try await SceneGateway.connect(to: gateway)
        try program.accept()
        for number in 1...60 { try await client.say("\(number)") }
        let texts = "[receive {wireline, C, R} -> binary_to_integer(element(4, R)) end || _ <- lists:seq(1, 60)]"
        #expect(try program.evaluate("\(texts) =:= lists:seq(1, 60)") == "true")
        client.close()
        await gateway.drain(for: .zero)
    }

    @Test func `clients above the limit are closed, at all endpoints together`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) {
            $0.endpoints.append($0.endpoints[0])
            $0.clientLimit = 2
            $0.version = "1.2"
        }
        let first = try await SceneGateway.connect(to: gateway)
        let second = try await SceneGateway.connect(to: gateway, at: 1)
        try program.run("[receive {wireline, open, X, _} -> X ! {wireline, {owner, self()}} end || _ <- [1, 2]]")
        let third = try await SceneGateway.connect(to: gateway)
        _ = try? await third.nextText()
        #expect(await gateway.metrics().refusedConnectionCounts[.limit] == 1)
        let member = try #require(await gateway.metrics().members.first).name
        #expect(member.hasPrefix("#Pid<"))
        let text = await gateway.metrics().prometheusText()
        for line in [
            "wireline_gateway_clients 2", "wireline_gateway_backends 1", "wireline_gateway_opened_total 2",
            "wireline_gateway_refused_total{reason=\"limit\"} 1", "wireline_gateway_node_up{node=\"a@127.0.0.1\"} 1",
            "wireline_gateway_build_info{version=\"1.2\",protocol=\"Clients\"} 1", "wireline_gateway_clients_asked 0",
            "wireline_gateway_member_offers{member=\"\(member)\"} 0",
            "wireline_gateway_member_clients{member=\"\(member)\"} 2",
        ] { #expect(text.split(separator: "\n").contains(Substring(line)), "\(line) of \(text)") }
        #expect(text.contains("\nwireline_loop_turn_seconds_count{loop=\"0\"} "))
        // Each one is on the page.
        let page = try String(contentsOf: Checkout.url("Documentation/Cluster.md"), encoding: .utf8)
        for name in text.matches(of: /HELP (wireline_gateway_[a-z_]+)/) {
            #expect(page.contains("`\(name.1)`") || page.contains("`\(name.1){"), "\(name.1)")
        }
        first.close()
        second.close()
        await gateway.drain(for: .zero)
    }

    @Test func `a client that does not read is closed, and others are not`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) { $0.clientByteCount = 64 << 10 }
        let slow = try await SceneGateway.connect(to: gateway)
        try program.accept()
        let quick = try await SceneGateway.connect(to: gateway)
        try program.run("receive {wireline, open, D, _} -> D ! {wireline, {owner, self()}} end")
        // More than the sockets' buffers take.
        let long = "{sc_20001, 1, 1, 1, 0, 0, 100, binary:copy(<<\"x\">>, 60000), <<>>}"
        try program.run("M = monitor(process, C), [C ! \(long) || _ <- lists:seq(1, 400)]")
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "{shutdown,slow}")
        #expect(try program.evaluate("receive {'DOWN', M, process, C, Q} -> Q end") == "{shutdown,slow}")
        try program.run("D ! \(ErlangProgram.answer("quick"))")
        #expect(try await quick.nextText() == "quick")
        slow.close()
        quick.close()
        await gateway.drain(for: .zero)
    }
}
