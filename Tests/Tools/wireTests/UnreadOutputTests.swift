// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline

/// Commands that serve while their output is not read.
@Suite(.waiting)
struct UnreadOutputTests {
    /// Makes a server, or a proxy to one, print more lines than a pipe can buffer.
    private func flood(_ tool: ServingTool) async throws {
        let connection = try await tool.connect()
        let packets = [[UInt8]](repeating: Array(packetBytes), count: 2_000).flatMap { $0 }
        await connection.sendRaw(packets)
        for _ in 0..<2_000 { #expect(try await connection.next()?.id == 20_001) }
        connection.endOutput()
        #expect(try await connection.rest() == [])
        connection.close()
    }

    @Test func `a server ends on request although its standard error is not read`() async throws {
        let server = try ServingTool("--verbose")
        try await flood(server)
        #expect(server.endUnread() == 0)
        #expect(server.outcome().errors.contains("received Cs_20001"))
    }

    @Test func `a proxy ends on request although its standard output is not read`() async throws {
        let server = try ServingTool()
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address],
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        try await flood(proxy)
        #expect(proxy.endUnread() == 0)
        #expect(proxy.outcome().output.contains("client: Cs_20001"))
        #expect(server.end() == .success(""))
    }

    @Test func `if there are too many errors they are counted, and none is lost`() async throws {
        let server = try ServingTool()
        let count = 400
        let start = ContinuousClock.now
        for _ in 0..<count {
            let connection = try await server.connect()
            await connection.sendRaw(Array(repeating: 0xFF, count: 6))
            #expect(try await connection.rest() == [])
            connection.close()
        }
        let outcome = server.end()
        #expect(outcome.status == 0)
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        var printed = 0
        var leftOut = 0
        var noteCount = 0
        for line in outcome.errors.split(separator: "\n") {
            if let match = line.wholeMatch(of: /note: (\d+) lines? (?:was|were) left out: there were too many/) {
                leftOut += Int(match.1) ?? 0
                noteCount += 1
            } else {
                #expect(line.hasPrefix("error: 127.0.0.1:"))
                printed += 1
            }
        }
        #expect(printed >= 100 && printed + leftOut == count, "\(printed) and \(leftOut)")
        // One note per second, and one at the end.
        #expect(noteCount <= seconds + 2)
    }
}
