// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import FaultSupport
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway
import WirelineTLS

/// Clients that go while the gateway does not read them, or that the gateway sends away.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct GoneClientTests {
    /// How many messages a client says: few are read together, and of many some stay in the system.
    static let counts = [3, 200_000]

    private static func messages(_ count: Int) throws -> [UInt8] {
        let message = try Cs_20001(sceneID: 1, line: 0, message: "hi").encoded()
        return Array(repeatElement(message, count: count).joined())
    }

    private static func say(_ count: Int, over socket: RawSocket) throws {
        let bytes = try messages(count)
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = socket.sendAtOnce(rest)
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
        }
    }

    @Test(arguments: counts)
    func `a reset is told to the owner although its window is full`(messageCount: Int) async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) { $0.window = 1 }
        let socket = try RawSocket.connect(to: gateway.addresses[0].port)
        try program.accept()
        try Self.say(messageCount, over: socket)
        try program.run("receive {wireline, C, _, #{number := 1}} -> ok end")
        socket.reset()
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "{shutdown,reset}")
        let metrics = await gateway.metrics()
        #expect(metrics.clientCount == 0)
        // Few messages have come before the window was full: the owner gets them all.
        let count = "F = fun F(N) -> receive {wireline, C, _, #{number := _}} -> F(N + 1) after 0 -> N end end, F(1)"
        let handedCount = try Int(program.evaluate(count))
        if handedCount != messageCount { #expect(metrics.unreadEndCount == 1) }
        #expect((handedCount == messageCount) == (messageCount == 3))
        await gateway.drain(for: .zero)
    }

    @Test(arguments: counts)
    func `a client that is parked goes when it is reset`(count: Int) async throws {
        let program = try ErlangProgram()
        let gateway = try await SceneGateway.start(program) { $0.parkTime = .seconds(100_000) }
        let socket = try RawSocket.connect(to: gateway.addresses[0].port)
        try Self.say(count, over: socket)
        #expect(try await eventually { await gateway.metrics().clientCount == 1 })
        socket.reset()
        #expect(try await eventually { await gateway.metrics().clientCount == 0 })
        #expect(await gateway.metrics().closedCounts == ["reset": 1])
        #expect(await gateway.metrics().unreadEndCount == 1)
        await gateway.drain(for: .zero)
    }

    enum Carrier: CaseIterable {
        case tls, webSocket, secureWebSocket
    }

    @Test(arguments: Carrier.allCases, [1, 2_000])
    func `a parked client goes when it is reset, whatever carries its messages, read or not`(
        carrier: Carrier, count: Int
    ) async throws {
        let program = try ErlangProgram()
        let root = try CertificateAuthority("root")
        let own = try root.issue(to: ["DNS:localhost"])
        let identity = TLSIdentity(certificateChain: .text(own.chain), privateKey: .text(own.key))
        let gateway = try await SceneGateway.start(program) {
            $0.parkTime = .seconds(100_000)
            if carrier != .tls { $0.endpoints[0].serving.webSocket = .init(paths: ["/play"]) }
            if carrier != .webSocket {
                $0.endpoints[0].serving.listening.tls = try? TLSContext(.server(identity: identity))
            }
        }
        let line = try ResettableLine(to: gateway.addresses[0].port)
        var configuration = ClientConfiguration()
        if carrier != .tls { configuration.webSocket = .init(path: "/play") }
        if carrier != .webSocket {
            var tls = TLSConfiguration.client()
            tls.trustRoots = .only(.text(root.own.certificate))
            configuration.dialing.tls = try TLSContext(tls)
            configuration.dialing.tlsServerName = "localhost"
        }
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: line.port, protocol: SceneProtocol.self, configuration: configuration)
        let saying = Task {
            for _ in 0..<count { try await client.send(Cs_20001(sceneID: 1, line: 0, message: "hi")) }
        }
        #expect(try await eventually { await gateway.metrics().clientCount == 1 })
        // What is above the limit stays in the systems.
        _ = try? await saying.value
        #expect(try await eventually { await gateway.metrics().receivedMessageCount >= UInt64(min(count, 64)) })
        line.reset()
        #expect(try await eventually { await gateway.metrics().clientCount == 0 })
        #expect(await gateway.metrics().closedCounts == ["reset": 1])
        await gateway.drain(for: .zero)
    }

    @Test func `what came before an orderly end is handed over as the window opens`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) { $0.window = 1 }
        let socket = try RawSocket.connect(to: gateway.addresses[0].port)
        try program.accept()
        try Self.say(300, over: socket)
        socket.endOutput()
        let one = "receive {wireline, C, _, #{number := N}} -> C ! {wireline, {confirm, N}} end"
        try program.run("[\(one) || N <- lists:seq(1, 300)]")
        #expect(try program.evaluate("receive {wireline, close, C, R} -> R end") == "normal")
        #expect(await gateway.metrics().unreadEndCount == 0)
        await gateway.drain(for: .zero)
    }

    @Test func `a client that has ended, and whose window stays full, is parked no longer than others`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program) {
            $0.window = 1
            // Long enough for an owner on a busy machine.
            $0.parkTime = .seconds(2)
        }
        let socket = try RawSocket.connect(to: gateway.addresses[0].port)
        try program.accept()
        try Self.say(1_000, over: socket)
        socket.endOutput()
        let reason = try program.evaluate("receive {wireline, close, C, R} -> R end")
        #expect(reason == "normal")
        #expect(await gateway.metrics().unreadEndCount == 1)
        await gateway.drain(for: .zero)
    }

    @Test func `an owner is told of a broken protocol before the connection has parted`() async throws {
        let program = try ErlangProgram()
        try program.join()
        let gateway = try await SceneGateway.start(program)
        let socket = try RawSocket.connect(to: gateway.addresses[0].port)
        try program.accept()
        // What was sent is to leave before the connection closes.
        try program.run("C ! \(ErlangProgram.answer("hello"))")
        #expect(try !socket.receive().isEmpty)
        try Self.say(1, over: socket)
        try socket.send([UInt8](repeating: 0xFF, count: 64))
        try program.run("receive {wireline, C, {cs_20001, _, _, _, _}} -> ok end")
        let reason = try program.evaluate("receive {wireline, close, C, {shutdown, {packet, _}}} -> told end")
        #expect(reason == "told")
        // A closed connection would answer the first byte with a reset.
        try socket.send([0])
        try socket.send([0])
        await gateway.drain(for: .zero)
    }
}
