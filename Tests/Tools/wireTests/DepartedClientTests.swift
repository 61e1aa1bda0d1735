// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport
import Wireline

#if os(Linux)
    /// What a server keeps of clients that have left.
    @Suite(.aside)
    struct DepartedClientTests {
        /// The memory of a process that is in use, in bytes (proc(5)).
        private static func residentByteCount(of process: Int32) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
            return try #require(Int(text.split(separator: " ")[1])) * Int(getpagesize())
        }

        @Test func `the memory of clients that have left goes back to the system`() async throws {
            let server = try ServingTool(running: ["websocket", "echo", "127.0.0.1:0", "--deflate"])
            let idle = try Self.residentByteCount(of: server.processID)
            var configuration = WebSocketClientConfiguration()
            configuration.deflate = WebSocketDeflate()
            var clients: [WebSocketClient] = []
            for _ in 0..<600 {
                let client = try await WebSocketClient.connect(
                    to: "ws://\(server.address)/", configuration: configuration)
                let text = String(repeating: "the same words ", count: 100)
                try await client.send(text)
                #expect(try await client.receive() == .text(text))
                clients.append(client)
            }
            // zlib keeps more than 100 KB for each.
            let most = try Self.residentByteCount(of: server.processID)
            #expect(most - idle > 50 << 20)
            for client in clients { client.abort() }
            #expect(
                try await eventually {
                    try Self.residentByteCount(of: server.processID) - idle < (most - idle) / 4
                })
            #expect(server.end().status == 0)
        }
    }
#endif
