// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import TestingSupport
import Wireline

/// Sessions that are cut after each byte, again and again: nothing of them may stay in memory.
enum Leaks {
    private static let sweepCount = 8

    static func look(_ findings: Findings) async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let relay = try Relay(to: server.address.port)
        let session = GoimCutSession(with: remembering, by: relay.port)
        let own = ProcessFigures.own
        // Dispatch opens two descriptors when a task first waits for a time, which may be after the first sweeps.
        try await Task.sleep(for: .milliseconds(1))
        var (descriptorCount, memory, sessionCount) = (0, 0, 0)
        for sweep in 0..<sweepCount {
            let (complaints, count, _) = try await session.cutEverywhere(
                by: relay, [.end, .reset], name: "sweep \(sweep)")
            findings.check(complaints, "sweep \(sweep + 1): \(count) sessions came back")
            let isQuiet = try await eventually {
                server.connections.isEmpty && session.connections.count == 0 && remembering.connections.count == 0
            }
            if !isQuiet { findings.check(false, "connections are left") }
            // Everything that grows once has grown after the first sessions.
            if sweep == 1 { (descriptorCount, memory) = (try own.descriptorCount(), try own.memory()) }
            if sweep > 1 { sessionCount += count }
        }
        let isClosed = try await eventually { try own.descriptorCount() <= descriptorCount }
        findings.check(isClosed, "descriptors: \(descriptorCount) before, \(try own.descriptorCount()) after")
        let each = (try own.memory() - memory) * 1_024 / sessionCount
        // A session takes several kilobytes. The server's memory of each login is a part of this.
        findings.check(each < 1_500, "memory: \(each) bytes for each of \(sessionCount) sessions that have been")
        relay.stop()
        await server.shutDown()
    }
}
