// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import FaultSupport
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway
import WirelineTransport

/// What a gateway does for all of its clients, it does in many small pieces. Too many steps in one piece end the process
/// (`LoopStep`).
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .aside)
struct GatewayStepTests {
    /// More than one piece may have.
    private static let count = 1_300
    private static let service = "{wireline, 'gw@127.0.0.1'}"

    init() { EventLoop.checkSteps() }

    @Test func `publishes, lists, slow clients and an end visit some clients at a time`() async throws {
        let program = try ErlangProgram()
        let accept = "{wireline, open, C, _} -> C ! {wireline, [{owner, self()}, {join, room}]}"
        try program.run("pg:join(scene, spawn(fun F() -> receive \(accept); _ -> ok end, F() end))")
        let gateway = try await SceneGateway.start(program) {
            $0.clientByteCount = 64 << 20
        }
        let client = try await SceneGateway.connect(to: gateway)
        // They read nothing, so that all of them are looked at again and again.
        let sockets = try (1..<Self.count).map { _ in
            try RawSocket.connect(to: gateway.addresses[0].port, receiveBuffer: 4_096)
        }
        let members = "gen_server:call(\(Self.service), {members, room}, infinity)"
        while try program.evaluate("length(\(members))") != "\(Self.count)" {}
        let answers = (1...40).map { "\($0)" + String(repeating: "x", count: 4_000) }
        let record = "{sc_20001, 1, 1, 1, 0, 0, 100, <<(integer_to_binary(N))/binary, X/binary>>, <<>>}"
        try program.run("X = binary:copy(<<\"x\">>, 4000), M = \(members)")
        try program.run("[\(Self.service) ! {publish, room, \(record)} || N <- lists:seq(1, 20)]")
        try program.run("[\(Self.service) ! {send, M, \(record)} || N <- lists:seq(21, 40)]")
        for answer in answers { #expect(try await client.nextText() == answer) }
        #expect(await gateway.metrics().clientCount == Self.count)
        await gateway.drain(for: .zero)
        #expect(try await client.nextText() == nil)
        withExtendedLifetime(sockets) {}
    }

    #if DEBUG
        @Test func `too many steps in one piece end the process`() async {
            await #expect(processExitsWith: .failure) {
                EventLoop.checkSteps()
                let loop = try EventLoop()
                await loop.run { for _ in 0...LoopStep.clientVisited.share { loop.note(.clientVisited) } }
            }
        }
    #endif
}
