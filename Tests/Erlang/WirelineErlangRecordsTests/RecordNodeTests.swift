// SPDX-License-Identifier: Apache-2.0

import Records
import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Messages between nodes, as records.
@Suite(.ahead)
struct RecordNodeTests {
    @Test func `a node sends, casts, calls and replies with messages`() async throws {
        var configuration = ErlangNodeConfiguration()
        configuration.portMapper = .none
        let server = try await ErlangNode.start(
            "server@127.0.0.1", cookie: .text("secret"), configuration: configuration)
        configuration.nodePorts = [server.name: server.address.port]
        let client = try await ErlangNode.start(
            "client@127.0.0.1", cookie: .text("secret"), configuration: configuration)
        let (scene, box) = (try server.mailbox(named: "scene"), try client.mailbox(named: "box"))
        let enter = Enter(
            scene: 7, name: "Ann", mood: .calm, rights: [], path: [], extra: .nothing, note: nil)
        let entered = Entered(scene: 7, isFull: false)
        let destination = ErlangDestination.name("scene", at: server.name)

        // While the node is not connected, while it is, by its pid, and inside of one node.
        try client.send(enter, to: destination)
        #expect(try await Self.message(scene) == enter)
        try client.send(enter, to: destination)
        #expect(try await Self.message(scene) == enter)
        try box.send(enter, to: .pid(scene.pid))
        #expect(try await Self.message(scene) == enter)
        try server.send(enter, to: .name("scene"))
        #expect(try await Self.message(scene) == enter)

        try client.cast(destination, enter)
        guard case .cast(let request) = try await scene.next() else { throw Unexpected() }
        #expect(Enter(request) == enter)

        let answering = Task {
            guard case .call(let call) = try await scene.next(), Enter(call.request) == enter else {
                throw Unexpected()
            }
            try scene.reply(entered, to: call)
        }
        let reply = try await client.call(destination, enter, timeout: .seconds(100))
        #expect(Entered(reply) == entered)
        try await answering.value

        var long = enter
        long.name = String(repeating: "x", count: 21)
        let error = #expect(throws: ErlangNodeError.self) { try client.send(long, to: destination) }
        guard case .record(let fault)? = error else { throw Unexpected() }
        #expect(fault.path == "Enter.name" && error?.description == "Enter.name: {too_long,21,20}")
        #expect(throws: ErlangNodeError.self) { try client.cast(destination, long) }
        await client.stop()
        await server.stop()
    }

    private static func message(_ box: ErlangMailbox) async throws -> Enter? {
        guard case .message(let term, from: _) = try await box.next() else { throw Unexpected() }
        return Enter(term)
    }

    private struct Unexpected: Error {}
}
