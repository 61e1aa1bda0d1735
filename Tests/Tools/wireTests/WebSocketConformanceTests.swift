// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import WebSocketSupport

/// The cases of the Autobahn suite, against `wire websocket echo` and `wire websocket cases`, over sockets.
@Suite(.aside)
struct WebSocketConformanceTests {
    @Test func `websocket echo has the required outcome of each case`() async throws {
        let tool = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0", "--deflate"])
        let client = CaseClient(port: tool.port)
        let faults = try await onThread { try client.faults(of: echoCases) }
        #expect(faults == [])
        #expect(tool.end().status == 0)
    }

    @Test func `websocket cases has the required outcome of each case`() async throws {
        let listener = try RawSocket.listen()
        let port = try listener.port()
        let server = CaseServer(listener: listener, cases: echoCases)
        async let serving = onThread { try server.run() }
        let outcome = try await onThread {
            defer {
                // If the program has ended too early, this ends the server.
                _ = try? RawSocket.connect(to: port)
            }
            return try Workspace([:]).wire(
                "websocket", "cases", "ws://127.0.0.1:\(port)", "--agent", "wire", "--deflate")
        }
        let faults = try await serving
        #expect(faults == [])
        #expect(outcome == .success("\(echoCases.count) cases as wire\n"))
    }
}
