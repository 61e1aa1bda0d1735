// SPDX-License-Identifier: Apache-2.0

import Goim
import Scene
import Testing
import WirelineTesting

/// What expectations say when they are not met.
struct TestFailureTests {
    private func client() async throws -> TestClient<GoimProtocol> {
        let network = try TestNetwork(patience: .zero)
        let server = try await network.serve(TestNetworkTests.handlers()) { _ in "" }
        return try await network.connect(to: server, as: "Ann")
    }

    /// The text of the failure, without the place in the code.
    private func failure(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as TestFailure {
            let place = error.description.prefix { $0 != " " }
            #expect(place.hasPrefix("WirelineTestingTests/TestFailureTests.swift:"))
            return String(error.description.dropFirst(place.count + 1))
        } catch {
            return "\(error)"
        }
    }

    @Test func `other fields are shown as JSON`() async throws {
        let ann = try await client()
        try await ann.send(Authentication(body: "Ann"))
        #expect(
            await failure { try await ann.expect(AuthenticationReply(body: "hello \"Bob\"")) } == #"""
                Ann expected AuthenticationReply, but fields differ
                  - expected {"body":"hello \"Bob\""}
                  + received {"body":"hello Ann"}
                """#)
    }

    @Test func `another message is shown, and those after it`() async throws {
        let ann = try await client()
        try await ann.sendTogether(Heartbeat(body: ""), Authentication(body: "Ann"))
        #expect(
            await failure { try await ann.expect(ChangeRoomReply()) } == #"""
                Ann expected ChangeRoomReply {}, but received
                  HeartbeatReply {"popularity":1}
                  then came
                    AuthenticationReply {"body":"hello Ann"}
                """#)
        #expect(
            await failure { try await ann.expectNothing() } == #"""
                Ann expected nothing, but received
                  AuthenticationReply {"body":"hello Ann"}
                """#)
        #expect(
            await failure { try await ann.expectEnd() } == #"""
                Ann expected the end, but received
                  AuthenticationReply {"body":"hello Ann"}
                """#)
    }

    @Test func `a message that does not come is an error, not a hang`() async throws {
        let ann = try await client()
        let text = await failure { try await ann.expect(HeartbeatReply.self) }
        #expect(
            text == "Ann expected HeartbeatReply, but nothing came: the network is idle, "
                + "and the next timer is due in 30.0 seconds")
        let other = await failure { try await ann.expectEnd() }
        #expect(other?.contains("the connection is open: the network is idle") == true)
        await ann.close()
        #expect(
            await failure { try await ann.expect(HeartbeatReply.self) }
                == "Ann expected HeartbeatReply, but the connection has ended: \(ConnectionError.transport(.closed))")
    }

    @Test func `a call that waits for ever fails`() async throws {
        let ann = try await client()
        let text = await failure {
            try await ann.network.run(within: .milliseconds(10)) { try await ann.client.waitUntilEnd() }
        }
        #expect(text?.hasPrefix("the test waits for a call, but it did not finish: the network is idle") == true)
    }

    @Test func `a sender whose server reads nothing fails`() async throws {
        let network = try TestNetwork(patience: .zero)
        network.bufferByteCount = 1_000
        let server = try await network.serve(GoimProtocol.self) { client in try await client.waitUntilEnd() }
        var configuration = ClientConfiguration()
        configuration.limits.pendingByteCount = 2_000
        let ann = try await network.connect(to: server, as: "Ann", configuration: configuration)
        let text = await failure {
            for _ in 0..<10 { try await ann.send(ChangeRoom(room: String(repeating: "x", count: 900))) }
        }
        #expect(text?.hasPrefix("Ann sends ChangeRoom {\"room\":\"xxx") == true)
        #expect(text?.contains("but it did not finish: the network is idle") == true)
    }

    @Test func `long messages are shown in lines, with the fields that differ marked`() async throws {
        let network = try TestNetwork(patience: .zero)
        let long = String(repeating: "x", count: 100)
        let reply = Sc_20001(
            res: 1, sceneID: 7, pos: 0, status: 0, type: 0, defaultCombat: 5, message: long)
        let server = try await network.serve(SceneProtocol.self) { client in
            try await client.send(reply)
            try await client.waitUntilEnd()
        }
        let ann = try await network.connect(to: server, as: "Ann")
        var expected = reply
        expected.sceneID = 8
        let wanted = expected
        #expect(
            await failure { try await ann.expect(wanted) }
                == """
                Ann expected Sc_20001, but fields differ
                  - expected, + received
                    {
                      "res": 1
                  -   "sceneID": 8
                  +   "sceneID": 7
                      "pos": 0
                      "status": 0
                      "type": 0
                      "defaultCombat": 5
                      "message": "\(long.prefix(79))…
                  }
                """.replacing("\n  }", with: "\n    }"))
    }
}
